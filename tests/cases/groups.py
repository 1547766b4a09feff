# SPDX-License-Identifier: BSD-3-Clause
"""SPUR_MPI selects groups of calls, and MPI_Pcontrol pauses: what is left is true to itself."""

import os

of = "wrappers/mpi"
command = ["{programs}/groups{mpi}"]
ranks = 2
mpi = ["mpich", "openmpi"]

# Regions of each group, and records of it; both on each rank.
REGIONS = {"env": {"MPI_Init": 1, "MPI_Finalize": 1},
           "p2p": {"MPI_Isend": 2, "MPI_Irecv": 2},
           "req": {"MPI_Waitall": 3, "MPI_Wait": 1},
           "coll": {"MPI_Barrier": 1, "MPI_Ibarrier": 1},
           "cg": {"MPI_Comm_rank": 1, "MPI_Comm_dup": 1, "MPI_Comm_free": 2},
           "topo": {"MPI_Dims_create": 1},
           "rma": {"MPI_Win_allocate": 1, "MPI_Win_fence": 2, "MPI_Put": 1, "MPI_Win_free": 1},
           "io": {"MPI_File_open": 1, "MPI_File_write_at": 1, "MPI_File_close": 1},
           "type": {"MPI_Type_contiguous": 1, "MPI_Type_commit": 1, "MPI_Type_free": 1},
           "ext": {"MPI_Comm_get_attr": 1},
           "err": {"MPI_Comm_set_errhandler": 1},
           "perf": {"MPI_Pcontrol": 2}}
RECORDS = {"p2p": {"MpiIsend": 2, "MpiIsendComplete": 2, "MpiIrecvRequest": 2, "MpiIrecv": 2},
           "coll": {"NonBlockingCollectiveRequest": 1, "NonBlockingCollectiveComplete": 1},
           "rma": {"RmaWinCreate": 1, "RmaPut": 1, "RmaWinDestroy": 1},
           "io": {"IoCreateHandle": 1, "IoOperationBegin": 1, "IoDestroyHandle": 1}}
DEFAULT = ["env", "p2p", "req", "coll", "cg", "topo", "rma", "io"]
ALL = list(REGIONS)


def expected(table, groups):
    """What is to be in the trace of the groups that are on."""
    return {name: ranks * count for group in groups for name, count in table.get(group, {}).items()}


def stdout(text):
    return sorted(text.splitlines())


def record(run, value):
    return run.record(value, run.launcher() + run.command(), {"SPUR_MPI": value}, run.plain)


def one_selection(run, value, groups):
    trace = run.judge(record(run, value)[1])
    run.equal(dict(trace.regions()), expected(REGIONS, groups), f"regions of {value}")
    kinds = trace.kinds()
    for group, records in RECORDS.items():
        for name, count in records.items():
            run.equal(kinds.get(name, 0), ranks * count * (group in groups), f"{name} of {value}")
    run.equal(kinds["MeasurementOnOff"], 2 * ranks, f"MeasurementOnOff of {value}")


def main(run):
    run.plain = run.untraced()
    one_selection(run, "default", DEFAULT)
    one_selection(run, "all", ALL)
    one_selection(run, "p2p", ["p2p"])
    one_selection(run, "req,rma", ["req", "rma"])
    one_selection(run, "coll,io,cg", ["coll", "io", "cg"])
    run.expect(not os.path.exists(record(run, "none")[1]), "no archive of no group")
    result, _ = record(run, "p2p,collective")
    naming = [line for line in result.spur if '"collective", only env, p2p, req,' in line]
    run.equal(len(naming), 1, f"lines that name the unknown group ({result.spur})")
