# SPDX-License-Identifier: BSD-3-Clause
"""Processes that know each other through sessions only, and with MPI_Init beside them."""

of = "wrappers/mpi"
ranks = 4
mpi = ["mpich"]  # Open MPI 4 has none

# How, names of communicators beside the unnamed one of each rank alone, and their members.
WAYS = {"": {"first": [4], "even": [2], "odd": [2]},
        "again": {"first": [4], "second": [4], "even": [2, 2], "odd": [2, 2]},
        "init": {"first": [4], "MPI_COMM_WORLD": [4], "MPI_COMM_SELF": [0], "even": [2],
                 "odd": [2]}}


def check(trace, run, how):
    sizes = {}
    groups = {values["self"]: values for name, values in trace.archive.definitions
              if name == "Group" and values["paradigm"] == 4}
    for name, values in trace.archive.definitions:
        if name == "Comm" and values["group"] in groups:
            label = trace.archive.string(values["name"])
            sizes.setdefault(label, []).append(len(groups[values["group"]]["members"]))
    alone = sizes.pop("", [])
    run.equal(alone, 4 * [1], "communicators of one rank")
    run.equal(sizes, WAYS[how], "communicators")
    for rank in range(4):
        names = [trace.archive.string(values["name"]) for name, values in trace.archive.definitions
                 if name == "LocationGroup"]
        run.equal(names[rank], f"MPI Rank {rank}", "name of a process")
        kinds = [name for name, _, _, _ in trace.events(rank << 32)]
        run.expect(kinds.count("MpiSend") == kinds.count("MpiRecv") >= 3, "messages")
        run.expect(kinds.count("CommCreate") >= 3, "creations")


def main(run):
    for how in WAYS:
        run.case.command = ["{programs}/session{mpi}"] + ([how] if how else [])
        plain = run.untraced()
        for form, before, inside in (("outer", [], run.launcher()), ("inner", run.launcher(), [])):
            print(f"{how or 'alone'}, {form}:")
            check(run.judge(run.record(f"{how or 'alone'}.{form}", inside + run.command(), plain=plain,
                                       before=before)[1]), run, how)
