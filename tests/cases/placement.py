# SPDX-License-Identifier: BSD-3-Clause
"""
Where ranks run, and what they use: programs that bind themselves, sleep and use memory say what is
true. Ranks on one processor are a finding, a rank of much memory is a remark.
"""

import collections
import os

of = "agent/process tools/report/topics"
mpi = ["mpich", "openmpi"]

KIB, MEGABYTES, SLEEPS = 1024, 160, 300


def placed(run, mode):
    """The rows by rank, what the program says by rank, and the report."""
    result, place = run.record(mode, [*run.launcher(2), *run.command(["{programs}/placement{mpi}"]), mode])
    run.spur_check(place, False)
    truth = collections.defaultdict(dict)
    for rank, name, value in map(str.split, result.stdout.splitlines()):
        truth[f"rank {rank}"][name] = int(value)
    got = run.report(place)
    rows = {row["process"]: row for row in got["sections"]["placement"] if row["process"].startswith("rank")}
    run.equal(sorted(rows), sorted(truth), f"{mode}: ranks")
    check_counts(run, mode, rows, truth)
    return rows, truth, got


def check_counts(run, mode, rows, truth):
    """At least what the program has seen itself; and no more than all of it, and the end of MPI."""
    for rank, row in rows.items():
        said = truth[rank]
        print(f"  {mode} {rank}: {row} {said}")
        for key, name, unit, more in (("minor_faults", "minor", 1, 3000), ("voluntary", "voluntary", 1, 500),
                                      ("user", "user_us", 1e-6, 1.0)):
            # The kernel's split of CPU time into user and system is not always the same.
            run.expect(0.95 * said[name] * unit - 0.01 <= row[key] <= said[f"{name}_end"] * unit + more,
                       f"{mode}: {key} of {rank}: {row[key]}, of {said}")
        # The kernel counts pages in batches on each processor: two looks differ by some.
        run.expect(said["peak_kib"] - KIB <= row["peak_bytes"] / KIB < said["peak_kib"] + 32 * KIB,
                   f"{mode}: memory of {rank}: {row['peak_bytes']}, of {said}")
        run.expect(None not in (row["involuntary"], row["migrations"]), f"{mode}: counts of {rank}")
        run.expect(row["numa_nodes"] != "", f"{mode}: NUMA nodes of {rank}")


def numbers(text):
    """Of "0-3,8"."""
    ends = [part.split("-") for part in text.split(",")]
    return {number for end in ends for number in range(int(end[0]), int(end[-1]) + 1)}


def bound(run):
    allowed = sorted(os.sched_getaffinity(0))
    for mode in ("own", "same"):
        rows, truth, got = placed(run, mode)
        for number, (rank, row) in enumerate(sorted(rows.items())):
            core = allowed[number % len(allowed) if mode == "own" else 0]
            run.equal((truth[rank]["cores"], row["cores"], row["n_cores"]), (core, str(core), 1),
                      f"{mode}: processor of {rank}")
            run.expect(core in numbers(row["seen"]), f"{mode}: seen on {row['seen']}")
        found = [one for one in got["findings"] if one["kind"] == "shared_core"]
        is_shared = mode == "same" or len(allowed) == 1
        run.equal(len(found), 1 if is_shared else 0, f"{mode}: findings {got['findings']}")
        if is_shared:
            run.expect(f"processor, {allowed[0]} of " in found[0]["text"] and
                       "rank 0, rank 1." in found[0]["text"], found[0]["text"])
            run.equal(got["findings"][0], found[0], "the first finding")


def memory(run):
    rows, truth, got = placed(run, "memory")
    run.expect(rows["rank 1"]["peak_bytes"] >= MEGABYTES << 20, f"memory of rank 1: {rows['rank 1']}")
    run.expect(rows["rank 1"]["minor_faults"] >= (MEGABYTES << 20) // 4096, "its page faults")
    for rank in rows:
        run.expect(rows[rank]["voluntary"] >= SLEEPS, f"sleeps of {rank}")
    said = [text for text in got["remarks"] if "of memory" in text]
    run.expect(len(said) == 1 and said[0].startswith("rank 1 used "), f"a remark on rank 1: {got['remarks']}")
    text = run.says("report", os.path.join(run.scratch, "memory.archive"), "--by", "placement")
    run.expect("Placement" in text and "NUMA" in text and "MiB" in text, text)


def main(run):
    bound(run)
    memory(run)
