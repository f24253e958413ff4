"""A browser for tests: Chromium or Chrome without a window, driven through its DevTools protocol (chromedevtools.github.io).

It needs only `websockets`, which the laboratory requires anyway.
"""

import base64
import contextlib
import json
import re
import shutil
import subprocess
import tempfile

from websockets.sync.client import connect

from tests.waiting import PATIENCE, until

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PROGRAM = next((path for path in map(shutil.which, NAMES) if path is not None), None)
"""Path of the browser; None if there is none."""


_IS_READY = """document.readyState === "complete" && location.href !== "about:blank"
    && (!document.querySelector("section.player") || document.documentElement.dataset.ready === "")"""


class _RefusedError(Exception):
    """The browser rejected a call."""


class Tab:
    """One browser tab; `messages` contains its console output, script errors and security policy violations."""

    def __init__(self, connection):
        self._connection = connection
        self._session = None
        self._number = 0
        self.messages = []
        self._contexts = {}  # of the scripts of each frame
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        """Call a method of the protocol, and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        self._connection.send(json.dumps(message if self._session is None else {**message, "sessionId": self._session}))
        while True:
            answer = json.loads(self._connection.recv(PATIENCE))
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise _RefusedError(answer["error"])
                return answer["result"]
            self._note(answer)

    def _note(self, event):
        name, params = event.get("method"), event.get("params", {})
        if name == "Runtime.consoleAPICalled":
            self.messages.append(" ".join(str(part.get("value", part.get("description"))) for part in params["args"]))
        elif name == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.messages.append(str(details.get("exception", {}).get("description", details["text"])))
        elif name == "Runtime.executionContextCreated":
            self._contexts[params["context"]["auxData"]["frameId"]] = params["context"]["id"]
        elif name == "Log.entryAdded":
            self.messages.append(params["entry"]["text"])
        elif name == "Page.javascriptDialogOpening":
            self.messages.append(f"dialog: {params['message']}")

    def run(self, script, context=None):
        """Evaluate an expression, which may be a promise, and return its value as plain data; a `context` is that of a frame."""
        where = {} if context is None else {"contextId": context}
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, **where)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def open(self, path, address=""):
        """Open a file, and wait until its players are ready or an error occurs."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=path.as_uri() + address)
        until(lambda: self.run(_IS_READY) or self.messages)

    def run_in_frame(self, script, number=0):
        """Evaluate an expression in a frame of the page as soon as its players are ready."""

        def attempt():
            try:
                frame = self.call("Page.getFrameTree")["frameTree"]["childFrames"][number]["frame"]["id"]
                context = self._contexts[frame]
                return (self.run(script, context),) if self.run(_IS_READY, context) else None
            except (_RefusedError, KeyError):  # the frame is going to another page
                return None

        (value,) = until(attempt)
        return value

    def look(self, width, height, theme="dark", is_phone=False):
        """Set the size of the page, CSS pixels, and the reader's theme."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=is_phone)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])

    def mouse(self, kind, x, y, **more):
        """Move or press the mouse: `kind` is "mouseMoved", "mousePressed" or "mouseReleased"."""
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def key(self, key):
        """Press and release a key, by its DOM name."""
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def picture(self):
        """Return a screenshot of the page as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])


@contextlib.contextmanager
def browser():
    """Start a browser with one tab, and close it after the with block."""
    assert PROGRAM is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--remote-debugging-port=0",
            "--disable-features=IsolateSandboxedIframes",  # or a frame would be a target of its own
            f"--user-data-dir={folder}",
        ]
        process = subprocess.Popen([PROGRAM, *options, "about:blank"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        try:
            assert process.stderr is not None
            address = next(match[1] for line in process.stderr if (match := re.search(r"DevTools listening on (ws://\S+)", line)))
            with connect(address, max_size=None, proxy=None, open_timeout=PATIENCE) as connection:
                yield Tab(connection)
        finally:
            process.terminate()
            process.wait(PATIENCE)
            if process.stderr is not None:
                process.stderr.close()
