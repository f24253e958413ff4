"""The documentation as a static site: the pages of README.md and docs with navigation, search, live steppers and live scenes.

``python -m docs.site DIR`` builds it, with the packages of requirements-docs.txt. `sources` writes the pages as Sphinx reads them, with the
places of the players; `players` writes the players.

Sphinx with MyST and Furo was chosen by trial. MyST reads Markdown as GitHub does, blocks in `<details>` and anchors of headings included,
which MkDocs does not; a link or anchor that leads nowhere is a warning, and here an error. Furo follows the reader's light or dark setting.
MkDocs' Material is no longer developed.
"""
