#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Archives that once had two truths: `agreement_known.py BUILD` writes them, and asks spur report and spur query
for what is known of them.
"""

import collections
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "lib")]

from report_archives import (FUNCTION, MPI, NONE, SAMPLING, USER, Texts, head, region,  # noqa: E402
                             visit, write_archive)
from viewed import Page  # noqa: E402

SPUR = os.path.join(sys.argv[1], "bin", "spur")
faults = 0


def same(what, told, known):
    global faults
    if told != known:
        print(f"FAULT: {what}: {told} instead of {known}")
        faults += 1


def run(*words):
    return subprocess.run([SPUR, *words], check=True, capture_output=True, timeout=60, text=True).stdout


def report(folder, *words):
    return json.loads(run("report", "--json", *words, folder))["sections"]


def ask(folder, question, *words):
    return [tuple(row.values()) for row in json.loads(run("query", "--json", *words, folder, question))]


def run_view(folder):
    run("view", "--no-findings", "-o", f"{folder}.html", folder)
    return f"{folder}.html"


def make(folder, ranks, names, more=lambda text: []):
    """`ranks`: the events of each; `names` of regions with their paradigms."""
    events = {rank << 32: list(of) for rank, of in enumerate(ranks)}
    text = Texts()
    last = max(of[-1][0] for of in events.values())
    made = head(text, last, [f"MPI Rank {i}" for i in range(len(ranks))],
                [(number, "main", number >> 32) for number in events], events)
    made += [region(text, i, name, paradigm, FUNCTION) for i, (name, paradigm) in enumerate(names)]
    members = [(i << 32,) for i in range(len(ranks))]
    made += [("Group", 0, text(""), 6, members, 4, MPI, 0),
             ("Group", 1, text(""), 4, [(i,) for i in range(len(ranks))], 5, MPI, 0),
             ("Comm", 0, text("MPI_COMM_WORLD"), 1, NONE, 0), *more(text)]
    write_archive(folder, text.records() + made, events)


def deep():
    """600 functions within each other: depth has no limit. `again` is within itself below them."""
    depth = 600
    events = [(i, "Enter", i) for i in range(depth)]
    events += [(1000, "Enter", depth), (1100, "Enter", depth), (1900, "Leave", depth), (2000, "Leave", depth)]
    events += [(3000 + i, "Leave", depth - 1 - i) for i in range(depth)]
    make("deep", [events], [(f"f{i}", USER) for i in range(depth)] + [("again", USER)])
    rows = {row["region"]: row for row in report("deep")["regions"]}
    told = {row[0]: row[1:] for row in
            ask("deep", "SELECT name, calls, round(total_s, 6), round(self_s, 6) FROM regions")}
    page = Page(run_view("deep"))
    seen = collections.Counter()
    for own, calls, _, _, path, _ in page.records("sums"):
        seen[page.region(path), "calls"] += calls
        seen[page.region(path), "self"] += own / 1e9
    for name, known in (("f0", (1, 3.599, 0.002)), ("f400", (1, 2.799, 0.002)),
                        ("again", (2, 1.0, 1.0))):
        same(f"query: {name}", told[name], known)
        same(f"report: {name}", tuple(round(rows[name][key], 6) for key in ("calls", "total", "self")), known)
        same(f"view: {name}", tuple(round(seen[name, key], 6) for key in ("calls", "self")), known[::2])


def lengths():
    """Receives tell the length of garbage, and come before the sends: bytes are those of the sends."""
    garbage = 4 * 10**18
    make("lengths", [visit(100, 200, 0, (110, "MpiSend", 1, 0, 7, 165), (115, "MpiSend", 1, 0, 7, 100)),
                     visit(100, 200, 0, *[(105 + i, "MpiRecv", 0, 0, 7, garbage) for i in range(3)])],
         [("work", USER)])
    same("query: bytes", ask("lengths", "SELECT count(*), sum(bytes) FROM messages WHERE sent_s IS NOT NULL"), [(2, 265)])  # noqa: E501
    same("query: no send", ask("lengths", "SELECT sum(bytes) FROM messages WHERE sent_s IS NULL"), [(None,)])
    same("report: bytes", [(row["messages"], row["bytes"]) for row in report("lengths")["messages"]], [(2, 265)])  # noqa: E501


def waits():
    """
    In MPI_Waitall an eager send is complete, and a receive comes: only the late sender is waited for. In
    MPI_Sendrecv each waits once.
    """
    isend, irecv, waitall, recv, send, sendrecv = range(6)
    rank0 = [*visit(0, 1, isend, (0, "MpiIsend", 1, 0, 1, 8, 1)), *visit(1, 2, irecv, (1, "MpiIrecvRequest", 2)),  # noqa: E501
             *visit(2, 1002, waitall, (1002, "MpiIsendComplete", 1), (1002, "MpiIrecv", 1, 0, 2, 8, 2)),
             *visit(1100, 1200, sendrecv, (1100, "MpiSend", 1, 0, 3, 8), (1200, "MpiRecv", 1, 0, 3, 8))]
    rank1 = [*visit(700, 710, recv, (710, "MpiRecv", 0, 0, 1, 8)), *visit(1000, 1001, send, (1000, "MpiSend", 0, 0, 2, 8)),  # noqa: E501
             *visit(1180, 1200, sendrecv, (1180, "MpiSend", 0, 0, 3, 8), (1200, "MpiRecv", 0, 0, 3, 8))]
    make("waits", [rank0, rank1], [(name, MPI) for name in ("MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Recv",  # noqa: E501
                                                            "MPI_Send", "MPI_Sendrecv")])
    same("query: waits", sorted(ask("waits", "SELECT why, name, rank, for_rank, round(wait_s, 6) FROM waits")),  # noqa: E501
         [("late sender", "MPI_Sendrecv", 0, 1, 0.08), ("late sender", "MPI_Waitall", 0, 1, 0.998)])
    told = {(row["from"], row["to"]): (round(row["late_sender"], 6), round(row["late_receiver"], 6))
            for row in report("waits")["messages"]}
    same("report: waits", told, {("rank 0", "rank 1"): (0, 0), ("rank 1", "rank 0"): (1.078, 0)})
    # A window clips the wait, by the same law.
    window = ("--time", "0.5..0.75")
    same("query: waits of a window", ask("waits", "SELECT why, round(wait_s, 6) FROM waits", *window),
         [("late sender", 0.25)])
    same("report: waits of a window", [round(row["late_sender"], 6) for row in report("waits", *window)["messages"]  # noqa: E501
                                       if row["late_sender"]], [0.25])


def samples():
    """Functions below a recorded call of a library count for the call; 3 samples of 5 do."""
    found = [(time, "CallingContextSample", 1, NONE, 0) for time in (110, 120, 130)]
    events = visit(0, 1000, 0, *visit(100, 200, 1, *found),
                   *[(time, "CallingContextSample", 2, NONE, 0) for time in (300, 400)])

    def contexts(_text):
        return [("CallingContext", 0, 1, NONE, 3), ("CallingContext", 1, 2, NONE, 0),
                ("CallingContext", 3, 0, NONE, NONE), ("CallingContext", 2, 3, NONE, 3),
                ("InterruptGenerator", 0, 0, 0, 1, -3, 10)]

    make("samples", [events], [("main", USER), ("MPI_Recv", MPI), ("progress", SAMPLING), ("kernel", SAMPLING)], contexts)  # noqa: E501
    known = {"MPI_Recv": 3, "kernel": 2}
    same("query: samples", dict(ask("samples", "SELECT name, count(*) FROM samples GROUP BY 1")), known)
    same("report: samples", {row["region"]: row["samples"] for row in report("samples")["regions"] if row["samples"]},  # noqa: E501
         known)


def pauses():
    """Recording is off for 300 of 1000: no time of `main`, which takes 700, and 500 by itself."""
    events = [(0, "Enter", 0), *visit(100, 300, 1), (400, "MeasurementOnOff", 2), (700, "MeasurementOnOff", 1),  # noqa: E501
              (1000, "Leave", 0)]
    make("pauses", [events], [("main", USER), ("step", USER)])
    known = (1, 0.7, 0.5)
    same("query: pause", ask("pauses", "SELECT calls, total_s, self_s FROM regions WHERE name = 'main'"), [known])  # noqa: E501
    same("report: pause", [(row["calls"], row["total"], row["self"]) for row in report("pauses")["regions"]
                           if row["region"] == "main"], [known])

    # From the very beginning, at the time 0, and for ever.
    make("off", [[(0, "MeasurementOnOff", 2), *visit(500, 700, 0)]], [("main", USER)])
    same("query: off", ask("off", "SELECT calls, total_s, self_s FROM regions WHERE name = 'main'"), [(1, 0, 0)])  # noqa: E501
    same("report: off", [(row["calls"], row["total"], row["self"]) for row in report("off")["regions"]
                         if row["region"] == "main"], [(1, 0, 0)])


def from_zero():
    """MPI_Init ends at the time 0: efficiencies are from there to MPI_Finalize, and ranks work all of it."""
    make("zero", [[*visit(0, 0, 0), *visit(0, 900, 1), *visit(900, 1000, 2), *visit(1500, 2000, 1)]] * 2,
         [("MPI_Init", MPI), ("work", USER), ("MPI_Finalize", MPI)])
    same("report: efficiency", [row["percent"] for row in report("zero")["efficiency"]
                                if row["figure"] == "parallel efficiency"], [100])


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    for case in (deep, lengths, waits, samples, pauses, from_zero):
        case()
sys.exit(bool(faults))
