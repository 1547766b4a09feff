# SPDX-License-Identifier: BSD-3-Clause
"""MPI and HIP in one program: each rank has a device; one archive, no kernel before its launch."""

from device_work import Devices, HOST

of = "wrappers/hip"
command = ["{programs}/hip_ranks{mpi}"]
ranks = 2
forms = ["outer", "inner"]
ROUNDS, BYTES = 20, 1000


def check(trace, run):
    devices = Devices(run, trace)
    seen = devices.check_times()
    run.equal(len(seen), len(devices.given), "work by call")
    run.equal(devices.counts(), {"of_rank": ("kernel", ranks * ROUNDS, 0),
                                 "copy to device": ("get", ranks * ROUNDS, ranks * ROUNDS * BYTES)},
              "work of the devices")
    run.expect(all(work.remote in (None, HOST) for done in devices.work.values() for work in done),
               "copies from the host")
    run.equal(sorted({location >> 32 for location in devices.work}), list(range(ranks)), "ranks with devices")
    names = trace.regions()
    run.equal(names["MPI_Barrier"], ranks * ROUNDS, "MPI")
    run.equal(names["hipLaunchKernel"], ranks * ROUNDS, "calls")
