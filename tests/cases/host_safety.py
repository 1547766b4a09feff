# SPDX-License-Identifier: BSD-3-Clause
"""
A program does what tools get wrong. With the agent it prints the same and ends in the same way, whatever the
agent is asked to record; so it does with other libraries preloaded, linked statically and with the rights of
another user. What is recorded until then is a true archive.
"""

import os
import shutil

from turns import ALL

of = "agent"
stderr = str  # numbers, too
# Events have to go to a file. There are more children with ALL=1.
env = {"SPUR_BUFFER": "512K", "SPUR_PTHREAD": "all", **({"MANY_CHILDREN": "1000"} if ALL else {})}

SETTINGS = {
    "default": {},
    "everything": {"SPUR_METRICS": "rusage:minflt,perf:page-faults,perf:task-clock",
                   "SPUR_METRICS_ASYNC": "rusage:maxrss,period=5", "SPUR_UNWIND": "16",
                   "SPUR_SAMPLE": "500", "SPUR_FLUSH": "ring", "SPUR_LIMIT": "64M"},
}
# What a program can see, as it is documented: kill -USR2 is for the owner of a ring, and counters of
# the kernel are descriptors.
SEEN = {"handlers": {"SPUR_FLUSH": "write"}, "close_all": {"SPUR_METRICS": "rusage:minflt"}}
# Modes after which the agent may record no more, and says why in a line of its own.
STOPS = {"few_descriptors", "little_memory", "small_files", "filtered", "strict"}
# With all settings `spur check` looks at most archives, which takes it a tenth of the judge's time.
JUDGED = {"memory", "profiler"}
# Modes that lose the way to their files, but no events: many buffers' worth come afterwards.
OUT_OF_REACH = {"no_rights": 12000, "no_rights_child": 12000, "other_root": 12000}
# Too long for every day with all settings: ALL=1 has them, too.
ONCE = set() if ALL else {"many_children"}
# Libraries that are preloaded as well, with what asks the most of them.
PRELOADED = [
    ("libjemalloc.so.2", "memory"),
    ("libtcmalloc_minimal.so.4", "memory"),
    ("{programs}/io_tool.so", "data_files"),
]


PLAIN = {}  # what commands do without the agent, and in which folders


def compare(run, label, words, more, settings):
    """The command with `more` in its environment, without and with the agent; the archive."""
    key = (*words, *more.items())
    if key not in PLAIN:  # the same for all settings
        PLAIN[key] = run.execute(words, label + ".plain", more), label + ".plain"
    plain, folder = PLAIN[key]
    traced, archive = run.record(label, words, dict(more, **settings), plain)
    print(f"{label}: {plain.status}")
    run.equal(*(sorted(os.listdir(os.path.join(run.scratch, place))) for place in (f"{label}.run", folder)),
              f"files of {label}")
    return traced, archive


def every_mode(run, program, name, settings):
    modes = run.execute([program], "modes").stdout.split()
    for mode in modes:
        if settings and mode in ONCE:
            continue
        asked = dict(settings, **(SEEN.get(mode, {}) if settings else {}))
        traced, archive = compare(run, f"{name}.{mode}", [program, mode], {}, asked)
        said = [line for line in traced.spur if "stop" in line and "archive" not in line]
        run.expect(len(said) <= (mode in STOPS), f"no complaint about {mode}: {said}")
        if settings and mode not in JUDGED:
            run.spur_check(archive, True)
            continue
        trace = run.judge(archive, bool(settings))
        least = OUT_OF_REACH.get(mode, 1)
        run.expect(trace.regions()["pthread_mutex_lock"] >= least, f"records of {mode}")
        if settings:
            run.expect(trace.kinds()["Metric"] > 100 and trace.kinds()["CallingContextSample"] > 5,
                       f"all that was asked for, of {mode}: {trace.kinds()}")


def other_libraries(run, program, name, settings):
    for library, mode in PRELOADED:
        if "io_tool" in library:  # counts locks, and libunwind takes some
            settings = {key: settings[key] for key in settings
                        if key not in ("SPUR_UNWIND", "SPUR_SAMPLE")}
        library = library.format(programs=run.programs)
        label = f"{name}.{os.path.basename(library).split('.')[0]}.{mode}"
        _, archive = compare(run, label, [program, mode], {"LD_PRELOAD": library}, settings)
        if settings:
            run.spur_check(archive, True)
            continue
        trace = run.judge(archive)
        run.expect(trace.regions()["pthread_mutex_lock"] > 9999, f"records with {library}")
        # Behind the agent as well, in the order that a user may choose.
        more = {"LD_PRELOAD": f"{run.library}:{library}"}
        alone = run.execute([program, mode], label + ".alone", {"LD_PRELOAD": library})
        both = run.execute([program, mode], label + ".behind",
                           dict(more, SPUR_DIR=archive + ".behind"))
        run.equal((both.status, both.stdout, both.stderr),
                  (alone.status, alone.stdout, alone.stderr), f"{library} behind the agent")
        run.judge(archive + ".behind")


def out_of_reach(run, program):
    """What no preloaded library gets into runs as ever, and the launcher says what that means."""
    setuid = os.path.join(run.scratch, "owned_by_nobody")
    shutil.copy(program, setuid)
    shutil.chown(setuid, "nobody", "nogroup")
    os.chmod(setuid, 0o6755)
    for words in ([setuid, "memory"], [program + ".static", "memory"]):
        traced, archive = compare(run, os.path.basename(words[0]), words, {}, {})
        run.expect(not os.path.exists(archive), "no archive")
        run.equal(len(traced.spur), 1, f"one line about it: {traced.spur}")


def main(run):
    run.equal(os.getuid(), 0, "user id: the test changes users and roots, so it needs")
    program = run.command(["{programs}/host_safety"])[0]
    for name, settings in SETTINGS.items():
        every_mode(run, program, name, settings)
        other_libraries(run, program, name, settings)
        _, archive = compare(run, f"{name}.asan", [program + ".asan", "memory"], {}, settings)
        run.spur_check(archive, bool(settings))
    out_of_reach(run, program)
