# SPDX-License-Identifier: BSD-3-Clause
"""
Threads of these programs go from one stack to another, by their own word or out of a signal handler. With the
agent they count to the same and end in the same way. The archive is true, and says so where calls are not in
it.
"""

import os

of = "agent/record"
stderr = str  # numbers, too
SETTINGS = {
    "default": {"SPUR_BUFFER": "256K"},
    "all": {"SPUR_BUFFER": "256K", "SPUR_PTHREAD": "all"},
    "everything": {"SPUR_BUFFER": "256K", "SPUR_UNWIND": "8", "SPUR_MIN_DURATION": "1us",
                   "SPUR_FLUSH": "ring", "SPUR_METRICS": "rusage:minflt"},
}
PREEMPTED = ("preemptive", "preemptive_by_hand")
WHOLE = ("handlers", "jumps")  # nothing is left out
TIMES = 3  # of what depends on when a signal comes
JUMPED = 2 * 3 * 100  # calls behind jumps out of routines, of all threads


def record(run, words, name, label):
    plain = run.execute(words, label + ".plain")
    run.equal(plain.status, 0, f"{label} alone")
    traced, archive = run.record(label, words, SETTINGS[name], plain)
    run.spur_check(archive, name == "everything")
    return any("left out: fibres" in line for line in traced.spur)


def main(run):
    program = run.command(["{programs}/thread_fibres"])[0]
    for mode in run.execute([program], "modes").stdout.split():
        for name in SETTINGS:
            times = TIMES if mode.startswith("preemptive") else 1
            said = [record(run, [program, mode], name, f"{mode}.{name}.{i}") for i in range(times)]
            run.expect(mode not in PREEMPTED or any(said), f"a word about {mode}")
            run.expect(mode not in WHOLE or not any(said), f"all of {mode}")
    trace = run.judge(os.path.join(run.scratch, "jumps_after.all.0.archive"))
    run.equal(trace.regions()["pthread_rwlock_rdlock"], JUMPED, "calls behind jumps")
    words = run.command(["{programs}/thread_coroutines"])
    run.expect(not record(run, words, "default", "coroutines"), "all calls of coroutines")
