# SPDX-License-Identifier: BSD-3-Clause
"""
HIP, of the tests' own (tests/programs/hip/fake_hip.h): a program that gives work to devices in all ways and
counts it; records that come out of order, late, or not at all; a rocprofiler-sdk of another version, of
another tool, or that is not there; children, and ends without waiting.
"""

import os

import matrix
from device_work import CORRELATION, Devices, HOST, counted, memory_of

of = "wrappers/hip wrappers/device"
MODES = ["all", "streams", "threads", "devices", "forked", "exit"]
SDKS = ["reverse,late", "old", "old,late"]
RANGES = [("+", "roctx range", "outer"), ("+", "roctx range", "inner"), ("+", "roctx mark", "mark"),
          ("-", "roctx mark", "mark"), ("-", "roctx range", "inner"), ("-", "roctx range", "outer")]
ROUNDS, THREADS = 50, 4
AXPY = "void axpy<float>(float*, float*, int)"
TO_HOST = {"copy to host", "copy to device"}
FIRST, SECOND = "Fake Instinct (device 0)", "HIP device (device 1)"


def cells(run, label, mode, ways=("launcher",), told=("device-lost",), **settings):
    return matrix.cells(run, label, ["{programs}/hip_all", mode], list(ways), settings=settings,
                        told=list(told))


def names_of(devices, space, kind=None):
    return sorted(devices.archive.string(values["name"])
                  for _, values in devices.archive.spaces[space].values()
                  if kind is None or values["locationType"] == kind)


def streams_of(devices):
    return sorted({name.split(",")[0] for name in names_of(devices, "Location", 2)})


def works_of(devices):
    return [work for works in devices.work.values() for work in works]


def check_work(run, cell):
    """What the devices did is what the program gave."""
    devices = Devices(run, cell.trace(run))
    seen = devices.check_times()
    run.equal(devices.counts(), counted(cell.traced.stdout), cell.what + "work of the devices")
    run.equal(len(seen), len(works_of(devices)), cell.what + "each with its call")
    for work in works_of(devices):
        if work.remote is not None:
            run.equal(work.remote == HOST, work.name in TO_HOST, cell.what + work.name)
    return devices


def check_names(run, cell, devices):
    """What is called how."""
    archive, regions = devices.archive, cell.trace(run).regions()
    linked = {archive.string(values["name"]): archive.string(values["canonicalName"])
              for _, values in archive.spaces["Region"].values()}
    run.equal(linked[AXPY], "_Z4axpyIfEvPT_S1_i", cell.what + "name of a kernel for the linker")
    for name, n in {"hipLaunchKernel": ROUNDS + 1, "hipMemcpyAsync": 4, "hipMemcpy": 1, "hipMemsetAsync": 1,
                    "hipStreamSynchronize": 1, "hipDeviceSynchronize": 1, "hipInit": 1}.items():
        run.equal(regions.get(name), n, cell.what + name)
    run.expect("hipGetLastError" not in regions, cell.what + "no call that only asks")
    kernel = next(work for work in works_of(devices) if work.name == "even")
    run.equal({name: value for name, value in kernel.said.items() if name != CORRELATION},
              {"Device Work Items": 4096, "Device Work Group Size": 256, "Device Shared Memory": 1024},
              cell.what + "attributes of a kernel")
    groups = [name for name in names_of(devices, "LocationGroup") if not name.startswith("Process ")]
    run.equal(groups, [FIRST, "Processor (host)"],
              cell.what + "names of the device, and of the host that copies")


def check_own(run, cell, devices):
    """Threads and locks of rocprofiler-sdk are its own affair."""
    regions = cell.trace(run).regions()
    run.expect(not any(name in regions for name in ("pthread_create", "pthread_cond_wait")),
               f"{cell.what}no threads of rocprofiler-sdk: {sorted(regions)}")
    threads = names_of(devices, "Location", 1)
    run.equal(len(threads), 1, f"{cell.what}threads: {threads}")


def check_modes(run):
    for mode in MODES:
        ways = ["launcher", "agent", "recovered"] if mode == "all" else ["launcher"]
        for cell in cells(run, mode, mode, ways):
            devices = check_work(run, cell)
            if mode == "all":
                check_names(run, cell, devices)
                check_own(run, cell, devices)
                run.equal(streams_of(devices), ["Stream 0", "Stream 1"], cell.what + "streams")
            if mode == "streams":
                run.equal(streams_of(devices), [f"Stream {i}" for i in range(1, THREADS + 1)],
                          cell.what + "streams")
            if mode == "devices":
                run.equal([name for name in names_of(devices, "LocationGroup") if "device" in name],
                          [FIRST, SECOND], cell.what + "devices")


def check_versions(run):
    """Order and lateness change nothing; an older version tells queues, and no streams."""
    for sdk in SDKS:
        for mode in ("all", "threads", "devices"):
            for cell in cells(run, f"{mode}.{sdk}", mode, FAKE_ROCPROFILER=sdk):
                devices = check_work(run, cell)
                if "old" in sdk and mode == "all":
                    run.equal(streams_of(devices), ["Copies", "Queue 1", "Queue 2"], cell.what + "queues")
    for cell in cells(run, "nameless", "streams", FAKE_ROCPROFILER="nameless"):
        devices = Devices(run, cell.trace(run))
        run.equal(devices.counts(), {"kernel": ("kernel", ROUNDS, 0)}, cell.what + "kernels without names")


def check_several(run):
    """A call gives several kernels, and some are of no call."""
    for cell in cells(run, "graphs", "graphs"):
        devices = Devices(run, cell.trace(run))
        run.equal(devices.counts(), counted(cell.traced.stdout), cell.what + "work of the devices")
        devices.check_launched(cell.what)
    for groups in ("default", "launch"):
        for cell in cells(run, "nobody." + groups, "nobody", SPUR_HIP=groups):
            devices = Devices(run, cell.trace(run))
            devices.check_times()
            wanted = counted(cell.traced.stdout)
            if groups == "launch":
                del wanted["of_nobody"]
            run.equal(devices.counts(), wanted, cell.what + "work of the devices")


def check_memory(run):
    """What a device holds at each time is what the program held; the host's is not told."""
    for sdk in ("", "reverse", "late", "old"):
        for cell in cells(run, "memory." + sdk, "memory", FAKE_ROCPROFILER=sdk):
            check_work(run, cell)
            line, = [line.split() for line in cell.traced.stdout.splitlines() if line.startswith("memory")]
            held, peak = int(line[1]), int(line[2])
            values, = memory_of(cell.trace(run))
            run.equal(values[-1], (held, 0, 0), cell.what + "memory that is held at the end")
            if sdk != "late":
                run.equal(max(value[0] for value in values), peak, cell.what + "the most that was held")
                device, = run.report(cell.archives[0], "--by", "devices")["sections"]["devices"]
                run.equal(device["memory"], peak, cell.what + "the most in the report")
    for cell in cells(run, "memory.off", "memory", SPUR_HIP="launch"):
        run.equal(memory_of(cell.trace(run)), [], cell.what + "no memory of a group that is off")


def marks_of(archive, location):
    """What rocTX has said on a location, and in which order; the numbers at the ends of texts."""
    marks, numbers = [], []
    for name, _, values, attributes in archive.events(location):
        if name not in ("Enter", "Leave"):
            continue
        region = archive.spaces["Region"][values[0]][1]
        kind = archive.string(region["description"])
        if kind.startswith("roctx"):
            marks.append(("+" if name == "Enter" else "-", kind, archive.string(region["name"])))
            numbers += [(archive.name_of("Attribute", key), value) for key, _, value in attributes or []]
    return marks, numbers


def check_ranges(run):
    """Ranges that nest are regions of their thread, and those that overlap are on lanes of their own."""
    for sdk in ("", "old"):
        for cell in cells(run, "ranges." + sdk, "ranges", FAKE_ROCPROFILER=sdk):
            devices = Devices(run, cell.trace(run))
            archive = devices.archive
            run.equal(devices.counts()["in_range"], ("kernel", 1, 0), cell.what + "work of the device")
            said = {archive.string(values["name"]): marks_of(archive, location)
                    for location, (_, values) in archive.spaces["Location"].items()}
            said = {name: marks for name, marks in said.items() if marks[0]}
            threads = sorted(name for name in said if "lane" not in name)
            run.equal(said[threads[0]][0], RANGES, cell.what + "the first thread")
            run.equal(said[threads[1]][0], [(way, "roctx range", "of thread") for way in "+-"],
                      cell.what + "the second thread")
            lanes = [said[name] for name in sorted(said) if "lane" in name]
            run.equal([marks for marks, _ in lanes], [[(way, "roctx range", name) for way in "+-"]
                                                      for name in ("first", "second")], cell.what + "lanes")
            run.expect(("NVTX step", 7) in lanes[0][1], f"{cell.what}numbers: {lanes}")
    for settings in ({"SPUR_WRAP": "hip,user,pthread"}, {"SPUR_HIP": "none"}):
        for cell in cells(run, "ranges.off." + next(iter(settings)), "ranges", **settings):
            regions = cell.trace(run).regions()
            run.expect("outer" not in regions and "first" not in regions, cell.what + str(regions))


def check_ends(run):
    """Of a process that is killed what spur has asked for is there; a handler may end it at any time."""
    for cell in cells(run, "killed", "killed"):
        devices = Devices(run, cell.trace(run))
        devices.check_times()
        run.equal(devices.counts(), counted(cell.traced.stdout), cell.what + "work of the devices")
    for cell in cells(run, "cut", "cut"):
        devices = Devices(run, cell.trace(run))
        run.equal((len(works_of(devices)), len(devices.given)), (0, 1), cell.what + "kernels and launches")
    for cell in cells(run, "alarm", "alarm", FAKE_ROCPROFILER="alarm"):
        devices = Devices(run, cell.trace(run))
        run.equal(devices.counts(), counted(cell.traced.stdout), cell.what + "work of the devices")


def check_lost(run):
    for cell in cells(run, "drop", "all", FAKE_ROCPROFILER="drop"):
        devices = Devices(run, cell.trace(run))
        seen = devices.check_times()
        given = sum(n for _, n, _ in counted(cell.traced.stdout).values())
        lost = sum(int(text) for text in cell.trace(run).archive.said("DEVICE_LOST"))
        run.equal((lost, len(seen)), (given // 7, given - given // 7), cell.what + "what is lost, and is not")
        run.expect(any(f"lost {lost} records" in line for line in cell.traced.spur),
                   cell.what + "a line says so")


def check_none(run, label, words, mode="all", **settings):
    for cell in cells(run, label, mode, **settings):
        run.expect(not Devices(run, cell.trace(run)).work, cell.what + "no streams")
        run.expect(not any(name.startswith("hip") for name in cell.trace(run).regions()),
                   cell.what + "no calls")
        lines = [line for line in cell.traced.spur if "HIP" in line]
        run.equal([words in line for line in lines], [True] if words else [],
                  f"{cell.what}lines: {cell.traced.spur}")


def check_refused(run):
    """
    HIP goes on, and one line says why it is not recorded. Nothing is loaded where nobody asks for HIP: the
    program says the same as without spur.
    """
    bare = os.path.join(run.programs, "hip_bare")
    check_none(run, "unknown", "this version of rocprofiler-sdk (0.7.0)", FAKE_ROCPROFILER="unknown")
    check_none(run, "locked", "is another tool's", FAKE_ROCPROFILER="locked")
    check_none(run, "broken", "does not start (status 1)", FAKE_ROCPROFILER="broken")
    check_none(run, "bare", "there is no rocprofiler-sdk", "without", LD_LIBRARY_PATH=bare)
    check_none(run, "bare_off", None, "without", LD_LIBRARY_PATH=bare, SPUR_HIP="none")
    check_none(run, "off", None, "without", SPUR_WRAP="user,pthread")
    check_none(run, "none", None, "without", SPUR_HIP="none")


def main(run):
    check_modes(run)
    check_versions(run)
    check_several(run)
    check_memory(run)
    check_ranges(run)
    check_ends(run)
    check_lost(run)
    check_refused(run)
    for cell in cells(run, "groups", "all", SPUR_HIP="copy"):
        regions = cell.trace(run).regions()
        run.expect("hipLaunchKernel" not in regions and regions["hipMemcpyAsync"] == 4,
                   cell.what + str(regions))
        run.equal({work.way for work in works_of(Devices(run, cell.trace(run)))}, {"put", "get", "fill"},
                  cell.what + "work of groups that are on")
    words = ["-q", "--hip", "copy", *run.command(["{programs}/hip_all", "all"])]
    regions = run.judge(run.record("option", words)[1]).regions()
    run.expect("hipLaunchKernel" not in regions and regions["hipMemcpyAsync"] == 4, f"--hip copy: {regions}")
