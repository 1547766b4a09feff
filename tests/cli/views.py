#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
What is in the pages that spur view makes of small archives of known content: `views.py BUILD`, in a
folder with the archives of report_archives.py.
"""

import json
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))

from exported import Judge, Truth, output  # noqa: E402
from judge.otf2_write import write_archive  # noqa: E402
from viewed import NONE, Page, Rows  # noqa: E402

SPUR = os.path.join(sys.argv[1], "bin", "spur")
NONE64 = 0xFFFFFFFFFFFFFFFF
judge = Judge()


def page_of(archive, *options):
    file = f"{archive}{len(options)}.html"
    said = output(SPUR, "view", "-o", file, *options, archive).decode()
    judge.check(said.startswith(f"{file}: "), f"{archive}: spur view says '{said}'")
    return Page(file)


# ---- what is exact, against spur print ----

def compare_calls(archive, page, truth):
    ids = [int(row["id"]) for row in page.meta["rows"]]
    calls = page.records("calls")
    judge.same(f"{archive}: calls",
               [(ids[row], page.region(path), int(begin), int(end))
                for begin, end, _, row, path, _, _ in calls],
               [(location, truth.names[region], begin, end) for location, region, begin, end in truth.calls])
    judge.check([call[3:4] + call[5:6] + call[0:1] for call in calls] ==
                sorted(call[3:4] + call[5:6] + call[0:1] for call in calls), f"{archive}: order of calls")
    for begin, end, _, row, path, depth, _ in calls:
        judge.check(len(page.stack(path, False)) == depth + 2,
                    f"{archive}: {page.stack(path)} is not {depth} deep")


def compare_points(archive, page, truth):
    ids = [int(row["id"]) for row in page.meta["rows"]]
    halves = []
    for sent, received, size, source, to, tag, _ in page.records("messages"):
        if source != NONE:
            halves.append(("send", ids[source], int(sent), tag, int(size)))
        if to != NONE:
            halves.append(("receive", ids[to], int(received), tag, int(size)))
    judge.same(f"{archive}: ends of messages", halves, [half[:5] for half in truth.halves])
    judge.same(f"{archive}: times of samples",
               [(ids[row], int(time)) for time, row, _ in page.records("samples")],
               [(location, time) for location, time, _ in truth.samples])
    for (_, row, path), (location, _, context) in zip(
            sorted(page.records("samples"), key=lambda sample: (ids[sample[1]], sample[0])),
            sorted(truth.samples, key=lambda sample: sample[:2])):
        judge.check(page.region(path) == truth.contexts[context][0], f"{archive}: sample on {location}")
    points = list(zip(page.sections["counters"]["time"], page.sections["counters"]["value"]))
    values = [(ids[metric["row"]], int(time), value) for metric in page.meta["metrics"]
              for time, value in points[metric["first"]:metric["first"] + metric["count"]]]
    judge.same(f"{archive}: values", values, truth.values)
    judge.same(f"{archive}: collectives", len(page.records("collectives")), truth.blocking_collectives)


# ---- buckets, against what is exact ----

def compare_buckets(archive, page):
    rows = Rows(page)
    for fault in rows.check_levels(1024) + rows.check_sums():
        judge.check(False, f"{archive}: {fault}")
    pairs, sent = {}, {}
    for size, _, source, to, messages in page.records("pairs"):
        n, total = pairs.get((source, to), (0, 0))
        pairs[source, to] = n + messages, total + size
    for begin, _, size, source, to, _, _ in page.records("messages"):
        if NONE not in (source, to):
            key = tuple(page.meta["rows"][row]["process"] for row in (source, to))
            n, total = sent.get(key, (0, 0))
            sent[key] = n + 1, total + size
    judge.same(f"{archive}: pairs", pairs, sent)


ARCHIVES = ("ranks", "threads", "teams", "names", "counters", "contexts", "sampled", "stacked", "many",
            "windows")
for name in ARCHIVES:
    truth, page = Truth(SPUR, name), page_of(name)
    judge.same(f"{name}: what is exact", page.meta["exact"],
               [{"row": -1, "from": 0, "to": page.meta["duration"]}])
    compare_calls(name, page, truth)
    compare_points(name, page, truth)
    compare_buckets(name, page)
    # Locations are dealt to threads.
    judge.check(page_of(name, "--threads", "3").text == page.text, f"{name}: three threads make another page")

# ---- calls with their call stacks ----

page = page_of("stacked")
judge.same("call paths of stacked", [page.stack(call[4]) for call in page.records("calls")],
           [["(program)", "main", "step", "MPI_Send"]] * 3)
judge.same("regions of stacked without a time",
           [region["name"] for i, region in enumerate(page.meta["regions"])
            if not any(page.sections["paths"]["region"][sum[4]] == i for sum in page.records("sums"))],
           ["main", "step"])

# ---- idle: threads that only work in teams, while they are in none ----

judge.same("idle of threads", page_of("threads").records("idle"),
           [(900e6, 1900e6, 1), (900e6, 1900e6, 2)])
judge.same("idle of ranks", page_of("ranks").records("idle"), [])

# ---- findings: those of spur report ----

for name in ("ranks", "teams", "threads", "sampled", "windows"):
    page = page_of(name)
    found = json.loads(output(SPUR, "report", "--json", name))["findings"]
    ids = [int(row["id"]) for row in page.meta["rows"]]
    judge.same(f"findings of {name}",
               [(f["kind"], f["text"], f["from"], f["to"], [ids[row] for row in f["rows"]])
                for f in page.meta["findings"][:len(found)]],
               [(f["kind"], f["text"], round(f["from"] * 1e9), round(f["to"] * 1e9), f["locations"])
                for f in found])
late = [(f["from"], f["to"], f["rows"]) for f in page_of("ranks").meta["findings"]
        if f["kind"] == "late_sender"]
judge.same("where rank 1 waits for rank 0", late, [(200000000, 600000000, [1, 0])])
judge.same("no findings", page_of("ranks", "--no-findings").meta["findings"], [])
command = output(SPUR, "report", "ranks").decode().splitlines()[-1]
judge.same("the end of a report", command, "To see 1. as a picture: spur view --time 0.000..1.225 ranks")
window = page_of("ranks", *command.split()[-3:-1]).meta["view"]
judge.same("its window", window, {"from": 0, "to": page_of("ranks").meta["duration"], "rows": []})

# ---- time that nobody recorded ----

page = page_of("odd")
judge.same("marks of odd",
           [(mark["row"], mark["from"], mark["to"], mark["kind"]) for mark in page.meta["marks"]],
           [(0, 200000000, 220000000, "pause")])
off = sum(self for self, _, _, _, path, _ in page.records("sums") if page.region(path) == "(not recorded)")
judge.same("time of odd that was not recorded", int(off), 20000000)

# ---- names that mean something elsewhere ----

NAMES = ['say "hi"', "</script><script>alert(1)</script>", "two\nlines", "<!--", "bad \udcff\udcc3 byte",
         "\u202eabc", "back\\slash\ttab", "\u2028]]>", "x" * 1000]
CLEAN = [name.replace("\udcff", "\ufffd").replace("\udcc3", "\ufffd") for name in NAMES]
CLEAN[-1] = "x" * 400 + "\u2026"
events = []
for i in range(len(NAMES)):
    events += [(10 * i, "Enter", i), (10 * i + 10, "Leave", i)]
definitions = [("String", i, text) for i, text in enumerate(["", *NAMES])]
definitions += [("ClockProperties", 1000, 0, 90, NONE64),
                ("SystemTreeNode", 0, 2, 0, NONE), ("LocationGroup", 0, 2, 1, 0, NONE),
                ("Location", 0, 2, 1, len(events), 0)]
definitions += [("Region", i, i + 1, NONE, 0, i + 1, 5, 0, i + 1, 1, 1, 0) for i in range(len(NAMES))]
write_archive("hostile", definitions, {0: events})
page = page_of("hostile")
judge.same("hostile names", [region["name"] for region in page.meta["regions"]],
           [*CLEAN, "(program)"])
judge.same("hostile files", [region["file"] for region in page.meta["regions"][:-1]], CLEAN)
judge.same("hostile row, process, host",
           [page.meta["rows"][0]["name"], page.meta["processes"][0]["name"], page.meta["hosts"][0]],
           [CLEAN[1]] * 3)
plain = page_of("ranks").text
for word, n in (("<script", -1), ("</script", -1), ("<!--", 0)):
    judge.same(f"{word} in a page of hostile names",
               page.text.count(word) + n * page.text.count('id="spur-'),
               plain.count(word) + n * plain.count('id="spur-'))

# ---- a clock that is not true ----

definitions[len(NAMES) + 1] = ("ClockProperties", 1000000000, 5000, 10, NONE64)
write_archive("clock", definitions, {0: events})
page = page_of("clock")
judge.same("duration by events", page.meta["duration"], 90)
judge.same("a call's time", [call[:2] for call in page.records("calls")][1], (10.0, 20.0))

# ---- parts of an archive ----

page = page_of("ranks", "--location", "rank 1")
judge.same("rows of one rank", [row["id"] for row in page.meta["rows"]], ["4294967296"])
page = page_of("ranks", "--time", "100ms..200ms")
judge.same("the window that was asked for", page.meta["view"],
           {"from": 100000000, "to": 200000000, "rows": []})

for fault in judge.faults:
    print(fault)
sys.exit(bool(judge.faults))
