# SPDX-License-Identifier: BSD-3-Clause
"""
The efficiencies of a run, by brute force: the events by the reference library's Python module, and
the run on the ideal network by repeating all its dependencies until no time changes any more.
"""

import collections

import otf2
from otf2 import events as ev

RULES = {"BCAST": "root", "SCATTER": "root", "REDUCE": "root for all", "GATHER": "root for all",
         "SCAN": "lower", "EXSCAN": "lower"}


class RankModel:
    def __init__(self):
        self.stack, self.nodes, self.requests = [], [], {}
        self.last, self.work, self.begin, self.end = None, 0, None, None
        self.outside = 0
        self.counts, self.last_counts = [0, 0], [0, 0]
        self.has_counts = False

    def is_working(self):
        return self.begin is not None and self.end is None and not (self.stack and self.stack[-1])

    def advance(self, time):
        if self.is_working():
            self.work += time - self.last
            self.outside += time - self.last
        self.last = time

    def node(self, kind, key):
        self.nodes.append((self.work, kind, key))
        self.work = 0


class Model:
    """Of one archive, in ticks."""

    def __init__(self, archive):
        self.ranks = collections.defaultdict(RankModel)
        self.counted = collections.Counter()
        with otf2.reader.open(archive) as trace:
            self.world = [m for group in trace.definitions.groups
                          if group.group_type == otf2.GroupType.COMM_LOCATIONS
                          and group.paradigm == otf2.Paradigm.MPI for m in group.members]
            for location, event in trace.events:
                if location in self.world:
                    self.event(self.world.index(location), event)
        self.time = {i: rank.end - rank.begin for i, rank in self.ranks.items()}
        self.runtime = max(self.time.values())
        self.works = [rank.outside for rank in self.ranks.values()]
        self.ideal = self.replay()

    def members(self, comm):
        return [self.world.index(getattr(m, "location", m)) if not isinstance(m, int) else m
                for m in comm.group.members]

    def number(self, *key):
        self.counted[key] += 1
        return (*key, self.counted[key])

    def event(self, index, event):
        rank = self.ranks[index]
        if isinstance(event, ev.Metric):
            values = list(event.values)
            gained = [value - last for value, last in zip(values, rank.last_counts)]
            rank.last_counts = values
            rank.has_counts = True
            if rank.is_working():
                rank.counts = [a + b for a, b in zip(rank.counts, gained)]
        rank.advance(event.time)
        if isinstance(event, ev.Enter):
            if event.region.name == "MPI_Finalize":
                rank.end = event.time
            rank.stack.append(event.region.paradigm == otf2.Paradigm.MPI)
        elif isinstance(event, ev.Leave):
            rank.stack.pop()
            if event.region.name == "MPI_Init":
                rank.begin = event.time
        elif rank.begin is not None and rank.end is None:
            self.depend(rank, index, event)

    def depend(self, rank, index, event):
        if isinstance(event, (ev.MpiSend, ev.MpiIsend)):
            to = self.members(event.communicator)[event.receiver]
            rank.node("send", self.number("message", event.communicator, event.msg_tag, index, to, "sent"))
        elif isinstance(event, (ev.MpiRecv, ev.MpiIrecv)):
            sender = self.members(event.communicator)[event.sender]
            key = self.number("message", event.communicator, event.msg_tag, sender, index, "received")
            rank.node("receive", (*key[:5], "sent", key[6]))
        elif isinstance(event, ev.NonBlockingCollectiveRequest):
            rank.node("mark", ("request", index, event.request_id))
        elif isinstance(event, (ev.MpiCollectiveEnd, ev.NonBlockingCollectiveComplete)):
            self.meet(rank, index, event)

    def meet(self, rank, index, event):
        blocks = isinstance(event, ev.MpiCollectiveEnd)
        members = self.members(event.communicator)
        member = members.index(index)
        kind = str(event.collective_op).rpartition(".")[2]
        number = self.number("meeting", event.communicator, blocks, member)[-1]
        mark = None if blocks else ("request", index, event.request_id)
        rank.node("meet", ((event.communicator, blocks, number), member, len(members), RULES.get(kind, "all"),
                           event.root, mark))

    def replay(self):
        begins, before = {}, None
        while before != begins:
            before = dict(begins)
            ends = [self.pass_once(rank, begins) for rank in self.ranks.values()]
        return max(ends)

    def pass_once(self, rank, begins):
        """The ideal time of a rank, from what is known of the begins of others."""
        time = rank.begin
        for work, kind, key in rank.nodes:
            time += work
            if kind in ("send", "mark"):
                begins[key] = time
            elif kind == "receive":
                time = max(time, begins.get(key, 0))
            else:
                meeting, member, size, rule, root, mark = key
                begins[meeting, member] = begins[mark] if mark else time
                wanted = {"all": range(size), "root": [root], "lower": range(member + 1)}
                everybody = range(size) if member == root else []
                for other in everybody if rule == "root for all" else wanted[rule]:
                    time = max(time, begins.get((meeting, other), 0))
        return time + rank.work - rank.begin

    def figures(self):
        n, most = len(self.works), max(self.works)
        mean = sum(self.works) / n
        made = {"runtime": self.runtime / 1000, "work": sum(self.works) / 1000,
                "parallel_efficiency": 100 * mean / self.runtime, "mpi_efficiency": 100 * mean / self.runtime,
                "load_balance": 100 * mean / most, "communication_efficiency": 100 * most / self.runtime,
                "serialisation": 100 * most / self.ideal, "transfer": 100 * self.ideal / self.runtime}
        if all(rank.has_counts for rank in self.ranks.values()):
            instructions = sum(rank.counts[0] for rank in self.ranks.values())
            cycles = sum(rank.counts[1] for rank in self.ranks.values())
            made.update(instructions=instructions, ipc=instructions / cycles,
                        frequency=cycles / made["work"] / 1e9)
        return made
