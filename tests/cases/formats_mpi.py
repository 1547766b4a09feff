# SPDX-License-Identifier: BSD-3-Clause
"""
Parallel HDF5 with all its layers: the ranks share a handle of HDF5, whose child is that of MPI-IO, whose
children are those of POSIX calls. The bytes of the dataset are those of the program, and moved together.
"""
from io_layers import HDF5, MPI, POSIX, sums

of = "wrappers/formats"
command = ["{programs}/hdf5{mpi}"]
ranks = 2
env = {"SPUR_IO": "posix,hdf5", "SPUR_WRAP": "mpi,io,hdf5"}

BAND = 64 * 100 * 8  # bytes that a rank writes, and reads
TOGETHER = 2
UNDEFINED = 0xffffffff


def check(trace, run):
    archive = trace.archive
    handles = {values["self"]: values for name, values in archive.definitions if name == "IoHandle"}
    run.equal(sums(trace, HDF5), {"/numbers": (ranks * BAND, ranks * BAND)}, "bytes of the dataset")
    above = {MPI: HDF5, POSIX: MPI}
    for values in handles.values():
        layer, parent = values["ioParadigm"], handles.get(values["parent"])
        if layer in above:
            run.equal(parent and parent["ioParadigm"], above[layer], "the layer above")
    shared = [values for values in handles.values()
              if values["ioParadigm"] == HDF5 and not archive.string(values["name"])]
    run.equal(len(shared), 2, "handles of HDF5: the file is opened twice, by all ranks together")
    run.expect(all(values["comm"] != UNDEFINED for values in shared), "they have a communicator")
    for rank in range(ranks):
        flags = [values[2] for name, _, values, _ in trace.events(rank << 32)
                 if name == "IoOperationBegin" and handles[values[0]]["ioParadigm"] == HDF5]
        run.equal(flags, [TOGETHER, TOGETHER], "collective transfers")
