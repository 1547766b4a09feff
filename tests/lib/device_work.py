# SPDX-License-Identifier: BSD-3-Clause
"""What an archive says of devices: the work of their streams, and the calls that gave it."""

STREAM, METRIC, ACCELERATOR = 2, 3, 2  # types of locations and of location groups
CORRELATION, BYTES, ITEMS = "Device Correlation", "Device Bytes", "Device Work Items"
HOST = 0  # rank in the window
WAYS = {"RmaPut": "put", "RmaGet": "get"}


class Work:
    """A region on a stream. `way` is put, get, fill, kernel or other, as the program counts."""

    def __init__(self, name, begin, said):
        self.name, self.begin, self.end, self.said = name, begin, begin, said
        self.way, self.bytes, self.remote, self.open = None, said.get(BYTES, 0), None, None
        if ITEMS in said:
            self.way = "kernel"
        elif BYTES in said:
            self.way = "fill"
        else:
            self.way = "other"


class Devices:
    """
    `work` by location, and `given`: {(process, correlation): time of the call}. `threads` says by the same
    which thread called, and when it left the call; `waits` by thread the times when clFinish was entered and
    left.
    """

    def __init__(self, run, trace):
        self.run, self.archive = run, trace.archive
        self.groups = {number: values for number, (_, values) in
                       self.archive.spaces["LocationGroup"].items()}
        self.work, self.given = {}, {}
        self.threads, self.left, self.waits = {}, {}, {}
        for location, (_, values) in sorted(self.archive.spaces["Location"].items()):
            if values["locationType"] == STREAM:
                self.work[location] = self._work(location, values)
            else:
                self._calls(location)

    def _attributes(self, attributes):
        return {self.archive.name_of("Attribute", number): value
                for number, _, value in attributes or []}

    def _calls(self, location):
        waits, open_keys = [], []
        self.waits[location] = waits
        for name, time, values, _ in self.archive.events(location):
            if name in ("Enter", "Leave") and self.archive.name_of("Region", values[0]) == "clFinish":
                if name == "Enter":
                    waits.append((time, None))
                else:
                    waits[-1] = waits[-1][0], time
            if name == "Leave":
                self.left.update((key, time) for key in open_keys)
                open_keys.clear()
            if name == "ParameterUnsignedInt" and \
                    self.archive.name_of("Parameter", values[0]) == CORRELATION:
                key = location >> 32, values[1]
                self.run.expect(key not in self.given, f"correlation {key} to be of one call")
                self.given[key] = time
                open_keys.append(key)
                self.threads[key] = location

    def _work(self, location, values):
        """Enter, perhaps one copy, Leave; nothing else."""
        group = self.groups[values["locationGroup"]]
        self.run.equal(group["locationGroupType"], ACCELERATOR, f"group of stream {location}")
        self.run.expect(group["creatingLocationGroup"] in self.groups, f"maker of {group}")
        done, now = [], None
        for name, time, fields, attributes in self.archive.events(location):
            if name == "Enter":
                self.run.expect(now is None, f"work of {location} not to nest")
                now = Work(self.archive.name_of("Region", fields[0]), time, self._attributes(attributes))
            elif name in WAYS:
                now.way, now.remote, now.open = WAYS[name], fields[1], fields[3]
                self.run.equal(fields[2], now.bytes, f"bytes of {now.name}")
            elif name == "RmaOpCompleteBlocking":
                self.run.equal(fields[1], now.open, f"operation of {now.name}")
                now.open = None
            elif name == "Leave":
                self.run.expect(now.open is None, f"copy {now.name} to be complete")
                now.end = time
                done.append(now)
                now = None
            else:
                self.run.expect(name == "BufferFlush", f"{name} on a stream")
        self.run.expect(now is None, f"the last work of {location} to end")
        return done

    def calls(self):
        """{name of a work: seconds from when it was given until the call was left, for each such work}."""
        tick = next(values["timerResolution"] for name, values in self.archive.definitions
                    if name == "ClockProperties")
        took = {}
        for location, works in self.work.items():
            for work in works:
                key = location >> 32, work.said.get(CORRELATION)
                if key in self.left:
                    took.setdefault(work.name, []).append((self.left[key] - self.given[key]) / tick)
        return took

    def check_times(self):
        """Nothing begins before the call that gave it, and each call has given one thing at most."""
        seen = set()
        for location, works in self.work.items():
            for work in works:
                if CORRELATION not in work.said:
                    continue  # it comes of itself, as unified memory that moves
                key = location >> 32, work.said[CORRELATION]
                self.run.expect(key in self.given, f"a call for {work.name} {key}")
                self.run.expect(key not in seen, f"{key} once on a stream")
                self.run.expect(self.given[key] <= work.begin <= work.end,
                                f"{work.name} to begin after {self.given[key]}: {work.begin}")
                seen.add(key)
        return seen

    def check_launched(self, label):
        """Nothing begins before the call that gave it; one call may give several things."""
        for location, works in self.work.items():
            for work in works:
                given = self.given[location >> 32, work.said[CORRELATION]]
                self.run.expect(given <= work.begin <= work.end, f"{label}{work.name} after its launch")

    def check_waits(self):
        """
        What a thread has given to its one queue is done when it leaves the next clFinish. How many there
        are of which that can be said.
        """
        seen = 0
        for location, works in self.work.items():
            for work in works:
                key = location >> 32, work.said[CORRELATION]
                waits = self.waits[self.threads[key]]
                left = next((left for entered, left in waits if entered >= self.given[key]), None)
                if left is not None:
                    self.run.expect(work.end <= left, f"{work.name} {key} to end before {left}: {work.end}")
                    seen += 1
        return seen

    def counts(self):
        """{name: (way, how often, bytes)}, as the programs print it."""
        counts = {}
        for works in self.work.values():
            for work in works:
                way, n, size = counts.get(work.name, (work.way, 0, 0))
                self.run.equal(work.way, way, f"way of {work.name}")
                counts[work.name] = way, n + 1, size + work.bytes
        return counts


def memory_of(trace):
    """The values of each location of memory, in order: of the device, managed, pinned."""
    archive, found = trace.archive, []
    for location, (_, fields) in sorted(archive.spaces["Location"].items()):
        if fields["locationType"] == METRIC and archive.string(fields["name"]) == "Memory":
            events = [event for event in archive.events(location) if event[0] == "Metric"]
            found.append([tuple(value for _, value in event[2][-1]) for event in events])
    return found


def printed(text):
    """What a program has printed of what it gave, in the same form."""
    lines = [line.split(None, 3) for line in text.splitlines()]
    return {words[3]: (words[0], int(words[1]), int(words[2])) for words in lines
            if words[0] in ("kernel", "put", "get", "fill", "other")}


def counted(text):
    """What the processes of a program have printed, together."""
    counts = {}
    for line in text.splitlines():
        for name, (way, n, size) in printed(line).items():
            _, n_before, size_before = counts.get(name, (way, 0, 0))
            counts[name] = way, n_before + n, size_before + size
    return counts
