"""Names that would run, load or break something if a page inserted them as markup or code."""

__all__ = ["HOSTILE"]

_RUNS = "window.hit=1"
_TAGS = ("script", "SCRIPT", "title", "style", "template", "textarea", "noscript", "section")
_HANDLERS = ("svg onload", "body onload", "input autofocus onfocus", "b onclick")
HOSTILE = (
    *(f"</{tag}><script>{_RUNS}</script>" for tag in _TAGS),
    *(f"<img src=x onerror={quote}{_RUNS}{quote}>" for quote in ("", '"', "'", "`")),
    *(f"<{handler}={_RUNS}>" for handler in _HANDLERS),
    *(f"<a href={quote}javascript:{_RUNS}{quote}>x</a>" for quote in ("", '"', "'")),
    *("{{7*7}}", "{{config}}", "{{self.__init__}}", "{{''.__class__}}", "{% raw %}", "{% include 'x' %}", "{% for x in y %}"),
    *(f"${{{_RUNS}}}", f"`${{{_RUNS}}}`", f"';{_RUNS};'", f'";{_RUNS};"', f"\\';{_RUNS}//"),
    f"\\u003cscript\\u003e{_RUNS}\\u003c/script\\u003e",
    *(f"<iframe srcdoc='<script>parent.{_RUNS}</script>'>", f"<object data='data:text/html,<script>{_RUNS}</script>'>"),
    *("<base href='https://example.invalid/'>", "<meta http-equiv=refresh content='0;url=https://example.invalid'>"),
    *("<link rel=stylesheet href=https://example.invalid/x.css>", "<style>@import 'https://example.invalid/x.css'</style>"),
    *("<!--", "-->", "<![CDATA[", "]]>", "<!doctype html>", "\u2028alert(1)\u2029", "&lt;script&gt;", "&#x3c;script&#x3e;"),
    *('"><b>', "'><b>", "<form action=https://example.invalid><button>", "<math><mi//xlink:href='javascript:1'>"),
    *(
        "data-part=play",
        "__proto__",
        "constructor",
        "\0",
        "\x1b[31m",
        "\r\n\r\n",
        "\u202egnp.exe",
        "\ud800",
        "x" * 200,
        "ß" * 200,
        "🂡" * 200,
    ),
)
