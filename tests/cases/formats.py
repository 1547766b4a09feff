# SPDX-License-Identifier: BSD-3-Clause
"""
HDF5 and NetCDF: programs print what they read from and wrote to each dataset, and the archive says the same.
What they see of errors is as without spur. What a library opens is a child of what the program opens. The
tools of both
libraries, and Python's module, leave the same files.
"""

import re

import io_events
import io_layers
import matrix
from io_layers import HDF5, NETCDF, POSIX

of = "wrappers/formats"
SETTINGS = {"SPUR_IO": "posix,hdf5,netcdf", "SPUR_WRAP": "io,hdf5,netcdf,process"}
UNDEFINED = 0xffffffff
UNKNOWN = 2**64 - 1

H5PY = """
/usr/bin/python3 -B -c '
import h5py, numpy
numbers = numpy.arange(1000.)
with h5py.File("data.h5", "w", track_order=False) as file:
    chunked = file.create_dataset("chunked", data=numbers, chunks=(100,), track_times=False)
    inner = file.create_group("group").create_dataset("inner", (50,), dtype="i4", track_times=False)
    inner[10:20] = numpy.full(10, 7, dtype="i4")
with h5py.File("data.h5", "r") as file:
    file["chunked"][5:10], file["group/inner"][:], sorted(file)
print("/chunked", 5 * 8, 1000 * 8)
print("/group/inner", 50 * 4, 10 * 4)'
"""
TOOLS = """
cat >text.cdl <<END
netcdf text {{
dimensions: x = 100 ;
variables: int line(x) ;
data: line = 5 ;
}}
END
ncgen -k nc4 -o new.nc text.cdl
ncdump new.nc
nccopy -k classic new.nc classic.nc
h5ls -r new.nc
h5dump new.nc
h5repack -f GZIP=1 new.nc packed.h5
h5copy -i new.nc -o copy.h5 -s /line -d /copied
"""


def stdout(text):
    """h5dump 1.14 prints an address of its own as the number of a dataset that a reference names."""
    return re.sub(r"DATASET \d+ ", "DATASET ", text)


def stderr(text):
    """HDF5 prints when a file was missing."""
    return re.sub(r" time = .*", "", text)


def check_parents(run, archive, order, what):
    """The handles of each layer are children of the layer above; datasets are of their file's handle."""
    handles = {values["self"]: values for name, values in archive.definitions if name == "IoHandle"}
    for values in handles.values():
        layer, parent = values["ioParadigm"], handles.get(values["parent"])
        if layer not in order or values["ioHandleFlags"]:
            continue
        if archive.string(values["name"]) and layer != POSIX:
            run.equal((parent["ioParadigm"], parent["file"]), (layer, values["file"]),
                      what + "a dataset's parent")
        else:
            above = order.index(layer) - 1
            run.equal(parent and parent["ioParadigm"], order[above] if above >= 0 else None,
                      what + "the parent of a file's handle")


def traced(run, label, words):
    for cell in matrix.cells(run, label, words, ways=["launcher"], settings=SETTINGS, unfinished=False):
        run.equal(cell.traced.status, 0, f"{label} succeeds: {cell.traced.stderr}")
        yield cell, cell.trace(run, False)


def opened(trace):
    """How many handles were created, and how many destroyed."""
    names = [name for stream in trace.streams for name, *_ in trace.events(stream.location)]
    return names.count("IoCreateHandle"), names.count("IoDestroyHandle")


def check_next(run, trace, counted):
    """
    HDF5 1.14, by a stand-in. Of what goes on in the background, nobody asks the library about the file; if a
    call has failed, the set does not say which one.
    """
    counted |= {"/later": (2 * 400 + UNKNOWN, 400), "/failed": (0, UNKNOWN)}
    run.equal(io_layers.sums(trace, HDF5), counted, "next: bytes")
    run.equal(*opened(trace), "next: what is opened is closed")
    events = [name for stream in trace.streams for name, *_ in trace.events(stream.location)]
    run.equal([events.count(f"IoOperation{what}") for what in ("Begin", "Issued", "Complete", "Cancelled")],
              [17, 8, 16, 1], "next: operations")
    last = max(i for i, name in enumerate(events) if name == "IoOperationComplete")
    run.expect("IoDestroyHandle" in events[last:], "next: a closing comes behind what goes on")


def main(run):
    for cell, trace in traced(run, "hdf5", ["{programs}/serial_hdf5"]):
        run.equal(io_layers.sums(trace, HDF5), io_events.counted(cell.plain.stdout), "hdf5: bytes")
        check_parents(run, trace.archive, [HDF5, POSIX], "hdf5: ")
        run.equal(*opened(trace), "hdf5: what is opened is closed")
    for cell, trace in traced(run, "next", ["{programs}/hdf5_next", "chunks"]):
        check_next(run, trace, io_events.counted(cell.plain.stdout))
    for cell, trace in traced(run, "h5py", ["/bin/sh", "-ec", H5PY]):
        run.equal(io_layers.sums(trace, HDF5), io_events.counted(cell.plain.stdout), "h5py: bytes")
        check_parents(run, trace.archive, [HDF5], "h5py: ")
    for cell, trace in traced(run, "netcdf", ["{programs}/serial_netcdf"]):
        run.equal(io_layers.sums(trace, NETCDF), io_events.counted(cell.plain.stdout), "netcdf: bytes")
        check_parents(run, trace.archive, [NETCDF], "netcdf: ")
        files = [values for name, values in trace.archive.definitions if name == "IoHandle" and
                 values["ioParadigm"] == HDF5 and not trace.archive.string(values["name"])]
        run.expect(files and all(values["parent"] != UNDEFINED for values in files),
                   "netcdf: HDF5 is the layer below")
    for _, trace in traced(run, "tools", ["/bin/sh", "-ec", TOOLS]):
        by_netcdf, by_hdf5 = io_layers.sums(trace, NETCDF), io_layers.sums(trace, HDF5)
        run.equal(by_netcdf.get("new.nc:line", (0, 0))[1], 400, "tools: what ncgen has written")
        run.expect(by_hdf5.get("/line", (0, 0))[0] >= 2 * 400, "tools: what ncdump and h5dump have read")
