# SPDX-License-Identifier: BSD-3-Clause
"""
Level Zero, by its own loader and a driver of the tests' own (tests/programs/levelzero/fake_driver.c): a
program that gives work to devices in all ways and counts it. Programs that ask the loader for functions by
their names, lists that are handed over again while they are at work, events that are reset at once or that
others share, drivers of an older version or without times, children, and ends without waiting.
"""

import collections
import os

import matrix
from device_work import CORRELATION, Devices, HOST, counted, memory_of

of = "wrappers/levelzero wrappers/device"
MODES = ["immediate", "lists", "reset", "threads", "devices", "fork"]
ROUNDS = 20
TO_HOST = {"copy to host", "copy to device"}
SLOW_S, TICK_S = 0.005, 1 / 19200000


def cells(run, label, mode, ways=("launcher",), program="levelzero_all", told=(), **settings):
    return matrix.cells(run, label, [f"{{programs}}/{program}", mode], list(ways), settings=settings,
                        told=told)


def properties(trace, wanted):
    return sum(map(int, trace.archive.said(wanted)))


def names_of(devices, space):
    return sorted(devices.archive.string(values["name"])
                  for _, values in devices.archive.spaces[space].values())


def works_of(devices):
    return [work for works in devices.work.values() for work in works]


def check_after_calls(run, cell, devices):
    """Nothing begins before its call; a call that hands over lists has given several works."""
    for location, works in devices.work.items():
        for work in works:
            given = devices.given[location >> 32, work.said[CORRELATION]]
            run.expect(given <= work.begin <= work.end, f"{cell.what}{work.name} after its call")


def check_work(run, cell):
    """What the devices did is what the program gave."""
    devices = Devices(run, cell.trace(run))
    check_after_calls(run, cell, devices)
    run.equal(devices.counts(), counted(cell.traced.stdout), cell.what + "work of the devices")
    run.equal(properties(cell.trace(run), "DEVICE_LOST"), 0, cell.what + "nothing lost")
    for work in works_of(devices):
        if work.remote is not None:
            name = work.name.replace(" (pageable)", "")
            run.equal(work.remote == HOST, name in TO_HOST, cell.what + work.name)
    return devices


def check_mode(run, mode, cell):
    devices = check_work(run, cell)
    groups = [name for name in names_of(devices, "LocationGroup") if "Fake" in name]
    regions = cell.trace(run).regions()
    if mode == "reset":  # the program takes a lock when it counts
        run.equal(regions["pthread_mutex_lock"], 1, cell.what + "locks, without those of the driver")
    if mode == "immediate":
        run.equal(regions["zeInit"], 1, cell.what + "calls of zeInit")
        run.expect("zeEventQueryStatus" not in regions, cell.what + "no call that only asks")
        kernel = next(work for work in works_of(devices) if work.name == "saxpy")
        said = {name: value for name, value in kernel.said.items() if name != CORRELATION}
        run.equal(said, {"Device Work Items": 256, "Device Work Group Size": 32},
                  cell.what + "attributes of a kernel")
        check_times(run, cell, devices, "slow_5000us")
        # The queue that runs in order has no lanes.
        run.expect("Queue 2" in names_of(devices, "Location") and
                   "Queue 2, lane 2" not in names_of(devices, "Location"), cell.what + "lanes")
    if mode == "lists":
        calls = collections.Counter(work.said[CORRELATION] for work in works_of(devices))
        run.equal(sorted(calls.values()), [9] * 6, cell.what + "works by call")
        check_report(run, cell)
    if mode == "devices":
        run.equal(groups, ["Fake Xe (device 0)", "Fake Xe (device 1)", "Fake Xe (device 1, part 0)",
                           "Fake Xe (device 1, part 1)"], cell.what + "devices")


def check_times(run, cell, devices, name):
    """Kernels of a known length, by a clock that goes round."""
    resolution = next(values["timerResolution"] for name, values in devices.archive.definitions
                      if name == "ClockProperties")
    lengths = [(work.end - work.begin) / resolution for work in works_of(devices) if work.name == name]
    run.expect(lengths and all(abs(length - SLOW_S) < SLOW_S / 100 + 2 * TICK_S for length in lengths),
               f"{cell.what}lengths of {name}: {lengths}")


def check_report(run, cell):
    """The section of devices, and that the host's calls are known as those of devices."""
    sections = run.report(cell.archives[0], "--by", "devices")["sections"]
    given = counted(cell.traced.stdout)
    run.equal({row["kernel"]: row["calls"] for row in sections["device_kernels"]},
              {name: n for name, (way, n, _) in given.items() if way == "kernel"}, cell.what + "kernels")
    run.equal({row["operation"]: (row["count"], row["bytes"]) for row in sections["device_copies"]},
              {name: (n, size) for name, (way, n, size) in given.items() if way != "kernel"},
              cell.what + "copies")
    run.expect({"waiting", "calls"} <= {row["cause"] for row in sections["device_idle"]},
               f"{cell.what}causes of idle times: {sections['device_idle']}")


def check_replay(run, cell):
    """The last run is there, and the others are lost or there; none twice."""
    devices = Devices(run, cell.trace(run))
    devices.check_times()
    done, lost = len(works_of(devices)), properties(cell.trace(run), "DEVICE_LOST")
    run.expect(done >= 1, f"{cell.what}{done} runs")
    run.equal(done + lost, ROUNDS, cell.what + "runs that are there or lost")
    check_times(run, cell, devices, "again_5000us")


def check_none(run, cell, lost):
    run.expect(not works_of(Devices(run, cell.trace(run))), cell.what + "no work")
    run.equal(properties(cell.trace(run), "DEVICE_LOST"), lost, cell.what + "what is lost")
    run.expect("zeCommandListAppendLaunchKernel" in cell.trace(run).regions(), cell.what + "calls")


def check_end(run, how, cell):
    devices = Devices(run, cell.trace(run))
    devices.check_times()
    run.equal(devices.counts(), counted(cell.traced.stdout), cell.what + "kernels that were waited for")
    if how == "exit":
        run.equal(properties(cell.trace(run), "DEVICE_UNFINISHED"), 1, cell.what + "what had not finished")


def check_memory(run, cell):
    """What a device holds is what the program held of it, also of what was given back in a pause."""
    check_work(run, cell)
    line, = [line.split() for line in cell.traced.stdout.splitlines() if line.startswith("memory")]
    *held, peak, shared = (int(word) for word in line[1:])
    values, = memory_of(cell.trace(run))
    run.equal(values[-1], (*held, 0), cell.what + "memory that is held at the end")
    run.equal((max(value[0] for value in values), max(value[1] for value in values)), (peak, shared),
              cell.what + "the most that was held")
    device, = run.report(cell.archives[0], "--by", "devices")["sections"]["devices"]
    run.equal((device["memory"], device["managed"]), (peak, shared), cell.what + "the most in the report")


def check_filter(run):
    path = os.path.join(run.scratch, "levelzero.filter")
    with open(path, "w", encoding="utf-8") as file:
        file.write("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE saxpy\nEXCLUDE in_a_list\n"
                   "EXCLUDE MANGLED _ZTSZ4main*\nSCOREP_REGION_NAMES_END\n")
    for mode, name in (("immediate", "saxpy"), ("lists", "in_a_list"), ("reset", "main::{lambda()#1}")):
        for cell in cells(run, "filter." + mode, mode, SPUR_FILTER=path):
            devices = Devices(run, cell.trace(run))
            wanted = counted(cell.traced.stdout)
            del wanted[name]
            run.equal(devices.counts(), wanted, cell.what + "work that is left")


def check_newer(run):
    """A loader of a version that is not known goes on, and one line says so."""
    result, _ = run.record("newer", ["-q", *run.command(["{programs}/levelzero_newer"])])
    run.equal(result.stdout, "0 0\n", "a newer loader")
    lines = [line for line in result.spur if "Level Zero" in line]
    run.equal(lines, ["spur: this version of Level Zero (2) is not known: Level Zero is not recorded"],
              "what is said of a newer loader")


def main(run):
    os.environ["ZE_ENABLE_ALT_DRIVERS"] = os.path.join(run.programs, "libze_fake.so.1")
    for mode in MODES:
        ways = ["launcher", "agent", "recovered"] if mode == "immediate" else ["launcher"]
        for cell in cells(run, mode, mode, ways):
            check_mode(run, mode, cell)
    for mode in ("immediate", "lists"):
        for cell in cells(run, "by_name." + mode, mode, program="levelzero_by_name"):
            check_mode(run, mode, cell)
    for cell in cells(run, "old", "immediate", FAKE_LEVELZERO="old"):
        check_work(run, cell)
    for cell in cells(run, "tracing", "lists", ZE_ENABLE_TRACING_LAYER="1"):
        check_work(run, cell)
    for cell in cells(run, "memory", "memory"):
        check_memory(run, cell)
    for cell in cells(run, "memory.off", "memory", SPUR_LEVELZERO="launch"):
        run.equal(memory_of(cell.trace(run)), [], cell.what + "no memory of a group that is off")
    for cell in cells(run, "replay", "replay", told=["device-lost"]):
        check_replay(run, cell)
    for cell in cells(run, "shared", "shared", told=["device-lost"]):
        check_none(run, cell, 1)
    for cell in cells(run, "untimed", "reset", told=["device-lost"], FAKE_LEVELZERO="untimed"):
        check_none(run, cell, ROUNDS)
    for how in ("exit", "_exit", "killed"):
        ways = ["launcher", "recovered"] if how == "killed" else ["launcher"]
        for cell in cells(run, how, how, ways, told=["device-unfinished"]):
            check_end(run, how, cell)
    check_filter(run)
    check_newer(run)
    for cell in cells(run, "off", "immediate", SPUR_LEVELZERO="none"):
        regions = cell.trace(run).regions()
        run.expect(not any(name.startswith("ze") for name in regions), cell.what + "no calls")
        run.expect(not works_of(Devices(run, cell.trace(run))), cell.what + "no work")
    for cell in cells(run, "groups", "immediate", SPUR_LEVELZERO="copy"):
        run.equal({work.way for work in works_of(Devices(run, cell.trace(run)))}, {"put", "get", "fill"},
                  cell.what + "work of groups that are on")
