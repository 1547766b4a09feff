# SPDX-License-Identifier: BSD-3-Clause
"""The process ends without its destructors, while a thread is inside a call: nothing is lost."""

of = "wrappers/pthread"
WAYS = ("exit", "_exit", "_Exit", "quick_exit", "handler", "vfork")


def main(run):
    for how in WAYS:
        print(f"{how}:")
        words = run.command(["{programs}/thread_process_end", how])
        traced, trace = run.standard(how, words, unfinished=True)
        run.equal(traced.status, 42, "exit status")
        check(how, trace, run)


def check(how, trace, run):
    ends = [values for name, _, values, _ in trace.events(0) if name == "ProgramEnd"]
    run.equal(ends, [(42,)], "exit status in ProgramEnd")
    run.equal(len(trace.streams), 1 if how == "vfork" else 2, "locations")
    locks = {"vfork": 1, "quick_exit": 2}.get(how, 1)
    run.equal(trace.kinds()["ThreadAcquireLock"], locks, "ThreadAcquireLock")
