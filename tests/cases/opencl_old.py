# SPDX-License-Identifier: BSD-3-Clause
"""
OpenCL with a loader that takes no layers (tests/programs/opencl/old_loader.c): programs that are linked with
it, and a module that brings one by a name of its own, and that comes and goes. The work is recorded, and the
programs print what they print alone. So they do with OpenCL left out.
"""

import random

import matrix
from device_work import Devices, counted, printed

of = "wrappers/opencl"
MODES = ["all", "info", "fork"]
DRIVER = {"OLD_LOADER_DRIVER": "libpocl.so.2"}
STEPS, ROUNDS = 300, 2  # rounds of the module's host


def cells(run, label, *words, **settings):
    return matrix.cells(run, label, ["{programs}/" + words[0], *words[1:]], ["launcher"], env=DRIVER,
                        settings=settings)


def check_work(run, cell):
    devices = Devices(run, cell.trace(run))
    seen = devices.check_times()
    run.equal(devices.counts(), printed(cell.traced.stdout), cell.what + "work of the device")
    run.equal(len(seen), len(devices.given), cell.what + "work by call")
    regions = cell.trace(run).regions()
    run.equal(regions["clReleaseContext"], regions["clCreateContext"], cell.what + "calls")
    run.expect(regions["clGetPlatformIDs"] > 0, cell.what + "the first call")


def check_module(run):
    """A library that is linked with OpenCL finds its own; there are as many works in each round."""
    for cell in cells(run, "module", "opencl_host", run.programs + "/opencl_module.so", "threads"):
        devices = Devices(run, cell.trace(run))
        devices.check_times()
        run.equal(devices.counts(), counted(cell.traced.stdout), cell.what + "work of the device")
        run.equal(cell.trace(run).regions()["clCreateContext"], ROUNDS, cell.what + "rounds")


def main(run):
    for mode in MODES:
        for cell in cells(run, mode, "opencl_all_old", mode):
            check_work(run, cell)
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    for cell in cells(run, "random", "opencl_random_old", str(seed), str(STEPS)):
        Devices(run, cell.trace(run)).check_times()
    check_module(run)
    for cell in cells(run, "off", "opencl_all_old", "info", SPUR_WRAP="user,pthread"):
        run.expect(not Devices(run, cell.trace(run)).work, cell.what + "no streams")
        run.expect(not any(name.startswith("cl") for name in cell.trace(run).regions()),
                   cell.what + "no calls")
