# SPDX-License-Identifier: BSD-3-Clause
"""
Random programs of OpenCL print the same with and without spur: what calls return, and what queues, events,
contexts, buffers and kernels say of themselves, references too. Threads that give the first work to one
queue make one stream. Programs that are not to be traced do not know the agent.
"""

import os
import random
import sys

import matrix
from device_work import Devices, printed

of = "wrappers/opencl"
SEEDS, STEPS, ROUNDS = 4, 300, 100
# A program that the session has left alone, which names the agent for others and then uses OpenCL.
LATE = """
import ctypes, os
os.environ["LD_PRELOAD"] = os.environ["OPENCL_LAYERS"] = {library!r}
for name in ("SPUR_DIR", "SPUR_SESSION"):
    os.environ.setdefault(name, "")
opencl, code, found = ctypes.CDLL("libOpenCL.so.1"), ctypes.c_int(), ctypes.c_void_p()
opencl.clGetPlatformIDs(1, ctypes.byref(found), None)
opencl.clCreateContext.restype = ctypes.c_void_p
opencl.clUnloadPlatformCompiler(found)
"""


def check_seed(run, seed):
    words = ["{programs}/opencl_random", str(seed), str(STEPS)]
    for cell in matrix.cells(run, str(seed), words, ["launcher"]):
        Devices(run, cell.trace(run)).check_times()


def check_race(run):
    for cell in matrix.cells(run, "race", ["{programs}/opencl_random", "race", str(ROUNDS)], ["launcher"]):
        devices = Devices(run, cell.trace(run))
        run.equal(devices.counts(), printed(cell.traced.stdout), "work of threads")
        run.equal(len(devices.work), ROUNDS, "one stream for a queue")


def check_left_alone(run):
    """What takes out LD_PRELOAD gets no layer either, but those of others."""
    words = ["env", "-u", "LD_PRELOAD"]
    tell = ["sh", "-c", "echo ${OPENCL_LAYERS-none}"]
    mixed = "OPENCL_LAYERS=a.so:" + run.library + ":b.so"
    blank = "OPENCL_LAYERS=a b.so:" + run.library + ":c.so"
    for label, others, expected in (("own", [], "none"), ("others", [mixed], "a.so:b.so"),
                                    ("blank", [blank], "a b.so:c.so")):
        said, _ = run.record(label, ["-q", *words, *others, *tell])
        run.equal(said.stdout.strip(), expected, f"{label}: layers of what is left alone")


def check_late(run):
    """LD_PRELOAD says nothing of a library that was not preloaded."""
    words = ["env", "-u", "LD_PRELOAD", sys.executable, "-c", LATE.format(library=run.library)]
    run.expect(not os.path.exists(run.record("late", ["-q", *words])[1]), "a late layer records nothing")


def main(run):
    first = random.randrange(1 << 30)
    for seed in range(first, first + SEEDS):
        print(f"seed {seed}")
        check_seed(run, seed)
    check_race(run)
    check_left_alone(run)
    check_late(run)
