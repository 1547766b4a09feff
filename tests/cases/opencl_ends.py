# SPDX-License-Identifier: BSD-3-Clause
"""
Programs that end while a device works for them: by exit(), _exit(), abort(), SIGTERM and kill -9, while
another thread goes on, and with work that never begins. What was done when spur has looked last is there,
what was not is counted where the process ends in order, and all calls are recorded. And: a program that has
the layer without the agent is left alone.
"""

import os

import matrix
from device_work import Devices

of = "wrappers/opencl"
FIRST, SECOND = 20, 30


def unfinished(trace):
    return sum(map(int, trace.archive.said("DEVICE_UNFINISHED")))


def check_end(run, how, cell):
    trace = cell.trace(run)
    devices = Devices(run, trace)
    seen = devices.check_times()
    done = sum(len(works) for works in devices.work.values())
    run.equal(devices.counts(), {"spin": ("kernel", done, 0)}, cell.what + "kernels")
    run.equal(done, len(seen), cell.what + "each once")
    if how == "threads":  # which may be between a call and what is pending
        run.expect(done >= FIRST, f"{cell.what}{done} kernels")
        run.expect(len(devices.given) >= 2 * FIRST + SECOND, cell.what + "calls")
        return
    run.equal(len(devices.given), FIRST + SECOND, cell.what + "calls")
    run.expect(FIRST <= done <= FIRST + SECOND, f"{cell.what}{done} kernels")
    run.equal(cell.remarks(run), ["device-unfinished"] if unfinished(trace) else [], cell.what + "remarks")
    if how in ("exit", "events"):
        run.equal(unfinished(trace), FIRST + SECOND - done, cell.what + "kernels that had not finished")
    if how == "events":
        run.equal(done, FIRST, cell.what + "kernels that began")


def check_layer_alone(run):
    """The variable has the agent, LD_PRELOAD has not, as where a program or a user has taken it away."""
    words = run.command(["{programs}/opencl_all", "all"])
    plain = run.execute(words, "alone.plain")
    alone = run.execute(words, "alone.layer", {"OPENCL_LAYERS": run.library,
                                               "SPUR_DIR": os.path.join(run.scratch, "alone")})
    run.equal((alone.status, alone.stdout, alone.stderr, alone.spur),
              (plain.status, plain.stdout, plain.stderr, []), "a layer without the agent")
    run.expect(not os.path.exists(os.path.join(run.scratch, "alone")), "a layer alone records nothing")


def main(run):
    for how in ("exit", "_exit", "abort", "term", "killed", "events", "threads"):
        ways = ["launcher", "recovered"] if how in ("exit", "killed") else ["launcher"]
        for cell in matrix.cells(run, how, ["{programs}/opencl_ends", how], ways,
                                 told=["device-unfinished"]):
            check_end(run, how, cell)
    check_layer_alone(run)
