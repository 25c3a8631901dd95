"""What the page costs: its size, how soon it is there, and how much of each frame its script takes."""

import time

from chromium import PATIENCE

PLAYED = 6  # seconds of real time in which frames are counted


def percentile(values, share):
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def frames(page):
    """Milliseconds of processor time that the script took in each frame, by the browser's own trace."""
    page.browser.events.clear()
    page.call(
        "Tracing.start", transferMode="ReportEvents",
        traceConfig={"includedCategories": ["devtools.timeline"]},
    )
    time.sleep(PLAYED)
    page.call("Tracing.end")
    until = time.monotonic() + PATIENCE
    found = []
    while True:
        event = page.browser.receive(until)
        if event.get("method") == "Tracing.dataCollected":
            found += event["params"]["value"]
        if event.get("method") == "Tracing.tracingComplete":
            break
    return [event.get("tdur", event["dur"]) / 1000 for event in found if event["name"] == "FireAnimationFrame" and "dur" in event]


def figures(page, file):
    """Prints the figures; two flows at 10 Mbit/s in real time, from the first frame on."""
    page.open(file.as_uri() + "#show=two")
    ready = page.ask("Number(document.documentElement.dataset.ready)")
    page.ask("playground.setPace(0), playground.start(), playground.setPlaying(true)")
    taken = frames(page)
    page.wait("playground.engine.state !== 0")
    print(f"page: {file.stat().st_size:,} bytes; ready {ready:.0f} ms after it was asked for")
    print(
        f"script per frame, two flows at 10 Mbit/s: {percentile(taken, 0.5):.2f} ms in the median, "
        f"{percentile(taken, 0.99):.2f} ms at the 99th percentile of {len(taken)} frames"
    )
