# SPDX-License-Identifier: BSD-3-Clause
"""What a page of spur view holds: `Page(path)` has META and the sections as columns."""

import array
import base64
import gzip
import json
import re
import sys

COLUMNS = {
    "paths": (("parent", "I"), ("region", "I"), ("kind", "I")),
    "sums": (("self", "d"), ("calls", "d"), ("row", "I"), ("bucket", "I"), ("path", "I"), ("samples", "I")),
    "pairs": (("bytes", "d"), ("bucket", "I"), ("from", "I"), ("to", "I"), ("messages", "I")),
    "calls": (("begin", "d"), ("end", "d"), ("calls", "d"), ("row", "I"), ("path", "I"), ("depth", "I"),
              ("flags", "I")),
    "messages": (("sent", "d"), ("received", "d"), ("bytes", "d"), ("from", "I"), ("to", "I"), ("tag", "I"),
                 ("comm", "I")),
    "collectives": (("begin", "d"), ("end", "d"), ("sent", "d"), ("received", "d"), ("row", "I"), ("op", "I"),
                    ("comm", "I"), ("root", "I")),
    "samples": (("time", "d"), ("row", "I"), ("path", "I")),
    "idle": (("begin", "d"), ("end", "d"), ("row", "I")),
    "counters": (("time", "d"), ("value", "d")),
}
PLANES = (("region", "H"), ("bytes", "H"), ("share", "B"), ("waiting", "B"), ("off", "B"), ("depth", "B"))
NONE = 0xFFFFFFFF
NO_REGION = 0xFFFF
AROUND, ALONE = 2, 3  # paths of functions on the call stacks of calls; of barriers of a team of one thread
ELEMENT = re.compile(r'<script type="application/(json|octet-stream)" id="spur-(\w+)">(.*?)</script>',
                     re.DOTALL)


def column(code, data):
    values = array.array(code, data)
    if sys.byteorder != "little":
        values.byteswap()
    return values


class Page:
    """The sections are dictionaries of columns; `rows(name)` has records."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        found = {name: data for _, name, data in ELEMENT.findall(self.text)}
        self.meta = json.loads(found.pop("meta"))
        self.sections = {name: {key: array.array(code) for key, code in columns}
                         for name, columns in COLUMNS.items()}
        self.levels = []
        for name, data in found.items():
            raw = gzip.decompress(base64.b64decode(data, validate=True))
            if name == "pyramid":
                self.read_levels(raw)
            else:
                self.sections[name] = self.read(name, raw)

    def read(self, name, raw):
        count = self.meta["counts"][name]
        section, at = {}, 0
        for key, code in COLUMNS[name]:
            size = count * array.array(code).itemsize
            section[key] = column(code, raw[at:at + size])
            at += size
        assert at == len(raw), f"{name}: {len(raw)} bytes, not {at}"
        return section

    def read_levels(self, raw):
        at = 0
        for level in self.meta["levels"]:
            cells = (len(self.meta["rows"]) + self.meta["groupCells"]) * level["n"]
            planes = {}
            for key, code in PLANES:
                size = cells * array.array(code).itemsize
                planes[key] = column(code, raw[at:at + size])
                at += size
            self.levels.append(planes)
        assert at == len(raw), f"pyramid: {len(raw)} bytes, not {at}"

    def records(self, name):
        section = self.sections[name]
        return list(zip(*(section[key] for key, _ in COLUMNS[name])))

    def region(self, path):
        return self.meta["regions"][self.sections["paths"]["region"][path]]["name"]

    def stack(self, path, is_seen=True):
        """Names of a path's regions, the outermost first; perhaps without those only seen on call stacks."""
        names = []
        while path != NONE:
            if is_seen or self.sections["paths"]["kind"][path] != AROUND:
                names.append(self.region(path))
            path = self.sections["paths"]["parent"][path]
        return names[::-1]


class Rows:
    """What is in the buckets, by what the calls of a page say."""

    def __init__(self, page):
        self.page = page
        self.calls = [[] for _ in page.meta["rows"]]
        for begin, end, n, row, path, depth, _ in page.records("calls"):
            self.calls[row].append((int(begin), int(end), path, depth + 1, int(n)))
        self.segments = [self.segments_of(row) for row in range(len(self.calls))]

    def segments_of(self, row):
        """(begin, end, path, depth) of what is innermost; path None outside of all calls."""
        life = self.page.meta["rows"][row]
        stack, segments, at = [(life["end"], None, 0)], [], life["begin"]

        def until(time):
            while len(stack) > 1 and stack[-1][0] <= time:
                put(stack[-1][0])
                stack.pop()
            put(time)

        def put(time):
            nonlocal at
            if time > at:
                segments.append((at, time, *stack[-1][1:]))
            at = max(at, time)

        for begin, end, path, depth, _ in sorted(self.calls[row], key=lambda call: (call[0], call[3])):
            until(begin)
            while len(stack) > depth:
                stack.pop()
            stack.append((end, path, depth))
        until(life["end"])
        return segments if life["kind"] != "metric" else []

    def own(self, path):
        return None if path is None else self.page.sections["paths"]["region"][path]

    def check_levels(self, most):
        faults = []
        for level, planes in zip(self.page.meta["levels"], self.page.levels):
            if level["n"] > most:
                continue
            for row, segments in enumerate(self.segments):
                faults += self.check_row(level, planes, row, segments)
        return faults[:5]

    def check_row(self, level, planes, row, segments):
        buckets, depths = [{} for _ in range(level["n"])], [0] * level["n"]
        width = level["bucket"]
        for begin, end, path, depth in segments:
            for bucket in range(begin // width, -(-end // width)):
                time = min(end, (bucket + 1) * width) - max(begin, bucket * width)
                spent = buckets[bucket]
                spent[self.own(path)] = spent.get(self.own(path), 0) + time
                depths[bucket] = max(depths[bucket], depth)
        faults = []
        for bucket, spent in enumerate(buckets):
            cell = row * level["n"] + bucket
            region, share = planes["region"][cell], planes["share"][cell]
            most = max(spent.values(), default=0)
            wanted = max(int(255 * most / width + 0.5), 1 if spent else 0)
            mine = spent.get(region, spent.get(None, 0) if self.is_outside(region) else 0)
            if (region == NO_REGION) != (not spent) or mine != most or share != wanted or \
                    planes["depth"][cell] < depths[bucket]:
                faults.append(f"cell {bucket} of {level['n']} of row {row}: {region}, {share}, "
                              f"{planes['depth'][cell]}, not {spent}, {wanted}, {depths[bucket]}")
        return faults

    def is_outside(self, region):
        return region < len(self.page.meta["regions"]) and \
            self.page.meta["regions"][region]["group"] in ("program", "idle")

    def check_sums(self):
        width = self.page.meta["sums"]["bucket"]
        wanted, calls = {}, {}
        for row, segments in enumerate(self.segments):
            for begin, end, path, _ in segments:
                for bucket in range(begin // width, -(-end // width)):
                    key = row, bucket, path
                    time = min(end, (bucket + 1) * width) - max(begin, bucket * width)
                    wanted[key] = wanted.get(key, 0) + time
            for begin, _, path, _, count in self.calls[row]:
                key = row, begin // width, path
                calls[key] = calls.get(key, 0) + count
        got, n, samples = {}, {}, 0
        for own, count, row, bucket, path, seen in self.page.records("sums"):
            is_root = self.page.sections["paths"]["parent"][path] == NONE and not seen
            key = row, bucket, None if is_root else path
            samples += seen
            if own:
                got[key] = got.get(key, 0) + own
            if count:
                n[key] = count
        faults = []
        for what, one, other in (("sums", got, wanted), ("calls in sums", n, calls)):
            if one != other:
                faults.append(f"{what}: {sorted(set(one.items()) ^ set(other.items()), key=repr)[:6]}")
        if samples != len(self.page.records("samples")):
            faults.append(f"sums have {samples} samples")
        return faults
