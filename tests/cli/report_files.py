#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Files and how they are accessed: `report_files.py BUILD [N]` draws N programs (30) by
tests/lib/access_model.py, writes their archives, and compares what spur report says of files with what was
drawn: as JSON and CSV, by one thread, by several, and by ranks. REPORT_FILES_SEED=N draws as that run did.
"""

import collections
import json
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "lib")]

from access_model import LAYERS, MPI_IO, POSIX, STREAM, WINDOW, Handle, Process, Sums  # noqa: E402
from report_archives import NONE, SAMPLING, Texts, head, region, visit, write_archive  # noqa: E402
from report_tester import ReportTester  # noqa: E402

FILES = ("/data/in.dat", "/data/restart.dat", "/data/log")
PLAIN, FILE_IO, FILE_METADATA, THREAD_WAIT, NO_PARADIGM, MPI, USER = 1, 27, 38, 33, 22, 4, 1
SITES = ("a.c:10", "a.c:20", "a.c:30")
FORMS = (("--by", "io"), ("--json", "--by", "io"), ("--wide",))
SECTIONS = "files,file_accesses,file_sizes,file_processes,file_layers"


class Program:
    def __init__(self, rng):
        self.rng, self.clock = rng, [0]
        numbers = iter(range(100))
        self.processes, self.handles = [], []
        for number in range(rng.choice((1, 2, 3))):
            own = [Handle(next(numbers), rng.randrange(3), rng.choice((POSIX, POSIX, STREAM)))
                   for _ in range(rng.randrange(1, 5))]
            for handle in own:
                handle.is_inherited = rng.random() < 0.2
            if rng.random() < 0.4:
                own.append(Handle(next(numbers), 1, MPI_IO))
                own.append(Handle(next(numbers), 1, POSIX, own[-1].number))
            self.handles += own
            self.processes.append(Process(rng, number, rng.randrange(1, 4), own, self.clock))

    def write(self, folder):
        for _ in range(self.rng.randrange(20, 200)):
            self.rng.choice(self.processes).act()
        for process in self.processes:
            process.end()
        text, events = Texts(), {}
        for process in self.processes:
            events.update(process.events)
        made = head(text, self.clock[0], [f"Process {p.number}" for p in self.processes],
                    [(where, f"thread {where}", where >> 32) for where in events], events)
        made += [("Attribute", 0, text("spur::call_site"), 21, NONE),
                 ("Attribute", 1, text("Offset"), 4, NONE)]
        made += [region(text, 0, "main", USER, PLAIN), region(text, 1, "pread", NO_PARADIGM, FILE_IO),
                 region(text, 2, "fsync", NO_PARADIGM, FILE_IO),
                 region(text, 3, "open", NO_PARADIGM, FILE_METADATA),
                 region(text, 4, "lseek", NO_PARADIGM, FILE_METADATA),
                 region(text, 5, "MPI_File_write", MPI, FILE_IO), region(text, 6, "caller", SAMPLING, PLAIN)]
        made += [("SourceCodeLocation", i, text("a.c"), int(site[4:])) for i, site in enumerate(SITES)]
        made += [("CallingContext", i, 6, i, NONE) for i in range(len(SITES))]
        made += [("IoParadigm", i, text(name), text(name), int(i == MPI_IO), 0, [])
                 for i, name in enumerate(LAYERS)]
        made += [("IoRegularFile", i, text(name), NONE) for i, name in enumerate(FILES)]
        made += [("IoHandle", h.number, text(""), h.file, h.layer, 0, NONE,
                  NONE if h.parent is None else h.parent) for h in self.handles]
        made += [("IoPreCreatedHandleState", h.number, 3, 0) for h in self.handles if h.is_inherited]
        write_archive(folder, text.records() + made, events)

    # ---- what the report has to say ----

    def rows(self):
        for process in self.processes:
            for (handle, site, kind, inside, power), sums in process.sums.items():
                yield process, handle, site, kind, inside, power, sums

    def tables(self):
        """By section: the key of a row to its columns."""
        by = {name: collections.defaultdict(Sums)
              for name in ("file", "kind", "access", "size", "own", "layer")}
        users = collections.defaultdict(set)
        for process, handle, site, kind, inside, power, sums in self.rows():
            place = (FILES[handle.file], LAYERS[handle.layer])
            users[place].add(process.number)
            by["kind"][(*place, kind)].update(sums)
            who = f"Process {process.number}"
            by["access"][(*place, who, SITES[site], kind, inside)].update(sums)
            by["layer"][place[1], inside, kind].update(sums)
            if kind in ("read", "write"):
                by["file"][place].update(sums)
                by["size"][(*place, kind, 1 << power - 1 if power else 0)].update(sums)
            if not inside:
                by["own"][process.number, kind].update(sums)
        return {"files": {key: self.file(by, key, len(of)) for key, of in users.items()},
                "file_accesses": {key: {**timed(sums), **sums.shares()}
                                  for key, sums in by["access"].items()},
                "file_sizes": {key: timed(sums, False) for key, sums in by["size"].items()},
                "file_processes": {(f"Process {p.number}",): self.process(by, p)
                                   for p in self.processes if p.calls["count"]},
                "file_layers": {key: self.layer(by, key) for key in {row[:2] for row in by["layer"]}}}

    def file(self, by, key, n_processes):
        kinds = {kind: by["kind"][(*key, kind)] for kind in ("open", "read", "write", "other")}
        return {**counted(kinds), "others": kinds["other"]["count"],
                "time": sum(kinds[kind]["ticks"] for kind in ("read", "write", "other")) / 1000,
                "bandwidth": timed(by["file"][key])["bandwidth"], "processes": n_processes,
                **by["file"][key].shares()}

    def process(self, by, p):
        own = {kind: by["own"][p.number, kind] for kind in ("open", "read", "write")}
        spans = [(events[0][0], events[-1][0]) for events in p.events.values()]
        total = sum(end - begin for begin, end in spans)
        wall = max(end for _, end in spans) - min(begin for begin, _ in spans)
        return {"time": p.calls["ticks"] / 1000, "time_percent": 100 * p.calls["ticks"] / total,
                "calls": p.calls["count"], "metadata_time": p.metadata["ticks"] / 1000,
                "metadata_calls": p.metadata["count"], "metadata_rate": p.metadata["count"] / (wall / 1000),
                "metadata_peak": max(p.windows.values(), default=0) * 1000 / WINDOW,
                "storm_rate": 0, "storm_time": 0, "storm_begin": 0,
                "opens": own["open"]["count"], "read_bytes": own["read"]["bytes"],
                "written_bytes": own["write"]["bytes"]}

    def layer(self, by, key):
        kinds = {kind: by["layer"][(*key[:2], kind)] for kind in ("open", "read", "write", "other")}
        ticks = sum(kinds[kind]["ticks"] for kind in ("read", "write", "other"))
        total = sum(events[-1][0] - events[0][0] for p in self.processes for events in p.events.values())
        return {**counted(kinds), "time": ticks / 1000, "time_percent": 100 * ticks / total}


def timed(sums, has_bandwidth=True):
    made = {"count": sums["count"], "bytes": sums["bytes"], "time": sums["ticks"] / 1000}
    if has_bandwidth:
        rate = sums["bytes"] and sums["ticks"] and 1000 * sums["bytes"] / sums["ticks"]
        made["bandwidth"] = rate or None
    return made


def counted(kinds):
    return {"opens": kinds["open"]["count"], "reads": kinds["read"]["count"],
            "read_bytes": kinds["read"]["bytes"], "writes": kinds["write"]["count"],
            "written_bytes": kinds["write"]["bytes"]}


KEYS = {"files": ("file", "layer"), "file_accesses": ("file", "layer", "process", "site", "kind", "inside"),
        "file_sizes": ("file", "layer", "kind", "from_bytes"), "file_processes": ("process",),
        "file_layers": ("layer", "inside")}


class Tester(ReportTester):
    def __init__(self, build, folder):
        super().__init__("REPORT_FILES", build, folder)
        self.seen = Sums()

    def compare(self, archive, program):
        reported = json.loads(self.run("--json", "--by", SECTIONS, archive))["sections"]
        for section, expected in program.tables().items():
            self.compare_section(archive, section, KEYS[section], reported[section], expected)


def known(folder, waits=False):
    """
    One process writes 93 blocks, every second one of a file that it had open before, which takes 930 ms of
    1000: the first of them are not judged and random, 91 strided. Another process reads 7 blocks in order. It
    opens another file 50 times, which takes 100 ms, and may wait 300 ms for a socket.
    """
    events = {0: [(0, "Enter", 0)], 1 << 32: [(0, "Enter", 0), (0, "IoCreateHandle", 1, 1, 0, 0)]}
    for i in range(93):
        begin, end = 10 * i, 10 * i + 10
        events[0] += [(begin, "Attributes", [(0, 21, 0)]), (begin, "Enter", 1),
                      (begin, "Attributes", [(1, 4, 8192 * i)]),
                      (begin, "IoOperationBegin", 0, 1, 0, 4096, i),
                      (end, "IoOperationComplete", 0, 4096, i), (end, "Leave", 1)]
    for i in range(7):
        events[1 << 32] += [(i, "IoOperationBegin", 1, 0, 0, 4096, i),
                            (i + 1, "IoOperationComplete", 1, 4096, i)]
    for i in range(50):
        end = 12 + 2 * i
        events[1 << 32] += [(end - 2, "Enter", 2), (end, "IoCreateHandle", 2, 1, 0, 0), (end, "Leave", 2)]
    events[1 << 32] += visit(500, 800, 3) if waits else []
    text = Texts()
    made = head(text, 1000, ("writer", "reader"), ((0, "main", 0), (1 << 32, "main", 1)), events)
    made += [("Attribute", 0, text("spur::call_site"), 21, NONE),
             ("Attribute", 1, text("Offset"), 4, NONE)]
    made += [region(text, 0, "main", USER, PLAIN), region(text, 1, "pwrite", NO_PARADIGM, FILE_IO),
             region(text, 2, "open", NO_PARADIGM, FILE_METADATA),
             region(text, 3, "accept", NO_PARADIGM, THREAD_WAIT)]
    made += [("SourceCodeLocation", 0, text("a.c"), 10), ("CallingContext", 0, 0, 0, NONE)]
    made += [("IoParadigm", 0, text("POSIX"), text("POSIX I/O"), 0, 0, [])]
    made += [("IoRegularFile", i, text(name), NONE)
             for i, name in enumerate(("/data/restart.dat", "/data/list"))]
    made += [("IoHandle", i, text(""), int(i == 2), 0, 0, NONE, NONE) for i in range(3)]
    for stream in events.values():
        stream.append((1000, "Leave", 0))
    write_archive(folder, text.records() + made, events)
    return folder


def shared(folder):
    """
    Two processes write 20 pieces of 100 bytes each to two files, 10 ms each: to one of them in turns, to the
    other each in a half of its own. Of the pieces in turns the first is not judged, the second random, and 18
    are strided.
    """
    pieces, piece, ticks = 20, 100, 10
    events = {where: [(0, "Enter", 0)] for where in (0, 1 << 32)}
    for rank, stream in enumerate(events.values()):
        for file in (0, 1):
            for i in range(pieces):
                begin, number = (file * pieces + i) * ticks, file * pieces + i
                at = rank + 2 * i if file == 0 else rank * pieces + i
                stream += [(begin, "Enter", 1), (begin, "Attributes", [(0, 4, piece * at)]),
                           (begin, "IoOperationBegin", 2 * rank + file, 1, 0, piece, number),
                           (begin + ticks, "IoOperationComplete", 2 * rank + file, piece, number),
                           (begin + ticks, "Leave", 1)]
        stream.append((1000, "Leave", 0))
    text = Texts()
    made = head(text, 1000, ("one", "other"), ((0, "main", 0), (1 << 32, "main", 1)), events)
    made += [("Attribute", 0, text("Offset"), 4, NONE), region(text, 0, "main", USER, PLAIN),
             region(text, 1, "pwrite", NO_PARADIGM, FILE_IO),
             ("IoParadigm", 0, text("POSIX"), text("POSIX I/O"), 0, 0, [])]
    made += [("IoRegularFile", i, text(name), NONE) for i, name in enumerate(("/data/woven", "/data/apart"))]
    made += [("IoHandle", i, text(""), i % 2, 0, 0, NONE, NONE) for i in range(4)]
    made += [("IoPreCreatedHandleState", i, 1, 0) for i in range(4)]
    write_archive(folder, text.records() + made, events)
    return folder


def storm(folder):
    """
    Two processes open files, which takes no time; 5 s. One of them does so three times a millisecond in the
    third and fourth second, a thousand times in a single millisecond before, and once in 20 ms behind. The
    other does so once in two milliseconds all the time.
    """
    stormy = [at for at in range(2000, 4000) for _ in range(3)]
    times = {0: [500] * 1000 + stormy + list(range(4000, 5000, 20)), 1 << 32: list(range(0, 5000, 2))}
    events = {where: [(0, "Enter", 0)] for where in times}
    for where, stream in events.items():
        for at in times[where]:
            stream += visit(at, at, 1)
        stream[-1:] = [(stream[-1][0] + 1, "Leave", 1), (5000, "Leave", 0)]
    text = Texts()
    made = head(text, 5000, ("stormy", "calm"), ((0, "main", 0), (1 << 32, "main", 1)), events)
    made += [region(text, 0, "main", USER, PLAIN), region(text, 1, "open", NO_PARADIGM, FILE_METADATA)]
    write_archive(folder, text.records() + made, events)
    return folder


# 6,000 calls from 2.000 s to 3.999 s; in a tenth of a second at most 1,000, those at once. In the storm of
# both there are 1,000 calls of the other one.
STORM_FINDING = ("Opening, closing and asking for files takes 2.000 ms (0.0 % of all time) in 9,550 calls, "
                 "1,910 a second; open takes most of it. In a storm of 1.999 s, from 2.000 s on, there are "
                 "3,502 a second, 3,002 of them by stormy.")
STORM_ROWS = {"stormy": (10000, 6000 / 1.999, 1.999, 2), "calm": (500, 0, 0, 0)}
STORM_COLUMNS = ("metadata_peak", "storm_rate", "storm_time", "storm_begin")


def shared_finding(name, order, shares):
    return (f"Reading and writing /data/{name} takes 400.0 ms (20 % of all time): 3.906 KiB in 40 operations."
            f" one writes 50 % of that in pieces of 100 B{order}.{shares}")


SHARED_FINDINGS = [
    shared_finding("woven", " (95 % of them strided)",
                   " 2 processes write it in pieces of 100 B with gaps in between, so that several may share "
                   "each block of 4 KiB."),
    shared_finding("apart", "", "")]
KNOWN_FINDINGS = [
    ("file", "Reading and writing /data/restart.dat takes 937.0 ms (47 % of all time): 400.0 KiB in 100 "
             "operations. writer writes 93 % of that in pieces of 4.000 KiB (99 % of them strided), "
             "mostly at a.c:10."),
    ("metadata", "Opening, closing and asking for files takes 100.0 ms (5.0 % of all time) in 50 calls, "
                 "50 a second; open takes most of it.")]
WAITING = ("Threads wait 300.0 ms (15 % of all time) in 1 call of accept for pipes, sockets or other "
           "descriptors, most on reader (300.0 ms).")
# By column, each row a line; the columns are two blanks apart.
KNOWN_TEXT = (
    ("file", "/data/restart.dat", "/data/list"), ("by", "POSIX I/O", "POSIX I/O"), ("opened", "1", "50"),
    ("reads", "7", "0"), ("read", "28.00 KiB", "0 B"), ("writes", "93", "0"), ("written", "372.0 KiB", "0 B"),
    ("time", "937.0 ms", "0 s"), ("longest", "10.00 ms", "0 s"), ("bandwidth", "426.9 KiB/s"),
    ("processes", "2", "1"), ("sequential %", "7.1"), ("strided %", "91.9"), ("random %", "1.0"))


def main():
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 30
    with tempfile.TemporaryDirectory() as folder:
        tester = Tester(sys.argv[1], folder)
        archive = known(tester.path("known"))
        findings = json.loads(tester.run("--json", archive))["findings"]
        told = [(found["kind"], found["text"]) for found in findings if found["kind"] != "region"]
        tester.same("findings", told, KNOWN_FINDINGS)
        waiting = json.loads(tester.run("--json", known(tester.path("waiting"), True)))
        tester.same("waiting", WAITING in [found["text"] for found in waiting["findings"]], True)
        told = json.loads(tester.run("--json", "--by", "files", shared(tester.path("shared"))))
        tester.same("sharers", {row["file"]: row["sharers"] for row in told["sections"]["files"]},
                    {"/data/woven": 2, "/data/apart": 0})
        told = told["findings"]
        tester.same("shared", sorted(found["text"] for found in told if found["kind"] == "file"),
                    sorted(SHARED_FINDINGS))
        stormy = storm(tester.path("storm"))
        told = json.loads(tester.run("--json", "--by", "file_processes", stormy))
        tester.same("storm", [found["text"] for found in told["findings"] if found["kind"] == "metadata"],
                    [STORM_FINDING])
        for row in told["sections"]["file_processes"]:
            expected = STORM_ROWS[row["process"]]
            tester.compare_row(f"storm, {row['process']}", row, dict(zip(STORM_COLUMNS, expected)))
        tester.same_with(stormy, FORMS[1], ("--threads", "2"))
        told = tester.run("--by", "files", "--wide", archive).partition("\nFiles\n")[2]
        rows = [re.split("  +", line.strip()) for line in told.splitlines()[:3]]
        tester.same("text", rows, [[column[i] for column in KNOWN_TEXT if i < len(column)] for i in range(3)])
        for number in range(n):
            program, archive = Program(tester.draw), tester.path(str(number))
            program.write(archive)
            tester.compare(archive, program)
            for *_, sums in program.rows():
                tester.seen.update(sums)
            for threads in ("2", "3"):
                tester.same_with(archive, tester.draw.choice(FORMS), ("--threads", threads))
            if number < 2:
                ranks = ("mpirun.mpich", "-n", str(number + 2))
                tester.same_with(archive, FORMS[0], ("--threads", "1"), ranks)
    for name in ("small", "sequential", "strided", "random", "placed", "unaligned"):
        if not tester.seen[name]:
            tester.fault(f"no access was {name}")
    return 1 if tester.faults else 0


if __name__ == "__main__":
    sys.exit(main())
