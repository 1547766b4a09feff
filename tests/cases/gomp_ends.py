# SPDX-License-Identifier: BSD-3-Clause
"""
Programs and threads that end while libgomp is at work leave true archives: what is open is closed,
and teams and forks as well as regions; a child of fork() does not close what its parent opened.
"""

of = "wrappers/openmp"
WAYS = ("exit", "exit_first", "_exit", "kill", "throw", "threads", "fork")


def main(run):
    for way in WAYS:
        trace = run.standard(way, run.command(["{programs}/gomp_ends", way]))[1]
        kinds = trace.kinds()
        run.equal(kinds["ThreadFork"], kinds["ThreadJoin"], f"joins of {way}")
        run.equal(kinds["ThreadTeamBegin"], kinds["ThreadTeamEnd"], f"ends of teams of {way}")
        if way in ("exit", "exit_first", "_exit", "kill"):
            run.equal(kinds["ThreadFork"], 2, f"forks of {way}")
            run.expect(kinds["ThreadAcquireLock"] in (1, 2), f"a critical section in {way}")
        elif way == "throw":
            run.equal(kinds["ThreadTaskComplete"], 10, "tasks that have caught")
            run.equal(kinds["ThreadAcquireLock"], 4, "critical sections that have caught")
        elif way == "threads":
            run.equal(kinds["ThreadFork"], 3 * (3 * 2 + 1), "regions of threads that end")
            run.equal(len(trace.archive.spaces["Comm"]), 1 + 3 * (3 + 1), "a team per thread")
        else:
            run.equal(len(trace.processes()), 2, "a process and its child")
            run.equal(kinds["ThreadFork"], 2, "regions of both")
