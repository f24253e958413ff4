"""Settings of Sphinx."""

project = "Collision laboratory"
root_doc = "index"
extensions = ["myst_parser"]
myst_heading_anchors = 4
html_title = project
html_favicon = "static/favicon.svg"
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_use_index = False
html_show_copyright = False
html_show_sphinx = False
html_theme_options = {"sidebar_hide_name": False, "top_of_page_buttons": []}
