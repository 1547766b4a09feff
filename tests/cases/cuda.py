# SPDX-License-Identifier: BSD-3-Clause
"""
CUDA, of the tests' own (tests/programs/cuda/fake_cuda.h): a program that gives work to devices in all
ways and counts it; records that come out of order, late, from a thread of CUPTI's, or not at all;
contexts that are destroyed, a device that is reset, children, an end without waiting; a CUPTI that is
taken, or does not start.
"""

import collections
import os

import matrix
from device_work import CORRELATION, Devices, HOST, counted, memory_of

of = "wrappers/cuda wrappers/device"
MODES = ["all", "streams", "threads", "contexts", "reset", "fork", "forked"]
CUPTIS = ["reverse", "late", "small", "oldclock", "reverse,small", "small,late"]
ROUNDS = 50
LOCKING = "pthread_mutex_lock", "pthread_mutex_unlock"
GRAPH = 3
AXPY = "void axpy<float>(float*, float*, int)"
TO_HOST = {"copy to host", "copy to device", "copy array to host", "copy to array"}


def cells(run, label, mode, ways=("launcher",), **settings):
    return matrix.cells(run, label, ["{programs}/cuda_all", mode], list(ways), settings=settings,
                        told=["device-unfinished", "device-lost"])


def check_work(run, cell):
    """What the devices did is what the program gave."""
    devices = Devices(run, cell.trace(run))
    seen = devices.check_times()
    run.equal(devices.counts(), counted(cell.traced.stdout), cell.what + "work of the devices")
    run.equal(len(seen), len(devices.given), cell.what + "work by call")
    for done in devices.work.values():
        for work in done:
            if work.remote is not None:
                name = work.name.replace(" (pageable)", "")
                run.equal(work.remote == HOST, name in TO_HOST, cell.what + work.name)
    return devices


def names_of(devices, space):
    return sorted(devices.archive.string(values["name"])
                  for _, values in devices.archive.spaces[space].values())


def linker_names(devices):
    archive = devices.archive
    return {archive.string(values["name"]): archive.string(values["canonicalName"])
            for _, values in archive.spaces["Region"].values()}


def check_mode(run, mode, cell):
    devices = check_work(run, cell)
    groups = [name for name in names_of(devices, "LocationGroup") if "device" in name]
    streams = [name for name in names_of(devices, "Location")
               if name.startswith("Stream") and "lane" not in name]
    if mode == "all":
        regions = cell.trace(run).regions()
        run.equal(regions["cudaLaunchKernel"], 2, cell.what + "calls of the runtime")
        run.equal(regions["cuLaunchKernel"], ROUNDS, cell.what + "calls of the driver by the program")
        run.equal(linker_names(devices)[AXPY], "_Z4axpyIfEvPT_S1_i",
                  cell.what + "name of a kernel for the linker")
        run.expect("cudaGetLastError" not in regions, cell.what + "no call that only asks")
        run.equal(regions["cuStreamSynchronize"], 1, cell.what + "calls without suffix")
        run.equal(streams, ["Stream 7", "Stream 7", "Stream 8"], cell.what + "streams")
        run.equal(groups, ["Fake GPU (device 0, context 1)", "Fake GPU (device 0, context 2)"],
                  cell.what + "devices")
        kernel = next(work for done in devices.work.values() for work in done if work.name == "even")
        run.equal({name: value for name, value in kernel.said.items() if name != CORRELATION},
                  {"Device Work Items": 4096, "Device Work Group Size": 256, "Device Registers": 42,
                   "Device Shared Memory": 1024}, cell.what + "attributes of a kernel")
    if mode == "streams":
        run.equal(streams, sorted(f"Stream {8 + i}" for i in range(4)), cell.what + "streams")
    if mode == "contexts":
        run.equal(groups, ["CUDA device (device 1, context 2)", "Fake GPU (device 0, context 1)"],
                  cell.what + "devices")
    if mode == "reset":
        run.equal(len(groups), 2, cell.what + "contexts")


def check_report(run, cell, peaks):
    """The metrics' maxima; and their location is neither a process nor a thread."""
    report = run.report(cell.archives[0])
    run.equal((report["processes"], report["threads"]), (1, 1), cell.what + "processes and threads")
    if peaks:
        rows = {row["metric"]: row["max"] for row in report["sections"]["metrics"]
                if row["region"] == "(program)"}
        names = ("Device Memory", "Device Managed Memory", "Device Pinned Memory")
        run.equal(tuple(rows[name] for name in names), peaks, cell.what + "peaks in the report")
        device, = report["sections"]["devices"]
        run.equal(tuple(device[name] for name in ("memory", "managed", "pinned")), peaks,
                  cell.what + "peaks of the device")


def check_memory(run, cell, is_whole):
    """What is held at each time is what the program held; what is told late changes no end."""
    check_work(run, cell)
    lines = [line.split() for line in cell.traced.stdout.splitlines()]
    held, peaks = zip(*[(int(words[1]), int(words[2])) for words in lines if words[0] == "memory"])
    changes, = [int(words[1]) for words in lines if words[0] == "changes"]
    values, = memory_of(cell.trace(run))
    run.equal(values[-1], held, cell.what + "memory that is held at the end")
    check_report(run, cell, peaks if is_whole else None)
    if is_whole:
        run.equal(tuple(map(max, zip(*values))), peaks, cell.what + "the most that was held")
        run.equal(len(values), changes, cell.what + "values")


def check_end(run, cell):
    devices = Devices(run, cell.trace(run))
    devices.check_times()
    run.equal(devices.counts(), counted(cell.traced.stdout), cell.what + "work of the devices")
    run.equal(cell.trace(run).archive.said("DEVICE_UNFINISHED"), ["1"], cell.what + "what had not finished")
    run.equal(cell.remarks(run), ["device-unfinished"], cell.what + "remarks")


def check_own(run, cells_by_groups):
    """
    Locks and threads of the driver are its own affair, whatever is recorded of CUDA. It holds a lock
    while the agent gets to know of it: that is recorded, and given back. The runtime takes a lock in each
    of its calls, which is within a recorded call if those are recorded.
    """
    counts = {}
    for groups, cell in cells_by_groups.items():
        regions = cell.trace(run).regions()
        counts[groups] = {name: regions.get(name, 0) for name in LOCKING}
        run.expect(not any(name in regions for name in ("pthread_create", "pthread_cond_wait")),
                   f"{cell.what}no threads of the driver: {sorted(regions)}")
        names = names_of(Devices(run, cell.trace(run)), "Location")
        run.expect(not any("thread" in name for name in names if "Master" not in name),
                   f"{cell.what}{names}")
    of_runtime = sum(cells_by_groups["default"].trace(run).regions()[name] for name in
                     ("cudaLaunchKernel", "cudaMemcpy", "cudaDeviceSynchronize"))
    run.equal(counts["none"][LOCKING[0]], counts["default"][LOCKING[0]] + of_runtime, "locks of the program")
    for groups, seen in counts.items():
        run.equal(len(set(seen.values())), 1, f"locks given back, SPUR_CUDA={groups}: {seen}")


def check_unified_report(run, cell):
    """It is of the device that has a context, and a device of its own only where there is none."""
    sections = run.report(cell.archives[0], "--by", "devices")["sections"]
    run.equal(sorted(row["device"].split(" (")[1] for row in sections["devices"]),
              ["device 0, context 1)", "device 1)"], cell.what + "devices of the report")
    copies = {row["operation"]: (row["count"], row["bytes"]) for row in sections["device_copies"]}
    run.equal(copies, {name: (n, size) for name, (_, n, size) in counted(cell.traced.stdout).items()
                       if name not in ("touches", "wait for context")}, cell.what + "copies of the report")


def check_unified(run):
    """What moves without a call is there if it was asked for; a page fault has no bytes."""
    for cupti in ("", "reverse"):
        for cell in cells(run, "unified." + cupti, "unified", FAKE_CUPTI=cupti, SPUR_CUDA="default,unified"):
            devices = Devices(run, cell.trace(run))
            devices.check_times()
            run.equal(devices.counts(), counted(cell.traced.stdout), cell.what + "work of the devices")
            for works in devices.work.values():
                for work in works:
                    if work.remote is not None:
                        is_of_host = work.name != "migrate between devices"
                        run.equal(work.remote == HOST, is_of_host, cell.what + work.name)
            names = [name for name in names_of(devices, "Location") if name.startswith("Unified")]
            run.equal(names, ["Unified Memory"] * 2, cell.what + "locations")
            check_unified_report(run, cell)
    for cell in cells(run, "unified.off", "unified"):
        devices = Devices(run, cell.trace(run))
        run.equal(set(devices.counts()), {"touches", "wait for context"}, cell.what + "not by default")


def check_paused(run):
    """The driver calls spur once, when recording may not have begun."""
    for start in ("on", "off"):
        for cell in cells(run, "paused." + start, "paused", SPUR_START=start):
            devices = Devices(run, cell.trace(run))
            devices.check_times()
            want = counted(cell.traced.stdout)
            if start == "on":
                want["first"] = "kernel", 1, 0
                want["wait for context"] = "other", 2, 0
            run.equal(devices.counts(), want, cell.what + "work of the devices")


def check_lost(run, cell):
    devices = Devices(run, cell.trace(run))
    seen = devices.check_times()
    given = sum(n for _, n, _ in counted(cell.traced.stdout).values())
    lost = sum(int(text) for text in cell.trace(run).archive.said("DEVICE_LOST"))
    run.expect(lost > 0, cell.what + "records that are lost")
    run.equal(cell.remarks(run), ["device-lost"], cell.what + "remarks")
    # The first record, that of the device, may be one of them.
    run.equal(len(seen) + lost, given, cell.what + "work that is there or lost")
    run.expect(any(f"lost {lost} records" in line for line in cell.traced.spur), cell.what + "a line says so")


def check_graphs(run, cell):
    """A call gives several kernels."""
    devices = Devices(run, cell.trace(run))
    run.equal(devices.counts(), counted(cell.traced.stdout), cell.what + "work of the devices")
    devices.check_launched(cell.what)
    nodes = collections.Counter((work.name, work.said.get("Device Graph"), work.said.get("Device Graph Node"))
                                for works in devices.work.values() for work in works)
    del nodes["wait for context", None, None]
    kernels = [("of_graph", GRAPH, node) for node in range(1, 6)]
    run.equal(nodes, dict.fromkeys(kernels + [("copy to device", GRAPH, 6), ("fill", GRAPH, 7)], ROUNDS),
              cell.what + "nodes of the graph")


def check_none(run, cell, words):
    run.expect(not Devices(run, cell.trace(run)).work, cell.what + "no streams")
    run.expect(not any(name.startswith("cu") for name in cell.trace(run).regions()), cell.what + "no calls")
    lines = [line for line in cell.traced.spur if "CU" in line]
    run.equal([words in line for line in lines], [True], f"{cell.what}one line: {cell.traced.spur}")


def check_groups(run, cell, devices):
    regions = cell.trace(run).regions()
    run.expect("cuLaunchKernel" not in regions, cell.what + "no launches")
    run.equal(regions["cuMemcpyAsync"], 9, cell.what + "copies")
    run.equal({work.way for done in devices.work.values() for work in done}, {"put", "get", "fill"},
              cell.what + "work of groups that are on")


def check_filter(run, label, rules):
    """Patterns are about names in the source, or the linker's where they say so."""
    path = os.path.join(run.scratch, label + ".filter")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"SCOREP_REGION_NAMES_BEGIN\n{rules}\nSCOREP_REGION_NAMES_END\n")
    for cell in cells(run, label, "all", SPUR_FILTER=path):
        devices = Devices(run, cell.trace(run))
        wanted = counted(cell.traced.stdout)
        del wanted[AXPY]
        run.equal(devices.counts(), wanted, cell.what + "work that is left")
        run.equal(cell.trace(run).archive.said("FILTERED_REGIONS"), [AXPY], cell.what + "what was left out")


def main(run):
    for mode in MODES:
        ways = ["launcher", "agent", "recovered"] if mode == "all" else ["launcher"]
        for cell in cells(run, mode, mode, ways):
            check_mode(run, mode, cell)
    for cupti in CUPTIS:
        for mode in ("all", "threads"):
            for cell in cells(run, f"{mode}.{cupti}", mode, FAKE_CUPTI=cupti):
                check_work(run, cell)
    check_own(run, {groups: cell for groups in ("none", "default")
                    for cell in cells(run, "own." + groups, "all", SPUR_CUDA=groups)})
    for cupti in ("", "reverse,small", "late", "oldclock"):
        for cell in cells(run, f"memory.{cupti}", "memory", FAKE_CUPTI=cupti):
            check_memory(run, cell, cupti != "late")
    for cell in cells(run, "graphs", "graphs"):
        check_graphs(run, cell)
    for cell in cells(run, "exit", "exit"):
        check_end(run, cell)
    check_paused(run)
    check_unified(run)
    for cell in cells(run, "drop", "all", FAKE_CUPTI="drop"):
        check_lost(run, cell)
    other = os.path.join(run.scratch, "other.so")
    for cell in cells(run, "other", "all", CUDA_INJECTION64_PATH=other):
        check_none(run, cell, "CUDA_INJECTION64_PATH names another library")
    check_filter(run, "filter", "EXCLUDE void\\ axpy<*")
    check_filter(run, "filter_mangled", "EXCLUDE MANGLED _Z4axpy*")
    for cell in cells(run, "off", "all", SPUR_WRAP="user,pthread"):
        run.expect(not Devices(run, cell.trace(run)).work, cell.what + "no streams")
    for cell in cells(run, "groups", "all", SPUR_CUDA="copy"):
        check_groups(run, cell, Devices(run, cell.trace(run)))
    words = ["-q", "--cuda", "copy", *run.command(["{programs}/cuda_all", "all"])]
    regions = run.judge(run.record("option", words)[1]).regions()
    run.expect("cuLaunchKernel" not in regions and regions["cuMemcpyAsync"] == 9, f"--cuda copy: {regions}")
