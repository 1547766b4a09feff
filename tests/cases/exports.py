# SPDX-License-Identifier: BSD-3-Clause
"""
Exports of what programs leave: messages between ranks, threads with locks, samples and counters, a
process that was killed. Every format has what spur print says.
"""

import os

from exported import compare, read_sqlite

of = "tools/export"
env = {"SPUR_PTHREAD": "all"}  # the subject is what becomes of many records

mpi = ["mpich", "openmpi"]


def exported(run, label, program, options=(), ranks=0):
    words = [*options, *run.launcher(ranks), *run.command([program])]
    _, place = run.record(label, words, status=None)
    if not os.path.exists(os.path.join(place, "traces.otf2")):
        run.execute([run.spur, "recover", place], f"{label}.recover")
    folder = os.path.join(run.scratch, f"{label}.exports")
    os.mkdir(folder)
    for fault in compare(os.path.dirname(run.spur), place, folder, label):
        run.expect(False, fault)
    return read_sqlite(os.path.join(folder, f"{label}.sqlite"))


def main(run):
    ring = exported(run, "ring", "{programs}/ring{mpi}", ranks=4)
    run.equal(len(ring["message"]), 4 * 15, "messages")
    run.equal([row for row in ring["message"] if None in (row["sent"], row["received"])], [],
              "messages with one end")
    run.equal(sorted(row["rank"] for row in ring["process"]), [0, 1, 2, 3], "ranks")
    phases = exported(run, "phases", "{programs}/thread_phases", ["--sample", "100"])
    run.expect(len(phases["sample"]) > 10, "samples")
    killed = exported(run, "killed", "{programs}/serial_killed",
                      ["--metrics", "rusage:utime"])
    run.expect(len(killed["value"]) > 1000, "values of a metric")
    locks = [row["name"] for row in killed["event"] if row["name"].endswith("Lock")]
    run.equal((locks.count("ThreadAcquireLock"), locks.count("ThreadReleaseLock")), (1001, 1000), "locks")
