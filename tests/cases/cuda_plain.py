# SPDX-License-Identifier: BSD-3-Clause
"""
CUDA without CUPTI (tests/programs/cuda/cuda_plain.c): the driver's calls are recorded, and what they give
is timed by events. A stream that is captured stays as it is, a context that is gone is not asked, and the
program prints what it prints alone.
"""

import matrix
from device_work import CORRELATION, Devices, counted

of = "wrappers/cuda"
MODES = ["all", "runtime", "found", "capture", "threads", "contexts", "long", "fork"]
US = 1e-6
SLACK = 2000 * US  # of a machine that has other things to do; the least of many is sharper
LEAST_SLACK = 100 * US


def cells(run, label, mode, ways=("launcher",), **settings):
    return matrix.cells(run, label, ["{programs}/cuda_plain", mode], list(ways),
                        settings=dict({"FAKE_CUPTI": "broken"}, **settings), told=["device-unfinished"])


def check_lasted(run, cell, devices):
    """A pair of events encloses its kernel, and little more."""
    lines = [line.split() for line in cell.traced.stdout.splitlines()]
    tick = next(values["timerResolution"] for name, values in devices.archive.definitions
                if name == "ClockProperties")
    for _, name, us in (words for words in lines if words[0] == "least"):
        lasted = sorted((work.end - work.begin) / tick for works in devices.work.values() for work in works
                        if work.name == name)
        run.expect(lasted[0] >= (int(us) - 1) * US, f"{cell.what}{name} lasts {us} us at least: {lasted[0]}")
        run.expect(lasted[0] <= int(us) * US + LEAST_SLACK, f"{cell.what}{name} lasts {us} us: {lasted[0]}")
        middle = lasted[len(lasted) // 2]
        run.expect(middle <= int(us) * US + SLACK, f"{cell.what}{name} lasts {us} us mostly: {middle}")


def check_placed(run, cell, devices):
    """A kernel on an idle device begins soon after its launch, in the middle of many."""
    tick = next(values["timerResolution"] for name, values in devices.archive.definitions
                if name == "ClockProperties")
    late = sorted((work.begin - devices.given[location >> 32, work.said[CORRELATION]]) / tick
                  for location, works in devices.work.items() for work in works)
    run.expect(late[len(late) // 2] < SLACK, f"{cell.what}kernels begin {late} s after their launches")


def check_calls(run, mode, cell):
    regions = cell.trace(run).regions()
    run.expect(not any(name.endswith(("_ptsz", "_ptds")) for name in regions), f"{cell.what}names: {regions}")
    for name in ("cuEventQuery", "cuCtxGetCurrent", "cuGetProcAddress"):
        run.expect(name not in regions, f"{cell.what}no {name}, which is not the program's")
    run.expect("cuEventRecord" not in regions, cell.what + "no events of spur's")
    if mode == "runtime":
        run.equal((regions["cuLaunchKernel"], regions["cuCtxSynchronize"]), (50, 1), cell.what + "calls")
    if mode == "capture":
        launched = counted(cell.traced.stdout)
        n = launched["of_thread"][1] + launched["beside"][1] + 50
        run.equal(regions["cuLaunchKernel"], n, cell.what + "calls, also those that are captured")


def check_mode(run, mode, cell):
    devices = Devices(run, cell.trace(run))
    devices.check_times()
    run.equal(devices.counts(), counted(cell.traced.stdout), cell.what + "work of the devices")
    run.equal(cell.remarks(run), [], cell.what + "remarks")
    check_lasted(run, cell, devices)
    if mode == "long":
        check_placed(run, cell, devices)
    check_calls(run, mode, cell)
    lines = [line for line in cell.traced.spur if "CU" in line]
    run.equal(["timed by events" in line for line in lines], [True], f"{cell.what}one line: {lines}")


def check_taken(run):
    """Another tool would see events of spur's: only calls are recorded."""
    for cell in cells(run, "taken", "all", FAKE_CUPTI="taken"):
        run.expect(not Devices(run, cell.trace(run)).work, cell.what + "no work")
        regions = cell.trace(run).regions()
        run.equal((regions["cuLaunchKernel"], regions["cuGraphLaunch"]), (150, 50), cell.what + "calls")
        lines = [line for line in cell.traced.spur if "CU" in line]
        run.equal(["another tool uses CUPTI" in line for line in lines], [True], f"{cell.what}{lines}")


def check_off(run):
    copies = {"cuMemcpy", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2"}
    for groups, names in (("none", set()), ("copy", copies)):
        for cell in cells(run, "groups." + groups, "all", SPUR_CUDA=groups):
            regions = {name for name in cell.trace(run).regions() if name.startswith("cu")}
            run.equal(regions, names, f"{cell.what}calls with {groups}")
            ways = {work.way for works in Devices(run, cell.trace(run)).work.values() for work in works}
            run.equal(ways, {"put", "get"} if names else set(), cell.what + "work")


def check_straight(run):
    """Who records nothing of the driver's calls is not there when they return, and in no one's way."""
    ours = ["called by libspur.so", "found libspur.so"]
    drivers = ["called by cuda_plain", "found libcuda.so.1"]
    for label, settings in (("cupti", {"FAKE_CUPTI": ""}), ("none", {"SPUR_CUDA": "none"}),
                            ("unwrapped", {"SPUR_WRAP": "pthread"})):
        for cell in cells(run, "straight." + label, "straight", **settings):
            run.equal(cell.traced.stdout.splitlines(), drivers, f"{cell.what}straight with {label}")
            calls = cell.trace(run).regions().get("cuCtxSynchronize", 0)
            run.equal(calls, 2 if label == "cupti" else 0, f"{cell.what}calls with {label}")
    # The program asks for the difference, so it does not print what it prints alone.
    words = [run.spur, "-q"] + run.command(["{programs}/cuda_plain", "straight"])
    traced = run.execute(words, "straight.pairs", {"FAKE_CUPTI": "broken"})
    run.equal(traced.stdout.splitlines(), ours, "spur is there when it records")


def main(run):
    for mode in MODES:
        ways = ["launcher", "agent", "recovered"] if mode == "all" else ["launcher"]
        for cell in cells(run, mode, mode, ways):
            check_mode(run, mode, cell)
    for cell in cells(run, "exit", "exit"):
        devices = Devices(run, cell.trace(run))
        run.equal(devices.counts(), counted(cell.traced.stdout), cell.what + "work of the devices")
        run.equal(cell.trace(run).archive.said("DEVICE_UNFINISHED"), ["1"], cell.what + "not finished")
        run.equal(cell.remarks(run), ["device-unfinished"], cell.what + "remarks")
    check_taken(run)
    check_off(run)
    check_straight(run)
