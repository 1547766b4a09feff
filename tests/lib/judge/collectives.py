# SPDX-License-Identifier: BSD-3-Clause
"""Rules about collective operations: the same sequence on all members of a communicator."""

from judge import otf2_tables as tables

HANDLE_OPERATIONS = range(tables.COLLECTIVES.index("CREATE_HANDLE"), len(tables.COLLECTIVES))
# Nobody leaves one of these before the last one has entered.
SYNCHRONISING = {tables.COLLECTIVES.index(name) for name in ("BARRIER", "ALLREDUCE")}
ROOTED = {tables.COLLECTIVES.index(name)
          for name in ("BCAST", "GATHER", "GATHERV", "SCATTER", "SCATTERV", "REDUCE")}
ROOT_NONE, ROOT_SELF, ROOT_THIS_GROUP = tables.ROOTS
# A parameter of this name in front of a record: what it tells of has failed.
FAILED = "MPI error class"


class Operation:
    """One member's part in a collective operation."""

    __slots__ = ("begin", "end", "operation", "root", "sent", "received", "is_blocking",
                 "has_failed")

    def __init__(self, begin, end, values, is_blocking, has_failed):
        self.begin, self.end, self.is_blocking = begin, end, is_blocking
        self.has_failed = has_failed
        self.operation, _, self.root, self.sent, self.received = values[:5]

    def name(self):
        number = self.operation
        text = tables.COLLECTIVES[number] if number < len(tables.COLLECTIVES) else str(number)
        return text if self.is_blocking else "I" + text


class CollectiveRules:
    """Collects operations by communicator and process; compares them at the end."""

    def __init__(self, archive, verdict, comms, allow_unfinished):
        self.archive, self.verdict, self.comms = archive, verdict, comms
        self.allow_unfinished = allow_unfinished
        self.done = {}  # (comm, series or None) -> {process: [((begin time, location, index), Operation)]}
        self.handlers = {"MpiCollectiveBegin": self.begin, "MpiCollectiveEnd": self.end}

    def begin(self, stream, time, _values):
        if stream.collective is not None:
            self.verdict.fault("collectives", f"{stream.label} #{stream.index}: Begin in Begin")
        stream.collective = (time, stream.index, len(stream.stack), stream.entered[-1:])

    def end(self, stream, time, values):
        if stream.collective is None:
            self.verdict.fault("collectives", f"{stream.label} #{stream.index}: End without Begin")
            return
        begin, index, depth, entered = stream.collective
        stream.collective = None
        if depth != len(stream.stack) or entered != stream.entered[-1:]:
            self.verdict.fault("collectives", f"{stream.label} #{stream.index}: Begin and End in"
                                              " different regions")
        if values[0] not in HANDLE_OPERATIONS:
            self.comms.used(stream, values[1], time)
        operation = Operation(begin, time, values, True, FAILED in stream.marks)
        self._add(stream, (begin, stream.location, index), operation, values[1])

    def completed(self, stream, request, time, values, has_failed):
        order = (request.time, request.location, request.index)
        self._add(stream, order, Operation(request.time, time, values, False, has_failed), values[1],
                  request.series)

    def _add(self, stream, order, operation, comm, series=None):
        sides = self.comms.sides(stream.process, comm)
        if sides is None:
            self.verdict.fault("collectives", f"{stream.label}: {operation.name()} in"
                                              f" {self.comms.label(comm)}, not a member")
            return
        if operation.operation >= len(tables.COLLECTIVES):
            self.verdict.fault("collectives", f"{stream.label}: operation {operation.operation}")
        if operation.root not in tables.ROOTS and operation.root >= len(sides[1]):
            self.verdict.fault("ranks", f"{stream.label}: root {operation.root} of"
                                        f" {len(sides[1])} in {self.comms.label(comm)}")
        if (operation.operation in ROOTED) != (operation.root != ROOT_NONE):
            self.verdict.fault("collectives", f"{stream.label}: {operation.name()} with root"
                                              f" {operation.root}")
        self.done.setdefault((comm, series), {}).setdefault(stream.process, []).append((order, operation))

    def finish(self):
        for (comm, _), by_process in self.done.items():
            everybody = self.comms.everybody(comm)
            if everybody is None:
                continue
            rows = {}
            for rank in everybody:
                process = self.comms.world[rank] >> 32
                rows[rank] = [op for _, op in sorted(by_process.get(process, []),
                                                     key=lambda entry: entry[0])]
            self._compare(comm, rows)

    def _compare(self, comm, rows):
        label = self.comms.label(comm)
        lengths = {len(row) for row in rows.values()}
        if self.comms.gaps:
            return
        if len(lengths) > 1 and not self.allow_unfinished:
            counts = {rank: len(row) for rank, row in rows.items()}
            self.verdict.fault("collectives", f"{label}: operations by rank {_few(counts)}")
        for number in range(min(lengths)):
            members = {rank: row[number] for rank, row in rows.items()}
            names = {op.name() for op in members.values()}
            if len(names) > 1:
                self.verdict.fault("collectives", f"{label} number {number}: "
                                   + str(_few({r: op.name() for r, op in members.items()})))
                return
            self._compare_one(comm, f"{label} number {number} {names.pop()}", members)

    def _compare_one(self, comm, label, members):
        is_inter = self.comms.members[comm][1] is not None
        roots = {op.root for op in members.values()}
        if len(roots) > 1 and not is_inter:
            self.verdict.fault("collectives", f"{label}: roots {sorted(roots)[:8]}")
        if is_inter and roots != {ROOT_NONE}:
            self._check_inter_roots(comm, label, members)
        if any(op.has_failed for op in members.values()):
            return
        sent = sum(op.sent for op in members.values())
        received = sum(op.received for op in members.values())
        if sent != received:
            self.verdict.fault("collectives", f"{label}: {sent} bytes sent, {received} received")
        sample = next(iter(members.values()))
        if sample.operation in SYNCHRONISING and sample.is_blocking and not is_inter \
                and (sent or sample.operation == 0):
            first_end = min(op.end for op in members.values())
            last_begin = max(op.begin for op in members.values())
            if first_end < last_begin:
                self.verdict.fault("collectives", f"{label}: left {last_begin - first_end} ticks"
                                                  " before the last one entered")

    def _check_inter_roots(self, comm, label, members):
        """One group has one SELF and THIS_GROUP for the others; the other group names its rank."""
        group_a, group_b = self.comms.members[comm]
        for own, other in ((group_a, group_b), (group_b, group_a)):
            selves = [i for i, rank in enumerate(own) if members[rank].root == ROOT_SELF]
            if selves:
                rest = {members[rank].root for i, rank in enumerate(own) if i != selves[0]}
                named = {members[rank].root for rank in other}
                if len(selves) > 1 or rest - {ROOT_THIS_GROUP} or named != {selves[0]}:
                    self.verdict.fault("collectives", f"{label}: roots {selves}, {sorted(rest)},"
                                                      f" {sorted(named)}")
                return
        self.verdict.fault("collectives", f"{label}: no root names itself")


def _few(counts):
    return dict(list(counts.items())[:8])
