# SPDX-License-Identifier: BSD-3-Clause
"""Rules about one location's stream of events, and the counts that the summary shows."""

import struct

from judge import otf2_tables as tables
from judge.files import FileRules
from judge.mpi import MpiRules
from judge.contexts import ContextRules
from judge.otf2_read import EVENTS, UNDEFINED32, FormatError
from judge.threads import ThreadRules

# These stand outside of every region; all others belong to a call.
FREE = {"ProgramBegin", "ProgramEnd", "ThreadBegin", "ThreadEnd", "BufferFlush",
        "MeasurementOnOff", "Enter", "Leave", "Metric", "CallingContextSample",
        "CallingContextEnter", "CallingContextLeave", "ThreadTaskComplete", "ThreadTaskSwitch",
        "ThreadTeamBegin", "ThreadTeamEnd",
        "ParameterString", "ParameterInt", "ParameterUnsignedInt"}

# So do these, of a request that is started or completed by a call that SPUR_MPI leaves out.
FREE |= {"MpiIsend", "MpiIrecvRequest", "MpiIsendComplete", "MpiIrecv", "MpiRequestCancelled",
         "NonBlockingCollectiveRequest", "NonBlockingCollectiveComplete", "CommCreate",
         "RmaOpCompleteNonBlocking", "IoOperationComplete", "IoOperationCancelled"}


class Stream:
    """Where the reading of a location stands. Handed to the rules of the families."""

    def __init__(self, archive, location):
        self.location = location
        self.process = location >> 32
        self.is_main = location & 0xffffffff == 0
        self.label = f"{self.process}.{location & 0xffffffff}"
        self.announced = archive.spaces["Location"][location][1]["numberOfEvents"]
        self.stack = []     # open regions
        self.entered = []   # index of the Enter of each of them
        self.index = 0      # of the current event, from 0
        self.first = self.last = None
        self.is_on = True
        self.collective = None  # index of an open MpiCollectiveBegin
        self.marks = {}         # what parameters have said of the next record, by their names
        self.kinds = {}
        self.regions = {}
        self.contexts = []      # those of the open regions that were entered in one
        self.context = UNDEFINED32  # the previous one, for unwind distances


class Streams:
    """Reads every location once and asks the families about each record."""

    def __init__(self, archive, verdict, allow_unfinished=False):
        self.archive, self.verdict = archive, verdict
        self.allow_unfinished = allow_unfinished
        self.mpi = MpiRules(archive, verdict, allow_unfinished)
        self.threads = ThreadRules(archive, verdict, allow_unfinished)
        self.files = FileRules(archive, verdict, allow_unfinished)
        self.contexts = ContextRules(archive, verdict)
        self.handlers = {"BufferFlush": self.flush, "MeasurementOnOff": self.on_off,
                         "ProgramBegin": self.program_begin, "ProgramEnd": self.program_end,
                         **self.contexts.handlers, **self.mpi.handlers, **self.threads.handlers,
                         **self.files.handlers}
        self.streams = []
        if self._declares("SPUR::FILTERED_REGIONS"):
            for number in archive.spaces["LocationGroup"]:
                self.mpi.gap(number)
        clock = next((v for n, v in archive.definitions if n == "ClockProperties"), None)
        self.begin = clock["globalOffset"] if clock else 0
        self.end = self.begin + clock["traceLength"] if clock else 0
        self.names = {number: archive.string(values["name"])
                      for number, (_, values) in archive.spaces["Region"].items()}
        self.references = {
            record.name: [(i, archive.spaces[f.space]) for i, f in enumerate(record.fields)
                          if f.space in archive.spaces]
            for record in EVENTS.values() if record.name not in ("Enter", "Leave")}

    def check(self):
        for location in self.archive.locations:
            stream = Stream(self.archive, location)
            self.streams.append(stream)
            try:
                self._read(stream)
            except (FormatError, OSError) as error:
                self.verdict.fault("format", str(error))
            except (IndexError, struct.error):
                self.verdict.fault("format", f"{location}.evt: ends inside a record, after event"
                                             f" {stream.index}")
        self.mpi.finish()
        self.threads.finish(self.streams)
        self.files.finish()

    def _read(self, stream):
        last, stack, entered, fault = self.begin, stream.stack, stream.entered, self.verdict.fault
        kinds, regions, names = stream.kinds, stream.regions, self.names
        index, end = -1, self.end
        for name, time, values, attributes in self.archive.events(stream.location):
            index += 1
            if time < last or time > end:
                self._wrong_time(stream, index, name, time, last)
            last = time
            kinds[name] = kinds.get(name, 0) + 1
            if name == "Enter":
                region = values[0]
                if region not in names:
                    fault("references", f"{stream.label} #{index}: Enter of region {region}")
                stack.append(region)
                entered.append(index)
                regions[region] = regions.get(region, 0) + 1
            elif name == "Leave":
                if not stack or stack[-1] != values[0]:
                    fault("nesting", f"{stream.label} #{index}: Leave {names.get(values[0])},"
                                     f" open are {[names.get(r) for r in stack[-4:]]}")
                if stack:
                    stack.pop()
                    entered.pop()
            else:
                self._other(stream, index, name, time, values)
            if attributes:
                self._check_attributes(stream, index, attributes)
            if index == 0:
                stream.first = (name, values)
            stream.last = (name, values)
        self._end(stream, index + 1)

    def _wrong_time(self, stream, index, name, time, last):
        if time < self.begin or time > self.end:
            self.verdict.fault("clock range", f"{stream.label} #{index} {name} at {time}, the trace"
                                              f" is {self.begin}..{self.end}")
        if time < last:
            self.verdict.fault("time goes back", f"{stream.label} #{index} {name} at {time} after"
                                                 f" {last}")

    def _other(self, stream, index, name, time, values):
        stream.index = index
        for position, space in self.references[name]:
            if values[position] not in space:
                self.verdict.fault("references", f"{stream.label} #{index}: {name} refers to"
                                                 f" {values[position]}, not defined")
        if not stream.stack and name not in FREE:
            self.verdict.fault("outside", f"{stream.label} #{index}: {name} in no region")
        handler = self.handlers.get(name)
        if handler:
            handler(stream, time, values)
        if name == "ParameterUnsignedInt":
            _, parameter = self.archive.spaces["Parameter"][values[0]]
            stream.marks[self.archive.string(parameter["name"])] = values[1]
        else:
            stream.marks.clear()

    def _check_attributes(self, stream, index, attributes):
        numbers = [number for number, _, _ in attributes]
        if len(set(numbers)) != len(numbers):
            self.verdict.fault("attributes", f"{stream.label} #{index}: one twice")
        for number, kind, value in attributes:
            entry = self.archive.spaces["Attribute"].get(number)
            if entry is None or entry[1]["type"] != kind:
                self.verdict.fault("attributes", f"{stream.label} #{index}: attribute {number} of"
                                                 f" type {kind} is not defined so")
            space = tables.VALUES.get(kind, (None, None))[1]
            if space and value not in self.archive.spaces[space]:
                self.verdict.fault("references", f"{stream.label} #{index}: attribute {number}"
                                                 f" leads to {space} {value}")

    def _end(self, stream, count):
        stream.index = count
        if stream.announced != count:
            self.verdict.fault("numberOfEvents", f"{stream.label} says {stream.announced}, has"
                                                 f" {count}")
        if stream.stack:
            self.verdict.fault("nesting", f"{stream.label} ends inside"
                                          f" {[self.names.get(r) for r in stream.stack]}")
        if not count and not self.allow_unfinished:
            self.verdict.fault("empty", f"{stream.label} has no event")
        elif count and stream.is_main and stream.first[0] != "ProgramBegin":
            self.verdict.fault("program", f"{stream.label} begins with {stream.first[0]}")
        elif count and stream.is_main and stream.last[0] != "ProgramEnd":
            self.verdict.fault("program", f"{stream.label} ends with {stream.last[0]}")

    def flush(self, stream, time, values):
        if not time <= values[0] <= self.end:
            self.verdict.fault("flush", f"{stream.label}: from {time} to {values[0]}")

    def _declares(self, name):
        return self.archive.anchor.properties.get(name, "0") != "0"

    def on_off(self, stream, _time, values):
        turned_on = values[0] == 1
        if turned_on == stream.is_on:
            self.verdict.fault("on/off", f"{stream.label} #{stream.index}: twice the same")
        stream.is_on = turned_on
        if not turned_on and self._declares("SPUR::PAUSED_PROCESSES"):
            self.mpi.gap(stream.process)

    def program_begin(self, stream, _time, values):
        if stream.index or not stream.is_main:
            self.verdict.fault("program", f"{stream.label} #{stream.index}: ProgramBegin")
        for argument, in values[2] if len(values) > 2 else ():
            if argument not in self.archive.spaces["String"]:
                self.verdict.fault("references", f"{stream.label}: argument {argument}")

    def program_end(self, stream, _time, _values):
        if not stream.is_main or stream.stack:
            self.verdict.fault("program", f"{stream.label} #{stream.index}: ProgramEnd"
                                          f" in {[self.names.get(r) for r in stream.stack]}")
        if stream.kinds["ProgramEnd"] > 1:
            self.verdict.fault("program", f"{stream.label}: a second ProgramEnd")
