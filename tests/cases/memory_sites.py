# SPDX-License-Identifier: BSD-3-Clause
"""
Memory by call site (--memory=SIZE): programs that know which of their lines has taken how much, how
much of it was held at once and at the end. With SIZE 1 all numbers are exact, whatever the
allocator; with samples they are right within the statistical error, over seeds that are drawn anew.
Callers of functions that take memory for others, leaks of C++ and Fortran, children of fork(),
exec(), handlers of signals, allocators of their own.
"""

import math
import os
import random
import re
import subprocess

of = "wrappers/memory"
ALLOCATORS = {"libc": None, "jemalloc": "libjemalloc.so.2", "tcmalloc": "libtcmalloc_minimal.so.4"}
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "memory")
# Builtin, compilers leave out calls whose results nobody needs.
COMPILERS = {".c": ["gcc", "-pthread", "-fno-builtin"], ".cpp": ["g++", "-std=c++17"], ".f90": ["gfortran"]}


def build(run, name, level="-O1"):
    program = os.path.join(run.scratch, name.replace(".", "_") + level)
    compiler = COMPILERS[os.path.splitext(name)[1]]
    subprocess.run(compiler + ["-g", level, os.path.join(SOURCES, name), "-o", program], check=True)
    return program


def record(run, label, words, what, preload=None):
    """The program with its memory recorded; what it has printed, its report, and its Trace."""
    more = {"LD_PRELOAD": preload} if preload else {}
    traced, archive = run.record(label, ["--memory=" + what, *words], more)
    run.equal(traced.spur[:-1], [], label)
    trace = run.judge(archive)
    return traced.stdout, run.report(archive, "--by", "memory,sites")["sections"], trace


def by_line(sections, file):
    """{line: row} of the sites in a file."""
    rows = {}
    for row in sections["memory_sites"]:
        if os.path.basename(row["file"]) == file:
            rows[row["line"]] = row
    return rows


def truth(stdout):
    """{line: (taken, most, end, blocks)}"""
    lines = [[int(word) for word in line.split()] for line in stdout.splitlines()]
    return {line[0]: tuple(line[1:]) for line in lines}


def exact(run, program):
    for name, library in ALLOCATORS.items():
        stdout, sections, _ = record(run, "exact." + name, [program, "exact"], "1", library)
        want = truth(stdout)
        run.expect(len(want) >= 13, f"sites of {name}: {stdout}")
        got = {line: (row["taken"], row["most"], row["end"], row["blocks"])
               for line, row in by_line(sections, "sites.c").items()}
        run.equal(got, want, name)
        run.expect(all(row["samples"] == 0 for row in sections["memory_sites"]), f"samples of {name}")


def regions(run, program):
    """Calls for 5,000 bytes or more are regions with their bytes, those for less are not."""
    stdout, sections, trace = record(run, "regions", [program, "exact"], "5000")
    blocks = truth(stdout)
    calls = {}
    for row in sections["sites"]:
        if os.path.basename(row["file"]) == "sites.c" and row["region"] != "free":
            calls[row["line"]] = calls.get(row["line"], 0) + row["calls"]
    source = open(os.path.join(SOURCES, "sites.c"), encoding="utf-8").read().splitlines()
    asked = {"malloc(5000)": 5000, "calloc(10, 1000)": 10000, "realloc(p, 400000)": 400000,
             "reallocarray(p, 100, 90)": 9000, "posix_memalign(&p, 4096, 8000)": 8000,
             "valloc(5000)": 5000, "malloc(70000)": 70000}
    large = {number: blocks[number][3] for number, line in enumerate(source, 1)
             if number in blocks and any(call in line for call in asked)}
    run.equal(len(large), len(asked), "sites of large blocks")
    # The realloc() that fails asks for enough as well; what gives back a large block is one of them.
    few = {line: n for line, n in calls.items() if line in large}
    run.equal(few, large, "calls by line")
    sizes = [values[1] for location in trace.archive.spaces["Location"]
             for name, _, values, _ in trace.archive.events(location) if name == "ParameterUnsignedInt"
             and trace.archive.name_of("Parameter", values[0]) == "bytes of memory"]
    for bytes_ in asked.values():
        run.expect(bytes_ in sizes, f"{bytes_} among {sizes}")
    run.expect(min(sizes) >= 5000, f"small ones: {sizes}")


def samples(run, program):
    """The sum over some seeds: a bias would show in it."""
    runs, size = 6, 16384
    sums, square = {}, {}
    for _ in range(runs):
        seed = random.randrange(1, 1 << 40)
        print(f"  seed {seed}", flush=True)
        stdout, sections, _ = record(run, f"samples.{seed}", [program, "small"], f"16K,seed={seed}")
        want = truth(stdout)
        rows = by_line(sections, "sites.c")
        for line, (taken, _, end, blocks) in want.items():
            row = rows.get(line, {"taken": 0, "end": 0, "samples": 0})
            run.expect(not row["taken"] or row["samples"], f"samples of line {line}: {row}")
            each = taken / blocks
            drawn = 1 - math.exp(-each / size)
            # Of one block the variance is each^2 (1 - p) / p. Sizes of a line differ by a few times.
            for key, got, true in ((line, row["taken"], taken), (-line, row["end"], end)):
                sums[key] = sums.get(key, 0) + got - true
                square[key] = square.get(key, 0) + true * each * (1 - drawn) / drawn
    for key, difference in sums.items():
        sigma = math.sqrt(square[key])
        # Never in a million runs; a bias of a tenth is more than that.
        run.expect(abs(difference) <= 5 * sigma + 1,
                   f"line {abs(key)}: off by {difference}, the standard deviation is {sigma}")
    run.expect(len(sums) == 6, f"sites: {sorted(sums)}")


def same_seed(run, program):
    """A seed draws the same samples again. Growth depends on when they come."""
    drawn = []
    for i in range(2):
        rows = by_line(record(run, f"seed.{i}", [program, "small"], "16K,seed=7")[1], "sites.c")
        drawn.append({line: {**row, "growth": None} for line, row in rows.items()})
    run.equal(drawn[1], drawn[0], "the same seed")


def leaks(run):
    """In C++ what operators and containers take, in Fortran what ALLOCATE does."""
    _, sections, _ = record(run, "cpp", [build(run, "leaks.cpp")], "1")
    rows = [(row["end"], row["blocks"]) for row in by_line(sections, "leaks.cpp").values()]
    # In pages of 4 KiB: the allocator gives a little more than what was asked for.
    run.equal(sorted((end >> 12, blocks) for end, blocks in rows),
              [(0, 1), (0, 9), (11, 12), (24, 1)], f"leaks of C++: {rows}")
    _, sections, _ = record(run, "fortran", [build(run, "leaks.f90")], "4K")
    rows = sorted((row["end"] // 10, row["blocks"]) for row in by_line(sections, "leaks.f90").values())
    run.equal([blocks for _, blocks in rows], [10, 10], f"leaks of Fortran: {rows}")
    run.expect(rows[0][0] == 0 and 80000 <= rows[1][0] < 80040, f"bytes of Fortran: {rows}")


def frames_of(row):
    """The functions of a call path, from the outermost on: "f(int) (file.cpp:12) > ..." """
    return [re.match(r"(\.\.\.|[\w:]+)", frame)[1] for frame in row["callpath"].split(" > ")]


def callers(run):
    """What helper functions take is that of their callers: with frame pointers, and without."""
    for level in ("-O0", "-O2"):
        program = build(run, "callers.cpp", level)
        for name, library in ALLOCATORS.items():
            label = f"callers{level}.{name}"
            stdout, sections, _ = record(run, label, [program], "1", library)
            want = {function: (int(bytes_), int(blocks)) for function, bytes_, blocks in
                    (line.split() for line in stdout.splitlines())}
            run.equal(len(want), 5, f"functions: {stdout}")
            got, outermost = {}, {}
            for row in sections["memory_paths"]:
                frames = frames_of(row)
                if row["end"] and len(frames) > 1 and frames[-1] in ("xmalloc", "xnew"):
                    bytes_, blocks = got.get(frames[-2], (0, 0))
                    got[frames[-2]] = (bytes_ + row["end"], blocks + row["blocks"])
                    outermost.setdefault(frames[-2], set()).add((frames[0], len(frames)))
            run.equal(got, want, f"left by callers, {level}, {name}")
            main_ = {function: {("main", 3)} for function in want}
            main_["keeps_each"] = {("main", depth) for depth in (3, 4, 5)}
            main_["keeps_apart"] = {("keeps_apart", 2)}
            run.equal(outermost, main_, f"outermost frames, {level}, {name}")
            text = run.says("report", "--width", "160", "--by", "memory",
                            os.path.join(run.scratch, label + ".archive"))
            run.expect("Memory by call path" in text and "keeps_wide" in text, text)
    _, sections, _ = record(run, "callers.2", [program], "1,frames=2")
    paths = {tuple(frames_of(row)) for row in sections["memory_paths"] if row["end"]}
    helper = {function: "xnew" if function == "keeps_new" else "xmalloc" for function in want}
    run.equal({path for path in paths if path[-1] in ("xmalloc", "xnew")}, set(helper.items()),
              "two frames")
    _, sections, _ = record(run, "callers.1", [program], "1,frames=1")
    run.equal([row for row in sections["memory_paths"] if "callers.cpp" in row["callpath"]], [],
              "paths of one frame")


def containers(run):
    """What two containers take on one line is one path of calls, whatever is inlined there."""
    for level in ("-O0", "-O2"):
        program = build(run, "containers.cpp", level)
        _, sections, _ = record(run, "containers" + level, [program], "1")
        rows = [row for row in sections["memory_paths"] if frames_of(row)[-1] == "fill"]
        run.equal([(frames_of(row), row["blocks"], row["taken"] // 100) for row in rows],
                  [(["main", "fill"], 2, 120)], f"containers, {level}")


def processes(run, program):
    """Each process has its own: what the child gives back of its parent is not the child's."""
    _, sections, _ = record(run, "fork", [program, "fork"], "100000")
    rows = sorted((row["end"], row["taken"]) for row in by_line(sections, "sites.c").values())
    run.equal([(end // 10000, taken // 10000) for end, taken in rows], [(0, 400), (50, 50), (300, 300)],
              "a child")
    _, sections, _ = record(run, "exec", [program, "exec"], "100000")
    rows = sorted(row["end"] // 10000 for row in by_line(sections, "sites.c").values())
    run.equal(rows, [100, 200], "a program that executes another one")


def handlers(run, program):
    _, sections, _ = record(run, "handler", [program, "handler"], "1")
    row, = by_line(sections, "sites.c").values()
    run.expect(row["blocks"] >= 500 and row["end"] == 0, f"blocks of a handler: {row}")


def threads(run, program):
    """Eight threads give back each other's blocks, some of them recorded."""
    for name, library in ALLOCATORS.items():
        _, sections, _ = record(run, "threads." + name, [program, "threads"], "64K", library)
        rows = by_line(sections, "thread_memory.cpp").values()
        run.expect(sum(row["blocks"] for row in rows) > 1000, f"blocks of {name}: {rows}")
        run.equal(sum(row["end"] for row in rows), 0, f"left at the end of {name}")


def main(run):
    program = build(run, "sites.c")
    exact(run, program)
    regions(run, program)
    samples(run, program)
    same_seed(run, program)
    leaks(run)
    callers(run)
    containers(run)
    processes(run, program)
    handlers(run, program)
    threads(run, run.command(["{programs}/thread_memory"])[0])
