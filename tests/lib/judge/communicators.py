# SPDX-License-Identifier: BSD-3-Clause
"""Who is in which communicator, and the life of communicators."""

from judge import otf2_tables as tables
from judge.otf2_read import UNDEFINED32


class Communicators:
    """Resolves ranks in communicators to ranks in the world of the process."""

    def __init__(self, archive, verdict):
        self.archive, self.verdict = archive, verdict
        self.world = []     # location of each world rank
        self.groups = {}    # group id -> world ranks, None for COMM_SELF
        self.members = {}   # comm id -> (ranks of group A, ranks of group B or None)
        self.flags = {}
        for name, values in archive.definitions:
            if name == "Group" and values["paradigm"] == tables.PARADIGM_MPI:
                self._add_group(values)
            elif name == "Comm" and values["group"] in self.groups:
                self.members[values["self"]] = (self.groups[values["group"]], None)
                self.flags[values["self"]] = values.get("flags", 0)
            elif name == "InterComm":
                self.members[values["self"]] = (self.groups.get(values["groupA"], []),
                                                self.groups.get(values["groupB"], []))
                self.flags[values["self"]] = values["flags"]
        self.rank_of = {location >> 32: rank for rank, location in enumerate(self.world)}
        self.gaps = set()  # processes that have switched recording off
        self.life = {}      # (comm, process) -> [create time, destroy time]
        self.uses = {}      # (comm, process) -> [first use, last use]
        self.handlers = {"CommCreate": self.create, "CommDestroy": self.destroy}

    def _add_group(self, values):
        number, kind = values["self"], values["groupType"]
        if kind == tables.GROUP_COMM_LOCATIONS:
            self.world = values["members"]
        elif kind == tables.GROUP_COMM_GROUP:
            is_all = values["groupFlags"] & tables.GROUP_GLOBAL_MEMBERS
            # Members that cannot be are a fault of the definitions, reported there.
            self.groups[number] = list(range(len(self.world))) if is_all else \
                [member for member in values["members"] if member < len(self.world)]
        elif kind == tables.GROUP_COMM_SELF:
            self.groups[number] = None

    def label(self, comm):
        return f'comm {comm} "{self.archive.name_of("Comm", comm) or ""}"'

    def sides(self, process, comm):
        """(ranks of the own group, ranks of the group that peers are counted in)."""
        if comm not in self.members:
            return None
        mine, (group_a, group_b) = self.rank_of.get(process), self.members[comm]
        if mine is None:
            return None
        if group_b is None:
            group = [mine] if group_a is None else group_a
            return (group, group) if mine in group else None
        if mine in group_a:
            return group_a, group_b
        return (group_b, group_a) if mine in group_b else None

    def everybody(self, comm):
        """World ranks of all members, both groups; None for COMM_SELF."""
        group_a, group_b = self.members[comm]
        return None if group_a is None else group_a + (group_b or [])

    def peer(self, stream, comm, rank):
        """World rank of a peer; reports what cannot be."""
        sides = self.sides(stream.process, comm)
        if sides is None:
            self.verdict.fault("communicators", f"{stream.label} #{stream.index}: not a member of"
                                                f" {self.label(comm)}")
            return None
        if rank >= len(sides[1]):
            self.verdict.fault("ranks", f"{stream.label} #{stream.index}: rank {rank} of"
                                        f" {len(sides[1])} in {self.label(comm)}")
            return None
        return sides[1][rank]

    def used(self, stream, comm, time):
        """Something was started in the communicator."""
        span = self.uses.setdefault((comm, stream.process), [time, time])
        span[0], span[1] = min(span[0], time), max(span[1], time)

    def create(self, stream, time, values):
        self._event(stream, time, values[0], 0)

    def destroy(self, stream, time, values):
        self._event(stream, time, values[0], 1)

    def _event(self, stream, time, comm, which):
        what = ("CommCreate", "CommDestroy")[which]
        life = self.life.setdefault((comm, stream.process), [None, None])
        if life[which] is not None:
            self.verdict.fault("communicators", f"{stream.label}: a second {what} of"
                                                f" {self.label(comm)}")
        life[which] = time
        if comm in self.members and self.sides(stream.process, comm) is None:
            self.verdict.fault("communicators", f"{stream.label}: {what} of {self.label(comm)} by"
                                                " a stranger")
        if not self.flags.get(comm, 0) & tables.COMM_CREATE_DESTROY_EVENTS:
            self.verdict.fault("communicators", f"{stream.label}: {what} of {self.label(comm)},"
                                                " whose flags say that there is none")
        if which == 0:
            self._check_parent(stream, comm)

    def _check_parent(self, stream, comm):
        name, values = self.archive.spaces["Comm"].get(comm, (None, {}))
        parent = values.get("parent" if name == "Comm" else "commonCommunicator", UNDEFINED32)
        if parent == comm:
            self.verdict.fault("communicators", f"{stream.label}: {self.label(comm)} is its own"
                                                " parent")

    def finish(self, allow_unfinished):
        for (comm, process), (created, destroyed) in self.life.items():
            if created is None and process in self.gaps:
                continue
            if created is None or destroyed is not None and destroyed < created:
                self.verdict.fault("communicators", f"process {process}: {self.label(comm)} is"
                                                    " destroyed and was not created")
        for (comm, process), (first, last) in self.uses.items():
            created, destroyed = self.life.get((comm, process), (None, None))
            if not self.flags.get(comm, 0) & tables.COMM_CREATE_DESTROY_EVENTS \
                    or created is None and process in self.gaps:
                continue
            if created is None or first < created:
                self.verdict.fault("communicators", f"process {process}: {self.label(comm)} is"
                                                    " used before CommCreate")
            if destroyed is not None and last > destroyed:
                self.verdict.fault("communicators", f"process {process}: {self.label(comm)} is"
                                                    " used after CommDestroy")
        if not allow_unfinished:
            self._check_members()

    def _check_members(self):
        """What one member creates, all create."""
        for comm in {comm for comm, _ in self.life}:
            everybody = self.everybody(comm) if comm in self.members else None
            for rank in everybody or ():
                process = self.world[rank] >> 32
                if self.life.get((comm, process), [None])[0] is None and process not in self.gaps:
                    self.verdict.fault("communicators", f"process {process}: no CommCreate of"
                                                        f" {self.label(comm)}")
