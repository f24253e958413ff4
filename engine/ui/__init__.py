"""The toolkit of the window: panels, menus and questions are lists of rows, and each row says what a change of it does.

A row is plain data (`engine.ui.rows`), made anew in every frame from what it shows. A form (`engine.ui.form`) places the rows under each
other, draws them and takes the pointer; what all forms of a window share, the keyboard's focus and the tooltip, is `engine.ui.ui`.
"""
