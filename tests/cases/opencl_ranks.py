# SPDX-License-Identifier: BSD-3-Clause
"""MPI, OpenMP and OpenCL in one program: one archive, and no kernel begins before its launch."""

from device_work import Devices, HOST

of = "wrappers/opencl"
command = ["{programs}/opencl_ranks{mpi}"]
ranks = 2
forms = ["outer", "inner"]
THREADS, KERNELS, ITEMS = 2, 20, 64


def check(trace, run):
    run.equal(run.plain.stdout.split(), [str(ranks * THREADS * KERNELS * ITEMS)], "sum")
    devices = Devices(run, trace)
    seen = devices.check_times()
    run.equal(len(seen), len(devices.given), "work by call")
    run.equal(devices.counts(), {"count": ("kernel", ranks * THREADS * KERNELS, 0),
                                 "read buffer": ("put", ranks * THREADS, ranks * THREADS * ITEMS * 4)},
              "work of the devices")
    run.expect(all(work.remote in (None, HOST) for done in devices.work.values() for work in done),
               "copies to the host")
    run.equal(sorted({location >> 32 for location in devices.work}), list(range(ranks)), "ranks with devices")
    names = trace.regions()
    run.equal(names["MPI_Reduce"], ranks, "MPI")
    regions = sum(n for name, n in names.items() if name.startswith("!$omp parallel"))
    run.equal(regions, ranks * THREADS, "OpenMP")
