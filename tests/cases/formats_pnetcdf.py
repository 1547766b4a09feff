# SPDX-License-Identifier: BSD-3-Clause
"""PnetCDF: the bytes of each variable are those that the program counts, also of what goes on behind it."""
import io_events
from io_layers import MPI, PNETCDF, sums

of = "wrappers/formats"
command = ["{programs}/pnetcdf{mpi}"]
mpi = ["openmpi"]
ranks = 2
env = {"SPUR_IO": "posix,pnetcdf", "SPUR_WRAP": "mpi,io,pnetcdf"}


def check(trace, run):
    archive = trace.archive
    handles = {values["self"]: values for name, values in archive.definitions if name == "IoHandle"}
    told = io_events.counted(run.plain.stdout)
    run.equal(sums(trace, PNETCDF), told, "bytes of the variables")
    files = [values for values in handles.values() if values["ioParadigm"] == MPI]
    run.expect(files and all(handles[values["parent"]]["ioParadigm"] == PNETCDF for values in files),
               "the handles of MPI-IO are children of those of PnetCDF")
