# SPDX-License-Identifier: BSD-3-Clause
"""
What tests of polls have in common: a program counts its calls, and an independent reader, the report,
the query and the export are to tell the same numbers.
"""

import csv
import io
import os
import re
import subprocess

from patience import HANG_S
from viewed import Page

# So many unsuccessful polls in a row are recorded each.
ALONE = 63


def region_of(archive, name, values):
    """What an event enters; None: nothing."""
    if name == "CallingContextEnter":
        return archive.name_of("Region", archive.spaces["CallingContext"][values[0]][1]["region"])
    return archive.name_of("Region", values[0]) if name == "Enter" else None


def recorded(trace, names):
    """{name: (regions, calls that they stand for)} by an independent reader."""
    archive, found = trace.archive, {}
    for location in archive.spaces["Location"]:
        for name, _, values, attributes in trace.events(location):
            region = region_of(archive, name, values)
            if region in names:
                numbers = [value for attribute, _, value in attributes or ()
                           if archive.name_of("Attribute", attribute) == "spur::calls"]
                n, calls = found.get(region, (0, 0))
                found[region] = (n + 1, calls + sum(numbers or [1]))
    return found


def rows_of(run, archive, sql, *options):
    words = [run.spur, "query", "--csv", *options, archive, sql]
    said_by = subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True, timeout=HANG_S)
    return list(csv.reader(io.StringIO(said_by.stdout)))[1:]


def told(run, archive, names, *options):
    """The calls of polls as the report and the query tell them."""
    report = run.report(archive, "--top", "0", *options)["sections"]["regions"]
    found = [{row["region"]: row["calls"] for row in report if row["region"] in names}]
    for view in ("regions", "call_sites"):
        rows = rows_of(run, archive, f"SELECT name, sum(calls) FROM {view} GROUP BY name", *options)
        found.append({name: int(calls) for name, calls in rows if name in names})
    return found if found[-1] else found[:-1]  # without call stacks no call has a site


def viewed(run, archive, names):
    """The same as the page of the view tells them, by its sums and by its single calls."""
    file = archive + ".html"
    words = [run.spur, "view", "-o", file, archive]
    subprocess.run(words, stdout=subprocess.DEVNULL, check=True, timeout=HANG_S)
    page, found = Page(file), [dict.fromkeys(names, 0), dict.fromkeys(names, 0)]
    for _, calls, _, _, path, _ in page.records("sums"):
        if page.region(path) in names:
            found[0][page.region(path)] += int(calls)
    for _, _, calls, _, path, _, _ in page.records("calls"):
        if page.region(path) in names:
            found[1][page.region(path)] += int(calls)
    whole = {"from": 0, "to": page.meta["duration"]}
    return found if any(whole.items() <= one.items() for one in page.meta["exact"]) else found[:1]


def judged(run, archive, truth, what, is_counted=True):
    """Everyone tells the program's numbers; {name: regions}. `is_counted` false: a region for each call."""
    found = recorded(run.judge(archive), truth)
    run.equal({name: calls for name, (_, calls) in found.items()}, truth, f"{what}: calls, by python3-otf2")
    numbers = told(run, archive, truth)
    by_whom = ("report", "query", "query's sites")[:len(numbers)] + ("view", "view's calls")
    for by, got in zip(by_whom, numbers + viewed(run, archive, truth)):
        run.equal(got, truth, f"{what}: calls, by the {by}")
    regions = {name: n for name, (n, _) in found.items()}
    if not is_counted:
        run.equal(regions, truth, f"{what}: regions")
    return regions


def windows(run, archive, truth):
    """A stretch counts with all its calls in each window that it reaches into, in all commands."""
    sql = "SELECT name, enter_s, leave_s, calls FROM calls"
    calls = [(name, float(enter), float(leave), int(n))
             for name, enter, leave, n in rows_of(run, archive, sql) if name in truth]
    run.equal({name: sum(n for of, _, _, n in calls if of == name) for name in truth}, truth,
              "table of calls")
    begin = float(rows_of(run, archive, "SELECT min(enter_s) FROM calls")[0][0])
    longest = max(calls, key=lambda call: call[2] - call[1])
    middle = (longest[1] + longest[2]) / 2
    for half in (f"..{middle - begin:.9f}", f"{middle - begin:.9f}.."):
        window = [call for call in calls if (call[1] <= middle if half[0] == "." else call[2] >= middle)]
        some = {name: sum(n for of, _, _, n in window if of == name) for name in truth}
        some = {name: n for name, n in some.items() if n}
        run.expect(longest in window, f"{longest} reaches into {half}")
        for by, got in zip(("report", "query", "query's sites"), told(run, archive, truth, "--time", half)):
            run.equal(got, some, f"calls in {half}, by the {by}")


def exported(run, archive):
    """The calls of stretches in Chrome's form are those of the table."""
    path = os.path.join(run.scratch, "chrome.json")
    run.says("export", "--to", "chrome", "-o", path, archive)
    with open(path, encoding="utf-8") as file:
        numbers = [int(n) for n in re.findall(r'"calls":(\d+)', file.read())]
    rows = rows_of(run, archive, "SELECT calls FROM calls WHERE calls > 1")
    run.equal(sorted(numbers), sorted(int(row[0]) for row in rows), "calls, by the export")
