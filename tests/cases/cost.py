# SPDX-License-Identifier: BSD-3-Clause
"""
What recording has cost, by region: the counts are the program's own, bytes and events add up to the
archive's. The filter that `spur report` suggests leaves out the region of many short calls and nothing
else, and takes away what it says.
"""

import csv
import glob
import io
import json
import os
import re

of = "tools/report/topics"
LINE = re.compile(r"leaves out 1 region: ([\d,]+) of ([\d,]+) events, about (\S+ \w+) of (\S+ \w+); "
                  r"'spur --filter (\S+) COMMAND' uses it\n$")
UNITS = {"KiB": 2**10, "MiB": 2**20}


def table(run, place):
    """The rows by region, the same from JSON and CSV, and for any number of threads; all events."""
    said = run.says("report", place, "--by", "cost", "--json")
    run.equal(run.says("report", place, "--by", "cost", "--json", "--threads", "3"), said, "three threads")
    found = json.loads(said)
    rows = found["sections"]["cost"]
    by_csv = list(csv.DictReader(io.StringIO(run.says("report", place, "--by", "cost", "--csv"))))
    run.equal([row["region"] for row in by_csv], [row["region"] for row in rows], "rows of CSV")
    run.equal([row["cost"] for row in rows], sorted((row["cost"] for row in rows), reverse=True), "order")
    return {row["region"]: row for row in rows}, found["events"]


def record(run, label, *options):
    result, place = run.record(label, [*options, *run.command(["{programs}/user_cost"])])
    run.spur_check(place, False)
    truth = dict(line.split("=") for line in result.stdout.splitlines())
    size = sum(map(os.path.getsize, glob.glob(f"{place}/traces/*.evt")))
    return place, {name: int(calls) for name, calls in truth.items()}, size


def main(run):
    place, truth, size = record(run, "all")
    rows, events = table(run, place)
    run.equal({name: rows[name]["calls"] for name in truth}, truth, "calls")
    # Buffers are flushed in some of them, which leaves a record.
    for name, calls in truth.items():
        run.expect(2 * calls <= rows[name]["events"] < 2 * calls + 1000, f"events of {name}")
    run.equal(sum(row["events"] for row in rows.values()), events, "all events")
    run.expect(0 <= size - sum(row["bytes"] for row in rows.values()) <= len(rows), "bytes of all regions")
    run.equal([name for name, row in rows.items() if row["filter"]], ["tiny [a*] #1"], "advice")
    cost = rows["tiny [a*] #1"]["cost"]
    run.expect(1e-9 < cost / (2 * truth["tiny [a*] #1"]) < 1e-7, f"ns an event: {cost}")
    run.expect("leave out" in run.says("report", place, "--by", "cost"), "the advice in text")

    path = os.path.join(run.scratch, "made.filter")
    said = LINE.search(run.says("report", place, "--suggest-filter", path))
    run.expect(said, "the line of --suggest-filter")
    goes, whole = (int(said.group(i).replace(",", "")) for i in (1, 2))
    run.equal((goes, whole, said.group(5)), (2 * truth["tiny [a*] #1"], events, path), "events that go")
    again = run.execute([run.spur, "report", "--suggest-filter", path, place], "report")
    run.equal(again.status, 1, "a file that is there")
    run.expect("remove it" in again.spur[0], f"what to do: {again.spur}")

    filtered, _, less = record(run, "less", "--filter", path)
    left, events_left = table(run, filtered)
    run.equal(set(rows) - set(left), {"tiny [a*] #1"}, "regions that are gone")
    run.equal({name: left[name]["calls"] for name in truth if name in left},
              {name: calls for name, calls in truth.items() if name in left}, "calls that stay")
    run.expect(goes <= events - events_left < goes + 1000, "events that went, and flushes")
    number, unit = said.group(3).split()
    run.expect(abs(size - less - float(number) * UNITS[unit]) < 0.05 * size, f"{size} bytes, then {less}")

    nothing = os.path.join(run.scratch, "none.filter")
    run.expect("no region has" in run.says("report", filtered, "--suggest-filter", nothing), "no advice")
    run.expect(not os.path.exists(nothing), "no file without advice")
