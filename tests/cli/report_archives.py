#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Archives with times that were chosen, so that every number of a report about them is known:
`report_archives.py FOLDER` writes FOLDER/NAME/traces.otf2 for each function below. A tick is a
millisecond.
"""

import os
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

from judge.otf2_write import write_archive  # noqa: E402

NONE, NONE64 = 0xffffffff, 0xffffffffffffffff
USER, OPENMP, MPI, PTHREAD, SAMPLING = 1, 3, 4, 7, 21
FUNCTION, PARALLEL, IMPLICIT_BARRIER = 1, 5, 16


class Texts:
    """String definitions, numbered as they come."""

    def __init__(self):
        self.numbers = {}

    def __call__(self, text):
        return self.numbers.setdefault(text, len(self.numbers))

    def records(self):
        return [("String", number, text) for text, number in self.numbers.items()]


def head(text, length, processes, locations, events):
    """Clock, machine, processes as (name), locations as (id, name, process)."""
    made = [("ClockProperties", 1000, 0, length, NONE << 32 | NONE),
            ("SystemTreeNode", 0, text("host"), text("node"), NONE)]
    made += [("LocationGroup", i, text(name), 1, 0, NONE) for i, name in enumerate(processes)]
    made += [("Location", i, text(name), 1, len(events[i]), process)
             for i, name, process in locations]
    return made


def region(text, number, name, paradigm, role=FUNCTION, file=None, line=0):
    source = NONE if file is None else text(file)
    return ("Region", number, text(name), NONE, 0, source, line, 0, text(name), role, paradigm, 0)


def visit(begin, end, number, *inside):
    return [(begin, "Enter", number), *inside, (end, "Leave", number)]


def collective(begin, end, number, *attributes):
    return visit(begin, end, number, (begin, "MpiCollectiveBegin"),
                 (end, "MpiCollectiveEnd", *attributes))


MAIN, SOLVE, INIT, SEND, RECV, IRECV, WAIT, BARRIER, BCAST, FINALIZE = range(10)
RANK1 = 1 << 32


def ranks():
    """Two ranks: a late sender (400), a late receiver (150), waits in Init (20) and Barrier (90)."""
    rank0 = visit(0, 1120, MAIN,
                  *collective(0, 100, INIT, 17, 0, NONE, 0, 0),
                  *visit(100, 1000, SOLVE,
                         *visit(600, 610, SEND, (600, "MpiSend", 1, 0, 1, 1000)),
                         *visit(700, 900, SEND, (700, "MpiSend", 1, 0, 2, 4096))),
                  *collective(1000, 1012, BARRIER, 0, 0, NONE, 0, 0),
                  *collective(1012, 1020, BCAST, 1, 0, 0, 16, 8),
                  *visit(1100, 1120, FINALIZE))
    rank1 = visit(0, 1120, MAIN,
                  *collective(20, 100, INIT, 17, 0, NONE, 0, 0),
                  *visit(100, 906, SOLVE,
                         *visit(200, 612, RECV, (612, "MpiRecv", 0, 0, 1, 1000)),
                         *visit(850, 851, IRECV, (850, "MpiIrecvRequest", 7)),
                         *visit(860, 905, WAIT, (905, "MpiIrecv", 0, 0, 2, 4096, 7))),
                  *collective(910, 1012, BARRIER, 0, 0, NONE, 0, 0),
                  *collective(1014, 1022, BCAST, 1, 0, 0, 0, 8),
                  *visit(1100, 1120, FINALIZE))
    text, events = Texts(), {0: rank0, RANK1: rank1}
    made = head(text, 1120, ("MPI Rank 0", "MPI Rank 1"),
                ((0, "Master thread", 0), (RANK1, "Master thread", 1)), events)
    names = ("MPI_Init", "MPI_Send", "MPI_Recv", "MPI_Irecv", "MPI_Wait", "MPI_Barrier",
             "MPI_Bcast", "MPI_Finalize")
    made += [region(text, MAIN, "main", USER, file="main.c", line=7),
             region(text, SOLVE, "solve", USER, file="main.c", line=42)]
    made += [region(text, INIT + i, name, MPI) for i, name in enumerate(names)]
    made += [("Group", 0, text(""), 6, [(0,), (RANK1,)], 4, MPI, 0),
             ("Group", 1, text(""), 4, [(0,), (1,)], 5, MPI, 0),
             ("Comm", 0, text("MPI_COMM_WORLD"), 1, NONE, 0)]
    made += [("LocationGroupProperty", i, text("COMMAND_LINE"), NONE, 11, text("./solver in.dat"))
             for i in (0, 1)]
    return text.records() + made, events


def windows():
    """One-sided: rank 0 puts 100 bytes and gets 50; at the fence it waits 30 for rank 1."""
    fence = ("RmaCollectiveEnd", 0, 3, 0, NONE, 0, 0)
    rank0 = [*visit(0, 10, 0, (0, "RmaPut", 0, 1, 100, 1)), *visit(10, 20, 1, (10, "RmaGet", 0, 1, 50, 2)),
             *visit(50, 90, 2, (50, "RmaCollectiveBegin"), (90, *fence))]
    rank1 = visit(80, 90, 2, (80, "RmaCollectiveBegin"), (90, *fence))
    text, events = Texts(), {0: rank0, RANK1: rank1}
    made = head(text, 100, ("MPI Rank 0", "MPI Rank 1"),
                ((0, "Master thread", 0), (RANK1, "Master thread", 1)), events)
    made += [region(text, i, name, MPI) for i, name in
             enumerate(("MPI_Put", "MPI_Get", "MPI_Win_fence"))]
    made += [("Group", 0, text(""), 6, [(0,), (RANK1,)], 4, MPI, 0),
             ("Group", 1, text(""), 4, [(0,), (1,)], 5, MPI, 0),
             ("Comm", 0, text("MPI_COMM_WORLD"), 1, NONE, 0), ("RmaWin", 0, text("window"), 0, 0)]
    return text.records() + made, events


def lock(begin, got, end):
    """pthread_mutex_lock is region 2, pthread_mutex_unlock 3."""
    return [*visit(begin, got, 2, (got, "ThreadAcquireLock", PTHREAD, 5, 1)),
            *visit(end, end + 1, 3, (end, "ThreadReleaseLock", PTHREAD, 5, 1))]


def double(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def threads():
    """A team of three threads, a contended lock, two metrics, a file, and a flush."""
    team = [("ThreadTeamBegin", 1), ("ThreadTeamEnd", 1)]
    main = [(0, "Metric", 0, [(4, 100), (10, double(20.0))]),
            *visit(100, 910, 0, (100, "ThreadFork", OPENMP, 3), (110, *team[0]),
                   *visit(500, 900, 1), (900, *team[1]), (910, "ThreadJoin", OPENMP),
                   (910, "Metric", 0, [(4, 1100), (10, double(26.0))])),
            (1400, "IoCreateHandle", 0, 1, 0, 0),
            (1500, "IoOperationBegin", 0, 1, 0, 4096, 1),
            (1600, "IoOperationComplete", 0, 4096, 1),
            (1700, "IoOperationBegin", 0, 0, 0, 200, 2),
            (1750, "IoOperationComplete", 0, 100, 2),
            (1760, "IoOperationBegin", 0, 1, 0, 200, 3),
            (1770, "IoOperationComplete", 0, NONE64, 3),
            (1800, "BufferFlush", 1900), (1900, "Metric", 0, [(4, 1300), (10, double(23.0))])]
    one = [(50, "ThreadBegin", 0, 1), (120, *team[0]), *visit(700, 900, 1), (900, *team[1]),
           *lock(1000, 1000, 1300), (1900, "ThreadEnd", 0, 1)]
    two = [(50, "ThreadBegin", 0, 2), (110, *team[0]), *visit(890, 900, 1), (900, *team[1]),
           *lock(1100, 1310, 1400), (1900, "ThreadEnd", 0, 2)]
    text, events = Texts(), {0: main, 1: one, 2: two}
    made = head(text, 1900, ("Process 17 (app)",),
                ((0, "Master thread", 0), (1, "OMP thread 1", 0), (2, "OMP thread 2", 0)), events)
    made += [region(text, 0, "!$omp parallel", OPENMP, PARALLEL, "foo.c", 12),
             region(text, 1, "!$omp implicit barrier", OPENMP, IMPLICIT_BARRIER, "foo.c", 30),
             region(text, 2, "pthread_mutex_lock", PTHREAD),
             region(text, 3, "pthread_mutex_unlock", PTHREAD)]
    made += [("Group", 0, text(""), 6, [(0,), (1,), (2,)], 4, OPENMP, 0),
             ("Group", 1, text(""), 4, [(0,), (1,), (2,)], 5, OPENMP, 0),
             ("Group", 2, text(""), 6, [(0,), (1,), (2,)], 4, PTHREAD, 0),
             ("Group", 3, text(""), 4, [(0,), (1,), (2,)], 5, PTHREAD, 0),
             ("Comm", 0, text("threads"), 3, NONE, 0), ("Comm", 1, text("team"), 1, NONE, 0)]
    made += [("MetricMember", 0, text("PAPI_TOT_INS"), NONE, 1, 0, 4, 1, 3, text("#")),
             ("MetricMember", 1, text("temperature"), NONE, 0, 17, 10, 1, 0, text("C")),
             ("MetricClass", 0, [(0,), (1,)], 0, 1)]
    made += [("IoParadigm", 0, text("POSIX"), text("POSIX I/O"), 0, 1, []),
             ("IoRegularFile", 0, text("/scratch/out.dat"), 0),
             ("IoHandle", 0, text(""), 0, 0, 0, NONE, NONE)]
    return text.records() + made, events


def critical(begin, got, end):
    """A critical section, region 2."""
    return visit(begin, end, 2, (got, "ThreadAcquireLock", OPENMP, 3, 1),
                 (end, "ThreadReleaseLock", OPENMP, 3, 1))


def teams():
    """
    Two ranks, the first with a team of two as gcc makes them: the worker waits 91 for a lock and 50
    at the end, the other one 200 in the barrier, in which it runs a task for 50. Each rank puts as
    much as the other.
    """
    team = [("ThreadTeamBegin", 1), ("ThreadTeamEnd", 1)]
    main = [*visit(0, 100, 3), (100, "RmaPut", 0, 1, 100, 1),
            *visit(100, 700, 0, (100, "ThreadFork", OPENMP, 2), (100, *team[0]), *critical(100, 100, 200),
                   *visit(500, 700, 1, *visit(550, 600, 6)), (700, *team[1]), (700, "ThreadJoin", OPENMP)),
            *visit(700, 800, 4), *visit(900, 1000, 5)]
    worker = [(100, *team[0]), *critical(110, 201, 300), (650, *team[1])]
    other = [*visit(0, 100, 3), (100, "RmaPut", 0, 0, 100, 1), *visit(700, 800, 4), *visit(900, 1000, 5)]
    text, events = Texts(), {0: main, 1: worker, RANK1: other}
    made = head(text, 1000, ("MPI Rank 0", "MPI Rank 1"),
                ((0, "Master thread", 0), (1, "OMP thread 1", 0), (RANK1, "Master thread", 1)), events)
    made += [region(text, 0, "!$omp parallel @a.c:1", OPENMP, PARALLEL, "/src/a.c", 1),
             region(text, 1, "!$omp implicit barrier", OPENMP, IMPLICIT_BARRIER),
             region(text, 2, "!$omp critical", OPENMP)]
    made += [region(text, 3 + i, name, MPI) for i, name in
             enumerate(("MPI_Init", "MPI_Barrier", "MPI_Finalize"))]
    made += [region(text, 6, "!$omp task", OPENMP)]
    made += [("Group", 0, text(""), 6, [(0,), (RANK1,)], 4, MPI, 0),
             ("Group", 1, text(""), 4, [(0,), (1,)], 5, MPI, 0),
             ("Group", 2, text(""), 6, [(0,), (1,)], 4, OPENMP, 0),
             ("Group", 3, text(""), 4, [(0,), (1,)], 5, OPENMP, 0),
             ("Comm", 0, text("MPI_COMM_WORLD"), 1, NONE, 0), ("Comm", 1, text("team"), 3, NONE, 0),
             ("RmaWin", 0, text("window"), 0, 0)]
    return text.records() + made, events


def many():
    """64 ranks of two threads each that work 100, but for rank 37, whose first works 160."""
    text, events, locations = Texts(), {}, []
    for rank in range(64):
        first = rank << 32
        work = 160 if rank == 37 else 100
        events[first] = [*visit(0, work, 0), *visit(work, 200, 1)]
        events[first + 1] = visit(0, 200, 0)
        locations += [(first, "Master thread", rank), (first + 1, "Thread 1", rank)]
    made = head(text, 200, [f"MPI Rank {rank}" for rank in range(64)], locations, events)
    made += [region(text, 0, "work", USER), region(text, 1, "MPI_Barrier", MPI)]
    made += [("Group", 0, text(""), 6, [(rank << 32,) for rank in range(64)], 4, MPI, 0)]
    return text.records() + made, events


LONG = "ns::Solver<ns::Grid<double, 3>, ns::Policy<ns::Fast, ns::Wide>>::"


def names():
    """Regions with names of C++, two of which differ in their middle only, and of files."""
    text, stream = Texts(), []
    names = [LONG + "step(int)", "x" * 60 + "LEFT" + "y" * 60, "x" * 60 + "RIGHT" + "y" * 60,
             "LAMMPS_NS::Pair::PairLJCutCoulLongOutOfCore::compute(int, LAMMPS_NS::Atom const&) const",
             "(anonymous namespace)::outermost_scope_of_all::Table::operator()(int, int, int, int)",
             "/scratch/of/a/user/and/a/long/folder/results/step-000012.h5"]
    for i, _ in enumerate(names):
        stream += visit(100 * i, 100 * i + 100, i)
    events = {0: stream}
    made = head(text, 100 * len(names), ("app",), ((0, "main", 0),), events)
    made += [region(text, i, name, USER) for i, name in enumerate(names)]
    return text.records() + made, events


def counters():
    """A counter of great values: 2,345,678,901 in f, 10,000,000,000 in g, and 12 outside."""
    stream = [(0, "Metric", 0, [(4, 0)]), *visit(10, 20, 0, (20, "Metric", 0, [(4, 2345678901)])),
              *visit(20, 30, 1, (30, "Metric", 0, [(4, 12345678901)])), (40, "Metric", 0, [(4, 12345678913)])]
    text, events = Texts(), {0: stream}
    made = head(text, 40, ("app",), ((0, "main", 0),), events)
    made += [region(text, i, name, USER) for i, name in enumerate("fg")]
    made += [("MetricMember", 0, text("cycles"), NONE, 1, 0, 4, 1, 0, text("#")),
             ("MetricClass", 0, [(0,)], 0, 1)]
    return text.records() + made, events


def contexts():
    """No Enter and Leave but calling contexts: samples, and a function called twice in a row."""
    stream = [(0, "CallingContextSample", 1, NONE, 0), (100, "CallingContextSample", 2, NONE, 0),
              (150, "CallingContextEnter", 3, 1), (250, "CallingContextLeave", 3),
              (250, "CallingContextEnter", 3, 1), (300, "CallingContextLeave", 3),
              (400, "CallingContextSample", 1, NONE, 0)]
    text, events = Texts(), {0: stream}
    made = head(text, 400, ("app",), ((0, "main", 0),), events)
    made += [region(text, i, name, USER) for i, name in enumerate(("main", "work", "write"))]
    made += [("SourceCodeLocation", 0, text("a.c"), 3)]
    made += [("CallingContext", 0, 0, NONE, NONE), ("CallingContext", 1, 0, 0, NONE),
             ("CallingContext", 2, 1, NONE, 0), ("CallingContext", 3, 2, NONE, 2)]
    made += [("InterruptGenerator", 0, text("timer"), 0, 1, -3, 100)]
    return text.records() + made, events


def calling(text, places, *contexts):
    """Lines of code, and contexts as (region, line or NONE, caller or NONE)."""
    made = [("SourceCodeLocation", i, text("a.c"), line) for i, line in enumerate(places)]
    return made + [("CallingContext", i, *context) for i, context in enumerate(contexts)]


def sampled():
    """
    CPU time of 620 in 62 samples, 500 of it in `work`; a call of 200 in which the library is seen to
    work; the rest, of 2000 in all, without CPU time.
    """
    at = [(0, 0), *((time, 1) for time in range(10, 510, 10))]
    later = [*((time, 2) for time in range(720, 820, 10)), (2000, 0)]
    stream = [*((time, "CallingContextSample", context, NONE, 0) for time, context in at),
              (510, "CallingContextEnter", 3, 1),
              *((time, "CallingContextSample", 4, NONE, 0) for time in range(520, 700, 10)),
              (710, "CallingContextLeave", 3),
              *((time, "CallingContextSample", context, NONE, 0) for time, context in later)]
    text, events = Texts(), {0: stream}
    made = head(text, 2000, ("app",), ((0, "main", 0),), events)
    made += [region(text, i, name, SAMPLING) for i, name in enumerate(("main", "work", "helper"))]
    made += [region(text, 3, "MPI_Recv", MPI), region(text, 4, "opal_progress", SAMPLING)]
    made += calling(text, (3,), (0, 0, NONE), (1, 0, 0), (2, 0, 0), (3, NONE, 0), (4, NONE, 3))
    made += [("InterruptGenerator", 0, text("timer"), 0, 1, -3, 10)]
    return text.records() + made, events


def stacked():
    """
    Three calls: `main` goes on to another line after the first one, and calls `step` again; `step`
    goes on after the second.
    """
    stream = []
    for time, context in ((100, 2), (300, 5), (500, 7)):
        stream += [(time, "CallingContextEnter", context, 1),
                   (time + 10, "CallingContextLeave", context)]
    text, events = Texts(), {0: stream}
    made = head(text, 600, ("app",), ((0, "main", 0),), events)
    made += [region(text, i, name, SAMPLING) for i, name in enumerate(("main", "step"))]
    made += [region(text, 2, "MPI_Send", MPI)]
    made += calling(text, (10, 11, 5, 6), (0, 0, NONE), (1, 2, 0), (2, NONE, 1),
                    (0, 1, NONE), (1, 2, 3), (2, NONE, 4), (1, 3, 3), (2, NONE, 6))
    return text.records() + made, events


def faster():
    """What --diff compares with `contexts`: less work, no writing, some reading."""
    stream = [*visit(0, 200, 0, *visit(20, 80, 1), *visit(100, 140, 2))]
    text, events = Texts(), {0: stream}
    made = head(text, 200, ("app",), ((0, "main", 0),), events)
    made += [region(text, i, name, USER) for i, name in enumerate(("main", "work", "read"))]
    return text.records() + made, events


def memory():
    """
    Two processes: the memory of one grows to the end, that of the other one was more once. Some values
    are those of blocks, (whether it is taken, MiB, how many it stands for, place), of two places and none.
    """
    mib = 1 << 20
    values = {0: [(0, 4, 4, (True, 4, 0, None)), (900, 8, 8, (True, 2, 4, 0)), (1100, 12, 12, None),
                  (1300, 16, 16, (True, 4, 8, 0)), (1500, 20, 20, (False, 2, 4, 0)),
                  (1600, 16, 20, (True, 4, 0, 0)), (1700, 24, 24, None), (1800, 20, 24, (True, 4, 0, 0)),
                  (1900, 28, 29, None), (2000, 28, 29, None)],
              RANK1: [(0, 8, 8, (True, 8, 0, 1)), (300, 8, 8, (True, 2, 0, 1)),
                      (400, 30, 32, (True, 20, 0, 1)), (650, 6, 32, (False, 20, 0, 1)),
                      (700, 6, 32, (False, 6, 0, 1)), (2000, 6, 32, None)]}
    text = Texts()

    def attributes(time, is_taken, size, stands_for, place):
        found = [(1 if is_taken else 2, 4, size * mib)]
        found += [(3, 4, stands_for * mib)] if stands_for else []
        found += [(0, 21, place)] if place is not None else []
        return [(time, "Attributes", found)]

    events = {location: [event for time, held, peak, block in course
                         for event in (attributes(time, *block) if block else []) +
                         [(time, "Metric", 0, [(4, held * mib), (4, peak * mib)])]]
              for location, course in values.items()}
    made = head(text, 2000, ("MPI Rank 0", "MPI Rank 1"),
                ((0, "Memory", 0), (RANK1, "Memory", 1)),
                {location: values[location] for location in events})
    made += [("Attribute", i, text(name), kind, NONE) for i, (name, kind) in
             enumerate((("spur::call_site", 21), ("ALLOCATION_SIZE", 4), ("DEALLOCATION_SIZE", 4),
                        ("spur::stands_for", 4)))]
    made += [region(text, 0, "main", USER)] + calling(text, (20, 10), (0, 0, 1), (0, 1, NONE))
    made += [("MetricMember", 0, text("Host Memory"), NONE, 3, 17, 4, 1, 0, text("bytes")),
             ("MetricMember", 1, text("Host Memory Peak"), NONE, 3, 17, 4, 1, 0, text("bytes")),
             ("MetricClass", 0, [(0,), (1,)], 2, 0)]
    return text.records() + made, events


def odd():
    """Recursion, regions that are not left or not entered or not defined, names of all kinds."""
    stream = [*visit(0, 100, 0, *visit(10, 90, 0, *visit(20, 80, 1))),
              (100, "Enter", 1), (110, "Enter", 2), (150, "Leave", 1), (160, "Leave", 2),
              (170, "MpiSend", 9, 7, 0, 5), *visit(180, 190, 77),
              (200, "MeasurementOnOff", 2), (220, "MeasurementOnOff", 1), (230, "Enter", 2),
              (300, "MpiRecv", 0, 7, 1, 5)]
    text, events = Texts(), {3: stream}
    made = head(text, 300, ("",), ((3, "\x1b[31mred", 0),), events)
    made += [region(text, 0, "fib", USER), region(text, 1, "größe\"x\"", USER),
             region(text, 2, "A" * 60 + "::" + "B" * 60, USER)]
    return text.records() + made, events


def main():
    for make in (ranks, windows, threads, teams, many, names, counters, contexts, sampled, stacked,
                 faster, memory, odd):
        write_archive(os.path.join(sys.argv[1], make.__name__), *make())


if __name__ == "__main__":
    main()
