#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Causes of waiting and the critical path against a model: `report_causes.py BUILD [N]` draws N runs (60) of
ranks that compute, send, receive and meet, on all ranks and on some, in calls that wait for one thing and for
several, and of calls that communicate with nobody, and writes them as archives. A receive from any rank has
the record of any other. A table says for each rank and tick what it does there; spur report is compared with
what follows from it. The seed is printed; SPUR_TEST_SEED sets it.
"""

import collections
import fractions
import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from report_named import named  # noqa: E402
from report_archives import (FUNCTION, MPI, NONE, USER, Texts, head, region, visit, write_archive)  # noqa: E402

WORK = ("assemble", "flux", "solve")
CALLS = ("MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv", "MPI_Wait", "MPI_Barrier", "MPI_Bcast",
         "MPI_Reduce", "MPI_Scan", "MPI_Waitall", "MPI_Sendrecv", "MPI_Ibarrier", "MPI_Win_fence",
         "MPI_Neighbor_alltoall")
LOCAL = "MPI_Comm_size"
REGIONS = ("main", *WORK, *CALLS, LOCAL)
POINT2POINT = 28
OPERATIONS = {"MPI_Barrier": 0, "MPI_Bcast": 1, "MPI_Reduce": 12, "MPI_Scan": 14, "MPI_Win_fence": 0,
              "MPI_Neighbor_alltoall": 8}
PROGRAM, START = "(program)", "(start)"
TICKS = 1000  # a second
Activity = collections.namedtuple("Activity", "region after")
Wait = collections.namedtuple("Wait", "rank begin end other call")


class Rank:
    """What it does in each tick, from its first event on."""

    def __init__(self, number, first, is_wrapped, has_roles):
        self.number, self.first, self.has_roles = number, first, has_roles
        self.outside = "main" if is_wrapped else PROGRAM
        self.ticks = []
        self.waiting = set()
        self.released = {}  # the end of a wait: who ended it
        self.after = ""
        self.calls_mpi = False
        self.events = []

    @property
    def now(self):
        return self.first + len(self.ticks)

    def spend(self, name, until):
        activity = Activity(name, "" if name in (*CALLS, LOCAL) else self.after)
        self.ticks += [activity] * (until - self.now)

    def compute(self, name, ticks):
        begin = self.now
        self.spend(name or self.outside, begin + ticks)
        if name:
            self.events += visit(begin, self.now, REGIONS.index(name))

    def call(self, name, end, *inside):
        self.events += visit(self.now, end, REGIONS.index(name), *inside)
        self.spend(name, end)
        self.calls_mpi = True
        if name in CALLS or not self.has_roles:
            self.after = name

    def at(self, tick):
        """What the tick that ends at a time was spent on."""
        index = tick - 1 - self.first
        return self.ticks[index] if index >= 0 else Activity(START, "")


class Run:
    def __init__(self, rng):
        self.rng = rng
        self.waits = []
        self.tag = 0
        is_wrapped = rng.random() < 0.5
        starts = rng.choice((0, 0, 15))
        self.has_roles = rng.random() < 0.8  # of regions: else nobody knows which calls communicate
        self.ranks = [Rank(i, rng.randrange(starts + 1), is_wrapped, self.has_roles)
                      for i in range(rng.randrange(2, 7))]
        self.slow = rng.choice(self.ranks)
        self.some = sorted(rng.sample(self.ranks, rng.randrange(2, len(self.ranks) + 1)),
                           key=lambda rank: rank.number)  # have a communicator of their own
        for rank in self.ranks:
            rank.spend(rank.outside, rank.now + rng.randrange(1, 10))
        for _ in range(rng.randrange(5, 40)):
            rng.choice((self.work, self.work, self.message, self.message, self.posted, self.meet,
                        self.gathered, self.exchange, self.started))()
        for rank in self.ranks:
            rank.spend(rank.outside, rank.now + rng.randrange(1, 10))
        self.first = min(rank.first for rank in self.ranks)
        self.last = max(rank.now for rank in self.ranks)

    def little(self, most=6):
        return self.rng.randrange(1, most)

    def wait(self, rank, begin, end, other, call):
        if end > begin:
            self.waits.append(Wait(rank.number, begin, end, other.number, call))
            rank.waiting |= set(range(begin + 1, end + 1))
            assert end not in rank.released
            rank.released[end] = other.number

    def waits_for(self, rank, begin, ends, call):
        """Several at once, [(when it is over, who ends it)]: each part is the next one's."""
        for end, other in sorted(ends, key=lambda end: (end[0], end[1].number)):
            self.wait(rank, begin, end, other, call)
            begin = max(begin, end)

    # ---- what ranks do ----

    def work(self):
        for rank in self.rng.sample(self.ranks, self.rng.randrange(1, len(self.ranks) + 1)):
            ticks = self.little(30) * (4 if rank is self.slow and self.rng.random() < 0.5 else 1)
            rank.compute(self.rng.choice((None, *WORK)), ticks)
            if self.rng.random() < 0.3:
                rank.call(LOCAL, rank.now + self.little())
                rank.compute(self.rng.choice((None, *WORK)), self.little(20))

    def message(self):
        """A send that waits for its receive, or does not."""
        sender, receiver = self.rng.sample(self.ranks, 2)
        sent, posted = sender.now, receiver.now
        self.tag += 1
        returned = (sent if self.rng.random() < 0.5 else max(sent, posted)) + self.little()
        received = max(sent, posted) + self.little()
        sender.call("MPI_Send", returned, (sent, "MpiSend", receiver.number, 0, self.tag, 8))
        receiver.call("MPI_Recv", received, (received, "MpiRecv", sender.number, 0, self.tag, 8))
        self.wait(receiver, posted, sent, sender, "MPI_Recv")
        if posted < returned:
            self.wait(sender, sent, posted, receiver, "MPI_Send")

    def posted(self):
        """Both ends at once; waiting is in MPI_Wait."""
        sender, receiver = self.rng.sample(self.ranks, 2)
        self.tag += 1
        tag, sent, posted = self.tag, sender.now, receiver.now
        sender.call("MPI_Isend", sent + self.little(),
                    (sent, "MpiIsend", receiver.number, 0, tag, 8, tag))
        receiver.call("MPI_Irecv", posted + self.little(), (posted, "MpiIrecvRequest", tag))
        for rank in (sender, receiver):
            if self.rng.random() < 0.7:
                rank.compute(self.rng.choice((None, *WORK)), self.little(20))
        begin, asked = sender.now, receiver.now
        over = max(begin, posted) + self.little()
        received = max(asked, sent) + self.little()
        sender.call("MPI_Wait", over, (over, "MpiIsendComplete", tag))
        receiver.call("MPI_Wait", received, (received, "MpiIrecv", sender.number, 0, tag, 8, tag))
        self.wait(receiver, asked, sent, sender, "MPI_Wait")
        self.wait(sender, begin, posted, receiver, "MPI_Wait")

    def gathered(self):
        """Receives from several ranks, and one call that waits for all of them."""
        receiver, *senders = self.rng.sample(self.ranks, self.rng.randrange(2, min(len(self.ranks), 4) + 1))
        requests, ends = [], []
        for sender in senders:
            self.tag += 1
            requests.append((sender, self.tag, receiver.now))
            receiver.call("MPI_Irecv", receiver.now + self.little(),
                          (receiver.now, "MpiIrecvRequest", self.tag))
        asked = receiver.now
        for sender, tag, posted in requests:
            sent = sender.now
            returned = (sent if self.rng.random() < 0.5 else max(sent, posted)) + self.little()
            sender.call("MPI_Send", returned, (sent, "MpiSend", receiver.number, 0, tag, 8))
            ends.append((sent, sender))
            if posted < returned:
                self.wait(sender, sent, posted, receiver, "MPI_Send")
        over = max(asked, *(sent for sent, _ in ends)) + self.little()
        receiver.call("MPI_Waitall", over, *((over, "MpiIrecv", sender.number, 0, tag, 8, tag)
                                             for sender, tag, _ in requests))
        self.waits_for(receiver, asked, ends, "MPI_Waitall")

    def exchange(self):
        """In a ring: each sends to the next one and receives from the one before, in one call."""
        ring = self.rng.sample(self.ranks, self.rng.randrange(2, len(self.ranks) + 1))
        entered = [rank.now for rank in ring]
        left = [max(time, entered[i - 1]) + self.little() for i, time in enumerate(entered)]
        tags = range(self.tag + 1, self.tag + 1 + len(ring))
        self.tag += len(ring)
        for i, rank in enumerate(ring):
            after = (i + 1) % len(ring)
            rank.call("MPI_Sendrecv", left[i], (entered[i], "MpiSend", ring[after].number, 0, tags[i], 8),
                      (left[i], "MpiRecv", ring[i - 1].number, 0, tags[i - 1], 8))
            ends = [(entered[i - 1], ring[i - 1])]
            if entered[after] < left[i]:
                ends.append((entered[after], ring[after]))
            self.waits_for(rank, entered[i], ends, "MPI_Sendrecv")

    def started(self):
        """A barrier that ranks begin, do something else, and wait for."""
        comm, members = self.team()
        self.tag += 1
        begun = [rank.now for rank in members]
        for rank in members:
            rank.call("MPI_Ibarrier", rank.now + self.little(),
                      (rank.now, "NonBlockingCollectiveRequest", self.tag))
            if self.rng.random() < 0.7:
                rank.compute(self.rng.choice((None, *WORK)), self.little(20))
        ends = [max(rank.now, *begun) + self.little() for rank in members]
        last = min(range(len(members)), key=lambda i: (-begun[i], ends[i], members[i].number))
        for rank, end in zip(members, ends):
            asked = rank.now
            rank.call("MPI_Wait", end, (end, "NonBlockingCollectiveComplete", 0, comm, NONE, 8, 8, self.tag))
            self.wait(rank, asked, begun[last], members[last], "MPI_Wait")

    def team(self):
        """A communicator and its members."""
        return self.rng.choice(((0, self.ranks), (1, self.some)))

    def meet(self):
        name = self.rng.choice(tuple(OPERATIONS))
        comm, members = self.team()
        if name == "MPI_Win_fence":
            comm, members = 0, self.ranks
        root = self.rng.randrange(len(members))
        arrived = [rank.now for rank in members]
        needs = [self.needed(name, i, root, len(members)) for i in range(len(members))]
        ends = [max(arrived[k] for k in [i, *needs[i]]) + self.little() for i in range(len(members))]
        number = root if name in ("MPI_Bcast", "MPI_Reduce") else NONE
        # Of those that came last at the same time, the first by rank; where all are waited for, the
        # first that was through.
        order = (lambda i: (-arrived[i], i)) if name == "MPI_Scan" else (lambda i: (-arrived[i], ends[i], i))
        for i, rank in enumerate(members):
            rank.call(name, ends[i], *self.operation(name, comm, number, arrived[i], ends[i]))
            others = [k for k in needs[i] if k != i]
            if others:
                last = min([*others, i] if name != "MPI_Bcast" else others, key=order)
                self.wait(rank, arrived[i], arrived[last], members[last], name)

    @staticmethod
    def operation(name, comm, root, begin, end):
        if name == "MPI_Win_fence":
            return (begin, "RmaCollectiveBegin"), (end, "RmaCollectiveEnd", 0, 3, 0, root, 8, 8)
        return (begin, "MpiCollectiveBegin"), (end, "MpiCollectiveEnd", OPERATIONS[name], comm, root, 8, 8)

    @staticmethod
    def needed(name, member, root, size):
        if name == "MPI_Bcast":
            return [] if member == root else [root]
        if name == "MPI_Neighbor_alltoall" or (name == "MPI_Reduce" and member != root):
            return []
        return list(range(member if name == "MPI_Scan" else size))

    # ---- the archive ----

    def archive(self):
        text, events = Texts(), {}
        for rank in self.ranks:
            first, last = rank.first, rank.now
            if rank.outside == "main":
                events[rank.number << 32] = visit(first, last, 0, *rank.events)
            else:
                mark = (("ParameterInt", 0, 1),) * 2
                events[rank.number << 32] = [(first, *mark[0]), *rank.events, (last, *mark[1])]
        numbers = [rank.number for rank in self.ranks]
        made = head(text, self.last, [f"MPI Rank {i}" for i in numbers],
                    [(i << 32, "Master thread", i) for i in numbers], events)
        made += [region(text, i, name, MPI if name in (*CALLS, LOCAL) else USER,
                        POINT2POINT if self.has_roles and name in CALLS else FUNCTION)
                 for i, name in enumerate(REGIONS)]
        made += [("Group", 0, text(""), 6, [(i << 32,) for i in numbers], 4, MPI, 0),
                 ("Group", 1, text(""), 4, [(i,) for i in numbers], 5, MPI, 0),
                 ("Group", 2, text(""), 4, [(rank.number,) for rank in self.some], 5, MPI, 0),
                 ("Comm", 0, text("MPI_COMM_WORLD"), 1, NONE, 0), ("Comm", 1, text("some"), 2, 0, 0),
                 ("RmaWin", 0, text("window"), 0, 0), ("Parameter", 0, text("mark"), 0)]
        return text.records() + made, events


class Model:
    """A tick of a rank needs the tick before; where a wait ends, that of the rank that has ended it."""

    def __init__(self, run):
        self.run = run
        self.costs = collections.defaultdict(fractions.Fraction)  # (rank, activity, is direct)
        self.critical = collections.Counter()  # (rank, activity)
        for wait in run.waits:
            self.charge(wait)
        last = min(rank.number for rank in run.ranks if rank.now == run.last)
        for rank, activity in self.chain(last, run.last):
            self.critical[(rank, activity)] += 1
        longest = self.longest(last)
        assert sum(self.critical.values()) == run.last - run.first
        assert sum(n for (_, a), n in self.critical.items() if a.region != START) <= longest

    def place(self, rank, tick):
        """Where that time comes from."""
        while tick in self.run.ranks[rank].released:
            rank = self.run.ranks[rank].released[tick]
        return rank

    def chain(self, rank, tick, floor=None):
        floor = self.run.first if floor is None else floor
        while tick > floor:
            rank = self.place(rank, tick)
            yield rank, self.run.ranks[rank].at(tick)
            tick -= 1

    def meeting(self, wait):
        """The last time before the wait at which both chains are at one rank, or the beginning."""
        early = self.positions(wait.rank, wait.begin)
        late = self.positions(wait.other, wait.end)
        for tick in range(wait.begin, self.run.first, -1):
            if early[tick] == late[tick]:
                return tick
        return self.run.first

    def positions(self, rank, tick):
        found = {}
        while tick >= self.run.first:
            rank = self.place(rank, tick)
            found[tick] = rank
            tick -= 1
        return found

    def charge(self, wait):
        floor = self.meeting(wait)
        late, early = (collections.Counter(self.chain(rank, tick, floor))
                       for rank, tick in ((wait.other, wait.end), (wait.rank, wait.begin)))
        more, of_activity = collections.Counter(), collections.Counter()
        ticks_of = collections.Counter()
        for (_, activity), ticks in late.items():
            more[activity.region] += ticks
            of_activity[activity] += ticks
            ticks_of[activity] += ticks
        for (_, activity), ticks in early.items():
            more[activity.region] -= ticks
            of_activity[activity] -= ticks
        assert sum(more.values()) == wait.end - wait.begin
        whole = sum(ticks for ticks in more.values() if ticks > 0)
        parts = collections.Counter()
        for activity, ticks in of_activity.items():
            parts[activity.region] += max(0, ticks)
        for (rank, activity), ticks in late.items():
            if more[activity.region] > 0 and of_activity[activity] > 0:
                cost = fractions.Fraction(wait.end - wait.begin) * more[activity.region] / whole
                cost = cost * of_activity[activity] / parts[activity.region]
                self.costs[(rank, activity, rank == wait.other, wait.rank, wait.call)] += (
                    cost * ticks / ticks_of[activity])

    def longest(self, last):
        """The longest way through all ticks that were not spent waiting, up to the last event."""
        length = {}
        for tick in range(self.run.first, self.run.last + 1):
            fresh = {}
            for rank in self.run.ranks:
                if tick < rank.first or tick > rank.now:
                    continue
                before = length.get(rank.number, 0)
                fresh[rank.number] = before if tick in rank.waiting or tick == rank.first else before + 1
            for _ in self.run.ranks:
                for rank in self.run.ranks:
                    other = rank.released.get(tick)
                    if other is not None:
                        fresh[rank.number] = max(fresh[rank.number], fresh[other])
            length = {**length, **fresh}
        return length[last]

    # ---- as the report has it ----

    def causes(self):
        """{(process, region, after): {column: ticks}}, those that cost something."""
        found, waited = {}, collections.Counter()
        for (rank, activity, is_direct, *waiter), cost in self.costs.items():
            key = (f"rank {rank}", *activity)
            row = found.setdefault(key, collections.defaultdict(fractions.Fraction))
            row["cost"] += cost
            row["direct" if is_direct else "propagated"] += cost
            waited[(*key, *waiter)] += cost
            row["waited"] = max(row["waited"], waited[(*key, *waiter)])
        for (process, *activity), row in found.items():
            row.update(self.behind(int(process.split()[1]), Activity(*activity)))
        return found

    def behind(self, rank, activity):
        """{column: ticks} of the rank in a region behind one call."""
        run, row = self.run, {"critical": self.critical[(rank, activity)]}
        own = {one.number: sum(tick not in one.waiting and one.at(tick) == activity
                               for tick in range(one.first + 1, one.now + 1)) for one in run.ranks}
        others = [one.number for one in run.ranks if one.calls_mpi and one.number != rank]
        row["time"], row["others"], row["gain"] = own[rank], None, 0
        if activity.region != START:
            row["others"] = fractions.Fraction(sum(own[other] for other in others), len(others))
            if row["time"] > row["others"]:
                row["gain"] = row["critical"] * (1 - row["others"] / row["time"])
        return row


class Judge:
    def __init__(self, label):
        self.label, self.faults = label, 0

    def same(self, what, got, want):
        if (got is None) != (want is None) or (got is not None and abs(got * TICKS - want) > 1e-6):
            print(f"FAULT: {self.label}: {what} is {got}, not {want} ticks")
            self.faults += 1

    def judge(self, model, sections):
        want = model.causes()
        got = {(row["process"], row["region"], row["after"]): row for row in sections["causes"]}
        if sorted(want) != sorted(got):
            print(f"FAULT: {self.label}: causes {sorted(got)}, not {sorted(want)}")
            self.faults += 1
        for key in sorted(set(want) & set(got)):
            for column in ("cost", "direct", "propagated", "critical", "time", "others", "gain", "waited"):
                if column != "time" or key[1] != START:
                    self.same(f"{column} of {key}", got[key][column], want[key][column])
        self.path(model, sections)

    def path(self, model, sections):
        ranks, regions = collections.Counter(), collections.Counter()
        for (rank, activity), ticks in model.critical.items():
            ranks[f"rank {rank}"] += ticks
            regions[activity.region] += ticks
        for section, want, name in (("critical_processes", ranks, "process"),
                                    ("critical_regions", regions, "region")):
            got = {row[name]: row["critical"] for row in sections[section]}
            for key in sorted(set(want) | set(got)):
                self.same(f"{section} of {key}", got.get(key), want.get(key))


def draw(place, rng):
    """Writes an archive. Returns its place, and the run."""
    run = Run(random.Random(rng.randrange(10**9)))
    write_archive(place, *run.archive())
    return place, run


def budget(build, report, folder):
    """With too little memory there are no causes but a remark, without any there is none either."""
    faults, place = 0, os.path.join(folder, "many")
    subprocess.run([os.path.join(build, "tests", "fixture-many"), place, "4", "40000"],
                   stdout=subprocess.DEVNULL, check=True)
    for mib, has_causes, has_remark in ((1, False, True), (0, False, False), (64, True, False)):
        for threads in "1", "3":
            words = [report, "--json", "--threads", threads, "--causes", str(mib), place]
            told = json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)
            found = [bool(told["sections"]["causes"]), bool(told["sections"]["critical_regions"]),
                     any("--causes MIB" in remark for remark in told["remarks"])]
            if found != [has_causes, has_causes, has_remark]:
                print(f"FAULT: --causes {mib}, {threads} threads: {found}")
                faults += 1
    return faults


def main():
    build, n = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60
    seed = os.environ.get("SPUR_TEST_SEED", str(random.SystemRandom().randrange(10**6)))
    print("seed", seed)
    report = os.path.join(build, "libexec", "spur", "spur-report")
    rng, faults, waits = random.Random(seed), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(n):
            place, run = draw(os.path.join(folder, str(number)), rng)
            words = [report, "--json", "--by", "causes,critical", "--threads", rng.choice("123"), place]
            told = subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout
            sections = json.loads(told)["sections"]
            judge = Judge(f"run {number}")
            if run.waits:
                judge.judge(Model(run), sections)
            elif any(sections.values()):
                print(f"FAULT: run {number}: nobody waits, but there are causes")
                faults += 1
            faults += judge.faults
            waits += len(run.waits)
        faults += named(report, folder) + budget(build, report, folder)
    print(waits, "waits")
    if n >= 20 and waits < n:
        print("FAULT: hardly anybody waits")
        faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
