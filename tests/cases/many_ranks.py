# SPDX-License-Identifier: BSD-3-Clause
"""More ranks than cores by far."""

command = ["{programs}/halo{mpi}"]
ranks = 32


def check(trace, run):
    run.equal(trace.processes(), list(range(ranks)), "processes")
    run.equal(trace.kinds()["MpiIrecv"], 4 * 14 * ranks, "MpiIrecv")
