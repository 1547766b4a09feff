# SPDX-License-Identifier: BSD-3-Clause
"""
What processes hold of the heap (--memory): each change of a program that knows its own sum, with
three allocators, preloaded and linked, and of calls that are drawn anew; what threads hold that take
memory as fast as they can; nothing is left over when threads have given back each other's blocks; a
child of fork() goes on where its parent was; programs print the same; sanitizers are left alone.
"""

import os
import random
import subprocess

from trace_metrics import ASYNCHRONOUS, METRIC_LOCATION, Metrics

of = "wrappers/memory wrappers/memory/preload"
stderr = str  # numbers, too
HELD, PEAK = "Host Memory", "Host Memory Peak"
MEMBERS = {HELD, PEAK, "Mapped Memory", "Mapped Memory Peak"}
ALLOCATORS = {"libc": None, "jemalloc": "libjemalloc.so.2", "tcmalloc": "libtcmalloc_minimal.so.4"}
PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs")
MIB = 1 << 20
STEP = 64 << 10  # of a thread
# What the program's start and the printing of its results take; a thread has its own of it.
OWN = 400 << 10
PYTHON = """
/usr/bin/python3 -B -c 'import json, re
data = [{"n": i, "text": str(i) * 50} for i in range(20000)]
text = json.dumps(data)
print(len(text), len(re.findall("77", text)), json.loads(text) == data)'
"""
SQLITE = """
sqlite3 :memory: 'create table t(a, b); begin; insert into t values (1, 2); commit;
              insert into t select a + 1, b from t; select * from t;'
"""
SORT = "seq 1 50000 | sort -R --random-source=/dev/zero | sort -n | tail -n 2"
REAL = {"python": PYTHON, "sqlite": SQLITE, "sort": SORT}


def record(run, label, words, what="", preload=None):
    """The program with its memory recorded, compared with itself unless it prints sizes; the Trace."""
    more = {"LD_PRELOAD": preload} if preload else {}
    plain = run.execute(words, label + ".plain", more) if what != "step=1" else None
    traced, archive = run.record(label, ["--memory=" + what if what else "--memory", *words], more, plain)
    return run.judge(archive), archive, traced


def courses(run, trace):
    """Of each process its values, [(held, peak)]."""
    metrics = Metrics(trace)
    found = []
    for number, (_, location) in sorted(trace.archive.spaces["Location"].items()):
        if location["locationType"] != METRIC_LOCATION:
            continue
        values = [value for _, value in metrics.lone(number)]
        run.expect(values and all(set(value) == MEMBERS for value in values), "values")
        found.append([(value[HELD], value[PEAK]) for value in values])
    for values in metrics.classes().values():
        run.equal(values["metricOccurrence"], ASYNCHRONOUS, "occurrence of the class")
    return found


def is_true_course(run, label, course):
    most = 0
    for held, peak in course:
        run.expect(peak >= held and peak >= most, f"{label}: a peak {peak} below {held} or {most}")
        most = peak


def is_seen_by_program(run, label, trace, traced, least):
    """The changes are those that the program has seen, one by one and in their order."""
    course, = courses(run, trace)
    is_true_course(run, label, course)
    got = [after[0] - before[0] for before, after in zip(course, course[1:])]
    want = [int(line) for line in traced.stdout.split()]
    run.expect(len(want) > least, f"changes that {label} makes: {want}")
    places = [at for at in range(len(got)) if got[at:at + len(want)] == want]
    run.expect(places, f"{label}: the changes {want}\n  among {got}")
    begin = places[0]
    top = max(course[at][0] for at in range(begin, begin + len(want) + 1))
    run.equal(course[begin + len(want)][1], max(course[begin][1], top), f"peak of {label}")


def steps(run, program):
    seed = random.randrange(1 << 32)
    print(f"  seed {seed}", flush=True)
    for name, library in ALLOCATORS.items():
        for words, least in ((["steps"], 70), (["drawn", str(seed)], 2000)):
            label = f"{words[0]}.{name}"
            trace, _, traced = record(run, label, [program] + words, "step=1", library)
            is_seen_by_program(run, label, trace, traced, least)


def linked(run):
    """An allocator that the program is linked with; the program needs it by its name."""
    for name, library in ALLOCATORS.items():
        program = os.path.join(run.scratch, "thread_memory." + name)
        more = ["-Wl,--no-as-needed", "-l:" + library] if library else []
        subprocess.run(["g++", "-std=c++17", "-pthread", os.path.join(PROGRAMS, "thread_memory.cpp"),
                        "-o", program] + more, check=True)
        trace, _, traced = record(run, "linked." + name, [program, "steps"], "step=1")
        is_seen_by_program(run, "linked." + name, trace, traced, 70)


def own_names(run):
    """
    Functions of an allocator's own are there if and only if the allocator is: programs go by that. What
    they take is not counted, and what free() gives back of it is.
    """
    program = os.path.join(run.scratch, "own_names")
    subprocess.run(["gcc", "-O1", os.path.join(PROGRAMS, "memory", "own_names.c"), "-o", program], check=True)
    for name, library in ALLOCATORS.items():
        _, _, traced = record(run, "names." + name, [program], preload=library)
        of_its_own = {"jemalloc": "mallocx 1 dallocx 1 tc_malloc 0 tc_free 0",
                      "tcmalloc": "mallocx 0 dallocx 0 tc_malloc 1 tc_free 1"}
        run.equal(traced.stdout.strip(), of_its_own.get(name, "mallocx 0 dallocx 0 tc_malloc 0 tc_free 0"),
                  f"functions that there are with {name}")
        trace, _, traced = record(run, "own." + name, [program, "changes"], "step=1", library)
        is_seen_by_program(run, "own." + name, trace, traced, 1)


def race(run, program):
    """The sum at the end is exact, whatever the threads do at once: none of their calls is lost."""
    for name, library in ALLOCATORS.items():
        ends, kept = [], []
        for pairs in (0, 1000000):
            label = f"race.{name}.{pairs}"
            traced, archive = run.record(label, ["--memory", program, "race", str(pairs)],
                                         {"LD_PRELOAD": library} if library else {})
            course, = courses(run, run.judge(archive))
            run.equal(traced.spur[:-1], [], f"nothing is lost with {label}")
            bytes_, rate = traced.stdout.split()
            ends.append(course[-1][0])
            kept.append(int(bytes_))
        print(f"  {name}: {rate} million calls a second", flush=True)
        run.expect(kept[1] > 500000, f"kept by {name}: {kept}")
        run.equal(ends[1] - ends[0], kept[1], f"held at the end with {name}")


def threads(run, program):
    for name, library in ALLOCATORS.items():
        trace, _, _ = record(run, "threads." + name, [program, "threads"], preload=library)
        course, = courses(run, trace)
        is_true_course(run, name, course)
        run.expect(course[-1][1] > MIB, f"peak of {name}: {course[-1][1]}")
        run.expect(course[-1][0] < OWN, f"left at the end of {name}: {course[-1][0]}")


def forks(run, program):
    trace, _, _ = record(run, "fork", [program, "fork"])
    found = sorted(courses(run, trace), key=lambda course: course[-1][1])
    run.equal(len(found), 2, "processes")
    for course, most in zip(found, (4 * MIB, 12 * MIB)):
        is_true_course(run, "fork", course)
        run.expect(most <= course[-1][1] < most + OWN, f"peak {course[-1][1]}, not {most}")
        run.expect(course[-1][0] < OWN, f"left at the end: {course[-1][0]}")
        # Also a child that does nothing else is recorded while it is at it.
        run.expect(max(held for held, _ in course) >= most, f"values up to {most}: {course}")


def reports(run, program):
    """What the report says is what the program knows."""
    _, archive, _ = record(run, "leak", [program, "leak"])
    sections = run.report(archive, "--by", "memory")["sections"]
    row, = sections["memory"]
    run.expect(24 * MIB <= row["peak"] < 24 * MIB + OWN, f"peak: {row}")
    run.expect(12 * MIB <= row["end"] < 12 * MIB + OWN, f"end: {row}")
    course = [slice_["held"] for slice_ in sections["memory_course"]]
    run.equal(len(course), 20, "slices")
    run.expect(row["peak"] - STEP <= max(course) <= row["peak"], f"{row['peak']}: {course}")
    run.expect(abs(course[-1] - row["end"]) <= STEP, f"{row['end']}: {course}")


def real_ones(run):
    for name, script in REAL.items():
        trace, _, traced = record(run, name, ["/bin/sh", "-ec", script])
        found = courses(run, trace)
        groups = trace.archive.spaces["LocationGroup"]
        run.equal((len(found), traced.spur[:-1]), (len(groups), []), f"all processes of {name}")
        for course in found:
            is_true_course(run, name, course)


def others(run, program):
    """Programs whose memory is not counted: one line says why, once."""
    address = run.command(["{programs}/host_safety.asan"])[0]
    plain = run.execute([address, "memory"], "asan.plain")
    # A child is found out by the library that counts.
    for label, words in (("asan", [address, "memory"]), ("child", ["sh", "-c", 'exec "$0" memory', address])):
        traced, _ = run.record(label, ["--memory", *words], plain=plain)
        said = [line for line in traced.spur if "AddressSanitizer" in line]
        run.equal(len(said), 1, f"lines about {label}: {traced.spur}")
    # By hand, without the library that counts.
    alone = run.execute([program, "leak"], "alone",
                        {"LD_PRELOAD": os.path.join(run.build, "lib", "libspur.so"),
                         "SPUR_MEMORY": "on", "SPUR_DIR": os.path.join(run.scratch, "by_hand")})
    said = [line for line in alone.spur if "libspur-memory.so" in line]
    run.equal((alone.status, len(said)), (0, 1), f"lines about it: {alone.spur}")


def sanitized(run):
    """
    The allocators of other sanitizers are left alone as well, in the program and in what a shell starts:
    there they take memory before their own beginning is over.
    """
    source = os.path.join(run.scratch, "plain.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write("#include <stdio.h>\n#include <stdlib.h>\n"
                   "int main(void) { char *p = malloc(100000); puts(p ? \"done\" : \"\");\n"
                   "free(p); return 5; }\n")
    for option, name in (("thread", "ThreadSanitizer"), ("leak", "LeakSanitizer")):
        program = os.path.join(run.scratch, "plain." + option)
        subprocess.run(["gcc", "-fsanitize=" + option, source, "-o", program], check=True)
        for what, words in (("program", [program]), ("child", ["/bin/sh", "-c", program + "; exit $?"])):
            label = f"{what}.{option}"
            traced, _ = run.record(label, ["--memory", *words], status=5)
            run.equal(traced.stdout, "done\n", label)
            said = [line for line in traced.spur if name in line]
            run.expect(len(said) == 1 or (what == "child" and not said),
                       f"one line of {label}: {traced.spur}")
        doctor = run.execute([run.spur, "doctor", program], "doctor." + option)
        run.expect(f"records nothing: {name} keeps the memory" in doctor.stdout, f"doctor: {doctor.stdout}")


def limited(run):
    """A process at its limit hears of it as without spur. What fails does not count."""
    program = os.path.join(run.scratch, "limit")
    subprocess.run(["gcc", "-O0", os.path.join(PROGRAMS, "memory", "limit.c"), "-o", program], check=True)
    for what in ("step=1", "1"):
        traced, archive = run.record("limit." + what, ["--memory=" + what, program])
        words = traced.stdout.split()
        run.equal(words[1:], ["1", "1", "end"], "at the limit")
        course, = courses(run, run.judge(archive))
        is_true_course(run, "limit", course)
        most = int(words[0]) * MIB
        run.expect(most >= 48 * MIB, f"{most} bytes below the limit")
        run.expect(most <= course[-1][1] < most + OWN, f"peak {course[-1][1]}, not {most}")


def late(run):
    """A program of C opens a plugin of C++ that has brought its operators with it."""
    sources = os.path.join(PROGRAMS, "late")
    host, plugin = (os.path.join(run.scratch, name) for name in ("late_host", "late_plugin.so"))
    for words in (["gcc", os.path.join(sources, "host.c"), "-o", host, "-ldl"],
                  ["g++", "-std=c++17", "-shared", "-fPIC", "-static-libstdc++",
                   os.path.join(sources, "plugin.cpp"), "-o", plugin]):
        subprocess.run(words, check=True)
    trace, _, traced = record(run, "late", [host, plugin])
    run.equal((traced.status, traced.stdout), (0, "100\n100\n"), "a plugin with its own operators")
    course, = courses(run, trace)
    is_true_course(run, "late", course)
    run.expect(course[-1][0] < OWN, f"left at the end: {course[-1][0]}")


def main(run):
    program = run.command(["{programs}/thread_memory"])[0]
    steps(run, program)
    linked(run)
    own_names(run)
    race(run, program)
    threads(run, program)
    forks(run, program)
    reports(run, program)
    real_ones(run)
    late(run)
    others(run, program)
    sanitized(run)
    limited(run)
