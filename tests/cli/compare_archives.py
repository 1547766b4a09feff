# SPDX-License-Identifier: BSD-3-Clause
"""
Runs of ranks whose every time was chosen: Run lets ranks work, send and meet, and writes what a trace
of that would hold. A tick is a millisecond.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from report_archives import (FUNCTION, MPI, NONE, OPENMP, PARALLEL, USER, Texts, head,  # noqa: E402
                             region, visit, write_archive)

SHIFT = 32
NAMES = ("solve", "MPI_Init", "MPI_Finalize", "MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv",
         "MPI_Wait", "MPI_Barrier", "MPI_Allreduce", "MPI_Bcast", "MPI_Reduce", "MPI_Scan",
         "MPI_Ibarrier", "MPI_Iallreduce", "!$omp parallel", "!$omp implicit barrier", "extra",
         "MPI_Neighbor_alltoall")
NUMBER = {name: number for number, name in enumerate(NAMES)}
# name: the operation in the archive, and for whom its members wait
OPERATIONS = {"MPI_Barrier": (0, "all"), "MPI_Bcast": (1, "root"), "MPI_Allreduce": (11, "all"),
              "MPI_Reduce": (12, "root for all"), "MPI_Scan": (14, "lower"),
              "MPI_Ibarrier": (0, "all"), "MPI_Iallreduce": (11, "all"),
              "MPI_Neighbor_alltoall": (8, "nobody")}


def needed(rule, member, root, begins):
    """The begins for which a member of an operation waits."""
    if rule == "all" or (rule == "root for all" and member == root):
        return list(begins.values())
    if rule == "root":
        return [begins[root]]
    return [begin for other, begin in begins.items() if other <= member] if rule == "lower" else []


class Rank:
    def __init__(self, begin):
        self.time = begin
        self.events = []
        self.counts = [0, 0]
        self.request = 0


class Run:
    """`begins`: when ranks leave MPI_Init. `rates`: instructions and cycles that work takes by tick."""

    def __init__(self, n, begins=None, rates=None, command="./solver in.dat"):
        self.n, self.rates, self.command = n, rates, command
        self.ranks = [Rank(0) for _ in range(n)]
        self.extra = {}
        self.teams = False
        self.comms = [list(range(n))]
        self.under_way = []
        for rank, end in enumerate(begins or [10] * n):
            self.call(rank, "MPI_Init", end)

    def metric(self, rank):
        at = self.ranks[rank]
        if self.rates:
            at.events.append((at.time, "Metric", 0, [(4, count) for count in at.counts]))

    def enter(self, rank, name):
        self.metric(rank)
        self.ranks[rank].events.append((self.ranks[rank].time, "Enter", NUMBER[name]))

    def leave(self, rank, name):
        self.metric(rank)
        self.ranks[rank].events.append((self.ranks[rank].time, "Leave", NUMBER[name]))

    def call(self, rank, name, end, *records):
        """Up to `end`; records stand at their begin, or behind the end where they are said to."""
        at = self.ranks[rank]
        self.enter(rank, name)
        at.events += [(at.time, *record) for record in records]
        at.time = max(end, at.time)
        if self.rates:
            at.counts = [count + 7 * (at.time % 5) for count in at.counts]
        self.leave(rank, name)

    def finish_call(self, rank, name, end, *records):
        at = self.ranks[rank]
        self.enter(rank, name)
        at.time = max(end, at.time)
        at.events += [(at.time, *record) for record in records]
        self.leave(rank, name)

    def work(self, rank, ticks, name=None):
        at = self.ranks[rank]
        if name:
            self.enter(rank, name)
        at.time += ticks
        if self.rates:
            at.counts = [count + rate * ticks for count, rate in zip(at.counts, self.rates)]
        if name:
            self.leave(rank, name)

    def send(self, sender, receiver, took, tag=1, comm=0, is_blocking=True, size=8):
        members = self.comms[comm]
        begin = self.ranks[sender].time
        to = members.index(receiver)
        if is_blocking:
            self.call(sender, "MPI_Send", begin + took, ("MpiSend", to, comm, tag, size))
        else:
            self.ranks[sender].request += 1
            self.call(sender, "MPI_Isend", begin + took,
                      ("MpiIsend", to, comm, tag, size, self.ranks[sender].request))
        return begin

    def receive(self, sender, receiver, sent, took, tag=1, comm=0, work=None, size=8):
        """With `work` behind an MPI_Irecv it completes in an MPI_Wait."""
        at, member = self.ranks[receiver], self.comms[comm].index(sender)
        if work is None:
            self.finish_call(receiver, "MPI_Recv", max(at.time, sent + took),
                             ("MpiRecv", member, comm, tag, size))
            return
        at.request += 1
        request = at.request
        self.call(receiver, "MPI_Irecv", at.time + 1, ("MpiIrecvRequest", request))
        self.work(receiver, work)
        self.finish_call(receiver, "MPI_Wait", max(at.time, sent + took),
                         ("MpiIrecv", member, comm, tag, size, request))

    def meet(self, name, took, comm=0, root=0, works=None):
        """An operation of all members; `works` between begin and completion where it does not block."""
        operation, rule = OPERATIONS[name]
        members = self.comms[comm]
        begins = {member: self.ranks[rank].time for member, rank in enumerate(members)}
        record = (operation, comm, root if "root" in rule else NONE, 8, 8)
        for member, rank in enumerate(members):
            at = self.ranks[rank]
            end = max([begins[member], *needed(rule, member, root, begins)]) + took
            if works is None:
                self.enter(rank, name)
                at.events.append((at.time, "MpiCollectiveBegin"))
                at.time = end
                at.events.append((at.time, "MpiCollectiveEnd", *record))
                self.leave(rank, name)
                continue
            at.request += 1
            request = at.request
            self.call(rank, name, at.time, ("NonBlockingCollectiveRequest", request))
            self.work(rank, works[member])
            self.finish_call(rank, "MPI_Wait", max(at.time, end),
                             ("NonBlockingCollectiveComplete", *record, request))

    def team(self, rank, busy, end, threads):
        """A parallel region up to `end` from now, in which the threads are so long busy."""
        at = self.ranks[rank]
        begin = at.time
        self.teams = True
        for thread in range(threads):
            events = at.events if not thread else self.extra.setdefault(rank << SHIFT | thread, [])
            middle = begin + busy[thread]
            barrier = visit(middle, begin + end, NUMBER["!$omp implicit barrier"])
            inside = [(begin, "ThreadTeamBegin", 1), *barrier, (begin + end, "ThreadTeamEnd", 1)]
            if not thread:
                inside = [(begin, "Enter", NUMBER["!$omp parallel"]), (begin, "ThreadFork", OPENMP, threads),
                          *inside, (begin + end, "ThreadJoin", OPENMP),
                          (begin + end, "Leave", NUMBER["!$omp parallel"])]
            events += inside
        at.time = begin + end

    def write(self, folder):
        for rank in range(self.n):
            self.call(rank, "MPI_Finalize", self.ranks[rank].time + 5)
        events = {rank << SHIFT: self.ranks[rank].events for rank in range(self.n)}
        events.update(self.extra)
        text = Texts()
        made = head(text, max(rank.time for rank in self.ranks), [f"MPI Rank {i}" for i in range(self.n)],
                    [(i, f"thread {i & 7}", i >> SHIFT) for i in sorted(events)], events)
        for number, name in enumerate(NAMES):
            kind = {"!$omp parallel": (OPENMP, PARALLEL), "!$omp implicit barrier": (OPENMP, 16)}
            usual = (MPI if "MPI" in name else USER, FUNCTION)
            made.append(region(text, number, name, *kind.get(name, usual)))
        made.append(("Group", 0, text(""), 6, [(i << SHIFT,) for i in range(self.n)], 4, MPI, 0))
        made += [("Group", 1 + i, text(""), 4, [(rank,) for rank in members], 5, MPI, 0)
                 for i, members in enumerate(self.comms)]
        made += [("Comm", i, text(f"comm {i}"), 1 + i, NONE, 0) for i in range(len(self.comms))]
        if self.teams:
            ids = sorted(events)
            made += [("Group", 8, text(""), 6, [(i,) for i in ids], 4, OPENMP, 0),
                     ("Group", 9, text(""), 4, [(i,) for i in range(len(ids))], 5, OPENMP, 0)]
            made.append(("Comm", 1, text("team"), 9, NONE, 0))
        if self.rates:
            made += [("MetricMember", i, text(name), NONE, 1, 0, 4, 1, 0, text("#"))
                     for i, name in enumerate(("PAPI_TOT_INS", "PAPI_TOT_CYC"))]
            made.append(("MetricClass", 0, [(0,), (1,)], 0, 1))
        made += [("LocationGroupProperty", i, text("COMMAND_LINE"), NONE, 11, text(self.command))
                 for i in range(self.n)]
        write_archive(folder, text.records() + made, events)
        return folder


def draw(rng, n):
    """A run of n ranks with what comes to mind."""
    run = Run(n, [rng.randrange(5, 60) for _ in range(n)], rng.choice((None, (11, 17))))
    if n > 2:
        run.comms.append(sorted(rng.sample(range(n), rng.randrange(2, n))))
    for _ in range(rng.randrange(5, 40)):
        for rank in range(n):
            if rng.random() < 0.7:
                run.work(rank, rng.choice((0, 1, 5, 40, 200)), rng.choice((None, "solve", "extra")))
        comm = rng.randrange(len(run.comms))
        members = run.comms[comm]
        kind = rng.random()
        if kind < 0.5 and len(members) > 1:
            messages = []
            for _ in range(rng.randrange(1, 5)):
                sender, receiver = rng.sample(members, 2)
                tag = rng.randrange(2)
                sent = run.send(sender, receiver, rng.randrange(1, 30), tag, comm, rng.random() < 0.5)
                messages.append((sender, receiver, sent, tag))
            for sender, receiver, sent, tag in messages:
                run.receive(sender, receiver, sent, rng.randrange(0, 50), tag, comm,
                            rng.choice((None, None, 0, 20)))
        elif kind < 0.85:
            name = rng.choice([name for name, (_, rule) in OPERATIONS.items()
                               if "MPI_I" not in name and rule != "nobody"])
            run.meet(name, rng.randrange(0, 30), comm, rng.randrange(len(members)))
        else:
            run.meet(rng.choice(("MPI_Ibarrier", "MPI_Iallreduce")), rng.randrange(0, 30), comm,
                     works=[rng.choice((0, 10, 80)) for _ in members])
    for rank in range(n):
        run.work(rank, rng.randrange(1, 90))
    return run
