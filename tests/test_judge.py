#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Is the judge just? One small archive that breaks no rule passes, also with the reference library's
tools; with one thing wrong at a time it does not, and the fault that is found is the one made.
"""

import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))

from check_trace import Trace  # noqa: E402
from judge.otf2_write import write_archive  # noqa: E402
import process_tree  # noqa: E402
from run_case import Run  # noqa: E402

NONE = 0xffffffff
MAIN = (0, 1 << 32)
THREAD = (1 << 32) + 1
REGIONS = ("MPI_Send", "MPI_Irecv", "MPI_Wait", "MPI_Bcast", "MPI_Ibarrier", "pthread_create",
           "pthread_mutex_lock", "pthread_join", "MPI_Init")
STRINGS = ("", "MPI", "PTHREAD", "world", "process", "thread", "node", "machine") + REGIONS
SEND, IRECV, WAIT, BCAST, IBARRIER, CREATE, LOCK, JOIN, INIT = range(9)


def definitions():
    text = STRINGS.index
    made = [("ClockProperties", 1000000000, 100, 900, 5)]
    made += [("String", i, s) for i, s in enumerate(STRINGS)]
    made += [("Paradigm", 4, text("MPI"), 2), ("Paradigm", 7, text("PTHREAD"), 3)]
    made += [("SystemTreeNode", 0, text("node"), text("machine"), NONE)]
    made += [("LocationGroup", i, text("process"), 1, 0, NONE) for i in (0, 1)]
    made += [("Location", MAIN[0], text("thread"), 1, 15, 0),
             ("Location", MAIN[1], text("thread"), 1, 39, 1),
             ("Location", THREAD, text("thread"), 1, 6, 1)]
    made += [("Region", i, text(name), text(""), 0, NONE, 0, 0, text(name), 1,
              7 if name.startswith("pthread") else 4, 0) for i, name in enumerate(REGIONS)]
    made += [("Group", 0, text(""), 6, [(0,), (1 << 32,)], 4, 4, 0),
             ("Group", 1, text(""), 4, [(0,), (1,)], 5, 4, 0),
             ("Group", 2, text(""), 0, [(1 << 32,), (THREAD,)], 4, 7, 0),
             ("Group", 3, text(""), 0, [(0,), (1,)], 5, 7, 0)]
    made += [("Comm", 0, text("world"), 1, NONE, 1), ("Comm", 1, text("thread"), 3, NONE, 0)]
    made += [("IoParadigm", 0, text("MPI"), text("MPI"), 1, 0, []),
             ("IoRegularFile", 0, text("node"), NONE),
             ("IoHandle", 0, text("node"), 0, 0, 0, NONE, NONE)]
    return made


def call(begin, end, region, *records):
    """A visit of a region with records at its begin (even places) or its end."""
    return [(begin, "Enter", region)] + [(begin if at == "b" else end, *record)
                                         for at, *record in records] + [(end, "Leave", region)]


def rank0():
    return [(100, "ProgramBegin", 0, [])] \
        + call(110, 120, INIT, ("b", "CommCreate", 0)) \
        + call(200, 210, SEND, ("b", "MpiSend", 1, 0, 7, 400)) \
        + call(300, 310, IBARRIER, ("e", "NonBlockingCollectiveRequest", 1)) \
        + call(400, 410, WAIT, ("e", "NonBlockingCollectiveComplete", 0, 0, NONE, 0, 0, 1)) \
        + [(999, "ProgramEnd", 0)]


def rank1():
    return [(100, "ProgramBegin", 0, [])] \
        + call(110, 120, INIT, ("b", "CommCreate", 0)) \
        + call(150, 160, IRECV, ("e", "MpiIrecvRequest", 1)) \
        + call(220, 230, WAIT, ("b", "MpiRequestTest", 1), ("e", "MpiIrecv", 0, 0, 7, 400, 1)) \
        + call(300, 310, IBARRIER, ("e", "NonBlockingCollectiveRequest", 2)) \
        + call(400, 410, WAIT, ("e", "NonBlockingCollectiveComplete", 0, 0, NONE, 0, 0, 2)) \
        + call(420, 430, WAIT, ("e", "IoCreateHandle", 0, 2, 1, 0)) \
        + call(440, 450, WAIT, ("b", "IoOperationBegin", 0, 1, 0, 8, 5),
               ("e", "IoOperationComplete", 0, 8, 5)) \
        + call(460, 470, WAIT, ("b", "IoOperationBegin", 0, 0, 1, 8, 6),
               ("e", "IoOperationIssued", 0, 6)) \
        + call(480, 490, WAIT, ("b", "IoOperationTest", 0, 6),
               ("e", "IoOperationComplete", 0, 8, 6), ("e", "IoDestroyHandle", 0)) \
        + call(500, 510, CREATE, ("e", "ThreadCreate", 1, 1)) \
        + call(600, 610, JOIN, ("e", "ThreadWait", 1, 1)) \
        + [(1000, "ProgramEnd", 0)]


def thread():
    return [(520, "ThreadBegin", 1, 1)] \
        + call(530, 540, LOCK, ("e", "ThreadAcquireLock", 7, 0, 1),
               ("e", "ThreadReleaseLock", 7, 0, 1)) \
        + [(550, "ThreadEnd", 1, 1)]


def good():
    made, events = definitions(), {MAIN[0]: rank0(), MAIN[1]: rank1(), THREAD: thread()}
    return counted(made, events), events


def unseen():
    """The thread is created by a library that calls the C library directly, beside another one."""
    made, events = good()
    first, last = events[THREAD][0], events[THREAD][-1]
    events[THREAD] = events[THREAD][1:-1]
    events[THREAD + 1] = [first, last]
    made.append(("Location", THREAD + 1, *made[made.index(
        next(d for d in made if d[:2] == ("Location", THREAD)))][2:]))
    return counted(made, events), events


def counted(made, events):
    """The same definitions with the true numbers of events."""
    return [(*d[:4], len(events[d[1]]), d[5]) if d[0] == "Location" and d[1] in events else d
            for d in made]


def change(events, location, old, new):
    """Replace the one event that equals `old`; None removes it."""
    at = events[location].index(old)
    events[location][at:at + 1] = [] if new is None else [new]


# (fault kind, location, event, what stands there instead)
EVENT_FAULTS = (
    ("time goes back", 0, (210, "Leave", SEND), (199, "Leave", SEND)),
    ("clock range", 0, (999, "ProgramEnd", 0), (1001, "ProgramEnd", 0)),
    ("nesting", 0, (210, "Leave", SEND), (210, "Leave", INIT)),
    ("nesting", 0, (210, "Leave", SEND), None),
    ("program", 0, (999, "ProgramEnd", 0), None),
    ("program", 0, (100, "ProgramBegin", 0, []), None),
    ("messages", 0, (200, "MpiSend", 1, 0, 7, 400), (200, "MpiSend", 1, 0, 7, 401)),
    ("messages", 0, (200, "MpiSend", 1, 0, 7, 400), (200, "MpiSend", 1, 0, 8, 400)),
    ("messages", 0, (200, "MpiSend", 1, 0, 7, 400), (200, "MpiSend", 0, 0, 7, 400)),
    ("messages", 0, (200, "MpiSend", 1, 0, 7, 400), None),
    ("ranks", 0, (200, "MpiSend", 1, 0, 7, 400), (200, "MpiSend", 2, 0, 7, 400)),
    ("references", 0, (200, "MpiSend", 1, 0, 7, 400), (200, "MpiSend", 1, 5, 7, 400)),
    ("communicators", 0, (110, "CommCreate", 0), None),
    ("requests", 1 << 32, (160, "MpiIrecvRequest", 1), None),
    ("requests", 1 << 32, (160, "MpiIrecvRequest", 1), (160, "MpiIrecvRequest", 2)),
    ("requests", 1 << 32, (230, "MpiIrecv", 0, 0, 7, 400, 1), (230, "MpiIsendComplete", 1)),
    ("requests", 1 << 32, (230, "MpiIrecv", 0, 0, 7, 400, 1), None),
    ("requests", 1 << 32, (220, "MpiRequestTest", 1), (220, "MpiRequestTest", 3)),
    ("collectives", 0, (410, "NonBlockingCollectiveComplete", 0, 0, NONE, 0, 0, 1),
     (410, "NonBlockingCollectiveComplete", 1, 0, 0, 0, 0, 1)),
    ("collectives", 0, (410, "NonBlockingCollectiveComplete", 0, 0, NONE, 0, 0, 1),
     (410, "NonBlockingCollectiveComplete", 0, 0, NONE, 4, 0, 1)),
    ("collectives", 0, (300, "Enter", IBARRIER), (300, "MpiCollectiveEnd", 0, 0, NONE, 0, 0)),
    ("threads", 1 << 32, (510, "ThreadCreate", 1, 1), None),
    ("threads", 1 << 32, (510, "ThreadCreate", 1, 1), (510, "ThreadCreate", 1, 2)),
    ("threads", THREAD, (520, "ThreadBegin", 1, 1), None),
    ("threads", THREAD, (550, "ThreadEnd", 1, 1), None),
    ("threads", THREAD, (550, "ThreadEnd", 1, 1), (550, "ThreadBegin", 1, 1)),
    ("threads", THREAD, (520, "ThreadBegin", 1, 1), (520, "MeasurementOnOff", 1)),
    ("locks", THREAD, (540, "ThreadReleaseLock", 7, 0, 1), (540, "ThreadReleaseLock", 7, 0, 2)),
    ("locks", THREAD, (540, "ThreadAcquireLock", 7, 0, 1), (540, "ThreadAcquireLock", 7, 0, 5)),
    ("files", 1 << 32, (430, "IoCreateHandle", 0, 2, 1, 0), None),
    ("files", 1 << 32, (490, "IoDestroyHandle", 0), (490, "IoCreateHandle", 0, 2, 1, 0)),
    ("files", 1 << 32, (440, "IoOperationBegin", 0, 1, 0, 8, 5), None),
    ("files", 1 << 32, (450, "IoOperationComplete", 0, 8, 5), None),
    ("files", 1 << 32, (450, "IoOperationComplete", 0, 8, 5), (450, "IoOperationComplete", 0, 9, 5)),
    ("files", 1 << 32, (450, "IoOperationComplete", 0, 8, 5), (450, "IoOperationIssued", 0, 5)),
    ("files", 1 << 32, (460, "IoOperationBegin", 0, 0, 1, 8, 6),
     (460, "IoOperationBegin", 0, 0, 1, 8, 5)),
    ("files", 1 << 32, (470, "IoOperationIssued", 0, 6), None),
)

# (fault kind, definition, what stands there instead)
DEFINITION_FAULTS = (
    ("dense ids", ("String", 3, "world"), ("String", 99, "world")),
    ("double definition", ("String", 3, "world"), ("String", 2, "world")),
    ("not unified", ("String", 3, "world"), ("String", 3, "MPI")),
    ("references", ("Comm", 0, 3, 1, NONE, 1), ("Comm", 0, 3, 9, NONE, 1)),
    ("groups", ("Group", 1, 0, 4, [(0,), (1,)], 5, 4, 0),
     ("Group", 1, 0, 4, [(0,), (2,)], 5, 4, 0)),
    ("communicators", ("Comm", 0, 3, 1, NONE, 1), ("Comm", 0, 3, 1, NONE, 0)),
    ("clock", ("ClockProperties", 1000000000, 100, 900, 5), ("ClockProperties", 0, 100, 900, 5)),
    ("paradigms", ("Paradigm", 7, 2, 3), ("Paradigm", 8, 2, 3)),
)


class JudgeTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.number = 0

    def judge(self, made, events, **options):
        self.number += 1
        path = write_archive(os.path.join(self.folder.name, str(self.number)), made, events)
        return path, Trace(path, **options)

    def assert_fault(self, trace, kind):
        self.assertTrue(any(fault.startswith(kind + ":") for fault in trace.faults),
                        f"no fault of kind '{kind}' in {trace.faults}")

    def test_good_archive_passes(self):
        _, trace = self.judge(*good())
        self.assertEqual(trace.faults, [])
        self.assertEqual(trace.kinds()["MpiSend"], 1)
        self.assertEqual(trace.regions()["MPI_Wait"], 7)

    def test_unseen_thread_passes(self):
        _, trace = self.judge(*unseen())
        self.assertEqual(trace.faults, [])

    def test_wrong_events(self):
        for kind, location, old, new in EVENT_FAULTS:
            with self.subTest(kind=kind, old=old, new=new):
                made, events = good()
                change(events, location, old, new)
                _, trace = self.judge(counted(made, events), events, with_opinions=False)
                self.assert_fault(trace, kind)

    def test_wrong_definitions(self):
        for kind, old, new in DEFINITION_FAULTS:
            with self.subTest(kind=kind, old=old, new=new):
                made, events = good()
                made[made.index(old)] = new
                _, trace = self.judge(made, events, with_opinions=False)
                self.assert_fault(trace, kind)

    def test_wrong_number_of_events(self):
        made, events = good()
        events[0].append((999, "ProgramEnd", 0))
        self.assert_fault(self.judge(made, events, with_opinions=False)[1], "numberOfEvents")

    def test_damaged_files(self):
        for name, damage in (("traces/0.evt", lambda data: data[:-2]),
                             ("traces/0.evt", lambda data: data[:-1] + b"\x01\x01"),
                             ("traces/0.evt", lambda data: data[:10] + b"\x01" + data[11:]),
                             ("traces/0.evt", lambda data: data[:-2] + b"\xee\x02\x01"),
                             ("traces/4294967296.evt", lambda data: data[:60]),
                             ("traces.def", lambda data: data[:90]),
                             ("traces.otf2", lambda data: data[:-1])):
            path, trace = self.judge(*good(), with_opinions=False)
            self.assertEqual(trace.faults, [])
            name = os.path.join(os.path.dirname(path), name)
            with open(name, "rb") as file:
                data = file.read()
            with open(name, "wb") as file:
                file.write(damage(data))
            self.assert_fault(Trace(path, with_opinions=False), "format")

    def test_missing_and_foreign_files(self):
        path, _ = self.judge(*good(), with_opinions=False)
        folder = os.path.join(os.path.dirname(path), "traces")
        os.rename(os.path.join(folder, "0.def"), os.path.join(folder, "7.def"))
        self.assert_fault(Trace(path, with_opinions=False), "files")

    def test_sequence_ignores_times_and_ids(self):
        _, one = self.judge(*good())
        made, events = good()
        for old, new in (((310, "NonBlockingCollectiveRequest", 2),
                          (311, "NonBlockingCollectiveRequest", 9)),
                         ((310, "Leave", IBARRIER), (311, "Leave", IBARRIER)),
                         ((410, "NonBlockingCollectiveComplete", 0, 0, NONE, 0, 0, 2),
                          (410, "NonBlockingCollectiveComplete", 0, 0, NONE, 0, 0, 9))):
            change(events, 1 << 32, old, new)
        _, other = self.judge(made, events, with_opinions=False)
        self.assertEqual(list(one.sequence()), list(other.sequence()))

    def test_starts_are_paired(self):
        """As strace tells of processes that start programs at the same time."""
        log = ('7 execve("/none/as", ""..., 0x1 /* 9 vars */ <unfinished ...>\n'
               '8 execve("/none/as", ""..., 0x1 /* 9 vars */) = -1 ENOENT (No such file or directory)\n'
               '7 <... execve resumed>) = -1 ENOENT (No such file or directory)\n'
               '7 execve("/none/ld", ""..., 0x1 /* 9 vars */ <unfinished ...>\n'
               '8 execve("/none/as", ""..., 0x1 /* 9 vars */) = 0\n'
               '7 <... execve resumed>) = 0\n'
               '9 execve("/none/cc1", ""..., 0x1 /* 9 vars */ <unfinished ...>\n'
               '6 <... futex resumed>) = ?\n')
        self.assertEqual(process_tree.starts(log), {"as": 1, "ld": 1, "cc1": 1})

    def test_folder_is_of_one_run(self):
        with tempfile.TemporaryDirectory() as build:
            os.makedirs(os.path.join(build, "tests", "programs"))
            run = Run(build, "nothing", None)
            with open(os.path.join(run.scratch, "kept"), "w", encoding="utf-8"):
                pass
            with self.assertRaisesRegex(Run.Failed, "in use by another run"):
                Run(build, "nothing", None)
            self.assertEqual(os.listdir(run.scratch), ["kept"])
            run.lock.close()
            again = Run(build, "nothing", None)
            self.assertEqual(os.listdir(again.scratch), [])
            again.lock.close()


if __name__ == "__main__":
    unittest.main()
