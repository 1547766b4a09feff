#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Archives of runs that were drawn: `report_random.py FOLDER SEED N` writes FOLDER/0/traces.otf2 ... with
all that spur report reads, in any order, and with many events of one time. What they tell makes no
sense; it is the same for any number of workers. Some are of processes that are no ranks: their threads
may be read by several workers.
"""

import os
import random
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from report_archives import (FUNCTION, MPI, NONE, OPENMP, PARALLEL, PTHREAD, SAMPLING,  # noqa: E402
                             USER, Texts, head, region, write_archive)

COMPILER, IMPLICIT_BARRIER = 2, 16
REGIONS = (("main", USER, FUNCTION), ("work", USER, FUNCTION), ("step", COMPILER, FUNCTION),
           ("MPI_Send", MPI, FUNCTION), ("MPI_Recv", MPI, FUNCTION), ("MPI_Wait", MPI, FUNCTION),
           ("MPI_Barrier", MPI, FUNCTION), ("MPI_Init", MPI, FUNCTION), ("MPI_Finalize", MPI, FUNCTION),
           ("pthread_mutex_lock", PTHREAD, FUNCTION), ("pthread_join", PTHREAD, FUNCTION),
           ("!$omp parallel", OPENMP, PARALLEL), ("!$omp implicit barrier", OPENMP, IMPLICIT_BARRIER),
           ("seen", SAMPLING, FUNCTION), ("deep", SAMPLING, FUNCTION))
CALLED = range(len(REGIONS) - 2)
CALLED_ALONE = [i for i in CALLED if REGIONS[i][1] != MPI]
UNDEFINED = 777
OPERATIONS = (0, 1, 2, 4, 8, 11, 13, 14, 17, 20)
STANDS = ("open", "waits", "posted", "sends", "comm", "peer", "tag")
SHIFT = 32


def double(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


class Location:
    def __init__(self, process, thread, rng):
        self.process = process
        self.number = process << SHIFT | thread
        self.time = rng.randrange(5)
        self.events = []
        self.stack = []
        self.teams = []
        self.forks = 0
        self.counter = 0


class Run:
    def __init__(self, rng):
        self.rng = rng
        self.has_ranks = rng.random() < 0.6
        self.n = rng.choice((1, 2, 3, 5, 9) if self.has_ranks else (1, 1, 1, 2, 3))
        self.locations = [Location(process, thread, rng) for process in range(self.n)
                          for thread in range(rng.choice((1, 1, 2, 4) if self.has_ranks else (1, 4, 8, 13)))]
        self.under_way = {process: [] for process in range(self.n)}
        self.requests = {process: [] for process in range(self.n)}
        self.is_odd = rng.random() < 0.15
        self.goes_back = rng.random() < 0.2
        self.has_gaps = rng.random() < (0.3 if self.has_ranks else 0.05)
        self.has_stands = rng.random() < (0.4 if self.has_ranks else 0.05)
        self.has_mpi = self.has_ranks or rng.random() < 0.1
        self.stops = {}  # when processes stop recording

    def put(self, at, *record):
        time = at.time
        if self.goes_back and self.rng.random() < 0.02:
            time = max(0, time - self.rng.randrange(4))
        at.events.append((time, *record))

    # ---- what a location can do ----

    def enter(self, at):
        at.stack.append(self.rng.choice(CALLED if self.has_mpi else CALLED_ALONE))
        if self.is_odd and self.rng.random() < 0.02:
            at.stack[-1] = UNDEFINED
        self.put(at, "Enter", at.stack[-1])

    def leave(self, at):
        if not at.stack:
            return
        if self.rng.random() < 0.02:
            self.put(at, "Leave", self.rng.randrange(3))
        else:
            self.put(at, "Leave", at.stack.pop())

    def mark(self, at):
        if self.has_gaps and self.rng.random() < 0.2:
            self.put(at, "ParameterUnsignedInt", self.rng.randrange(2),
                     self.rng.choice((0, 1, 2, 2**64 - 1)))

    def send(self, at):
        to, tag, size = self.rng.randrange(self.n), self.rng.randrange(2), self.rng.randrange(100)
        if self.rng.random() < 0.02:
            to = self.n + 3
        self.mark(at)
        if self.rng.random() < 0.5:
            self.put(at, "MpiSend", to, 0, tag, size)
        else:
            request = self.rng.randrange(100)
            self.put(at, "MpiIsend", to, 0, tag, size, request)
            self.requests[at.process].append(("MpiIsendComplete", request))
        if to < self.n:
            self.under_way[to].append((at.process, 0, tag, size))

    def receive(self, at):
        pending = self.under_way[at.process]
        rank, comm, tag, size = (self.rng.randrange(self.n), 0, self.rng.randrange(2), 3)
        if pending and self.rng.random() < 0.9:
            rank, comm, tag, size = pending.pop(0)
        self.mark(at)
        if self.rng.random() < 0.6:
            self.put(at, "MpiRecv", rank, comm, tag, size)
            return
        request = self.rng.randrange(100)
        self.put(at, "MpiIrecvRequest", request)
        self.requests[at.process].append(("MpiIrecv", rank, comm, tag, size, request))

    def complete(self, at):
        requests = self.requests[at.process]
        if not requests:
            return
        record = requests.pop(self.rng.randrange(len(requests)))
        if self.rng.random() < 0.05 and record[0].startswith("MpiI"):
            record = ("MpiRequestCancelled", record[-1])
        self.put(at, *record)

    def collective(self, at):
        comm = self.rng.choice((0, 1))
        if comm == 1 and at.process >= 2:
            comm = 0
        operation = (self.rng.choice(OPERATIONS), comm, self.rng.choice((0, 1, NONE)), 8, 16)
        kind = self.rng.random()
        self.mark(at)
        if kind < 0.6:
            if self.rng.random() < 0.8:
                self.put(at, "MpiCollectiveBegin")
                at.time += self.rng.randrange(3)
            self.put(at, "MpiCollectiveEnd", *operation)
        elif kind < 0.8:
            request = self.rng.randrange(100)
            self.put(at, "NonBlockingCollectiveRequest", request)
            self.requests[at.process].append(("NonBlockingCollectiveComplete", *operation, request))
        else:
            self.put(at, "RmaCollectiveBegin")
            self.put(at, "RmaCollectiveEnd", operation[0], 3, 0, *operation[2:])

    def access(self, at):
        to = self.rng.randrange(self.n + 1)
        self.put(at, *self.rng.choice((("RmaPut", 0, to, 100, 1), ("RmaGet", 0, to, 50, 2),
                                       ("RmaAtomic", 0, to, 4, 8, 8, 3))))

    def lock(self, at):
        model = self.rng.choice((PTHREAD, OPENMP))
        self.put(at, self.rng.choice(("ThreadAcquireLock", "ThreadReleaseLock")), model,
                 self.rng.randrange(3), 1)

    def team(self, at):
        kind = self.rng.random()
        if kind < 0.25:
            self.put(at, "ThreadFork", OPENMP, 2)
            at.forks += 1
        elif kind < 0.5 and at.forks:
            self.put(at, "ThreadJoin", OPENMP)
            at.forks -= 1
        elif kind < 0.8:
            self.put(at, "ThreadTeamBegin", 2)
            at.teams.append(2)
        elif at.teams:
            self.put(at, "ThreadTeamEnd", at.teams.pop())

    def file(self, at):
        handle, number = self.rng.randrange(4), self.rng.randrange(6)
        self.put(at, *self.rng.choice((
            ("IoCreateHandle", handle, 1, 0, 0), ("IoSeek", handle, 10, 0, 10),
            ("IoOperationBegin", handle, self.rng.randrange(3), 0, 4096, number),
            ("IoOperationComplete", handle, 4096, number), ("IoOperationCancelled", handle, number))))

    def metric(self, at):
        at.counter += self.rng.randrange(1000)
        self.put(at, "Metric", 0, [(4, at.counter), (10, double(self.rng.random()))])
        if self.rng.random() < 0.3:
            self.sample(at)

    def sample(self, at):
        self.put(at, "CallingContextSample", self.rng.randrange(5), NONE, 0)

    def context(self, at):
        context = self.rng.randrange(5)
        self.put(at, "CallingContextEnter", context, 1)
        if self.rng.random() < 0.5:
            at.time += self.rng.randrange(3)
            self.put(at, "CallingContextLeave", context)

    def off(self, at):
        self.put(at, "MeasurementOnOff", self.rng.choice((1, 2)))

    def flush(self, at):
        self.put(at, "BufferFlush", at.time + self.rng.randrange(3))

    # ---- all of it ----

    def stand(self, at):
        """Where the location stood when it was seen last; see report_stands.h."""
        self.put(at, "ParameterInt", 2, 1)
        self.put(at, "ParameterInt", 3, self.rng.randrange(9))
        for _ in range(self.rng.randrange(1, 3)):
            self.put(at, "ParameterInt", 4, self.rng.randrange(100))
            for parameter, values in ((5, (0, 1)), (6, (0, 1)), (7, range(-1, self.n)), (8, (-1, 0, 1))):
                self.put(at, "ParameterInt", parameter, self.rng.choice(values))

    def make(self, n):
        actions = ((self.enter, 8), (self.leave, 8), (self.send, 4), (self.receive, 4),
                   (self.complete, 4), (self.collective, 2), (self.access, 1), (self.lock, 2),
                   (self.team, 2), (self.file, 2), (self.metric, 1), (self.sample, 1),
                   (self.context, 1), (self.off, 0.1), (self.flush, 0.2))
        if not self.has_mpi:
            of_mpi = (self.send, self.receive, self.complete, self.collective, self.access)
            actions = [action for action in actions if action[0] not in of_mpi]
        kinds, weights = zip(*actions)
        for _ in range(n):
            at = self.rng.choice(self.locations)
            at.time += self.rng.choice((0, 0, 1, 2, 5))
            self.rng.choices(kinds, weights)[0](at)
        for at in self.locations if self.has_stands else ():
            at.time += 300
            self.stand(at)

    def definitions(self):
        text = Texts()
        length = max(at.time for at in self.locations) + 1
        locations = [(at.number, f"thread {at.number & 7}", at.process) for at in self.locations]
        self.rng.shuffle(locations)
        made = head(text, length, [f"MPI Rank {i}" for i in range(self.n)], locations,
                    {at.number: at.events for at in self.locations})
        made += [region(text, i, name, paradigm, role) for i, (name, paradigm, role)
                 in enumerate(REGIONS)]
        if self.has_ranks:
            made.append(("Group", 0, text(""), 6, [(i << SHIFT,) for i in range(self.n)], 4, MPI, 0))
        made += [("Group", 1, text(""), 4, [(i,) for i in range(self.n)], 5, MPI, 0),
                 ("Group", 2, text(""), 4, [(i,) for i in range(min(2, self.n))], 5, MPI, 0),
                 ("Comm", 0, text("MPI_COMM_WORLD"), 1, NONE, 0), ("Comm", 1, text("two"), 2, NONE, 0),
                 ("Comm", 2, text("team"), 1, NONE, 0), ("RmaWin", 0, text("window"), 0, 0)]
        made += [("MetricMember", 0, text("PAPI_TOT_INS"), NONE, 1, 0, 4, 1, 3, text("#")),
                 ("MetricMember", 1, text("temperature"), NONE, 0, 17, 10, 1, 0, text("C")),
                 ("MetricClass", 0, [(0,), (1,)], 0, 1)]
        made += [("SourceCodeLocation", 0, text("a.c"), 3), ("SourceCodeLocation", 1, text("a.c"), 4),
                 ("CallingContext", 0, 13, 0, NONE), ("CallingContext", 1, 14, 1, 0),
                 ("CallingContext", 2, 1, NONE, 0), ("CallingContext", 3, 4, NONE, 1),
                 ("CallingContext", 4, 14, 0, 3),
                 ("InterruptGenerator", 0, text("timer"), 0, 1, -3, 10)]
        made += [("IoParadigm", 0, text("POSIX"), text("POSIX I/O"), 0, 1, []),
                 ("IoRegularFile", 0, text("/scratch/out.dat"), 0)]
        made += [("IoHandle", i, text(f"handle {i}"), NONE if i == 2 else 0, 0, 0, NONE, NONE)
                 for i in range(3)]
        made += [("Parameter", 0, text("MPI ordinal"), 2), ("Parameter", 1, text("MPI not recorded"), 2)]
        if self.has_stands:
            made += [("Parameter", 2 + i, text("spur::" + name), 1) for i, name in enumerate(STANDS)]
        made += [("LocationGroupProperty", process, text("SPUR::STOPPED_AT"), NONE, 4, time)
                 for process, time in self.stops.items()]
        if self.has_gaps:
            dropped = text("SPUR::DROPPED_EVENTS")
            made += [("LocationProperty", self.locations[0].number, dropped, NONE, 4, 7)]
        return text.records() + made


def main():
    folder, seed, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
    for i in range(n):
        run = Run(random.Random(f"{seed} {i}"))
        run.make(200 * len(run.locations))
        write_archive(os.path.join(folder, str(i)), run.definitions(),
                      {at.number: at.events for at in run.locations})


if __name__ == "__main__":
    main()
