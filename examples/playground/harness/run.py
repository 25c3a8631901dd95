#!/usr/bin/env python3
"""Tries the playground as people use it, in headless Chromium: run.py [--ackclock COMMAND] [--pictures FOLDER].

Clicks, keys and touches must do what they say; every digest must be that of the command line's capture. What a page
weighs and how fast it is, is printed and decides nothing: examples/playground/build.sh refuses a page that is too large.
"""

import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse

sys.dont_write_bytecode = True
from chromium import Chromium, Failed, Page
from figures import figures

ROOT = pathlib.Path(__file__).resolve().parents[3]
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target"))
PAGE = ROOT / TARGET / "playground" / "index.html"
WIDE, NARROW = (1440, 900), (390, 844)
# Each with a link of its own: laws, two-way traffic, losses by chance, queues by chance, marks, stacks of other days.
LINKS = (
    "#show=two",
    "#show=loss&seed=7",
    "#show=bbr&duration=15",
    "#show=l4s&duration=12",
    "#show=codel&queue=fq_codel&there=3&back=2&starts=random&seed=3&duration=8",
    "#show=jacobson-3",
    "#show=zhang-4&seed=11",
    "#show=zhang-8",
    "#show=allman99&queue=red&duration=30&seed=5",
    "#show=veno&loss=3&seed=2",
)


def check(condition, what):
    if not condition:
        raise Failed(what)


def shown(page, selector):
    return page.ask(f"document.querySelector({json.dumps(selector)}).textContent")


def finish(page):
    """Waits for the end of the run, which need not be smooth here."""
    page.ask("playground.runBudget = 200")
    page.wait("!playground.run || playground.engine.state !== 0")
    problem = page.ask("playground.run ? '' : document.getElementById('progress').textContent")
    check(not problem, problem)


def digests(page, command):
    """Runs each link in the page, and its scenario by the command."""
    for link in LINKS:
        page.open(PAGE.as_uri() + link)
        finish(page)
        told = shown(page, "#digest")
        with tempfile.TemporaryDirectory() as folder:
            scenario, capture = pathlib.Path(folder, "scenario.toml"), pathlib.Path(folder, "run.pcap")
            scenario.write_text(shown(page, "#scenario"), encoding="utf-8")
            subprocess.run(
                [command, "discard", "--scenario", scenario, "--pcap", capture], check=True, stdout=subprocess.DEVNULL
            )
            computed = hashlib.sha256(capture.read_bytes()).hexdigest()
        check(told == computed, f"{link}: the page's digest is {told}, the command's {computed}")
        print(f"same digest: {told[:16]} {shown(page, '#progress'):>28}  {link}")


def set_slider(page, key, place):
    """Moves a slider as a hand does."""
    page.ask(
        f"(() => {{ const s = document.getElementById('set-{key}'); s.value = {place};"
        " s.dispatchEvent(new Event('input', { bubbles: true })); })()"
    )


def choose(page, selector, value):
    page.ask(
        f"(() => {{ const s = document.querySelector({json.dumps(selector)}); s.value = {json.dumps(value)};"
        " s.dispatchEvent(new Event('change', { bubbles: true })); })()"
    )


def playing_and_pausing(page):
    page.open(PAGE.as_uri() + "#show=two")
    finish(page)
    page.wait("playground.time > 0.05")
    page.click("#play")
    stood = page.ask("playground.time")
    page.ask("new Promise((done) => setTimeout(done, 200))")
    check(page.ask("playground.time") == stood, "time goes on after Pause was clicked")
    check(shown(page, "#play") == "Play", "the button does not offer to play")
    page.click("#play")
    page.wait(f"playground.time > {stood}")
    page.key(" ", "Space")
    stood = page.ask("playground.time")
    page.ask("new Promise((done) => setTimeout(done, 100))")
    check(page.ask("playground.time") == stood, "the button that was clicked last takes no space")


def picking(page):
    """A packet on the line, and one of the sequence plot."""
    page.ask("playground.setPlaying(false), playground.seek(12.4)")
    page.wait("!playground.dirty")
    box = page.ask(
        "(() => { const c = document.getElementById('road').getBoundingClientRect();"
        " const d = playground.road.drawn.find((d) => d.width > 10 && playground.engine.packets.kind[d.number] & 1);"
        " return { x: c.x + d.x + d.width / 2, y: c.y + d.y, number: d.number }; })()"
    )
    page.mouse(box["x"], box["y"])
    check(page.ask("Number(document.getElementById('inspector').dataset.packet)") == box["number"], "another packet")
    terms = page.ask("[...document.querySelectorAll('#inspector .header dt')].map((term) => term.textContent)")
    check(terms[:7] == ["from", "to", "flags", "seq", "ack", "window", "payload"], f"the header has {terms}")
    check(len(shown(page, "#inspector .why")) > 20, "there is no reason")
    check("delivered" in shown(page, "#inspector .journey"), "its way does not end")
    spot = page.ask(
        "(() => { const { engine, charts } = playground; const c = charts[2].canvas.getBoundingClientRect();"
        " const n = engine.packets.kind.findIndex((kind) => (kind & 2) !== 0);"
        " playground.setRange(engine.packets.sent[n] - 0.02, 0.04); return n; })()"
    )
    page.wait("!playground.stale")
    place = page.ask(
        "(() => { const { engine, charts } = playground; const c = charts[2].canvas.getBoundingClientRect();"
        f" const [x, y] = charts[2].place(engine.packets, {spot}); return [c.x + x, c.y + y]; }})()"
    )
    page.mouse(*place)
    picked = page.ask("Number(document.getElementById('inspector').dataset.packet)")
    again = page.ask(f"(playground.engine.packets.kind[{picked}] & 2) !== 0")
    check(again, f"packet {picked} was picked in the plot, and it was sent once")
    check("Sent before as packet" in shown(page, "#inspector"), "what is sent again does not say what was before")


def stepping(page):
    before = page.ask("playground.road.selected")
    page.ask("document.getElementById('road').focus()")
    page.key("ArrowRight")
    check(page.ask("playground.road.selected") == before + 1, "the right arrow is no step to the next packet")
    page.click("#previous")
    check(page.ask("playground.road.selected") == before, "there is no way back")
    check(page.ask("playground.time === playground.engine.packets.sent[playground.road.selected]"), "not its time")
    check(str(before + 1) in shown(page, "#announce"), "a screen reader is not told of the step")


def settings_and_links(page):
    page.open(PAGE.as_uri())
    finish(page)
    first = shown(page, "#digest")
    set_slider(page, "rate", 300)
    set_slider(page, "loss", 1.5)
    choose(page, "#set-law", "reno")
    page.click("#set-seed + button")
    # In one task, in which nothing can be computed.
    left = page.ask("(playground.change('law', 'reno'), document.getElementById('digest').textContent)")
    check(left == "", "the run of other settings still shows")
    finish(page)
    second = shown(page, "#digest")
    check(second not in ("", first), "sliders change nothing")
    page.wait("location.hash.includes('law=reno')")
    link, scenario = page.ask("location.href"), shown(page, "#scenario")
    check('law = "reno"' in scenario and "loss=1.5%" in scenario and "seed = 2" in scenario, scenario)
    page.open(link)
    finish(page)
    check(shown(page, "#scenario") == scenario and shown(page, "#digest") == second, "the link is another scenario")
    check(page.ask("document.getElementById('set-loss').value") == "1.5", "a slider is not where the link has it")
    choose(page, "#preset", "zhang-8")
    check("fixed:30" in shown(page, "#scenario"), "the figure that was chosen does not run")
    page.open(PAGE.as_uri() + "#show=nothing&rate=-3&law=none%20such&seed=x")
    finish(page)
    check(shown(page, "#digest") == first, "what a link says wrongly is not what it is by default")


def every_choice(page):
    """Each choice of the form, and both ends of each slider, make a scenario that runs."""
    words = page.ask(
        "[...document.querySelectorAll('#settings select')].flatMap((s) => [...s.options].map((o) => [s.name, o.value]))"
    )
    ends = page.ask(
        "playground.controls.ranges().flatMap(([key, min, max]) => [[key, min], [key, max]])"
    )
    for key, value in words + [end for end in ends if end[0] != "duration"]:
        link = "#" + urllib.parse.urlencode({"show": "two", "duration": 1, key: value})
        page.ask(f"playground.open({json.dumps(link)}, false)")
        finish(page)
    # Thresholds must be different whole numbers, however small the buffer is.
    for buffer in (1, 2, 3, 7):
        page.ask(f"playground.open('#show=two&duration=1&queue=red&buffer={buffer}', false)")
        finish(page)
    page.ask("playground.open('#show=two&rate=50e6&delay=0.001&duration=300', false)")
    finish(page)
    check("Cut short" in shown(page, "#progress"), "a run that is too long is not cut")
    check(shown(page, "#digest") == "", "a run that is cut has a digest")


def touching(browser):
    page = Page(browser, *NARROW, touch=True)
    page.open(PAGE.as_uri() + "#show=zhang-4")
    finish(page)
    page.ask("playground.setPlaying(false), playground.seek(100)")
    page.wait("!playground.dirty")
    page.tap(*page.middle("#next"))
    page.wait("document.getElementById('inspector').dataset.packet !== ''")
    width = page.ask("document.documentElement.scrollWidth")
    check(width <= NARROW[0], f"the page is {width} wide on a screen of {NARROW[0]}")
    page.close()
    return page.complaints()


def pictures(browser, folder):
    """Screenshots for the documentation."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, size, link, time, width, dark in (
        ("playground-wide.png", WIDE, "#show=two", 12, 3, False),
        ("playground-narrow.png", NARROW, "#show=zhang-4", 120, 60, True),
    ):
        page = Page(browser, *size, touch=size is NARROW, dark=dark)
        page.open(PAGE.as_uri() + link)
        finish(page)
        page.ask(
            "(() => { const { packets } = playground.engine; playground.setPlaying(false);"
            f" const again = packets.kind.findIndex((kind, n) => kind & 2 && packets.sent[n] > {time});"
            f" playground.setRange(packets.sent[again] - {width} / 2, {width}); playground.select(again, true); }})()"
        )
        page.wait("!playground.dirty && !playground.stale")
        page.ask("new Promise((done) => setTimeout(done, 300))")
        (folder / name).write_bytes(page.picture())
        page.close()


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--ackclock", default=ROOT / TARGET / "release" / "ackclock", type=pathlib.Path)
    arguments.add_argument("--pictures", type=pathlib.Path, help="a folder for screenshots")
    options = arguments.parse_args()
    with Chromium() as browser:
        page = Page(browser, *WIDE)
        digests(page, options.ackclock)
        for tried in (playing_and_pausing, picking, stepping, settings_and_links, every_choice):
            tried(page)
            print(f"done: {tried.__name__.replace('_', ' ')}")
        complaints = touching(browser)
        print("done: touching")
        figures(page, PAGE)
        complaints += page.complaints()
        check(not complaints, f"the console has {complaints}")
        if options.pictures:
            pictures(browser, options.pictures)


main()
