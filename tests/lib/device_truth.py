# SPDX-License-Identifier: BSD-3-Clause
"""
What devices did, as their drivers write it down (tests/programs/device_truth.h), and what `spur report` says
of it: the numbers of its tables are found from that in another way.
"""

import collections

NS = 1e-9
COPIES = ("to device", "to host", "on device", "fill")

Work = collections.namedtuple("Work", "kind name begin end given bytes items")


class Truth:
    """
    `works`: {(device, context): [Work]}, in ns. `named` makes of the driver's number and name what the report
    calls it: ("kernel", name), or the direction of a copy and its name. None: the report knows nothing of it.
    """

    def __init__(self, path, named):
        self.works = collections.defaultdict(list)
        with open(path, encoding="utf-8") as file:
            for line in file:
                kind, device, context, begin, end, given, size, items, name = line.split(None, 8)
                what = named(int(kind), name.strip())
                if what:
                    self.works[int(device), int(context)].append(
                        Work(*what, int(begin), int(end), int(given), int(size), int(items)))

    def all(self):
        return [work for works in self.works.values() for work in works]


def union(works):
    """Intervals in which there is one or more of these."""
    found = []
    for begin, end in sorted((work.begin, work.end) for work in works):
        if found and begin <= found[-1][1]:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([begin, end])
    return found


def length(intervals):
    return sum(end - begin for begin, end in intervals) * NS


def both(first, second):
    return sum(max(0, min(a[1], b[1]) - max(a[0], b[0])) for a in first for b in second) * NS


class Comparison:
    """
    Seconds by which the archive may differ: `each` for a work that is longer or shorter, `drift` for clocks
    that go apart, and `moved` for works on both sides of a moment when the clocks are compared anew.
    `calls`: {name of a work: seconds that each call took that has given one}.
    """

    def __init__(self, run, what, each, moved, calls, drift=2e-4):
        self.run, self.what, self.calls = run, what, calls
        self.each, self.drift, self.moved = each, drift, moved

    def near(self, got, want, n, what, more=0.0):
        self.run.expect(abs(got - want) <= self.each * n + self.drift * want + more,
                        f"{self.what}{what}: got {got}, want {want}")

    def device(self, row, works, name):
        """A row of `devices`."""
        kernels = union(w for w in works if w.kind == "kernel")
        copies = union(w for w in works if w.kind in COPIES)
        busy, n = union(works), len(works) + 1
        gaps = [after[0] - before[1] for before, after in zip(busy, busy[1:])]
        self.near(row["span"], (busy[-1][1] - busy[0][0]) * NS, 2, name + ": span", self.moved)
        for key, want in (("busy", length(busy)), ("kernels", length(kernels)), ("copies", length(copies)),
                          ("overlap", both(kernels, copies)), ("idle", sum(gaps) * NS)):
            self.near(row[key], want, n, f"{name}: {key}", self.moved)
        self.near(row["longest"], max(gaps, default=0) * NS, 2, name + ": longest", self.moved)
        sure = sum(gap * NS > self.each for gap in gaps)
        self.run.expect(sure <= row["gaps"] < n,
                        f"{self.what}{name}: gaps: {row['gaps']}, {sure} of them long")
        self.near(row["busy_percent"] * row["span"] / 100, row["busy"], 1, name + ": percent")
        percent = row["overlap_percent"] or 0  # null: there are no copies
        self.near(percent * row["copies"] / 100, row["overlap"], 1, name + ": overlap in percent")

    def works(self, rows, key, works):
        """The rows of `device_kernels` or `device_copies`: how long each kind of work took."""
        by = collections.defaultdict(list)
        for work in works:
            by[work.name, work.kind].append(work)
        self.run.equal(sorted((row[key], row.get("direction", "kernel")) for row in rows), sorted(by),
                       self.what + key)
        for row in rows:
            own, name = by[row[key], row.get("direction", "kernel")], row[key]
            lasted = [(work.end - work.begin) * NS for work in own]
            self.near(row["time"], sum(lasted), len(own), "time of " + name, self.moved)
            self.near(row["max"], max(lasted), 1, "longest of " + name, self.moved)
            self.latency(row, own, name)
            yield row, own, lasted

    def latency(self, row, works, name):
        """A driver says that a work was given before the call ends."""
        waits, calls = [(work.begin - work.given) * NS for work in works], self.calls[name]
        for key, want, late in (("latency", sum(waits) / len(waits), sum(calls) / len(calls)),
                                ("latency_min", min(waits), max(calls))):
            slack = self.each + self.moved
            self.run.expect(want - slack <= row[key] <= want + late + slack,
                            f"{self.what}{key} of {name}: got {row[key]}, want {want}, given within {late}")

    def kernels(self, rows, works):
        for row, own, lasted in self.works(rows, "kernel", [w for w in works if w.kind == "kernel"]):
            self.run.equal((row["calls"], row["items"]), (len(own), sum(work.items for work in own)),
                           self.what + row["kernel"])
            self.near(row["avg"], row["time"] / len(own), 0, "mean of " + row["kernel"])
            self.near(row["min"], min(lasted), 1, "shortest of " + row["kernel"], self.moved)

    def copies(self, rows, works):
        for row, own, _ in self.works(rows, "operation", [w for w in works if w.kind in COPIES]):
            sizes = sum(work.bytes for work in own)
            self.run.equal((row["count"], row["bytes"]), (len(own), sizes), self.what + row["operation"])
            self.run.expect(abs(row["bandwidth"] * row["time"] / sizes - 1) < 1e-6, self.what + "bandwidth")

    def report(self, sections, truth, names):
        """`names`: {(device, context): what the report calls it}."""
        rows = {row["device"]: row for row in sections["devices"]}
        self.run.equal(sorted(rows), sorted(names[place] for place in truth.works), self.what + "devices")
        for place, works in truth.works.items():
            self.device(rows[names[place]], works, names[place])
        self.kernels(sections["device_kernels"], truth.all())
        self.copies([row for row in sections["device_copies"] if row["direction"] != "other"], truth.all())
