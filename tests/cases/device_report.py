# SPDX-License-Identifier: BSD-3-Clause
"""
What `spur report` says of devices, next to what they did: the driver of the tests (tests/programs/cuda/)
writes down each work of its devices. The numbers of the tables are found from that in another way.
"""

import collections
import os

import matrix

MODES = ["all", "streams", "threads", "contexts"]
KERNEL, COPIES = 10, (1, 2, 22)
NS = 1e-9
EACH = 50 * NS  # ticks, of each work
DRIFT = 2e-4  # of the clocks
APART = 3000 * NS  # the clocks are compared now and then; works on both sides of that move


class Truth:
    """`works`: {(device, context): [(kind, begin, end, bytes, items, name)]}, in ns."""

    def __init__(self, path):
        self.works = collections.defaultdict(list)
        with open(path, encoding="utf-8") as file:
            for line in file:
                kind, device, context, begin, end, size, items, name = line.split(None, 7)
                self.works[int(device), int(context)].append(
                    (int(kind), int(begin), int(end), int(size), int(items), name.strip()))

    def all(self):
        return [work for works in self.works.values() for work in works]


def union(works):
    """Intervals in which there is one or more of these."""
    found = []
    for begin, end in sorted((work[1], work[2]) for work in works):
        if found and begin <= found[-1][1]:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([begin, end])
    return found


def length(intervals):
    return sum(end - begin for begin, end in intervals) * NS


def both(first, second):
    return sum(max(0, min(a[1], b[1]) - max(a[0], b[0])) for a in first for b in second) * NS


def near(run, got, want, n, what, more=0.0):
    run.expect(abs(got - want) <= EACH * n + DRIFT * want + more, f"{what}: got {got}, want {want}")


def check_device(run, row, works, what):
    kernels, copies = (union(w for w in works if w[0] in kinds) for kinds in ((KERNEL,), COPIES))
    busy, n = union(works), len(works) + 1
    gaps = [after[0] - before[1] for before, after in zip(busy, busy[1:])]
    near(run, row["span"], (busy[-1][1] - busy[0][0]) * NS, 2, what + "span", APART)
    for name, want in (("busy", length(busy)), ("kernels", length(kernels)), ("copies", length(copies)),
                       ("overlap", both(kernels, copies)), ("idle", sum(gaps) * NS)):
        near(run, row[name], want, n, what + name, APART)
    near(run, row["longest"], max(gaps, default=0) * NS, 2, what + "longest", APART)
    sure = sum(gap * NS > EACH for gap in gaps)
    run.expect(sure <= row["gaps"] < n, f"{what}gaps: {row['gaps']}, {sure} of them long")
    near(run, row["busy_percent"] * row["span"] / 100, row["busy"], 1, what + "percent")


def check_kernels(run, rows, works, what):
    names = {"_Z4axpyIfEvPT_S1_i": "void axpy<float>(float*, float*, int)"}
    by = collections.defaultdict(list)
    for kind, begin, end, _, items, name in works:
        if kind == KERNEL:
            by[names.get(name, name)].append((end - begin, items))
    run.equal(sorted(row["kernel"] for row in rows), sorted(by), what + "kernels")
    for row in rows:
        own = by[row["kernel"]]
        lasted = [ns * NS for ns, _ in own]
        run.equal((row["calls"], row["items"]), (len(own), sum(items for _, items in own)),
                  what + row["kernel"])
        near(run, row["time"], sum(lasted), len(own), what + "time of " + row["kernel"], APART)
        near(run, row["avg"], row["time"] / len(own), 0, what + "mean of " + row["kernel"])
        for name, value in (("min", min(lasted)), ("max", max(lasted))):
            near(run, row[name], value, 1, f"{what}{name} of {row['kernel']}", APART)
        run.expect(row["latency_min"] is None or 0 <= row["latency_min"] <= row["latency"], what + "latency")


def check_copies(run, rows, works, what):
    own = [work for work in works if work[0] in COPIES]
    run.equal((sum(row["count"] for row in rows), sum(row["bytes"] for row in rows)),
              (len(own), sum(work[3] for work in own)), what + "copies and bytes")
    lasted = sum(end - begin for _, begin, end, _, _, _ in own) * NS
    near(run, sum(row["time"] for row in rows), lasted, len(own) + 1, what + "time of copies", APART)
    for row in rows:
        run.expect(abs(row["bandwidth"] * row["time"] / row["bytes"] - 1) < 1e-6, what + "bandwidth")


def main(run):
    for mode in MODES:
        path = os.path.join(run.scratch, mode + ".truth")
        for cell in matrix.cells(run, mode, ["{programs}/cuda_all", mode], ["launcher"],
                                 settings={"FAKE_TRUTH": path}):
            sections, truth = run.report(cell.archives[0], "--by", "devices")["sections"], Truth(path)
            rows = {row["device"].split(" (")[1]: row for row in sections["devices"]}
            names = {place: f"device {place[0]}, context {place[1]})" for place in truth.works}
            run.equal(sorted(rows), sorted(names.values()), cell.what + "devices")
            for place, works in truth.works.items():
                check_device(run, rows[names[place]], works, f"{cell.what}{names[place]}: ")
            check_kernels(run, sections["device_kernels"], truth.all(), cell.what)
            copies = [row for row in sections["device_copies"] if row["direction"] != "other"]
            check_copies(run, copies, truth.all(), cell.what)
