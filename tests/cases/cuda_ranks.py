# SPDX-License-Identifier: BSD-3-Clause
"""MPI, OpenMP and CUDA in one program: two ranks share a device; one archive, no kernel before its launch."""

from device_work import Devices, HOST

of = "wrappers/cuda"
command = ["{programs}/cuda_ranks{mpi}"]
ranks = 2
forms = ["outer", "inner"]
THREADS, KERNELS, BYTES = 2, 20, 4096


def check(trace, run):
    run.equal(run.plain.stdout.split(), [str(ranks * THREADS * KERNELS)], "kernels")
    devices = Devices(run, trace)
    seen = devices.check_times()
    run.equal(len(seen), len(devices.given), "work by call")
    run.equal(devices.counts(), {"count": ("kernel", ranks * THREADS * KERNELS, 0),
                                 "copy to host": ("put", ranks * THREADS, ranks * THREADS * BYTES),
                                 "wait for stream": ("other", ranks * THREADS, 0)}, "work of the devices")
    run.expect(all(work.remote in (None, HOST) for done in devices.work.values() for work in done),
               "copies to the host")
    run.equal(sorted({location >> 32 for location in devices.work}), list(range(ranks)), "ranks with devices")
    names = trace.regions()
    run.equal(names["MPI_Reduce"], ranks, "MPI")
    run.equal(names["cuLaunchKernel"], ranks * THREADS * KERNELS, "calls")
