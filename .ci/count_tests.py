"""Counts the test cases of a `bazel test` and prints `N passed, N failed, N skipped`."""

from __future__ import annotations

import argparse
import json
import sys
import urllib.parse
import xml.etree.ElementTree
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any


def events(file: Path) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Reads what Bazel wrote with --build_event_json_file.

    Args:
        file: The file; it is absent if Bazel did not come that far.

    Yields:
        The kind of an event, its id, and the event.
    """
    if not file.exists():
        return
    for line in file.read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        for kind, identity in event["id"].items():
            yield kind, identity, event


def case_outcomes(report: Path) -> Counter[str]:
    """Counts the cases of one JUnit report.

    Args:
        report: The file test.xml of a test.

    Returns:
        How many passed, failed and were skipped.
    """
    outcomes: Counter[str] = Counter()
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        children = {child.tag for child in case}
        if children & {"failure", "error"}:
            outcomes["failed"] += 1
        else:
            outcomes["skipped" if "skipped" in children else "passed"] += 1
    return outcomes


def count(all_events: Iterable[tuple[str, dict[str, Any], dict[str, Any]]]) -> Counter[str]:
    """Counts the cases of all tests.

    A test whose report says less than Bazel, such as one that ran out of time, counts as one case.

    Args:
        all_events: What events() yields.

    Returns:
        How many passed, failed and were skipped.
    """
    total: Counter[str] = Counter()
    runs: dict[tuple[str, int, int], dict[str, Any]] = {}
    for kind, identity, event in all_events:
        if kind == "testResult" and "testResult" in event:
            # A later attempt at a flaky test replaces the earlier one.
            runs[identity["label"], identity["run"], identity["shard"]] = event["testResult"]
        elif kind == "targetCompleted" and not event.get("completed", {}).get("success"):
            skipped = event.get("aborted", {}).get("reason") == "SKIPPED"
            total["skipped" if skipped else "failed"] += 1
    for result in runs.values():
        total += _run_outcomes(result)
    return total


def _run_outcomes(result: dict[str, Any]) -> Counter[str]:
    outcomes: Counter[str] = Counter()
    for output in result.get("testActionOutput", []):
        uri = urllib.parse.urlparse(output.get("uri", ""))
        if output["name"] == "test.xml" and uri.scheme == "file":
            outcomes = case_outcomes(Path(urllib.parse.unquote(uri.path)))
    if result.get("status") != "PASSED" and not outcomes["failed"]:
        outcomes["failed"] += 1
    elif not outcomes.total():
        outcomes["passed"] += 1
    return outcomes


def main() -> int:
    """Prints the counts and returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--status", type=int, required=True, help="the exit status of Bazel")
    parser.add_argument("events", type=Path, help="what --build_event_json_file wrote")
    options = parser.parse_args()
    total = count(events(options.events))
    if options.status and not total["failed"]:
        # Nothing was run: an error in a BUILD file, for example.
        total["failed"] = 1
    line = f"{total['passed']} passed, {total['failed']} failed"
    print(line + (f", {total['skipped']} skipped" if total["skipped"] else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
