# SPDX-License-Identifier: BSD-3-Clause
"""Rules about MPI records: requests, messages, collectives, communicators."""

from judge.collectives import FAILED, CollectiveRules
from judge.communicators import Communicators

# Matched probes fix the message before the receive is posted: order then says nothing.
UNORDERED = ("MPI_Mrecv", "MPI_Imrecv")
SEND_DONE, RECEIVE_DONE, COLLECTIVE_DONE = "MpiIsendComplete", "MpiIrecv", \
    "NonBlockingCollectiveComplete"
DONE_BY = {"MpiIsend": SEND_DONE, "MpiIrecvRequest": RECEIVE_DONE,
           "NonBlockingCollectiveRequest": COLLECTIVE_DONE}


# The same of a message in partitions, and of a start of a persistent operation.
PARTITIONS, SERIES = "MPI partitions", "MPI persistent collective"


class AnySize(int):
    """Of a receive that was too short for its message."""


def any_size(stream, size):
    return AnySize(size) if FAILED in stream.marks else size


class Request:
    """One use of a request id within a process."""

    __slots__ = ("kind", "time", "location", "index", "region", "end", "end_time", "message",
                 "series", "is_partitioned")

    def __init__(self, kind, time, stream):
        self.kind, self.time, self.location, self.index = kind, time, stream.location, stream.index
        self.region = stream.stack[-1] if stream.stack else None
        self.end = self.end_time = self.message = None
        self.series = stream.marks.get(SERIES)
        self.is_partitioned = PARTITIONS in stream.marks


class MpiRules:
    """
    Collects while the locations are read one after the other, and judges at the end: a request
    may be completed by another thread than the one that started it.
    """

    def __init__(self, archive, verdict, allow_unfinished):
        self.archive, self.verdict = archive, verdict
        self.allow_unfinished = allow_unfinished
        self.comms = Communicators(archive, verdict)
        self.collectives = CollectiveRules(archive, verdict, self.comms, allow_unfinished)
        self.requests = {}  # process -> {id: Request}
        self.ends = []      # (process, id, record, time, location, message or None)
        self.tests = []     # (process, id, time)
        self.sends = {}     # (comm, from, to, tag, is partitioned) -> [(order, time, bytes, location)]
        self.receives = {}
        self.isends = []
        self.unordered = {number for number, (_, values) in archive.spaces["Region"].items()
                          if archive.string(values["name"]) in UNORDERED}
        self.errors = {}    # location -> ticks
        self.loose = set()  # channels whose messages need not come in order
        self.handlers = {
            "MpiSend": self.send, "MpiIsend": self.isend, "MpiRecv": self.recv,
            "MpiIrecvRequest": self._starter("MpiIrecvRequest"),
            "NonBlockingCollectiveRequest": self._starter("NonBlockingCollectiveRequest"),
            "MpiIrecv": self.irecv, "MpiIsendComplete": self.isend_complete,
            "NonBlockingCollectiveComplete": self.collective_complete,
            "MpiRequestTest": self.test, "MpiRequestCancelled": self.cancelled,
            **self.collectives.handlers, **self.comms.handlers}

    def gap(self, process):
        """The process does not record everything: what it lacks is no fault of its partners'."""
        self.comms.gaps.add(process)

    # ---- records ----

    def _channel(self, stream, comm, peer, tag, is_send):
        """(comm, sender, receiver, tag) in world ranks; None when that cannot be told."""
        other = self.comms.peer(stream, comm, peer)
        if other is None:
            return None
        mine = self.comms.rank_of.get(stream.process)
        return (comm, mine, other, tag, False) if is_send else (comm, other, mine, tag, False)

    def send(self, stream, time, values):
        receiver, comm, tag, size = values
        self.comms.used(stream, comm, time)
        channel = self._channel(stream, comm, receiver, tag, True)
        if channel:
            self.sends.setdefault(channel, []).append(
                ((time, stream.index), time, size, stream.location))

    def isend(self, stream, time, values):
        receiver, comm, tag, size, number = values
        self.comms.used(stream, comm, time)
        request = self._new_request("MpiIsend", number, stream, time)
        channel = self._channel(stream, comm, receiver, tag, True)
        request.message = (self._as_started(request, channel), size)
        self.isends.append(request)

    def recv(self, stream, time, values):
        sender, comm, tag, size = values
        self.comms.used(stream, comm, time)
        channel = self._channel(stream, comm, sender, tag, False)
        if channel:
            posted = stream.entered[-1] if stream.entered else stream.index
            if stream.stack and stream.stack[-1] in self.unordered:
                self.loose.add(channel)
            self.receives.setdefault(channel, []).append(
                (posted, time, any_size(stream, size), stream.location))

    def _starter(self, kind):
        return lambda stream, time, values: self._new_request(kind, values[0], stream, time)

    def _new_request(self, kind, number, stream, time):
        known = self.requests.setdefault(stream.process, {})
        if number in known:
            self.verdict.fault("requests", f"{stream.label} #{stream.index}: {kind} uses request"
                                           f" {number} again")
        request = known[number] = Request(kind, time, stream)
        return request

    def irecv(self, stream, time, values):
        sender, comm, tag, size, number = values
        channel = self._channel(stream, comm, sender, tag, False)
        self.ends.append((stream.process, number, RECEIVE_DONE, time, stream,
                          (channel, any_size(stream, size))))

    def isend_complete(self, stream, time, values):
        self.ends.append((stream.process, values[0], SEND_DONE, time, stream, None))

    def collective_complete(self, stream, time, values):
        self.ends.append((stream.process, values[5], COLLECTIVE_DONE, time, stream,
                          (values, FAILED in stream.marks)))

    def cancelled(self, stream, time, values):
        self.ends.append((stream.process, values[0], "MpiRequestCancelled", time, stream, None))

    def test(self, stream, time, values):
        self.tests.append((stream.process, values[0], time))

    # ---- judgement ----

    def finish(self):
        self._finish_requests()
        for request in self.isends:
            channel, size = request.message
            if channel and request.end != "MpiRequestCancelled":
                self.sends.setdefault(channel, []).append(
                    ((request.time, request.index), request.time, size, request.location))
        for channel in sorted(set(self.sends) | set(self.receives)):
            self._match(channel, self.sends.get(channel, []), self.receives.get(channel, []))
        self.collectives.finish()
        self.comms.finish(self.allow_unfinished)

    def _finish_requests(self):
        for process, number, record, time, stream, content in self.ends:
            request = self.requests.get(process, {}).get(number)
            if request is None:
                self.verdict.fault("requests", f"{stream.label}: {record} of request {number},"
                                               " never started")
                continue
            if request.end:
                self.verdict.fault("requests", f"{stream.label}: {record} of request {number},"
                                               f" already ended by {request.end}")
            if record not in (DONE_BY[request.kind], "MpiRequestCancelled"):
                self.verdict.fault("requests", f"{stream.label}: {record} ends {request.kind}"
                                               f" {number}")
            if time < request.time:
                self.verdict.fault("requests", f"{stream.label}: {record} of request {number}"
                                               f" {request.time - time} ticks before its start")
            request.end, request.end_time = record, time
            if record == RECEIVE_DONE and content[0]:
                self._received(request, time, *content)
            elif record == COLLECTIVE_DONE:
                self.collectives.completed(stream, request, time, *content)
        self._finish_tests()

    def _received(self, request, time, channel, size):
        if request.region in self.unordered:
            self.loose.add(channel)
        channel = self._as_started(request, channel)
        self.receives.setdefault(channel, []).append((request.index, time, size, request.location))

    @staticmethod
    def _as_started(request, channel):
        return channel and channel[:4] + (request.is_partitioned,)

    def _finish_tests(self):
        for process, number, time in self.tests:
            request = self.requests.get(process, {}).get(number)
            if request is None or time < request.time or \
                    request.end_time is not None and time > request.end_time:
                self.verdict.fault("requests", f"process {process}: test of request {number}"
                                               " outside of its life")
        for process, known in self.requests.items():
            for number, request in known.items():
                if request.end is None and not self.allow_unfinished \
                        and process not in self.comms.gaps:
                    self.verdict.fault("requests", f"process {process}: {request.kind} {number}"
                                                   " is never completed")

    def _match(self, channel, sends, receives):
        comm, sender, receiver, tag, is_partitioned = channel
        if self.comms.gaps:
            return
        label = f"{self.comms.label(comm)} {sender}->{receiver} tag {tag}"
        # The earliest time of a send and the latest of a receive that the clocks' errors leave.
        sends = [(order, time - self._error(at), size, at) for order, time, size, at in sends]
        receives = [(order, time + self._error(at), size, at) for order, time, size, at in receives]
        if len(sends) != len(receives):
            is_cut = self.allow_unfinished
            if not is_cut:
                self.verdict.fault("messages", f"{label}: {len(sends)} sent, {len(receives)}"
                                               " received")
            if not is_cut or len(receives) > len(sends) + 1:
                return
        in_order = len({s[3] for s in sends}) == 1 == len({r[3] for r in receives}) \
            and channel not in self.loose and not is_partitioned
        if in_order:
            sends, receives = sorted(sends), sorted(receives)
            self._match_in_order(label, sends, receives)
        elif len(sends) == len(receives):
            is_any = any(isinstance(r[2], AnySize) for r in receives)
            if not is_any and sorted(s[2] for s in sends) != sorted(r[2] for r in receives):
                self.verdict.fault("messages", f"{label}: bytes differ as a whole")
            # The n-th receive to complete cannot be earlier than the n-th send.
            for sent, received in zip(sorted(s[1] for s in sends), sorted(r[1] for r in receives)):
                if received < sent:
                    self.verdict.fault("messages", f"{label}: received {sent - received} ticks"
                                                   " before it was sent")

    def _error(self, location):
        if location not in self.errors:
            self.errors[location] = self.archive.clock_error(location)
        return self.errors[location]

    def _match_in_order(self, label, sends, receives):
        for number, (sent, received) in enumerate(zip(sends, receives)):
            if sent[2] != received[2] and not isinstance(received[2], AnySize):
                self.verdict.fault("messages", f"{label} number {number}: {sent[2]} bytes sent,"
                                               f" {received[2]} received")
            if received[1] < sent[1]:
                self.verdict.fault("messages", f"{label} number {number}: received"
                                               f" {sent[1] - received[1]} ticks before it was sent")
