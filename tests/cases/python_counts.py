# SPDX-License-Identifier: BSD-3-Clause
"""
SPUR_PYTHON: programs that are drawn, with threads, processes, tasks, generators, exceptions through C and
signals, in each way in which a program ends. A run without spur notes each begin and end of a function by a
trace function. The archive of a run without this has the same, in the same order on each thread, whatever
else is recorded. SEED=N draws as the run did that printed it; PROGRAMS=N are so many;
TEST_PYTHON=/path/to/python3 is another interpreter (CPython 3.8 to 3.15).
"""

import collections
import os
import random

from call_stacks import SAMPLING
from python_way import PYTHON, TAKES, WAYS
from seeded import FORGETS

of = "wrappers/python"
stderr = str  # numbers, too
FEW = 3  # as many as a test takes
PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs")
FILES = {"script_counts.py", "script_random.py", "script_stacks.py", "<made>"}
ENDS = ("end", "exit", "raise", "_exit", "exec", "kill", "term", "handled", "abort", "thread_exit",
        "thread_exec", "thread_kill", "thread_abort", "segv", "interrupt")
SETTINGS = ({}, {"SPUR_WRAP": "python"}, {"SPUR_SITES": "on"}, {"SPUR_SAMPLE": "1000"}, {"SPUR_UNWIND": "50"},
            {"SPUR_UNWIND": "20", "SPUR_SAMPLE": "500"}, {"SPUR_METRICS": "rusage:minflt"},
            {"SPUR_WRAP": "python", "SPUR_SAMPLE": "1000"})
FILTER = """SCOREP_FILE_NAMES_BEGIN
  EXCLUDE */lib/python3*
  EXCLUDE <frozen*
SCOREP_FILE_NAMES_END
"""
SIGNS = {"Enter": "+", "Leave": "-", "CallingContextEnter": "+", "CallingContextLeave": "-"}
# The trace function is set when the program itself has begun.
ITSELF = ("<module>", "script_counts.py")
files = {"filter": FILTER, **TAKES}


def to_the_end(sequence):
    """Without what is left at the end: of a program that dies finishing adds it."""
    while sequence and sequence[-1][0] == "-":
        sequence = sequence[:-1]
    return tuple(sequence)


def sequences(found):
    return collections.Counter(to_the_end(sequence) for sequence in found if sequence)


def noted(path):
    threads = collections.defaultdict(list)
    with open(path, encoding="utf-8") as file:
        for line in file:
            pid, thread, sign, name = line.rstrip("\n").split(" ", 3)
            threads[pid, thread].append((sign, name))
    return sequences(threads.values())


def names_of(archive):
    """The regions that are functions of these files."""
    names = {}
    for number, (_, region) in archive.spaces["Region"].items():
        function = (archive.string(region["name"]),
                    os.path.basename(archive.string(region["sourceFile"])))
        if function[1] in FILES and function != ITSELF and region["paradigm"] != SAMPLING:
            names[number] = f"{function[0]}:{region['beginLineNumber']}"
    return names


def recorded(archive):
    names, threads = names_of(archive), []
    for location in archive.locations:
        threads.append([])
        for kind, _, values, _ in archive.events(location):
            region = values[0]
            if kind.startswith("CallingContext"):
                region = archive.spaces["CallingContext"][region][1]["region"]
            if kind in SIGNS and region in names:
                threads[-1].append((SIGNS[kind], names[region]))
    return sequences(threads)


def first_fault(got, want):
    """Of a thread that is not as it was noted: what is different first."""
    more, less = list((got - want).elements()), list((want - got).elements())

    def same(a, b):
        return next((i for i, both in enumerate(zip(a, b)) if both[0] != both[1]), min(len(a), len(b)))
    for sequence in less[:1]:
        nearest = max(more, key=lambda one: same(one, sequence), default=())
        at = same(nearest, sequence)
        return f"call {at}: {nearest[at:at + 4]} instead of {sequence[at:at + 4]}"
    return f"{more[:1]} too much"


def one(run, label, seed, end, way, settings):
    command = [PYTHON, "-B", "-W", "ignore", os.path.join(PROGRAMS, "script_counts.py"), str(seed), end]
    env = {**FORGETS, **WAYS[way], "PYTHONHASHSEED": "0"}
    truth = os.path.join(run.scratch, f"{label}.truth")
    plain = run.execute(command, f"{label}.plain", {**env, "TRUTH": truth})
    env.update({"SPUR_WRAP": "pthread,python", "SPUR_PTHREAD": "lifetime", "SPUR_FILTER": "filter",
                **settings})
    _, archive = run.record(label, ["--python", *command], env, plain)
    got, want = recorded(run.judge(archive).archive), noted(truth)
    run.expect(sum(map(len, want)) > 100, "that the program notes something")
    run.expect(got == want, f"functions as they are noted, not {first_fault(got, want)}")


def main(run):
    seed = int(os.environ.get("SEED", random.randrange(10 ** 6)))
    print(f"SEED={seed}")
    draw = random.Random(seed)
    for i in range(int(os.environ.get("PROGRAMS", FEW))):
        drawn = (draw.randrange(10 ** 6), draw.choice(ENDS), draw.choice(sorted(WAYS)), draw.choice(SETTINGS))
        print(f"{i}: {drawn}")
        one(run, f"p{i}", *drawn)
