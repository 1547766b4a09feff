#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Ranks without a processor are the first thing that spur report tells, and CPU time stands in the table of
processes: `report_starved.py BUILD`. Ranks that sleep are no finding.
"""

import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "lib")]

from patience import HANG_S  # noqa: E402
from report_archives import MPI, NONE, USER, Texts, head, region, visit, write_archive  # noqa: E402

LENGTH, STRING = 7800, 11  # a tick is a millisecond
HAS = ("user_us={} system_us={} minor_faults=0 major_faults=0 voluntary_switches=10 involuntary_switches={} "
       "main_run_us={} main_delay_us={}")


def archive(folder, ranks, places):
    """
    Each rank is (ms of user, of system, involuntary switches, ms of its main thread's delay), or None.
    With places MPI knows the processes as ranks, and each may run there.
    """
    events = {i << 32: visit(0, LENGTH, 0) for i in range(len(ranks))}
    text = Texts()
    made = head(text, LENGTH, [f"MPI Rank {i}" for i in range(len(ranks))],
                [(i, "Master thread", i >> 32) for i in sorted(events)], events)
    made += [region(text, 0, "main", USER)]
    for i, rank in enumerate(ranks):
        if rank:
            user, system, switches, delay = (1000 * number for number in rank)
            used = HAS.format(user, system, switches // 1000, user + system, delay)
            said = {"PLACEMENT": f"cores={places[i]}" if places else PLACED, "RESOURCE_USAGE": used}
            made += [("LocationGroupProperty", i, text(name), NONE, STRING, text(value))
                     for name, value in said.items()]
    if places:
        made += [("Group", 0, text(""), 6, [(i << 32,) for i in range(len(ranks))], 4, MPI, 0),
                 ("Group", 1, text(""), 4, [(i,) for i in range(len(ranks))], 5, MPI, 0),
                 ("Comm", 0, text("MPI_COMM_WORLD"), 1, NONE, 0)]
    write_archive(folder, text.records() + made, events)
    return folder


PLACED = "cores=0-1"
BUSY, OUT = (7700, 60, 40, 30), (1200, 48, 4000, 6552)
CASES = {
    # 3 of 4 had 1.248 s of 7.8 s.
    "starved": ([OUT, BUSY, OUT, OUT], [1.248, 7.76, 1.248, 1.248],
                "3 processes had a processor for 16 % of 7.800 s on 2 processors (0-1): MPI Rank 0, "
                "MPI Rank 2, MPI Rank 3. They lack 19.66 s of CPU time,"),
    "one": ([(3000, 900, 4000, 3900), BUSY], [3.9, 7.76],
            "1 process had a processor for 50 % of 7.800 s on 2 processors (0-1): MPI Rank 0. "
            "It lacks 3.900 s"),
    "in part": ([(900, 100, 4000, 1000), BUSY], [1.0, 7.76],
                "1 process had a processor for 50 % of 2.000 s on 2 processors (0-1): MPI Rank 0. "
                "It lacks 1.000 s"),
    "sleeping": ([(1200, 48, 4000, 60)] * 2, [1.248] * 2, None),
    "quiet": ([(1200, 48, 19, 0)] * 2, [1.248] * 2, None),
    "nearly": ([(7500, 0, 4000, 300)] * 2, [7.5] * 2, None),
    "little": ([(100, 0, 4000, 70)] * 2, [0.1] * 2, None),
    "beyond": ([(7700, 60, 4000, 6552)] * 2, [7.76] * 2, None),  # more than is recorded
    "unknown": ([None] * 2, [None] * 2, None),
    "bound": ([OUT, OUT], [1.248] * 2,
              "2 ranks had a processor for 16 % of 7.800 s, each bound to one processor that others take, "
              "too: rank 0, rank 1. They lack 13.10 s of CPU time, which the waits below contain; bind them "
              "to others, or run nothing else there."),
    # Ranks that share their only processor have a finding of their own.
    "crowded": ([OUT, OUT, OUT], [1.248] * 3,
                "1 rank had a processor for 16 % of 7.800 s on 1 processor (1): rank 2. It lacks 6.552 s"),
}
PLACES = {"bound": ["0", "1"], "crowded": ["0", "0", "1"]}

# Sleep costs nothing: those lose the processor 513 times a second, and lack it for 0.8 % of the time.
REMARKS = {
    "starved": "MPI Rank 0: the kernel took the processor away 513 times a second, for other work (and from "
               "2 other processes often); this cost 19.66 s (63 % of all time)",
    "one": "MPI Rank 0: the kernel took the processor away 513 times a second, for other work; this cost "
           "3.900 s (25 % of all time)",
    "in part": "MPI Rank 0: the kernel took the processor away 513 times a second, for other work; this cost "
               "1.000 s (6.4 % of all time)",
    "bound": "rank 0: the kernel took the processor away 513 times a second, for other work (and from 1 "
             "other process often); this cost 13.10 s (84 % of all time)",
    "crowded": "rank 0: the kernel took the processor away 513 times a second, for other work (and from "
               "2 other processes often); this cost 19.66 s (84 % of all time)",
    "nearly": "MPI Rank 0: the kernel took the processor away 513 times a second, for other work (and from 1 "
              "other process often); this cost 600.0 ms (3.8 % of all time)",
}


def faults_of(spur, folder, name, ranks, cpu, words):
    place = archive(os.path.join(folder, name), ranks, PLACES.get(name))
    got = json.loads(subprocess.run([spur, "--json", place], timeout=HANG_S, stdout=subprocess.PIPE,
                                    check=True).stdout)
    rows = got["sections"]["processes"]
    if [row["cpu"] for row in rows] != cpu:
        yield f"CPU seconds {rows}, not {cpu}"
    if any(abs(row["cpu_percent"] - 100 * row["cpu"] / 7.8) > 1e-6 for row in rows if row["cpu"]):
        yield f"CPU % of {rows}"
    found = [(i, one["text"]) for i, one in enumerate(got["findings"]) if one["kind"] == "no_processor"]
    if [i for i, _ in found] != ([0] if words else []):
        yield f"findings {got['findings']}"
    if words and words not in found[0][1]:
        yield f"{found[0][1]!r}, not {words!r}"
    remarks = [one for one in got["remarks"] if "took the processor away" in one]
    if remarks != ([REMARKS[name]] if name in REMARKS else []):
        yield f"remarks {got['remarks']}"


def main():
    report, faults = os.path.join(sys.argv[1], "libexec", "spur", "spur-report"), 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (ranks, cpu, words) in CASES.items():
            for fault in faults_of(report, folder, name, ranks, cpu, words):
                print(f"FAULT: {name}: {fault}")
                faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
