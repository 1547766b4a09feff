# SPDX-License-Identifier: BSD-3-Clause
"""What the end-to-end tests of metrics read from an archive."""

import struct
import sys

UINT64, INT64, DOUBLE = 4, 8, 10
ACCUMULATED, MODE_MASK = 0, 15
STRICT, SYNCHRONOUS, ASYNCHRONOUS = 0, 1, 2
METRIC_LOCATION = 3
EDGES = ("Enter", "Leave")


class Metrics:
    """The metric classes of a Trace, and the values of its locations."""

    def __init__(self, trace):
        self.archive = trace.archive
        self.metrics = self.archive.spaces["Metric"]
        self.regions = self.archive.spaces["Region"]

    def clock_frequency(self):
        """Ticks of the archive's times in a second."""
        return next(values["timerResolution"] for name, values in self.archive.definitions
                    if name == "ClockProperties")

    def classes(self):
        return {number: values for number, (name, values) in self.metrics.items()
                if name == "MetricClass"}

    def instances(self):
        return {number: values for number, (name, values) in self.metrics.items()
                if name == "MetricInstance"}

    def members(self, number):
        """[(name, attributes of the MetricMember)] of a class or instance."""
        name, values = self.metrics[number]
        if name == "MetricInstance":
            return self.members(values["metricClass"])
        list_ = next(value for value in values.values() if isinstance(value, (tuple, list)))
        references = [member[0] if isinstance(member, (tuple, list)) else member
                      for member in list_]
        found = [self.archive.spaces["MetricMember"][reference][1] for reference in references]
        return [(self.archive.string(member["name"]), member) for member in found]

    def decode(self, values):
        """A Metric event's values as {name: number}."""
        number, pairs = values
        return {name: _number(kind, bits)
                for (name, _), (kind, bits) in zip(self.members(number), pairs)}

    def readings(self, location):
        """[(time, {name: number}, "Enter" or "Leave", region)]: values and what they belong to."""
        result, waiting = [], None
        for name, time, values, _ in self.archive.events(location):
            if name == "Metric":
                waiting = (time, self.decode(values))
            elif name in EDGES:
                region = self.archive.name_of("Region", values[0])
                if waiting and waiting[0] == time:
                    result.append((time, waiting[1], name, region))
                else:
                    result.append((time, None, name, region))
                waiting = None
        return result

    def lone(self, location):
        """[(time, {name: number})] of all Metric events."""
        return [(time, self.decode(values))
                for name, time, values, _ in self.archive.events(location) if name == "Metric"]

    def is_counter(self, name):
        member = next(values for _, values in self.archive.spaces["MetricMember"].values()
                      if self.archive.string(values["name"]) == name)
        return member["metricMode"] & MODE_MASK == ACCUMULATED


def _number(kind, bits):
    if kind == DOUBLE:
        return struct.unpack("<d", struct.pack("<Q", bits))[0]
    return bits - (1 << 64) if kind == INT64 and bits >> 63 else bits


def monotone(run, metrics, location):
    """Counters of a location never go back."""
    last = {}
    for _, values, _, _ in metrics.readings(location):
        for name, value in (values or {}).items():
            if metrics.is_counter(name) and value < last.get(name, 0):
                run.expect(False, f"{name} of {location} not to go from {last[name]} to {value}")
            last[name] = value


def complete(run, metrics, location):
    """Every Enter and Leave has its values."""
    readings = metrics.readings(location)
    bare = [reading for reading in readings if reading[1] is None]
    run.expect(readings and not bare, f"values at each of {len(readings)} events of {location},"
                                      f" {len(bare)} have none: {bare[:3]}")


# What PAPI says itself, in a process of its own. Without libpapi it ends badly.
ASK_PAPI = """
import ctypes
papi = ctypes.CDLL("libpapi.so")
version = papi.PAPI_get_opt(21, None) & 0xffff0000
assert papi.PAPI_library_init(version) == version, "PAPI does not start"
print(papi.PAPI_event_name_to_code(b"perf::PAGE-FAULTS", ctypes.byref(ctypes.c_int())))
"""


def papi_counts(run):
    """Whether PAPI has the events of the kernel: not where its libpfm4 is older than the processor. What a
    test leaves out then, it says. spur is not asked: it may be wrong."""
    result = run.execute([sys.executable, "-c", ASK_PAPI], "papi")
    run.equal(result.status, 0, f"status of PAPI: {result.stderr}")
    if result.stdout == "0\n":
        return True
    print("PAPI has switched its counters off on this processor: its perf:: events are left out")
    return False
