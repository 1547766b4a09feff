# SPDX-License-Identifier: BSD-3-Clause
"""
Memory of the ranks of a job (--memory), started in both ways: each has a location of its own, and holds more
than the rank below it by what the program says. With call sites it is the program's lines that hold it.
"""

from trace_metrics import METRIC_LOCATION, Metrics

of = "wrappers/memory"
mpi = ["mpich", "openmpi"]
ranks = 3
MIB = 1 << 20
EACH = 32 * MIB
OWN = 4 * MIB  # by which what the MPI library takes may differ between ranks


def courses(trace):
    """{rank: its values, [(held, peak)]}."""
    metrics, found = Metrics(trace), {}
    for number, (_, location) in trace.archive.spaces["Location"].items():
        if location["locationType"] == METRIC_LOCATION:
            found[location["locationGroup"]] = [(value["Host Memory"], value["Host Memory Peak"])
                                                for _, value in metrics.lone(number)]
    return found


def check(run, trace, label):
    found = courses(trace)
    run.equal(sorted(found), list(range(ranks)), f"{label}: processes with values")
    peaks = [found[rank][-1][1] for rank in range(ranks)]
    ends = [found[rank][-1][0] for rank in range(ranks)]
    for rank in range(ranks - 1):
        for what, values, step in (("peak", peaks, EACH), ("end", ends, EACH // 2)):
            run.expect(abs(values[rank + 1] - values[rank] - step) < OWN, f"{label}: {what}s {values}")


def sites(run, archive):
    """The lines of the program that hold most at the peak: two each of (rank + 1) * EACH / 2."""
    rows = [row for row in run.report(archive, "--by", "memory")["sections"]["memory_sites"]
            if row["file"].endswith("memory_ranks.c")]
    total = sum((rank + 1) * EACH for rank in range(ranks))
    run.expect(total <= sum(row["taken"] for row in rows) < total + OWN, f"by line: {rows}")
    run.expect(total // 2 <= sum(row["end"] for row in rows) < total // 2 + OWN, f"left, by line: {rows}")


def main(run):
    program = run.command(["{programs}/memory_ranks{mpi}"])
    job = run.launcher() + program
    plain = run.execute(job, "plain")
    run.equal(plain.status, 0, f"the program {plain.stderr}")
    for label, before, words in (("outer", [], ["--memory", *job]),
                                 ("inner", run.launcher(), ["--memory", *program]),
                                 ("sites", [], ["--memory=1M", *job])):
        _, archive = run.record(label, words, plain=plain, before=before)
        check(run, run.judge(archive), label)
    sites(run, archive)
