# SPDX-License-Identifier: BSD-3-Clause
"""
OpenCL, on the processor (pocl): a program that gives work to a device in every way and counts it,
queues that run out of order, threads, children, calls that fail, a program that leaves without a
word, a library that the program opens itself. What queues and events say is what they say without
spur. clinfo and clpeak print the same.
"""

import os
import re

import matrix
from device_work import Devices, HOST, printed

of = "wrappers/opencl wrappers/device"
MODES = ["all", "info", "errors", "order", "threads", "dlopen", "exit", "fork"]
WAYS = {"to device": "copy", "to host": "copy", "on device": "copy", "fill": "fill", "other": "other"}
TO_HOST = {"read buffer", "write buffer", "read image", "write image", "map", "map image", "migrate"}
ROUNDS = 50
WAITED_FOR = {"all", "info", "order", "threads", "dlopen", "fork"}  # all of it, by clFinish
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "wrappers", "opencl",
                     "opencl_calls.def")


def stdout(text):
    """The numbers of clpeak are measured."""
    return re.sub(r"[\d.]+(e[+-]\d+)?", "#", text) if "latency" in text else text


def check_report(run, devices, cell):
    """A device is no process, and its streams are no threads; what they do is what the program has given."""
    report = run.report(cell.archives[0], "--by", "devices")
    places = devices.archive.spaces["Location"].values()
    processes = {location >> 32 for location in devices.archive.locations}
    run.equal(report["processes"], len(processes), cell.what + "processes of the report")
    run.equal(report["threads"], len(places) - len(devices.work), cell.what + "threads of the report")
    sections = report["sections"]
    told = {row["kernel"]: ("kernel", row["calls"], 0) for row in sections["device_kernels"]}
    told.update({row["operation"]: (WAYS[row["direction"]], row["count"], row["bytes"])
                 for row in sections["device_copies"]})
    ways = {name: ("copy" if way in ("put", "get") else way, *counts)
            for name, (way, *counts) in devices.counts().items()}
    run.equal(told, ways, cell.what + "work in the report")
    for row in sections["device_kernels"] + sections["device_copies"]:
        run.expect(row["latency_min"] is not None, f"{cell.what}a call for {row}")


def rows_of_table(*kinds):
    with open(TABLE, encoding="utf-8") as file:
        found = re.findall(r"^(\w+)\((cl\w+)", file.read(), re.M)
    return [name for kind, name in found if kind in kinds]


def check_calls(run):
    """Each row of the table once: with nothing, where it fails, as a region of the thread, in that order."""
    rows = rows_of_table("PLAIN", "PLAIN_VOID", "MEANT", "POLL", "ENQUEUE", "MAP")
    run.expect(len(rows) > 100, f"rows: {rows}")
    for cell in matrix.cells(run, "calls", ["{programs}/opencl_calls"], ["launcher"]):
        said = [line.split()[:2] for line in cell.traced.stdout.splitlines()]
        run.equal(said, [["call", name] for name in rows], cell.what + "calls of the program")
        devices = Devices(run, cell.trace(run))
        archive = devices.archive
        entered = [archive.name_of("Region", values[0]) for location in archive.locations
                   for name, _, values, _ in archive.events(location) if name == "Enter"]
        run.equal([name for name in entered if name.startswith("cl")], rows, cell.what + "regions")
        run.equal((devices.counts(), devices.given), ({}, {}), cell.what + "no work")


def check_mode(run, mode, cell):
    devices = Devices(run, cell.trace(run))
    what = cell.what
    seen = devices.check_times()
    check_report(run, devices, cell)
    run.equal(devices.counts(), printed(cell.traced.stdout), what + "work of the device")
    if mode in WAITED_FOR:
        run.equal(devices.check_waits(), len(seen), what + "work within the host's enqueue and clFinish")
    if mode != "errors":
        run.equal(len(seen), len(devices.given), what + "work by call")
    works = [work for done in devices.work.values() for work in done]
    for work in works:
        if work.remote is not None:
            run.equal(work.remote == HOST, work.name in TO_HOST, what + work.name)
    if mode == "all":
        regions = cell.trace(run).regions()
        left = [name for name in rows_of_table("ENQUEUE", "MAP") if not regions.get(name)]
        run.equal(left, [], what + "ways to give work that the program does not use")
    if mode == "order":
        run.expect(len(devices.work) > 1, what + "lanes for work that overlaps")
    elif mode not in ("threads", "info", "errors"):
        run.equal(len(devices.work), 1, what + "streams")
    if mode == "threads":
        run.equal(sum(len(done) for done in devices.work.values()), 4 * ROUNDS, what + "kernels")


def main(run):
    check_calls(run)
    for mode in MODES:
        ways = ["launcher", "agent", "recovered"] if mode == "all" else ["launcher"]
        for cell in matrix.cells(run, mode, ["{programs}/opencl_all", mode], ways):
            check_mode(run, mode, cell)

    # With the family off the layer steps aside.
    for cell in matrix.cells(run, "off", ["{programs}/opencl_all", "info"], ["launcher"],
                             settings={"SPUR_WRAP": "user,pthread"}):
        run.expect(not Devices(run, cell.trace(run)).work, cell.what + "no streams")

    for cell in matrix.cells(run, "clinfo", ["clinfo"], ["launcher"]):
        run.expect(cell.trace(run).regions()["clGetDeviceInfo"] > 50, cell.what + "queries")

    words = ["clpeak", "--kernel-latency"]
    for cell in matrix.cells(run, "clpeak", words, ["launcher"]):
        devices = Devices(run, cell.trace(run))
        devices.check_times()
        run.expect(sum(n for way, n, _ in devices.counts().values() if way == "kernel") > 20,
                   cell.what + "kernels")
