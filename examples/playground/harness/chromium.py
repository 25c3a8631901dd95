"""A headless Chromium and its pages, by the DevTools protocol over two pipes: no library, and no port that another
process could have."""

import base64
import fcntl
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PATIENCE = 60  # seconds for an answer


class Failed(Exception):
    """The browser or the page did not do what it was asked."""


class Chromium:
    """A browser with a fresh profile."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="playground-")
        self.standard_error = tempfile.TemporaryFile()
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()
        # The protocol's ends must be descriptors 3 and 4; a copy above them can't be overwritten by the other's move.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_browser, from_browser)]
        self.process = subprocess.Popen(
            [
                "bash", "-c", f'exec "$@" 3<&{ends[0]} 4>&{ends[1]}', "bash",
                "chromium", "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
                "--no-first-run", "--disable-extensions", "--disable-background-networking", "--hide-scrollbars",
                "--disable-dev-shm-usage", f"--user-data-dir={self.profile}", "about:blank",
            ],
            pass_fds=ends, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.standard_error,
        )
        for end in (to_browser, from_browser, *ends):
            os.close(end)
        self.numbers = itertools.count(1)
        self.pending = b""
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        self.standard_error.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method, session=None, **parameters):
        """Calls a method of the protocol and returns its result."""
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_end, data):]
        until = time.monotonic() + PATIENCE
        while True:
            answer = self.receive(until)
            if answer.get("id") == number:
                if "error" in answer:
                    raise Failed(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def receive(self, until):
        while b"\0" not in self.pending:
            ready, _, _ = select.select([self.read_end], [], [], max(until - time.monotonic(), 0))
            piece = os.read(self.read_end, 1 << 16) if ready else b""
            if not piece:
                raise Failed(f"the browser {'does not answer' if not ready else 'has ended'}: {self.last_words()}")
            self.pending += piece
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)


    def last_words(self):
        """The end of what the browser wrote to its standard error."""
        self.standard_error.seek(0)
        return self.standard_error.read().decode(errors="replace")[-2000:] or "it said nothing"


class Page:
    """A page of a certain size."""

    def __init__(self, browser, width, height, touch=False, dark=False):
        self.browser = browser
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=touch
        )
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def close(self):
        """Closes the page; one behind another is not drawn."""
        self.browser.call("Target.closeTarget", targetId=self.target)

    def open(self, address):
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)
        self.wait("document.documentElement?.dataset.ready !== undefined")

    def ask(self, expression):
        """The value of an expression, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Failed(f"{expression}: {details.get('exception', {}).get('description', details['text'])}")
        return answer["result"].get("value")

    def wait(self, expression, patience=PATIENCE):
        """Waits until an expression is true."""
        until = time.monotonic() + patience
        while not self.ask(expression):
            if time.monotonic() > until:
                raise Failed(f"never: {expression}")
            time.sleep(0.02)

    def mouse(self, x, y):
        """Clicks at a place of the window."""
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def tap(self, x, y):
        """Touches a place of the window."""
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def click(self, selector):
        """Clicks in the middle of an element."""
        self.mouse(*self.middle(selector))

    def middle(self, selector):
        return self.ask(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'nearest'}});"
            " const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )

    def key(self, key, code=None, text=None):
        """Presses a key and lets it go."""
        more = {"text": text} if text else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=code or key, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=code or key)

    def picture(self):
        """What the window shows, as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def complaints(self):
        """Errors and warnings of the console, and exceptions that nobody caught."""
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            parameters = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                found.append(str(parameters["exceptionDetails"]))
            if event["method"] == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
                found.append(str(parameters["args"]))
            if event["method"] == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append(parameters["entry"]["text"])
        return found
