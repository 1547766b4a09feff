# SPDX-License-Identifier: BSD-3-Clause
"""
What the comparisons with EZTrace have in common. A program prints "CASE NS" lines; every round runs
it bare, with spur and with EZTrace, one after the other, and a table shows medians over the rounds of
the CPU time per turn of a loop, of what each tracer adds, and of the ratio of both. EZTrace is needed
here only (Debian: eztrace); without it its columns stay empty.
"""

import os
import shutil
import statistics
import subprocess
import sys

ENV = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def has_eztrace():
    found = bool(shutil.which("eztrace"))
    if not found:
        print("EZTrace is missing (Debian: eztrace): its columns stay empty")
    return found


def run(words, folder, extra=None):
    """What the program says: {case: ns}."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    env = {k: v for k, v in os.environ.items() if not k.startswith("SPUR_") and k != "LD_PRELOAD"}
    done = subprocess.run(words, cwd=folder, env={**env, **ENV, **(extra or {})},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, check=False)
    rows = [line.split() for line in done.stdout.decode(errors="replace").splitlines()]
    times = {row[0]: float(row[1]) for row in rows
             if len(row) == 2 and row[1].replace(".", "", 1).isdigit()}
    if done.returncode != 0 or not times:
        sys.exit(f"{' '.join(words)} failed:\n{done.stderr.decode()}")
    return times


def head(what):
    print(f"{what:14} {'ns of CPU a turn':22} {'bare':>8} {'+spur':>8} {'+EZTrace':>8} {'ratio':>8}")


def text(values, form="8.0f"):
    return format(statistics.median(values), form) if values else " " * 8


def table(what, samples):
    """`samples`: per round {"bare": times, "spur": times, "eztrace": times}, the last optional."""
    for case in samples[0]["bare"]:
        added = {tracer: [s[tracer][case] - s["bare"][case] for s in samples if tracer in s]
                 for tracer in ("spur", "eztrace")}
        ratios = [a / b for a, b in zip(added["spur"], added["eztrace"]) if b > 0]
        print(f"{what:14} {case:22} {text([s['bare'][case] for s in samples])} {text(added['spur'])}"
              f" {text(added['eztrace'])} {text(ratios, '8.2f')}", flush=True)


def compare(what, words, folder, repeat, extra=None):
    """`words`: {"bare": command, "spur": command, "eztrace": command}, the last optional."""
    samples = [{tracer: run(command, os.path.join(folder, "run"), extra)
                for tracer, command in words.items()} for _ in range(repeat)]
    table(what, samples)
