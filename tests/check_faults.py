#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Does `spur check` find what is wrong, and nothing else? `check_faults.py SPUR`: archives that break
no rule are passed without a remark; with one thing changed, exactly the rule that this breaks is
reported. What the Python judge finds, spur check finds as well.
"""

import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))

import test_judge as small  # noqa: E402
from faults import (CHUNK_DAMAGES, DAMAGES, DEF, EVT, FAULTS, SEND, anchor, event, local,  # noqa: E402
                    long_stream, memory)
from faults_io import FAULTS_IO  # noqa: E402
from judge.everything import NONE, P0, P1, T, THREAD, counted, everything  # noqa: E402
from judge.otf2_write import write_archive  # noqa: E402
from patience import HANG_S  # noqa: E402


class Tester:
    def __init__(self, spur, folder):
        self.spur, self.folder = spur, folder
        self.number = self.faults = 0
        self.rules = set()

    def write(self, archive):
        self.number += 1
        return write_archive(os.path.join(self.folder, str(self.number)), **archive)

    def fault(self, text):
        print(f"FAULT: {text}")
        self.faults += 1

    def run_check(self, threads, *words):
        return subprocess.run([self.spur, "check", "--threads", str(threads), *words],
                              capture_output=True, timeout=HANG_S, check=False)

    def check_threads(self, one, *words):
        """Any number of threads finds the same, in the same words and order."""
        for threads in (3, 2 + self.number % 6):
            many = self.run_check(threads, *words)
            if (many.returncode, many.stdout, many.stderr) != (one.returncode, one.stdout, one.stderr):
                self.fault(f"{words}: {threads} threads have status {many.returncode} and say "
                           f"{many.stdout.decode()[-2000:]}{many.stderr.decode()[-300:]}, one has status "
                           f"{one.returncode} and says {one.stdout.decode()[-2000:]}")

    def check(self, path, *options):
        """(exit status, {rule: count})."""
        words = ["--json", "--remarks", *options, path]
        run = self.run_check(1, *words)
        self.check_threads(run, *words)
        if run.stderr:
            self.fault(f"{path}: {run.stderr.decode()[-300:]}")
        try:
            found = json.loads(run.stdout)
        except ValueError as error:
            self.fault(f"{path}: {error} in {run.stdout[-300:]}")
            return run.returncode, {}
        rules = {row["rule"]: row["count"] for row in found["rules"]}
        if sum(rules.values()) != found["faults"] + found["remarks"]:
            self.fault(f"{path}: the counts do not add up: {found}")
        if run.returncode != (1 if found["faults"] else 0):
            self.fault(f"{path}: status {run.returncode} with {found['faults']} faults")
        return run.returncode, rules

    def expect(self, rule, path, what, *options):
        """One rule, or several with + between them."""
        _, found = self.check(path, *options)
        self.rules |= set(rule.split("+"))
        if set(found) != set(rule.split("+")):
            self.fault(f"{what}: want {rule}, found {found}")

    def clean(self, path, what, *options):
        _, found = self.check(path, *options)
        if found:
            self.fault(f"{what}: found {found}")


def test_everything(tester):
    tester.clean(tester.write(everything()), "the archive with everything")
    archive = everything()
    memory((5, 5, {2: 5, 3: 64}), (0, 5, {4: 5, 5: 64}), (9, 9, {2: 9, 3: 64}))(archive)
    tester.clean(tester.write(archive), "a block that is given back and taken again")
    for rule, *changes in FAULTS + FAULTS_IO:
        archive = everything()
        for change in changes:
            change(archive)
        tester.expect(rule, tester.write(archive), f"change {tester.number}", "--foreign")


def test_clock_error(tester):
    """A message may be received before it is sent by what its processes' clocks may be wrong."""
    for ahead in (2, 3):
        archive = everything()
        for change in (local(P1, ("ClockOffset", 0, 0, 0.5), ("ClockOffset", 9999, 0, 2.9)),
                       event(P0, SEND, (5015 + ahead, *SEND[1:]))):
            change(archive)
        path = tester.write(archive)
        if ahead == 2:
            tester.clean(path, "within the clocks' error")
        else:
            tester.expect("message-time", path, "more than the clocks' error", "--foreign")


def damage(path, name, how):
    path = os.path.join(os.path.dirname(path), name)
    with open(path, "rb") as file:
        data = file.read()
    with open(path, "wb") as file:
        file.write(how(data))


def one_more(archive):
    """An anchor that announces one definition more, which the damage appends."""
    archive["anchor"] = {"definitions": len(archive["definitions"]) + 1}


def test_damages(tester):
    for rule, name, how, *more in DAMAGES:
        archive = everything()
        if more and name == DEF:
            one_more(archive)
        path = tester.write(archive)
        damage(path, name, how)
        if rule == "record-unknown" and name == EVT:
            count_unknown(path)
        tester.expect(rule, path, f"damage of {name}, archive {tester.number}", "--foreign")


def count_unknown(path):
    """An unknown event counts: in the chunk's header, and in the definition of its location."""
    def header(data):
        return data[:10] + struct.pack("<Q", struct.unpack_from("<Q", data, 10)[0] + 1) + data[18:]

    def number(data):
        count = len([e for e in everything()["events"][P0] if e[1] != "Attributes"])
        old = bytes([1, T("main"), 1, 1, count, 0])
        place = data.index(b"\x0e" + bytes([len(old) + 1]) + b"\0" + old)
        return data[:place + 7] + bytes([count + 1]) + data[place + 8:]

    damage(path, EVT, header)
    damage(path, DEF, number)


def test_chunks(tester):
    archive = everything()
    long_stream(archive)
    tester.clean(tester.write(archive), "an archive of several chunks")
    for rule, how in CHUNK_DAMAGES:
        path = tester.write(archive)
        damage(path, f"traces/{THREAD}.evt", how)
        tester.expect(rule, path, f"damage of a chunk, archive {tester.number}", "--foreign")


def test_files(tester):
    for rule, name, new in (("file-missing", EVT, None), ("file-local", "traces/0.def", None),
                            ("file-missing", DEF, None), ("file-stray", "traces/0.def",
                                                          "traces/77.def")):
        path = tester.write(everything())
        old = os.path.join(os.path.dirname(path), name)
        if new:
            with open(os.path.join(os.path.dirname(path), new), "wb") as file:
                file.write(b"")
        else:
            os.remove(old)
        tester.expect(rule, path, f"files, {rule} {name}", "--foreign")
    path = tester.write({"definitions": [("ClockProperties", 1, 0, 0, 5)], "events": {}})
    tester.expect("location-missing", path, "no location")
    run = subprocess.run([tester.spur, "check", tester.folder], capture_output=True, check=False)
    if run.returncode != 2 or not run.stderr:
        tester.fault(f"a folder without archive: status {run.returncode} {run.stderr}")


def packed(data):
    """A file of one chunk as a compressed block."""
    stream = zlib.compressobj(4)
    body = stream.compress(data) + stream.flush(zlib.Z_FULL_FLUSH)
    return b"\xff\xff\xff\xff\0\0\0\0" + struct.pack("<III", len(body), len(data), 0) + body


def test_compressed(tester):
    """What cannot be unpacked; all else is judged as in a plain archive."""
    for rule, how in (("anchor-compression", lambda data: data), ("block", lambda data: data[:-4]),
                      ("block", lambda data: data[:12] + b"\x01" + data[13:]),
                      ("block", lambda data: data[:30] + b"\xff\xff\xff" + data[33:])):
        archive = everything()
        anchor(compression=2)(archive)
        path = tester.write(archive)
        root = os.path.dirname(path)
        for folder, _, names in os.walk(root):
            for name in names:
                if name.endswith((".def", ".evt", ".snap")):
                    damage(path, os.path.relpath(os.path.join(folder, name), root), packed)
        damage(path, EVT, how)
        options = [] if rule == "anchor-compression" else ["--disable", "anchor-compression"]
        tester.expect(rule, path, f"a compressed archive, {rule}", *options)


def own_archive(made, streams):
    return {"definitions": made, "events": streams, "anchor": {"creator": "spur 0.0.0"}}


def with_metrics(made, streams, *numbers):
    """Some of the first process's Enters and Leaves have metrics, which are strictly synchronous."""
    made += [("MetricMember", 0, 5, NONE, 1, 0, 8, 1, 0, NONE), ("MetricClass", 0, [(0,)], 0, 2)]
    edges = [e for e in streams[0] if e[1] in ("Enter", "Leave")]
    for number in numbers:
        at_edge = streams[0].index(edges[number])
        streams[0].insert(at_edge, (edges[number][0], "Metric", 0, [(8, number)]))


def with_thread(made, streams, location):
    """One more thread, which the second process creates."""
    main = streams[1 << 32]
    made.append(("Location", location, 5, 1, 2, 1))
    streams[location] = [(600, "ThreadBegin", 1, 2), (601, "ThreadEnd", 1, 2)]
    main[-1:-1] = [(590, "Enter", 5), (591, "ThreadCreate", 1, 2), (592, "Leave", 5)]
    main.sort(key=lambda e: e[0])


def test_own(tester):
    """The rules for what spur records."""
    tester.clean(tester.write(own_archive(*small.good())), "a small archive of spur's")
    tester.clean(tester.write(own_archive(*small.unseen())), "a thread that nobody created")
    made, streams = small.good()
    with_metrics(made, streams, 0)
    tester.clean(tester.write(own_archive(small.counted(made, streams), streams)),
                 "metrics up to some event")
    for place in (0, 1):  # the values of three Enters and Leaves at one time stand before, or among them
        made, streams = small.good()
        with_metrics(made, streams, 0, 1, 2, 4)
        at_edge = [i for i, e in enumerate(streams[0]) if e[1] in ("Enter", "Leave")][3]
        now = streams[0][at_edge][0]
        added = [(now, "Enter", small.SEND), (now, "Leave", small.SEND)]
        added.insert(place, (now, "Metric", 0, [(8, 3)]))
        streams[0][at_edge:at_edge] = added
        tester.clean(tester.write(own_archive(small.counted(made, streams), streams)),
                     "values of several Enters and Leaves")
    made, streams = small.good()
    with_thread(made, streams, small.THREAD + 2)
    tester.clean(tester.write(own_archive(small.counted(made, streams), streams)),
                 "a thread whose number is not the next one")
    for kind, location, old, new in small.EVENT_FAULTS:
        made, streams = small.good()
        small.change(streams, location, old, new)
        path = tester.write(own_archive(small.counted(made, streams), streams))
        if not tester.check(path)[1]:
            tester.fault(f"the Python judge's fault {kind}, {old} -> {new}, is not found")
    for kind, old, new in small.DEFINITION_FAULTS:
        made, streams = small.good()
        made[made.index(old)] = new
        if tester.check(tester.write(own_archive(made, streams)))[0] != 1:
            tester.fault(f"the Python judge's fault {kind}, {old} -> {new}, is not found")
    for rule, change in (
            ("program-place", lambda made, streams: streams[0].pop(0)),
            ("event-outside", lambda made, streams: streams[0].insert(
                -1, (500, "MpiRequestTest", 1)) or streams[0].insert(
                    -2, (499, "NonBlockingCollectiveRequest", 1)) or streams[0].insert(
                        -1, (501, "MpiRequestCancelled", 1))),
            ("metric-every", lambda made, streams: with_metrics(made, streams, 0, 5)),
            ("thread-place", lambda made, streams: streams[small.THREAD].append(
                (551, "BufferFlush", 552))),
            ("thread-place", lambda made, streams: streams[small.THREAD].insert(
                0, (519, "BufferFlush", 519))),
            ("event-none", lambda made, streams: made.append(
                ("Location", small.THREAD + 1, 5, 1, 0, 1)) or streams.update(
                    {small.THREAD + 1: []})),
            ("location-ids", lambda made, streams: with_thread(made, streams, (3 << 32) + 1)),
            ("location-ids", lambda made, streams: with_thread(made, streams, (2 << 32) + 1))):
        made, streams = small.good()
        change(made, streams)
        path = tester.write(own_archive(small.counted(made, streams), streams))
        tester.expect(rule, path, f"own archive, {rule}")


OPENCL, STREAM, DEVICE, ARTIFICIAL = 19, 2, 2, 31
KERNEL, ENQUEUE, WAIT = range(len(small.REGIONS), len(small.REGIONS) + 3)


def on_device(first, second):
    """The first process gives the work 1 and 2 to a device, whose stream has these events."""
    made, streams = small.good()
    text = len(small.STRINGS)
    made += [("String", text + i, name) for i, name in
             enumerate(("OpenCL", "Device Correlation", "gpu", "queue", "clEnqueue"))]
    made += [("Paradigm", OPENCL, text, 3), ("LocationGroup", 2, text + 2, DEVICE, 0, 0),
             ("Location", 1, text + 3, STREAM, 0, 2), ("Attribute", 0, text + 1, 4, NONE),
             ("Parameter", 0, text + 1, 2),
             ("Region", KERNEL, text + 2, text, 0, NONE, 0, 0, text + 2, 1, OPENCL, 0),
             ("Region", ENQUEUE, text + 4, text, 0, NONE, 0, 0, text + 4, 2, OPENCL, 0)]
    for begin, number in ((600, first), (620, second)):
        streams[0][-1:-1] = [(begin, "Enter", ENQUEUE), (begin, "ParameterUnsignedInt", 0, number),
                             (begin + 5, "Leave", ENQUEUE)]
    return made, streams


def work(begin, end, number, *inside):
    return [(begin, "Attributes", [(0, 4, number)]), (begin, "Enter", KERNEL), *inside,
            (end, "Leave", KERNEL)]


def judge_device(tester, rule, made, streams, what):
    """`rule` None: there is no fault. The archive's path."""
    archive = own_archive(small.counted(made, streams), streams)
    archive["definitions"] = counted(made, streams)
    path = tester.write(archive)
    if rule:
        tester.expect(rule, path, what)
    else:
        tester.clean(path, what)
    return path


def test_devices(tester):
    """What devices do, and the calls that gave it."""
    first, second = work(600, 640, 1), work(640, 700, 2)
    flush = (700, "BufferFlush", 700)
    for rule, calls, events in (
            (None, (1, 2), first + second + [flush]), (None, (1, 2), first + work(650, 650, 1)),
            ("device-time", (1, 2), work(599, 640, 1) + second),
            ("device-time", (2, 1), first + second),
            ("device-call", (1, 3), first + second), ("device-call", (1, 2), first + work(640, 700, 7)),
            ("device-number", (1, 1), first),
            ("device-work", (1, 2), work(600, 700, 1, *work(640, 650, 2))),
            ("device-work", (1, 2), work(600, 640, 1, (610, "ParameterUnsignedInt", 0, 9)) + second)):
        made, streams = on_device(*calls)
        streams[1] = events
        path = judge_device(tester, rule, made, streams, f"device, {rule} {calls} {events}")
        if rule == "device-work":
            tester.clean(path, "work of a foreign device", "--foreign")
    for rule, said in (("device-unfinished", "DEVICE_UNFINISHED"), ("device-lost", "DEVICE_LOST"),
                       ("device-taken", "CUPTI_TAKEN")):
        made, streams = on_device(1, 2)
        streams[1] = first  # the other work is missing
        text = max(values[1] for values in made if values[0] == "String") + 1
        process = next(values[1] for values in made if values[0] == "LocationGroup")
        made += [("String", text, said), ("String", text + 1, "1"),
                 ("LocationGroupProperty", process, text, text + 1, 11, text + 1)]
        path = judge_device(tester, rule, made, streams, f"device, {said}")
        tester.clean(path, f"device, {said}, as no fault", "--disable", rule)


def test_device_waits(tester):
    """Work that was given before the host waited for all has ended when it has waited."""
    coarse, fine = 1000, 1000000000  # ticks a second: 0.1 ms more is allowed
    for rule, ticks, (begin, end), works in (
            (None, coarse, (650, 690), work(600, 640, 1) + work(640, 690, 2)),
            (None, coarse, (606, 612), work(600, 610, 1) + work(640, 691, 2)),  # before the second call
            ("device-wait", coarse, (606, 612), work(600, 613, 1) + work(640, 691, 2)),
            ("device-wait", coarse, (650, 690), work(600, 640, 1) + work(640, 691, 2)),
            (None, fine, (650, 690), work(600, 640, 1) + work(640, 691, 2))):
        made, streams = on_device(1, 2)
        made[:] = [(values[0], ticks, *values[2:]) if values[0] == "ClockProperties" else values
                   for values in made]
        text = max(values[1] for values in made if values[0] == "String") + 1
        made += [("String", text, "wait for context"),
                 ("Region", WAIT, text, text, 0, NONE, 0, 0, text, ARTIFICIAL, OPENCL, 0),
                 ("Location", 2, text, STREAM, 0, 2)]
        at = streams[0].index((605 if begin < 620 else 625, "Leave", ENQUEUE)) + 1
        streams[0][at:at] = [(begin, "Enter", ENQUEUE), (begin, "ParameterUnsignedInt", 0, 3),
                             (end, "Leave", ENQUEUE)]
        streams[1] = works
        streams[2] = [(begin, "Attributes", [(0, 4, 3)]), (begin, "Enter", WAIT), (end, "Leave", WAIT)]
        judge_device(tester, rule, made, streams, f"device, waiting {begin} {end}, {works}")


def test_program(tester):
    """What the program did: a remark that says so."""
    archive = everything()
    archive["events"][P1].remove((5015, "MpiRecv", 0, 0, 7, 400))
    archive["definitions"] = counted(archive["definitions"], archive["events"])
    path = tester.write(archive)
    for options, status in ((["--remarks"], 0), (["--strict"], 1)):
        run = tester.run_check(1, *options, path)
        tester.check_threads(run, *options, path)
        lines = run.stdout.decode().splitlines()
        if run.returncode != status or not lines[0].startswith("remark message-left: ") \
                or not lines[0].endswith(" (the program did)"):
            tester.fault(f"a message that nobody receives: status {run.returncode}, {lines}")


def test_cut(tester):
    """A location without events is no fault where a process died, or a rank left nothing."""
    for name, number, rules in (("DEAD_PROCESSES", "1", set()), ("MISSING_RANKS", "2", set()),
                                ("DEAD_PROCESSES", "0", {"event-none"})):
        made, streams = small.good()
        made.append(("Location", small.THREAD + 1, 5, 1, 0, 1))
        streams[small.THREAD + 1] = []
        archive = own_archive(small.counted(made, streams), streams)
        archive["anchor"]["properties"] = [(f"SPUR::{name}", number)]
        _, found = tester.check(tester.write(archive))
        if set(found) != rules:
            tester.fault(f"a location without events, {name} {number}: found {found}")


def test_unfinished(tester):
    """A run that was cut short: nobody receives, nobody completes."""
    archive = everything()
    stream = archive["events"][P1]
    at_end = stream.index((5015, "MpiRecv", 0, 0, 7, 400))
    stream[at_end:-2] = []
    archive["definitions"] = counted(archive["definitions"], archive["events"])
    path = tester.write(archive)
    if not tester.check(path)[1]:
        tester.fault("an unfinished archive breaks no rule")
    # The first process goes on and receives what the second was to send.
    _, found = tester.check(path, "--allow-unfinished")
    if found:
        tester.fault(f"an unfinished archive: found {found}")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check_faults.py SPUR")
    with tempfile.TemporaryDirectory() as folder:
        tester = Tester(sys.argv[1], folder)
        for test in (test_everything, test_clock_error, test_damages, test_chunks, test_files,
                     test_compressed, test_own, test_devices, test_device_waits, test_program, test_cut,
                     test_unfinished):
            test(tester)
        listed = subprocess.run([tester.spur, "check", "--list"], capture_output=True, check=True)
        page = subprocess.run([tester.spur, "check", "--markdown"], capture_output=True, check=True)
        judged = set(re.findall(r"^\| `\w+`.*\| `([a-z-]+)` \|$", page.stdout.decode(), re.MULTILINE))
        if len(judged) < 20 or judged - tester.rules:
            tester.fault(f"{len(judged)} rules of records, and no archive breaks {judged - tester.rules}")
        names = {line.split()[0] for line in listed.stdout.decode().splitlines()
                 if line.startswith("  ")}
        print(f"{tester.number} archives, {len(tester.rules)} of {len(names)} rules broken;"
              f" not tried: {', '.join(sorted(names - tester.rules))}")
    return 1 if tester.faults else 0


if __name__ == "__main__":
    sys.exit(main())
