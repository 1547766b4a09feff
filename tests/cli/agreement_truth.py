# SPDX-License-Identifier: BSD-3-Clause
"""What the laws of docs/numbers.md make of the events of an archive: calls, times, messages, values."""

import collections
import struct

from report_archives import MPI, OPENMP, PTHREAD
from report_random import IMPLICIT_BARRIER

FOREVER = 2**62
DOUBLE = 10
COMM_LOCATIONS, COMM_GROUP, COMM_SELF = 4, 5, 6
UNCLOSED = 64  # calls that a Leave closes at most
OFF, ON = 2, 1
STOPPED_AT = "SPUR::STOPPED_AT"
SHORTS = ["spur::short_calls", "spur::short_calls_time"]
SENDS = ("MpiSend", "MpiIsend")
COLLECTIVES = {"MpiCollectiveEnd": (0, 3, 4), "NonBlockingCollectiveComplete": (0, 3, 4),
               "RmaCollectiveEnd": (0, 4, 5)}  # where operation and bytes stand


def number_of(kind, value):
    is_raw = kind == DOUBLE and isinstance(value, int)
    return struct.unpack("<d", struct.pack("<Q", value))[0] if is_raw else value


class Lane:
    """Calls of a location by the laws."""

    def __init__(self, truth, location):
        self.truth, self.location = truth, location
        self.stack = []  # [region, enter, below, off, is_beyond, calls]
        self.now = self.off_since = None
        self.ns_of_shorts = 0
        self.is_off = False

    def at(self, time, stop):
        """The time in the window. Behind the stop of its process nothing is recorded but ends of calls."""
        last = time if self.now is None else self.now
        self.now = max(last, time)
        if time > stop and not self.is_off:
            self.go_off(self.truth.clip(min(self.now, max(last, stop))))
        return self.truth.clip(self.now)

    def inside(self):
        return self.truth.begin <= self.now <= self.truth.end

    def account_off(self, time):
        if self.off_since is not None and self.stack:
            self.stack[-1][3] += time - self.off_since
        if self.off_since is not None:
            self.off_since = time

    def go_off(self, time):
        self.is_off = True
        if not (self.stack and self.truth.is_call(self.stack[-1][0])) and self.off_since is None:
            self.off_since = time

    def go_on(self, time):
        self.account_off(time)
        self.is_off, self.off_since = False, None

    def enter(self, time, region, calls=1):
        self.account_off(time)
        self.stack.append([region, time, 0, 0, self.now > self.truth.end, calls])

    def shorts(self, end, ns):
        """Calls that were only counted, up to the record that tells of them: in no self time."""
        begin = end - round((ns - self.ns_of_shorts) * self.truth.ticks / 10**9)
        self.ns_of_shorts = ns
        if self.now is None or self.is_off:
            return
        took = max(0, min(end, self.truth.end) - max(begin, self.now, self.truth.begin))
        self.truth.shorts += took
        self.truth.n_shorts += 1
        if self.stack:
            self.stack[-1][2] += took

    def leave(self, time, region):
        found = [i for i, call in enumerate(self.stack) if call[0] == region and i >= len(self.stack) - UNCLOSED]  # noqa: E501
        while found and len(self.stack) > found[-1]:
            self.pop(time)

    def pop(self, time):
        self.account_off(time)
        region, enter, below, off, is_beyond, calls = self.stack.pop()
        took = time - enter - off
        if self.stack:
            self.stack[-1][2] += took
            self.stack[-1][3] += off
        if not is_beyond and self.now >= self.truth.begin:
            key = self.location, region
            self.truth.calls[key] += 1
            self.truth.more_calls[key] += calls - 1
            self.truth.self_[key] += took - below
            self.truth.spans[key] += time - enter
            self.truth.total[key] += took if all(call[0] != region for call in self.stack) else 0
        if self.is_off:
            self.go_off(time)


class Truth:
    """Times are in ticks of the given number in a second, from the begin of the trace on."""

    def __init__(self, archive, ticks, begin=0, end=FOREVER):
        self.archive, self.ticks, self.begin, self.end = archive, ticks, begin, end
        clock = next(values for name, values in archive.definitions if name == "ClockProperties")
        self.offset, self.resolution = clock["globalOffset"], clock["timerResolution"]
        self.calls, self.more_calls, self.self_, self.total = (collections.Counter() for _ in range(4))
        self.spans = collections.Counter()  # inclusive times of all calls, pauses as well
        self.messages, self.bytes = collections.Counter(), collections.Counter()
        self.collectives = collections.Counter()
        self.values, self.sums, self.samples = (collections.Counter() for _ in range(3))
        self.sends, self.sent = collections.Counter(), collections.Counter()
        self.events = self.shorts = self.n_shorts = 0
        self.has_nested_teams = False
        self.contexts = {number: values["region"] for number, (_, values) in archive.spaces["CallingContext"].items()}  # noqa: E501
        metrics = archive.spaces.get("Metric", {})
        self.members = {number: [archive.name_of("MetricMember", member) for member in
                                 metrics[values.get("metricClass", number)][1]["metricMembers"]]
                        for number, (_, values) in metrics.items()}
        self.stops = {values["locationGroup"]: values["value"] for name, values in archive.definitions
                      if name == "LocationGroupProperty" and archive.string(values["name"]) == STOPPED_AT}
        for location in archive.locations:
            self.location(location)

    def clip(self, time):
        return min(max(time, self.begin), self.end)

    def ticks_of(self, time):
        return (2 * (time - self.offset) * self.ticks + self.resolution) // (2 * self.resolution)

    def is_call(self, region):
        values = self.archive.spaces["Region"][region][1]
        return values["paradigm"] in (MPI, PTHREAD) or \
            (values["paradigm"] == OPENMP and values["regionRole"] == IMPLICIT_BARRIER)

    def location(self, location):
        lane, n_teams = Lane(self, location), 0
        stop = self.stops.get(self.archive.spaces["Location"][location][1]["locationGroup"])
        stop = FOREVER if stop is None else self.ticks_of(stop)
        for name, time, values, attributes in self.archive.events(location):
            self.events += 1
            time = self.ticks_of(time)
            if name == "Metric" and self.members[values[0]] == SHORTS:
                lane.shorts(time, values[1][1][1])
            time = lane.at(time, stop)
            if name == "Enter":
                lane.enter(time, values[0], self.calls_of(attributes))
            elif name == "Leave":
                lane.leave(time, values[0])
            elif name == "CallingContextEnter":
                lane.enter(time, self.contexts[values[0]], self.calls_of(attributes))
            elif name == "CallingContextLeave":
                lane.leave(time, self.contexts[values[0]])
            elif name == "MeasurementOnOff" and values[0] == OFF and not lane.is_off:
                lane.go_off(time)
            elif name == "MeasurementOnOff" and values[0] == ON and lane.is_off:
                lane.go_on(time)
            n_teams += {"ThreadTeamBegin": 1, "ThreadTeamEnd": -1}.get(name, 0)
            self.has_nested_teams |= n_teams > 1
            if lane.inside():
                self.moment(location, name, values)
        while lane.stack:
            lane.pop(lane.at(0, stop))

    def moment(self, location, name, values):
        if name in SENDS:
            self.sends[location] += 1
            self.sent[location] += values[3]
        receiver = self.process_of(location >> 32, values[1], values[0]) if name in SENDS else None
        if receiver is not None:
            self.messages[location >> 32, receiver] += 1
            self.bytes[location >> 32, receiver] += values[3]
        elif name in COLLECTIVES:
            operation, sent, received = COLLECTIVES[name]
            self.collectives["calls", values[operation]] += 1
            self.collectives["sent", values[operation]] += values[sent]
            self.collectives["received", values[operation]] += values[received]
        elif name == "CallingContextSample":
            self.samples[location] += 1
        elif name == "Metric":
            self.values[location] += len(values[1])
            for member, value in zip(self.members[values[0]], values[1]):
                self.sums[location, member] += number_of(*value)

    def calls_of(self, attributes):
        """A record may stand for several calls."""
        return next((value for attribute, _, value in attributes or ()
                     if self.archive.name_of("Attribute", attribute) == "spur::calls"), 1)

    def members_of(self, group):
        """The processes of a group of ranks, whose members are places among all ranks."""
        everybody = [group["members"] for _, group in self.archive.spaces["Group"].values()
                     if group["groupType"] == COMM_LOCATIONS and group["paradigm"] == MPI]
        group = self.archive.spaces["Group"][group][1]
        if not everybody or group["groupType"] != COMM_GROUP:
            return None
        return [everybody[0][member] >> 32 for member in group["members"]]

    def process_of(self, sender, comm, rank):
        """Who has this rank; None: nobody. On an intercommunicator that is one of the other group."""
        name, comm = self.archive.spaces["Comm"][comm]
        if name == "InterComm":
            members, others = map(self.members_of, (comm["groupA"], comm["groupB"]))
            members = members if sender in others else others
        else:
            members = self.members_of(comm["group"])
        if members is None:
            n = len(self.archive.spaces["LocationGroup"])
            is_self = self.archive.spaces["Group"][comm["group"]][1]["groupType"] == COMM_SELF
            return sender if is_self else rank if rank < n else None
        return members[rank] if rank < len(members) else None
