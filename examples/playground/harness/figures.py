"""What the page costs: its size, how soon it is there, and how much of each frame its script takes."""

import time

from chromium import PATIENCE

PLAYED = 6  # seconds of real time in which frames are counted


def percentile(values, share):
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def frames(page, begin):
    """Milliseconds of processor time that the script took in each frame from an action on, by the browser's own trace."""
    browser = page.browser
    config = {"includedCategories": ["devtools.timeline"], "excludedCategories": ["*"]}
    browser.call("Tracing.start", transferMode="ReportEvents", traceConfig=config)
    page.ask(begin)
    time.sleep(PLAYED)
    browser.call("Tracing.end")
    until = time.monotonic() + PATIENCE
    while not any(event.get("method") == "Tracing.tracingComplete" for event in browser.events):
        browser.events.append(browser.receive(until))
    told = [event for event in browser.events if event.get("method") == "Tracing.dataCollected"]
    traced = [one for event in told for one in event["params"]["value"]]
    return [one["tdur"] / 1000 for one in traced if one["name"] == "FireAnimationFrame" and "tdur" in one]


def figures(page, file):
    """Prints the figures; two flows at 10 Mbit/s in real time, while they are computed and after."""
    page.open(file.as_uri() + "#show=two")
    ready = page.ask("Number(document.documentElement.dataset.ready)")
    taken = frames(page, "playground.setPace(0), playground.start(), playground.setPlaying(true)")
    print(f"page: {file.stat().st_size:,} bytes; ready {ready:.0f} ms after it was asked for")
    print(
        f"script per frame, two flows at 10 Mbit/s: {percentile(taken, 0.5):.2f} ms in the median, "
        f"{percentile(taken, 0.99):.2f} ms at the 99th percentile of {len(taken)} frames"
    )
