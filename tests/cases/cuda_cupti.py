# SPDX-License-Identifier: BSD-3-Clause
"""
A program that uses CUPTI itself (tests/programs/cuda/cuda_cupti.c): it gets what it gets without spur, and
spur has what the devices did before. CUPTI refuses a second client, hands over buffers of spur's late, and
has a clock that cannot be taken back.
"""

import matrix
from device_work import Devices, counted

of = "wrappers/cuda"
CALLS = {"profiler": "cuptiSubscribe", "v2": "cuptiSubscribe_v2", "busy": "cuptiSubscribe",
         "inside": "cuptiSubscribe", "activity": "cuptiActivityRegisterCallbacks"}
IN_SESSION, AFTER = 20, 30


def cells(run, label, mode, ways=("launcher",), told=("device-taken",), **settings):
    return matrix.cells(run, label, ["{programs}/cuda_cupti", mode], list(ways), settings=settings,
                        told=told)


def names_of_work(devices):
    return {name: n for name, (_, n, _) in devices.counts().items()}


def check_given_up(run, mode, cell):
    devices = Devices(run, cell.trace(run))
    devices.check_times()
    want = counted(cell.traced.stdout)
    if mode == "busy":
        want["long"] = "kernel", 1, 0
        want["wait for context"] = "other", 2, 0
    run.equal(devices.counts(), want, cell.what + "work until then")
    run.equal(cell.trace(run).archive.said("CUPTI_TAKEN"), [CALLS[mode]], cell.what + "the call that took it")
    run.equal(cell.remarks(run), ["device-taken"], cell.what + "remarks")
    lines = [line for line in cell.traced.spur if "CUPTI" in line]
    said = f"spur: the program uses CUPTI itself ({CALLS[mode]}): of CUDA only the calls of its driver " \
        "are recorded from here on"
    run.equal(lines, [said], cell.what + "one line")
    regions = cell.trace(run).regions()
    launches = sum(n for name, n in names_of_work(devices).items() if name in ("before", "long"))
    # What was given in the program's sessions and between them is not there; the calls are.
    sessions = 2 if mode == "profiler" else 1
    given = launches + sessions * IN_SESSION + AFTER
    run.equal(regions["cuLaunchKernel"], given, cell.what + "calls")


def stdout(text):
    """Only where spur cannot give CUPTI up in time is a session not what it is without spur."""
    lines = text.splitlines()
    is_stuck = lines[:1] == ["stuck"]
    return [line for line in lines if not is_stuck or line.startswith(("kernel", "other"))]


def check_refused(run):
    """A thread is within a call for long: nothing is given up, and CUPTI is as with a second client."""
    for cell in cells(run, "stuck", "stuck", told=["device-unfinished"]):
        run.expect("subscribe 39\ncallbacks 39\nenable 39\n" in cell.traced.stdout, cell.what + "refused")
        devices = Devices(run, cell.trace(run))
        # The program's last flush asks for what has not finished, too: the long kernel.
        want = {"before": 30, "in_session": 20, "after": 30, "wait for context": 4}
        run.equal(names_of_work(devices), want, cell.what + "all work")


def main(run):
    for mode in CALLS:
        for cupti in ("", "ahead", "small", "late") if mode in ("profiler", "busy") else ("",):
            for cell in cells(run, f"{mode}.{cupti}", mode, FAKE_CUPTI=cupti):
                check_given_up(run, mode, cell)
    for cell in cells(run, "profiler.agent", "profiler", ["agent", "recovered"]):
        check_given_up(run, "profiler", cell)
    for cell in cells(run, "first", "first"):
        run.expect(not Devices(run, cell.trace(run)).work, cell.what + "no streams")
        said = "spur: the program uses CUPTI itself: of CUDA only the calls of its driver are recorded"
        run.equal([line for line in cell.traced.spur if "CUPTI" in line], [said], cell.what + "one line")
    for cell in cells(run, "none", "profiler", SPUR_CUDA="none"):
        run.expect(not any("CUPTI" in line for line in cell.traced.spur), f"{cell.what}{cell.traced.spur}")
    check_refused(run)
