# SPDX-License-Identifier: BSD-3-Clause
"""Streams of CUDA and queues of OpenCL have the names that programs give them by NVTX."""

import matrix
from device_work import Devices

of = "wrappers/nvtx"
QUEUES = {100: "ascii", 200: "wide", 300: "Queue 3", 400: "resource"}
STREAMS = {"ascii", "wide", "runtime", "second name", "resource", "Stream 12", "default one", "elsewhere"}


def works(run, cell):
    """(name of the stream, work) of all work of streams."""
    devices = Devices(run, cell.trace(run))
    names = {location: devices.archive.string(values["name"])
             for location, (_, values) in devices.archive.spaces["Location"].items()}
    return [(names[location], work) for location, done in devices.work.items() for work in done]


def main(run):
    for cell in matrix.cells(run, "cuda", ["{programs}/nvtx_cuda"], ["launcher", "agent"]):
        kernels = [(stream, work.name) for stream, work in works(run, cell) if work.way == "kernel"]
        for stream, kernel in kernels:
            run.equal("of_" + stream, kernel, cell.what + "stream of a kernel")
        run.equal({stream for stream, _ in kernels}, STREAMS, cell.what + "streams")
    for cell in matrix.cells(run, "opencl", ["{programs}/nvtx_opencl"], ["launcher"]):
        run.equal({work.bytes: stream for stream, work in works(run, cell)}, QUEUES, cell.what + "queues")
    for cell in matrix.cells(run, "off", ["{programs}/nvtx_cuda"], ["launcher"],
                             settings={"SPUR_WRAP": "user,pthread,nvtx"}):
        run.equal(works(run, cell), [], cell.what + "no streams")
