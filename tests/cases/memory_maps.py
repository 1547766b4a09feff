# SPDX-License-Identifier: BSD-3-Clause
"""
Memory that processes map past the allocator (--memory): each value of a program that asks the kernel
what it has mapped so, by all functions that do so, also failing ones, and in calls that are drawn anew,
on threads and in a child, with an independent model; with three allocators, whose own mappings do not
count; threads that map at once, handlers of signals; call sites; Python, whose objects live in such
memory.
"""

import os
import re
import random
import subprocess

from trace_metrics import METRIC_LOCATION, Metrics

of = "wrappers/memory"
HELD, MAPPED = "Host Memory", "Mapped Memory"
ALLOCATORS = {"libc": None, "jemalloc": "libjemalloc.so.2", "tcmalloc": "libtcmalloc_minimal.so.4"}
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "memory", "maps.c")
MIB = 1 << 20
PAGE = 4096
OBJECTS = """
/usr/bin/python3 -B -c 'import sys
some = [(i, str(i)) for i in range(200000)]
print(len(some))'
"""


def record(run, label, words, what, preload=None):
    """The program with its memory recorded; the Trace, its archive, and what was printed."""
    more = {"LD_PRELOAD": preload} if preload else {}
    traced, archive = run.record(label, ["--memory" + what, *words], more)
    run.equal(traced.spur[:-1], [], label)
    return run.judge(archive), archive, traced.stdout


def printed(run, label, words, preload):
    """By the program alone: spur maps memory, too, past what it counts."""
    plain = run.execute(words, label + ".plain", {"LD_PRELOAD": preload} if preload else {})
    run.equal((plain.status, plain.stderr), (0, ""), label)
    return plain.stdout


def courses(trace):
    """Of each process its values, [(held, mapped, peak of what is mapped)]."""
    metrics = Metrics(trace)
    return [[(value[HELD], value[MAPPED], value[MAPPED + " Peak"]) for _, value in metrics.lone(number)]
            for number, (_, location) in sorted(trace.archive.spaces["Location"].items())
            if location["locationType"] == METRIC_LOCATION]


def changes(values):
    return [after - before for before, after in zip(values, values[1:]) if after != before]


def has(run, label, values, stdout, least):
    """
    The values have these changes, one by one, and nothing in between. A process may begin to be recorded
    with the first one.
    """
    want = changes([int(line) for line in stdout.split()])[1:]
    got = changes([mapped for _, mapped, _ in values])
    run.expect(len(want) >= least, f"values of {label}: {stdout}")
    run.expect(any(got[at:at + len(want)] == want for at in range(len(got))),
               f"{label}: the changes {want}\n  among {got}")
    top = 0
    for _, mapped, peak in values:
        run.expect(peak >= mapped and peak >= top, f"{label}: a peak {peak} after {top}, of {mapped}")
        top = peak


def kernel(run, program):
    """Values that the kernel has as well."""
    seed = str(random.randrange(1 << 32))
    print(f"  seed {seed}", flush=True)
    for name, library in ALLOCATORS.items():
        trace, _, _ = record(run, "steps." + name, [program, "steps"], "=step=1", library)
        values, = courses(trace)
        has(run, "steps." + name, values, printed(run, "steps", [program, "steps"], library), 25)
        trace, _, stdout = record(run, "drawn." + name, [program, "trusted", seed], "=step=1", library)
        found = courses(trace)
        run.equal(len(found), 2, "processes")
        run.equal(printed(run, "drawn", [program, "drawn", seed], library), stdout, "what the kernel says")
        parent, child = sorted(found, key=len, reverse=True)
        of_parent, of_child = stdout.split("child\n")
        has(run, "parent." + name, parent, of_parent, 500)
        has(run, "child." + name, child, of_child, 100)


def at_once(run, program):
    for mode, left in (("threads", 8 * 3 * MIB), ("handler", None)):
        trace, _, _ = record(run, mode, [program, mode], "")
        values, = courses(trace)
        end = values[-1][1]
        if left is None:
            run.expect(end >= 3 * MIB and end % (3 * MIB) == 0, f"left by {mode}: {end}")
        else:
            run.equal(end, left, f"left by {mode}")


def sites(run, program):
    """Blocks by line, in pages: what is left of one that is unmapped in part stays with its line."""
    _, archive, stdout = record(run, "sites", [program, "sites"], "=100000")
    sections = run.report(archive, "--by", "memory,sites")["sections"]
    want = {int(line): numbers for line, *numbers in
            ([int(word) for word in line.split()] for line in stdout.splitlines())}
    rows = {row["line"]: row for row in sections["memory_sites"] if row["file"].endswith("maps.c")}
    run.equal({line: [row[key] // PAGE for key in ("taken", "most", "end")] for line, row in rows.items()},
              want, "pages by line")
    calls = {row["region"] for row in sections["sites"] if row["file"].endswith("maps.c")}
    run.equal(calls, {"mmap", "munmap", "mremap", "mprotect", "sbrk"}, "regions")
    row, = sections["memory"]
    run.equal(row["mapped_end"], sum(numbers[2] for numbers in want.values()) * PAGE, f"the end: {row}")


def leak(run, program):
    """Growth of what is mapped is found, and the line that does it."""
    _, archive, _ = record(run, "leak", [program, "leak"], "=64K")
    report = run.report(archive, "--by", "memory")
    row, = report["sections"]["memory"]
    run.equal((row["mapped_peak"], row["mapped_end"]), (60 * MIB, 60 * MIB), f"of {row}")
    found, = [found["text"] for found in report["findings"] if found["kind"] == "memory_growth"]
    run.expect(re.search(r"MiB of it from maps\.c:\d+, and .*; it holds 60\.00 MiB at the end, "
                         r"60\.00 MiB of it mapped past the allocator\.", found), found)


def python(run):
    """Objects of Python are in arenas that it maps, and large lists on the heap."""
    _, archive, _ = record(run, "python", ["/bin/sh", "-ec", OBJECTS], "=64K")
    rows = run.report(archive, "--by", "memory")["sections"]["memory"]
    most = max(row["mapped_peak"] for row in rows)
    # 200,000 tuples of 56 bytes, numbers of 28 and texts of 54, each a multiple of 16.
    least = 200000 * (64 + 32 + 64)
    run.expect(least <= most <= least + 12 * MIB, f"mapped by Python, at least {least}: {rows}")


def main(run):
    program = os.path.join(run.scratch, "maps")
    subprocess.run(["gcc", "-g", "-O1", "-pthread", SOURCE, "-o", program], check=True)
    kernel(run, program)
    at_once(run, program)
    sites(run, program)
    leak(run, program)
    python(run)
