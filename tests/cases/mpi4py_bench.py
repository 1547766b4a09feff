# SPDX-License-Identifier: BSD-3-Clause
"""The ring test that mpi4py comes with: Python buffers, passed round."""

import re

of = "wrappers/mpi"
LOOPS = 50

command = ["/usr/bin/python3", "-B", "-m", "mpi4py.bench", "ringtest", "-l", str(LOOPS), "-n", "1000"]
ranks = 4
mpi = ["openmpi"]


def stdout(text):
    """Without the time."""
    return re.sub(r"= \S+ seconds", "= # seconds", text)


def check(trace, run):
    run.expect(f"time for {LOOPS} loops" in run.plain.stdout, "the result of the test")
    run.equal(trace.processes(), list(range(ranks)), "processes")
    kinds = trace.kinds()
    run.equal(kinds.get("MpiSend", 0) + kinds.get("MpiIsend", 0), ranks * LOOPS, "messages sent")
