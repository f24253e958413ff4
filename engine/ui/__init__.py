"""The toolkit of the window: panels, menus and questions are lists of rows, each with a callback for its changes.

A row is plain data (`engine.ui.rows`), created again in every frame. A form (`engine.ui.form`) lays out the rows in a column, draws them
and handles the pointer; `engine.ui.ui` has the state shared by all forms of a window, such as the keyboard focus and the tooltip.
"""
