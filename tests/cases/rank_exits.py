# SPDX-License-Identifier: BSD-3-Clause
"""
One rank of a job ends in every way there is, from its main thread or another one, while the others are in
MPI_Recv and MPI_Allreduce. The status of mpirun is that of the untraced job. The archive is true and says how
each rank ended. It holds every call that was done, as the ranks have counted.

A part of the ways, or with EXITS=all all of them, with EXITS=segv,kill those.
"""

import concurrent.futures
import os
import shutil

from process_ends import DIES, ends_of, expected_end, leaves, modes, read_counts, status_of

of = "agent/process tools/report/topics"
mpi = ["mpich", "openmpi"]
WORKERS, RANKS, VICTIM, ROUNDS = 2, 3, 1, 50
LOCKS = 9
CALLS = {"MPI_Sendrecv", "MPI_Recv", "MPI_Allreduce"}
WAITS = {0: "MPI_Recv", 2: "MPI_Allreduce"}
USUAL = {"segv": "main", "kill": "thread", "exit": "main", "uncaught": "thread",
         "MPI_Abort": "main", "MPI_Abort_self": "thread"}
SIGKILL = 9
# Nobody knows more of ranks that mpirun kills and does not wait for.
CONSEQUENCES = ("killed by SIGKILL", "killed by SIGTERM", DIES)
ABORTS = ("MPI_Abort(7)", "MPI_Abort(7), exit status 7", "MPI_Abort(7), killed by SIGKILL",
          "MPI_Abort(7), killed by SIGTERM")


def chosen(run):
    """Rows of (mode, status, place). A process with MPI does not end with its last thread."""
    words = os.environ.get("EXITS", "")
    for mode, status, places in modes(run, "{programs}/exits{mpi}"):
        if len(places) == 1:
            continue
        if not words and mode in USUAL:
            yield mode, status, USUAL[mode]
        elif words and (words == "all" or mode in words.split(",")):
            yield from [(mode, status, place) for place in places]


def may_be(run, mode, word, plain):
    """
    What mpirun may end with. Open MPI's has the status of the rank. Those that MPICH's kills in
    consequence may be reaped before it or with it, and then it has their status or both in one.
    """
    if run.mpi == "openmpi":
        return {plain}
    own = abs(status_of(word))
    return {own, SIGKILL, own | SIGKILL}


def job(run, mode, place, folder, before=()):
    counts = os.path.join(run.scratch, folder, "counts")
    words = run.launcher(RANKS) + run.command(["{programs}/exits{mpi}", mode, place, counts])
    return run.execute(list(before) + words, folder), read_counts(counts)


def try_mode(run, mode, word, place):
    what = f"{mode}, {place}: "
    folder = f"{mode}.{place}"
    archive = os.path.join(run.scratch, f"{folder}.archive")
    plain, _ = job(run, mode, place, f"{folder}.plain")
    wanted = may_be(run, mode, word, plain.status)
    run.expect(plain.status in wanted, f"{what}untraced one of {wanted}: {plain.status}")
    traced, counts = job(run, mode, place, folder, [run.spur, "-o", archive])
    run.expect(traced.status in wanted, f"{what}one of {wanted}: {traced.status}")
    run.equal(len(traced.spur), 1, f"{what}lines {traced.spur}")
    if not word.isdigit() and word not in ("SIGKILL", "SIGTERM"):  # who was first is not known
        run.expect(f"; MPI Rank {VICTIM} (pid {counts[VICTIM][2]}): " in traced.spur[0],
                   f"{what}a line that names rank {VICTIM}: {traced.spur[0]}")
    trace = run.judge(archive, unfinished=True)
    check_ends(run, trace, mode, word, what)
    for rank in range(RANKS):
        check_calls(run, trace, rank, counts[rank], what)
    locks = trace.kinds()["ThreadAcquireLock"]
    run.expect(locks >= LOCKS, f"{what}{LOCKS} locks: {locks}")
    shutil.rmtree(archive)


def check_ends(run, trace, mode, word, what):
    groups = [trace.archive.string(values["name"]) for name, values in trace.archive.definitions
              if name == "LocationGroup"]
    ends = {group: end for group, end in zip(groups, ends_of(trace)) if group.startswith("MPI")}
    run.equal(sorted(ends), [f"MPI Rank {rank}" for rank in range(RANKS)], what + "ranks")
    for rank in range(RANKS):
        end = ends[f"MPI Rank {rank}"]["END"].split(", core")[0]
        if rank != VICTIM:
            run.expect(end in CONSEQUENCES, f"{what}an end of rank {rank}: {end}")
        elif mode.startswith("MPI_Abort"):
            run.expect(end in ABORTS, f"{what}an end of the rank that aborts: {end}")
        else:
            run.equal(end, expected_end(mode, word, True), f"{what}END")


def check_calls(run, trace, rank, count, what):
    begun, done, _ = count
    found, added = leaves(trace, rank << 32, CALLS)
    run.expect(done <= found <= begun, f"{what}rank {rank}: {done} to {begun} calls, not {found}")
    run.equal((found, added), (ROUNDS, int(rank != VICTIM)), f"{what}calls of rank {rank}")
    if rank != VICTIM:
        regions = [values[0] for name, _, values, attributes in trace.events(rank << 32)
                   if name == "Leave" and attributes is not None]
        names = [trace.archive.name_of("Region", region) for region in regions]
        run.expect(WAITS[rank] in names, f"{what}rank {rank} in {WAITS[rank]}: {names}")


def main(run):
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for done in [pool.submit(try_mode, run, *row) for row in chosen(run)]:
            done.result()
