# SPDX-License-Identifier: BSD-3-Clause
"""
A program that does what tools get wrong prints the same and ends in the same way with the agent,
whatever the agent is asked to record; so it does with other libraries preloaded, linked statically
and with the rights of another user. What is recorded until then is a true archive.
"""

import os
import shutil

env = {"SPUR_BUFFER": "512K"}  # so that events have to go to a file

SETTINGS = {
    "default": {},
}
# Modes after which the agent may record no more, and says why in a line of its own.
STOPS = {"few_descriptors", "little_memory", "no_rights", "no_rights_child",
         "other_root", "filtered", "strict"}
# Libraries that are preloaded as well, with what asks the most of them.
PRELOADED = [
    ("libjemalloc.so.2", "memory"),
    ("libtcmalloc_minimal.so.4", "memory"),
    ("{programs}/io_tool.so", "data_files"),
]


def compare(run, label, words, more, settings):
    """The command with `more` in its environment, without and with the agent; the archive."""
    plain = run.execute(words, label + ".plain", more)
    archive = os.path.join(run.scratch, label + ".archive")
    traced = run.execute([run.spur, "-o", archive] + words, label, dict(more, **settings))
    print(f"{label}: {plain.status}")
    run.equal((traced.status, traced.stdout, traced.stderr),
              (plain.status, plain.stdout, plain.stderr), label)
    run.equal(sorted(os.listdir(os.path.join(run.scratch, label))),
              sorted(os.listdir(os.path.join(run.scratch, label + ".plain"))), f"files of {label}")
    return traced, archive


def every_mode(run, program, name, settings):
    modes = run.execute([program], "modes").stdout.split()
    for mode in modes:
        traced, archive = compare(run, f"{name}.{mode}", [program, mode], {}, settings)
        said = [line for line in traced.spur if "stop" in line and "archive" not in line]
        run.expect(len(said) <= (mode in STOPS), f"no complaint about {mode}: {said}")
        trace = run.judge(archive)
        run.expect(trace.regions()["pthread_mutex_lock"] > 0, f"records of {mode}")


def other_libraries(run, program):
    for library, mode in PRELOADED:
        library = library.format(programs=run.programs)
        label = f"{os.path.basename(library).split('.')[0]}.{mode}"
        _, archive = compare(run, label, [program, mode], {"LD_PRELOAD": library}, {})
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
        traced, archive = compare(run, os.path.basename(words[0]) + ".run", words, {}, {})
        run.expect(not os.path.exists(archive), "no archive")
        run.equal(len(traced.spur), 1, f"one line about it: {traced.spur}")


def main(run):
    run.equal(os.getuid(), 0, "user id: the test changes users and roots, so it needs")
    program = run.command(["{programs}/host_safety"])[0]
    for name, settings in SETTINGS.items():
        every_mode(run, program, name, settings)
    other_libraries(run, program)
    out_of_reach(run, program)
    traced, archive = compare(run, "asan", [program + ".asan", "memory"], {}, {})
    run.judge(archive)
