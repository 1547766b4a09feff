# SPDX-License-Identifier: BSD-3-Clause
"""
A host that asks its device again and again whether it is done (tests/programs/device_story.h): one row of
calls, whose time is waiting. The program says how often it asked, and how long. OpenCL is by pocl, the others
are by runtimes of the tests' own.
"""

import os

from reported import Reported

of = "wrappers/device tools/report/devices"
mpi = ["mpich", "openmpi"]  # two programs with each

ASKS = {"opencl": "clGetEventInfo", "levelzero": "zeEventQueryStatus", "cuda": "cuStreamQuery",
        "hip": "hipStreamQuery"}
MOST_BYTES = 100_000
NS = 1_000_000_000


def main(run):
    os.environ["ZE_ENABLE_ALT_DRIVERS"] = os.path.join(run.programs, "libze_fake.so.1")
    for runtime in ["opencl", "levelzero"] if run.mpi == "mpich" else ["cuda", "hip"]:
        got = Reported(run, runtime, f"{{programs}}/{runtime}_story{{mpi}} polls", ranks=1)
        asked, waited = got.truth["asked"] * NS, got.truth["waited"]
        row = got.rows[ASKS[runtime]]
        run.equal(row["calls"], round(asked), f"{runtime}: calls of {ASKS[runtime]}")
        # The row begins with the 64th call.
        got.near(f"{runtime}: waiting", row["waiting"], waited, 0.1, 0.02)
        size = sum(os.path.getsize(os.path.join(folder, name))
                   for folder, _, names in os.walk(got.place) for name in names)
        run.expect(size < MOST_BYTES, f"{runtime}: {size} bytes")
