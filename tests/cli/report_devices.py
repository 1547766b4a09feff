#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Devices: `report_devices.py BUILD [N]` draws N programs (30) by tests/lib/device_model.py, writes their
archives, and compares what spur report says of devices with what was drawn: as JSON and CSV, by one thread,
by several, and by ranks, of all processes and of one. REPORT_DEVICES_SEED=N draws as that run did.
"""

import json
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "lib")]

from device_model import CALLS, MPI, NAMES, WAITING, Device, Program, Thread, Work  # noqa: E402
from report_archives import MPI as MPI_PARADIGM  # noqa: E402
from report_archives import NONE, USER, Texts, head, region, write_archive  # noqa: E402
from report_schema import report_faults  # noqa: E402
from report_tester import ReportTester  # noqa: E402

OPENCL, WRAPPER, ARTIFICIAL = 19, 2, 31
STREAM, ACCELERATOR, UINT64 = 2, 2, 4
FORMS = (("--by", "devices"), ("--json", "--by", "devices"), ("--wide",), ("--json",))
KEYS = {"devices": ("device", "process"), "device_idle": ("device", "process", "cause"),
        "device_kernels": ("kernel",), "device_copies": ("operation", "direction")}
MAIN, SEND, FINISH, ENQUEUE, STEP = range(5)
CALL_REGIONS = {MPI: SEND, WAITING: FINISH, CALLS: ENQUEUE}
WORK_REGIONS = {name: 10 + i for i, name in enumerate(sorted({n for names in NAMES.values() for n in names}))}


# ---- archives ----

def thread_events(thread, draw):
    """Regions of the program may be around calls, and calls of OpenCL and MPI within calls."""
    events = [(0, "Enter", MAIN)]
    for begin, end, what, launch in thread.calls:
        inner = draw.random() < 0.2
        outer = draw.random() < 0.3
        events += [(begin, "Enter", STEP)] * outer + [(begin, "Enter", CALL_REGIONS[what])]
        if launch is not None:
            events.append((begin, "ParameterUnsignedInt", 0, launch))
        if inner:
            events += [(begin, "Enter", STEP), (begin, "Enter", draw.choice((SEND, FINISH, ENQUEUE)))]
            events += [(end, "Leave", events[-1][2]), (end, "Leave", STEP)]
        events += [(end, "Leave", CALL_REGIONS[what])] + [(end, "Leave", STEP)] * outer
    return events + [(thread.length, "Leave", MAIN)]


def stream_events(process, stream, works, has_marks):
    events = []
    for number, work in enumerate(works):
        marks = [(0, UINT64, work.said)] * (work.said is not None)
        marks += [(1, UINT64, work.bytes)] * (work.kind not in ("kernel", "other"))
        marks += [(2, UINT64, work.items)] * (work.kind == "kernel")
        events += [(work.begin, "Attributes", marks)] * has_marks
        events.append((work.begin, "Enter", WORK_REGIONS[work.name]))
        if work.kind in ("to device", "to host", "on device"):
            remote = ranks_of(process).index(stream) if work.kind == "on device" else 0
            record = "RmaGet" if work.kind == "to device" else "RmaPut"
            events += [(work.begin, record, process.number, remote, work.bytes, number),
                       (work.end, "RmaOpCompleteBlocking", process.number, number)]
        events.append((work.end, "Leave", WORK_REGIONS[work.name]))
    return events


def ranks_of(process):
    return [process.threads[0].location] + [stream for device in process.devices for stream in device.streams]


def windows(text, processes):
    locations = [location for process in processes for location in ranks_of(process)]
    made = [("Group", 0, text("OpenCL locations"), 4, [(place,) for place in locations], 4, OPENCL, 0)]
    for p in processes:
        members = [(locations.index(location),) for location in ranks_of(p)]
        made += [("Group", 1 + p.number, text(""), 5, members, 5, OPENCL, 0),
                 ("Comm", p.number, text(""), 1 + p.number, NONE, 0),
                 ("RmaWin", p.number, text(""), p.number, 0)]
    return made


def marks(text):
    names = ("Device Correlation", "Device Bytes", "Device Work Items")
    return [("Attribute", i, text(name), UINT64, text(name)) for i, name in enumerate(names)] + \
        [("Parameter", 0, text(names[0]), UINT64)]


def write(folder, program, draw):
    text, events, made = Texts(), {}, []
    for process in program.processes:
        for thread in process.threads:
            events[thread.location] = thread_events(thread, draw)
        for device in process.devices:
            made.append(("LocationGroup", device.group, text(device.name), ACCELERATOR, 0,
                         process.number))
            for stream in device.streams:
                works = [work for work in device.works if work.stream == stream]
                events[stream] = stream_events(process, stream, works, program.has_marks)
                made.append(("Location", stream, text(f"Queue {stream}"), STREAM, len(events[stream]),
                             device.group))
    threads = [(t.location, "thread", p.number) for p in program.processes for t in p.threads]
    made = head(text, program.length, [p.name for p in program.processes], threads, events) + made
    made += [region(text, MAIN, "main", USER), region(text, SEND, "MPI_Send", MPI_PARADIGM, WRAPPER),
             region(text, FINISH, "clFinish", OPENCL, ARTIFICIAL),
             region(text, ENQUEUE, "clEnqueueNDRangeKernel", OPENCL, WRAPPER),
             region(text, STEP, "step", USER)]
    made += [region(text, number, name, OPENCL) for name, number in WORK_REGIONS.items()]
    made += windows(text, program.processes) + (marks(text) if program.has_marks else [])
    write_archive(folder, text.records() + made, events)


# ---- the test ----

class Tester(ReportTester):
    def __init__(self, build, folder):
        super().__init__("REPORT_DEVICES", build, folder)
        self.seen = set()

    def compare(self, archive, program, process=None):
        words = ("--process", process.name) if process else ()
        report = json.loads(self.run("--json", "--by", "devices,regions,processes,callpath", *words, archive))
        for fault in report_faults(report):
            self.fault(fault)
        for section, expected in program.tables(process).items():
            reported = report["sections"][section]
            rows = self.compare_section(archive, section, KEYS[section], reported, expected, words)
            self.seen |= {(section, *key[1:]) for key in rows}
        self.compare_whole(archive, report, program, process)

    def compare_whole(self, archive, report, program, process):
        """Devices are no processes, and what they do is no time of threads."""
        chosen = [p for p in program.processes if process in (None, p)]
        threads = [thread for p in chosen for thread in p.threads]
        self.same(f"{archive} processes", report["processes"], len(chosen))
        self.same(f"{archive} threads", report["threads"], len(threads))
        self.same(f"{archive} time", round(report["time"] * 1000), len(threads) * program.length)
        self.same(f"{archive} portions", round(sum(report["portions"].values()) * 1000),
                  len(threads) * program.length)
        told = sorted(row["process"] for row in report["sections"]["processes"])
        self.same(f"{archive} table of processes", told, sorted(p.name for p in chosen))
        rows = {row["region"]: row for row in report["sections"]["regions"]}
        self.same(f"{archive} (idle)", "(idle)" in rows, False)
        works = [w for p in chosen for device in p.devices for w in device.works]
        paths = {row["region"] for row in report["sections"]["callpaths"]}
        for name in {work.name for work in works}:
            own = [work.end - work.begin for work in works if work.name == name]
            self.same(f"{archive} region {name}", (rows[name]["calls"], round(rows[name]["self"] * 1000)),
                      (len(own), sum(own)))
            self.same(f"{archive} path {name}", name in paths, False)
            if sum(own):
                self.same(f"{archive} percent of {name}", rows[name]["self_percent"], None)


# ---- an archive that is known by heart ----

class Nothing:
    """In place of what is drawn: no region is around or within a call."""
    random = staticmethod(lambda: 1.0)


class Known:
    """
    A thread gives 10 kernels, each after it has waited for the one before; a kernel begins 5 after its call,
    and takes `work`. A copy of 1 MiB to the host follows, in a call that blocks.
    """

    def __init__(self, wait, work, copy_begin, copy_end, copies=("read buffer",)):
        self.length, self.has_marks, self.number, self.name = copy_end + 100, True, 0, "Process 0"
        streams = [1, *(2 + i for i in range(len(copies)))]
        self.threads, self.devices = [Thread(0, self.length)], [Device(1, "gpu", streams)]
        self.processes = [self]
        works = self.devices[0].works
        for i in range(10):
            self.threads[0].call(100 * i, 100 * i + 5, CALLS, i + 1)
            if i < 9:
                self.threads[0].call(100 * i + 5, 100 * i + 5 + wait, WAITING)
            works.append(Work(1, "kernel", "solve", 100 * i + 5, 100 * i + 5 + work, (0, 100 * i), i + 1))
            works[-1].items = 64
        self.threads[0].call(905, copy_end + 25, CALLS, 11)
        for i, name in enumerate(copies):
            works.append(Work(2 + i, "to host", name, copy_begin, copy_end - 500 * i, (0, 905), 11))
            works[-1].bytes = 1 << 20


LATE, BUSY = (40, 30, 925, 975), (93, 90, 985, 1985)
PAGEABLE = "copy to host (pageable)"
KERNELS = ("device_kernels", "gpu of Process 0 runs kernels for 900.0 ms, 45 % of the time from its first "
                             "work to its last; most of it is solve: 900.0 ms in 10 calls, 90.00 ms each.")
IDLE = ("device_idle", "gpu of Process 0 has nothing to do for 90.00 ms, 5 % of the time from its first work "
                       "to its last, in 9 gaps. For 50 % of that the next work is given, but has not begun. "
                       "100 % of it follows on a call that waits for the device: more work given ahead would "
                       "fill it.")
KNOWN_FINDINGS = {
    LATE: [
        ("device_idle", "gpu of Process 0 has nothing to do for 630.0 ms, 65 % of the time from its first "
                        "work to its last, in 9 gaps. For 79 % of that the thread that gives the next work "
                        "does something else. 100 % of it follows on a call that waits for the device: more "
                        "work given ahead would fill it."),
        ("device_kernels", "gpu of Process 0 runs kernels for 300.0 ms, 31 % of the time from its first work "
                           "to its last; most of it is solve: 300.0 ms in 10 calls, 30.00 ms each."),
        ("device_copies", "gpu of Process 0 copies for 40.00 ms while no kernel runs, 80 % of the time of "
                          "its copies: 0 B to the device, 1.000 MiB to the host.")],
    BUSY: [
        ("device_copies", "gpu of Process 0 copies for 990.0 ms while no kernel runs, 99 % of the time of "
                          "its copies: 0 B to the device, 1.000 MiB to the host."),
        KERNELS, IDLE],
    (*BUSY, (PAGEABLE, "copy to host")): [
        ("device_pageable", "gpu of Process 0 copies 1.000 MiB to or from host memory that is not pinned, "
                            "50 % of all bytes between the two, for 1.000 s: 1.000 MiB/s, that of pinned "
                            "memory 2.000 MiB/s. Pinned memory (cudaHostAlloc, zeMemAllocHost) is copied "
                            "faster, and while the host goes on."),
        ("device_copies", "gpu of Process 0 copies for 990.0 ms while no kernel runs, 99 % of the time of "
                          "its copies: 0 B to the device, 2.000 MiB to the host."),
        KERNELS, IDLE]}
# By table, by column, each row a line; the columns are two blanks apart.
KNOWN_TEXT = (
    ("Devices", (("device", "gpu"), ("streams", "2"), ("span", "970.0 ms"), ("busy", "340.0 ms"),
                 ("busy %", "35.1"), ("kernels", "300.0 ms"), ("copies", "50.00 ms"), ("overlap", "10.00 ms"),
                 ("overlap %", "20.0"), ("gaps", "9"), ("idle", "630.0 ms"), ("longest", "70.00 ms"),
                 ("after waiting", "630.0 ms"))),
    ("Idle devices", (("device", "gpu", "gpu", "gpu"), ("cause", "program", "waiting", "launch"),
                      ("idle", "495.0 ms", "90.00 ms", "45.00 ms"), ("idle %", "78.6", "14.3", "7.1"))),
    ("Kernels", (("kernel", "solve"), ("calls", "10"), ("time", "300.0 ms"), ("time %", "100.0"),
                 ("min", "30.00 ms"), ("avg", "30.00 ms"), ("max", "30.00 ms"), ("work items", "640"),
                 ("devices", "1"), ("latency", "5.000 ms"), ("least", "5.000 ms"))),
    ("Copies of devices", (("operation", "read buffer"), ("direction", "to host"), ("count", "1"),
                           ("bytes", "1.000 MiB"), ("time", "50.00 ms"), ("longest", "50.00 ms"),
                           ("bandwidth", "20.00 MiB/s"), ("devices", "1"), ("latency", "20.00 ms"),
                           ("least", "20.00 ms"))))


def check_known(tester):
    for number, (shape, wanted) in enumerate(KNOWN_FINDINGS.items()):
        archive = tester.path(f"known{number}")
        write(archive, Known(*shape), Nothing)
        findings = json.loads(tester.run("--json", archive))["findings"]
        told = [(found["kind"], found["text"]) for found in findings if found["kind"].startswith("device")]
        tester.same("findings", told, wanted)
    for title, columns in KNOWN_TEXT:
        told = tester.run("--by", "devices", "--wide", tester.path("known0")).partition(f"\n{title}\n")[2]
        rows = [re.split("  +", line.strip()) for line in told.splitlines()[:len(columns[0])]]
        tester.same(f"text of {title}", rows,
                    [[column[i] for column in columns] for i in range(len(columns[0]))])


def main():
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 30
    with tempfile.TemporaryDirectory() as folder:
        tester = Tester(sys.argv[1], folder)
        check_known(tester)
        for number in range(n):
            program, archive = Program(tester.draw), tester.path(str(number))
            write(archive, program, tester.draw)
            tester.compare(archive, program)
            tester.compare(archive, program, tester.draw.choice(program.processes))
            for threads in ("2", "3"):
                tester.same_with(archive, tester.draw.choice(FORMS), ("--threads", threads))
            if number < 2:
                ranks = ("mpirun.mpich", "-n", str(number + 2))
                tester.same_with(archive, FORMS[0], ("--threads", "1"), ranks)
    for cause in ("program", "MPI", "waiting", "calls", "launch", "unknown"):
        if not any(seen[0] == "device_idle" and seen[-1] == cause for seen in tester.seen):
            tester.fault(f"no device was idle for {cause}")
    return 1 if tester.faults else 0


if __name__ == "__main__":
    sys.exit(main())
