# SPDX-License-Identifier: BSD-3-Clause
"""What the records of libraries above MPI-IO and POSIX calls say, by dataset."""

import io_events

# The rows of session/io_paradigms.def.
MPI, POSIX, ISOC, HDF5, NETCDF, PNETCDF = 0, 1, 2, 6, 7, 8


def named(archive, handle):
    """A dataset of HDF5 by its name, a variable of NetCDF with its file."""
    values = {values["self"]: values for name, values in archive.definitions if name == "IoHandle"}[handle]
    name = archive.string(values["name"])
    path = io_events.files(archive)[handle].rsplit("/", 1)[-1]
    return f"{path}:{name}" if values["ioParadigm"] in (NETCDF, PNETCDF) else name


def sums(trace, layer):
    """{dataset: (bytes read, bytes written)} of one layer; flushes are of files."""
    archive, found = trace.archive, {}
    layers = {values["self"]: values["ioParadigm"]
              for name, values in archive.definitions if name == "IoHandle"}
    for stream in trace.streams:
        for handle, mode, _, done, _ in io_events.operations(trace, stream.location):
            if layers[handle] == layer and mode != io_events.FLUSH:
                name = named(archive, handle)
                read, written = found.get(name, (0, 0))
                found[name] = (read + (done if mode == io_events.READ else 0),
                               written + (done if mode == io_events.WRITE else 0))
    return found
