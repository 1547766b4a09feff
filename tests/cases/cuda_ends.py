# SPDX-License-Identifier: BSD-3-Clause
"""
Programs that end without exit() while CUPTI still has records (tests/programs/cuda/cuda_ends.c). What the
agent sees of the end, it has all of; of a process that is killed, all but the last moments. spur's own thread
takes no signal of the program's, and is not in the archive. A CUPTI that does not come back holds up nobody.
"""

import time

import matrix
from device_work import Devices

of = "wrappers/cuda"
FIRST, LAST, ROUNDS = 30, 20, 500
WHOLE = ["_exit", "_Exit", "quick_exit", "exec"]
TORN = ["abort", "term", "killed"]
CPU_THREAD = 1


def cells(run, label, how, ways=("launcher",), **settings):
    return matrix.cells(run, label, ["{programs}/cuda_ends", how], list(ways), settings=settings,
                        told=["device-unfinished"])


def done_in(run, cell):
    """Kernels that are there, and launches."""
    devices = Devices(run, cell.trace(run))
    seen = devices.check_times()
    done = sum(len(works) for works in devices.work.values())
    run.equal(done, len(seen), cell.what + "each once")
    threads = [values for _, values in devices.archive.spaces["Location"].values()
               if values["locationType"] == CPU_THREAD]
    run.equal(len(threads), len(devices.groups) - 1, cell.what + "a thread for each process")
    return done, len(devices.given)


def main(run):
    for how in WHOLE:
        ways = ["launcher", "agent"] if how == "_exit" else ["launcher"]
        for cell in cells(run, how, how, ways):
            run.equal(done_in(run, cell), (FIRST + LAST, FIRST + LAST), cell.what + "kernels and launches")
    for how in TORN:
        ways = ["launcher", "recovered"] if how == "killed" else ["launcher"]
        for cell in cells(run, how, how, ways):
            done, given = done_in(run, cell)
            run.expect(FIRST <= done <= FIRST + LAST, f"{cell.what}{done} kernels")
            run.equal(given, FIRST + LAST, cell.what + "launches")
    for cell in cells(run, "handler", "handler"):
        run.equal(done_in(run, cell), (FIRST + LAST, FIRST + LAST), cell.what + "kernels and launches")
    for cell in cells(run, "flush", "flush", FAKE_CUPTI="alarm"):
        devices = Devices(run, cell.trace(run))
        done = sum(n for way, n, _ in devices.counts().values() if way == "kernel")
        launches = cell.trace(run).regions()["cuLaunchKernel"]
        run.expect(FIRST + LAST < launches < FIRST + LAST + ROUNDS, f"{cell.what}{launches} launches")
        run.equal(done, launches, cell.what + "kernels of a handler that waits for the flush")
    begin = time.monotonic()
    for cell in cells(run, "timer", "timer"):
        # Where it may hold locks, what CUPTI still has is lost; and what is given last may not have begun.
        done, given = done_in(run, cell)
        run.expect(FIRST + LAST < given and done <= given, f"{cell.what}{done} kernels of {given}")
    for cell in cells(run, "stuck", "_exit", FAKE_CUPTI="stuck"):
        run.equal(done_in(run, cell)[1], FIRST + LAST, cell.what + "launches")
    took = time.monotonic() - begin
    run.expect(took < 15, f"a CUPTI that does not come back holds up an end for {took} s")
