# SPDX-License-Identifier: BSD-3-Clause
"""
What the comparisons with EZTrace have in common. A program prints "CASE NS" lines; every round runs it
bare, with spur and with EZTrace, one after the other. A table shows the least CPU time per turn of a loop
over the rounds: whatever else the machine does only adds. It also shows what each tracer adds to the bare
program, and the ratio of both. With --clocks spur comes with each clock, and records all locks. EZTrace is
needed here only (Debian: eztrace); without it its columns stay empty.
"""

import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "lib"))
from openmpi import ENV  # noqa: E402


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


CLOCKS = ("tsc", "monotonic")
SHOWN = {"bare": "bare", "spur": "+spur", **{clock: f"+{clock}" for clock in CLOCKS}, "eztrace": "+EZTrace"}


def add_options(parser):
    parser.add_argument("--clocks", action="store_true",
                        help="spur with its own choice, with SPUR_CLOCK=tsc and with monotonic")


def with_clocks(words):
    """The same, spur with each clock."""
    spur = ["env", "SPUR_PTHREAD=all"]
    more = {clock: [*spur, f"SPUR_CLOCK={clock}", *words["spur"]] for clock in CLOCKS}
    return {"bare": words["bare"], "spur": spur + words["spur"], **more,
            **{tracer: way for tracer, way in words.items() if tracer == "eztrace"}}


def head(what, clocks=False):
    columns = [name for tracer, name in SHOWN.items() if clocks or tracer not in CLOCKS]
    print(f"{what:14} {'ns of CPU a turn':26} " + " ".join(f"{name:>10}" for name in columns + ["ratio"]))


def text(value, form="10.0f"):
    return " " * 10 if value is None else format(value, form)


def table(what, samples):
    """`samples`: per round {"bare": times, "spur": times, ..., "eztrace": times}, the last optional."""
    for case in samples[0]["bare"]:
        least = {tracer: min(s[tracer][case] for s in samples) for tracer in samples[0]}
        added = {tracer: ns - least["bare"] for tracer, ns in least.items() if tracer != "bare"}
        eztrace = added.setdefault("eztrace", None)
        ratio = added["spur"] / eztrace if eztrace and eztrace > 0 else None
        columns = [text(least["bare"]), *map(text, added.values()), text(ratio, "10.2f")]
        print(f"{what:14} {case:26} " + " ".join(columns), flush=True)


def compare(what, words, folder, repeat, extra=None):
    """`words`: {"bare": command, "spur": command, ..., "eztrace": command}, the last optional."""
    samples = [{tracer: run(command, os.path.join(folder, "run"), extra)
                for tracer, command in words.items()} for _ in range(repeat)]
    table(what, samples)
