# SPDX-License-Identifier: BSD-3-Clause
"""
A program has all thread-specific keys that it has without the agent. The ends of its threads are
recorded, those that were there before as well; what destructors do is recorded as long as the
program leaves a key.
"""

of = "wrappers/pthread"
THREADS = 3 + 3 + 1  # from before, from after, and C11's; the last one ends the process
ROUNDS = 3  # of 4: in the last one the end is recorded first
KEYS = {"some": "3", "all": "1024", "tss": "1024", "both": "1024"}


def main(run):
    for takes, keys in KEYS.items():
        program = run.command(["{programs}/thread_keys", takes])
        plain = run.execute(program, takes + ".plain")
        run.equal(plain.stdout.split()[0], keys, "keys, untraced")
        for wrap in ("pthread", "pthread,process,openmp"):
            label = f"{takes}.{wrap}"
            trace = run.judge(run.record(label, program, {"SPUR_WRAP": wrap}, plain)[1])
            locks = THREADS + 1 + (THREADS * (1 + ROUNDS) if takes == "some" else 0)
            run.equal(trace.kinds()["ThreadAcquireLock"], locks, f"locks, {label}")
            # Besides that of the thread that takes keys.
            run.equal(trace.kinds()["ThreadEnd"], THREADS + 2, f"ends of threads, {label}")
    # Stacks cost one (docs/sampling.md).
    program = run.command(["{programs}/thread_keys", "all"])
    result, archive = run.record("stacks", program, {"SPUR_UNWIND": "16"})
    run.equal(result.stdout.split()[0], "1023", "keys beside libunwind's")
    run.spur_check(archive, True)
