"""Checks that a file is one JSON object of `ackclock discard --json` with a schema number."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
if not isinstance(report, dict) or not isinstance(report.get("schema"), int):
    sys.exit("expected one object with an integer `schema`")
print("keys:", ", ".join(report))
