# SPDX-License-Identifier: BSD-3-Clause
"""
What spur export writes of an archive, against what spur print says of it: `compare(bin, archive,
scratch)` returns a list of differences. Each format is read by what its users read it with.
"""

import collections
import csv
import json
import os
import re
import sqlite3
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROW = re.compile(r"^([A-Z_0-9]+) +(\d+) +(\d+)  (.*)$")
# Records that spur print calls by the types of their values.
RECORDS = {"PARAMETER_INT64": "parameterint", "PARAMETER_UINT64": "parameterunsignedint"}
REFERENCE = re.compile(r": (?:\"(.*)\"|INVALID) <(\d+)>$")
CONTEXT = re.compile(r"Calling Context: .*? <(\d+)>(?:, Unwind|$)")
DEFINED = re.compile(r"^CALLING_CONTEXT +(\d+)  Region: \"(.*?)\" <(\d+)>", re.MULTILINE)
MESSAGE = re.compile(r"Tag: (\d+), Length: (\d+)")
VALUE = re.compile(r"\(\"[^\"]*\" <\d+>; [A-Z0-9]+; ([^)]*)\)")
# Records that are shown as something else than themselves.
HALVES = {"MPI_SEND": "send", "MPI_ISEND": "send", "MPI_RECV": "receive", "MPI_IRECV": "receive"}
TOLD = set(HALVES) | {"ENTER", "LEAVE", "METRIC", "CALLING_CONTEXT_SAMPLE", "CALLING_CONTEXT_ENTER",
                      "CALLING_CONTEXT_LEAVE", "MPI_COLLECTIVE_BEGIN", "RMA_COLLECTIVE_BEGIN",
                      "NON_BLOCKING_COLLECTIVE_REQUEST", "MPI_IRECV_REQUEST"}
COLLECTIVES = {"MPI_COLLECTIVE_END", "RMA_COLLECTIVE_END", "NON_BLOCKING_COLLECTIVE_COMPLETE"}
TOLD |= COLLECTIVES


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, timeout=300).stdout


class Truth:
    """What spur print says: calls, halves of messages, samples, values of metrics, other events."""

    def __init__(self, spur, archive):
        self.calls, self.halves, self.samples, self.values = ([] for _ in range(4))
        self.collectives, self.blocking_collectives = 0, 0
        self.others, self.names, self.open = collections.Counter(), {}, {}
        text = output(spur, "print", "--as", "3.0", archive).decode("utf-8", "replace")
        clock = output(spur, "print", "-G", archive).decode("utf-8", "replace")
        ticks = re.search(r"Ticks per Seconds?: (\d+)", clock)
        start = re.search(r"Global Offset: (\d+)", clock)
        self.per_second, self.start = int(ticks.group(1)), int(start.group(1))
        self.contexts = {}
        for context, name, region in DEFINED.findall(clock):
            self.contexts[int(context)] = (name, int(region))
        for line in text.splitlines():
            row = ROW.match(line)
            if row:
                self.event(row.group(1), int(row.group(2)), self.ns(int(row.group(3))), row.group(4))
        for location, stack in self.open.items():
            assert not stack, f"calls are open on {location}: {stack}"

    def ns(self, ticks):
        return (ticks - self.start) * 1000000000 // self.per_second

    def event(self, kind, location, time, rest):
        stack = self.open.setdefault(location, [])
        if kind == "ENTER":
            name, number = REFERENCE.search(rest).groups()
            self.names[int(number)] = f"region {number}" if name is None else name
            stack.append((int(number), time))
        elif kind == "LEAVE":
            region, enter = stack.pop()
            assert region == int(REFERENCE.search(rest).group(2)), f"{location} leaves {rest}"
            self.calls.append((location, region, enter, time))
        elif kind == "CALLING_CONTEXT_ENTER":
            name, region = self.contexts[int(CONTEXT.search(rest).group(1))]
            self.names[region] = name
            stack.append((region, time))
        elif kind == "CALLING_CONTEXT_LEAVE":
            region, enter = stack.pop()
            self.calls.append((location, region, enter, time))
        elif kind in HALVES:
            tag, length = map(int, MESSAGE.search(rest).groups())
            inner = stack[-1] if stack else (None, None)
            self.halves.append((HALVES[kind], location, time, tag, length, *inner))
        elif kind == "CALLING_CONTEXT_SAMPLE":
            self.samples.append((location, time, int(CONTEXT.search(rest).group(1))))
        elif kind == "METRIC":
            self.values += [(location, time, float(value)) for value in VALUE.findall(rest)]
        elif kind in COLLECTIVES:
            self.collectives += 1
            self.blocking_collectives += kind == "MPI_COLLECTIVE_END"
        if kind not in TOLD:
            self.others[RECORDS.get(kind, kind.replace("_", "").lower())] += 1


class Judge:
    def __init__(self):
        self.faults = []

    def same(self, what, got, wanted):
        if not isinstance(got, (int, collections.Counter, dict)):
            got, wanted = sorted(got, key=repr), sorted(wanted, key=repr)
        if got != wanted:
            self.faults.append(f"{what}: {str(got)[:2000]} instead of {str(wanted)[:2000]}")

    def check(self, condition, what):
        if not condition:
            self.faults.append(what)


# ---- tables ----

def number(text):
    return None if text in ("", None) else int(text)


def compare_tables(judge, form, truth, tables):
    """`tables` has rows as dicts; numbers may still be text."""
    def cells(table, *columns):
        return [tuple(number(row[column]) for column in columns) for row in tables[table]]

    judge.same(f"{form}: calls", cells("call", "location", "region", "enter", "leave"), truth.calls)
    calls = {int(row["call"]): row for row in tables["call"]}
    for row in tables["call"]:
        caller = calls.get(number(row["caller"]))
        judge.check(int(row["duration"]) == int(row["leave"]) - int(row["enter"]),
                    f"{form}: duration of {row}")
        judge.check(number(row["caller"]) is None or (
            int(caller["enter"]) <= int(row["enter"]) and int(row["leave"]) <= int(caller["leave"])),
            f"{form}: {row} is not within {caller}")
    halves = []
    for row in tables["message"]:
        for kind, call, location, time in (("send", "send_call", "send_location", "sent"),
                                           ("receive", "receive_call", "receive_location", "received")):
            if row[location] in ("", None):
                continue
            inner = calls.get(number(row[call]))
            halves.append((kind, int(row[location]), int(row[time]), int(row["tag"]), int(row["bytes"]),
                           *((int(inner["region"]), int(inner["enter"])) if inner else (None, None))))
    judge.same(f"{form}: halves of messages", halves, truth.halves)
    judge.same(f"{form}: samples", cells("sample", "location", "time", "context"), truth.samples)
    judge.same(f"{form}: values", [(int(row["location"]), int(row["time"]), float(row["value"]))
                                   for row in tables["value"]], truth.values)
    judge.same(f"{form}: collectives", len(tables["collective"]), truth.collectives)
    judge.same(f"{form}: other events",
               collections.Counter(row["name"].lower() for row in tables["event"]), truth.others)
    names = {int(row["region"]): row["name"] for row in tables["region"]}
    for region, name in truth.names.items():
        judge.check(names.get(region) == name, f"{form}: region {region} is {names.get(region)}")


def read_csv(folder):
    tables = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="utf-8", newline="") as file:
            tables[name[:-len(".csv")]] = list(csv.DictReader(file))
    return tables


def read_sqlite(path):
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    base.row_factory = sqlite3.Row
    tables = [row[0] for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {name: [dict(row) for row in base.execute(f'SELECT * FROM "{name}"')] for name in tables}


# ---- slices ----

def compare_slices(judge, form, truth, lanes, events):
    """Events as (lane, phase, time, name, more), in the order of the file; lanes to locations."""
    calls, halves, ends, stacks = [], [], collections.defaultdict(list), collections.defaultdict(list)
    # As viewers do: by time, and what is at one time in the order of the file.
    for lane, phase, time, name, more in sorted(events, key=lambda event: event[2]):
        stack = stacks[lane]
        if phase == "begin":
            stack.append((name, time))
        elif phase == "end":
            judge.check(stack, f"{form}: an end without a slice at {time} on {lane}")
            if stack:
                name, begin = stack.pop()
                calls.append((lanes[lane], name, begin, time))
        elif phase in ("send", "receive"):
            inner = stack[-1] if stack else (None, None)
            halves.append((phase, lanes[lane], time, more["tag"], more["bytes"], *inner))
            ends[more["id"]].append((phase, more["tag"], more["bytes"]))
    judge.check(not any(stacks.values()), f"{form}: slices without an end: {stacks}")
    judge.same(f"{form}: slices", calls, [(location, truth.names[region], enter, leave)
                                          for location, region, enter, leave in truth.calls])
    judge.same(f"{form}: flows in their slices", halves,
               [(*half[:5], truth.names.get(half[5]), half[6]) for half in truth.halves])
    for flow, both in ends.items():
        judge.check(len(both) == 2 and {half[0] for half in both} == {"send", "receive"} and
                    both[0][1:] == both[1][1:], f"{form}: flow {flow} joins {both}")


def chrome_events(text, tables):
    """Lanes are numbered as the locations are defined."""
    found = json.loads(text)["traceEvents"]
    lanes = {i + 1: int(row["location"]) for i, row in enumerate(tables["location"])}
    phases = {"B": "begin", "E": "end", "s": "send", "f": "receive", "C": "value", "i": "instant"}
    events = [(event["tid"], phases[event["ph"]], round(event["ts"] * 1000), event.get("name"),
               {"id": event.get("id"), "cat": event.get("cat"), **event.get("args", {})})
              for event in found if event["ph"] != "M"]
    return lanes, events


def compare_chrome(judge, truth, text, tables):
    lanes, events = chrome_events(text, tables)
    compare_slices(judge, "chrome", truth, lanes, events)
    judge.same("chrome: values", [(lanes[lane], time, float(more["value"]))
                                  for lane, phase, time, _, more in events if phase == "value"],
               truth.values)
    instants = collections.Counter(more["cat"] for _, phase, _, _, more in events if phase == "instant")
    judge.same("chrome: instants", instants, collections.Counter(
        {"sample": len(truth.samples), "collective": truth.collectives,
         "event": sum(truth.others.values())}))


# ---- Perfetto ----

def parse_text(lines):
    """The text form of a protocol buffer: fields to lists of values."""
    fields = collections.defaultdict(list)
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith("{"):
            fields[line[:-1].strip()].append(parse_text(lines))
        else:
            key, value = line.split(": ", 1)
            assert not key.isdigit(), f"the schema has no field {key}"
            if value.startswith('"'):
                value = re.sub(rb"\\([0-7]{3})", lambda m: bytes([int(m.group(1), 8)]),
                               value[1:-1].encode()).decode()
                value = re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t", "r": "\r"}.get(
                    m.group(1), m.group(1)), value)
            fields[key].append(value)
    return fields


def one(fields, key, otherwise=None):
    return fields[key][0] if key in fields else otherwise


class Perfetto:
    """A trace as protoc decodes it."""

    def __init__(self, path):
        with open(path, "rb") as file:
            text = subprocess.run(["protoc", f"--proto_path={HERE}/../cli", "--decode=Trace",
                                   "perfetto.proto"], stdin=file, check=True, capture_output=True,
                                  timeout=300).stdout.decode()
        self.names, self.keys, self.lanes, self.counters, self.events = {}, {}, {}, {}, []
        self.threads, self.below = [], {}
        for packet in parse_text(iter(text.splitlines()))["packet"]:
            self.packet(packet)

    def packet(self, packet):
        for interned in packet["interned_data"]:
            for what, into in (("event_names", self.names), ("debug_annotation_names", self.keys)):
                into.update({one(entry, "iid"): one(entry, "name", "") for entry in interned[what]})
        for track in packet["track_descriptor"]:
            uuid = one(track, "uuid")
            if track["thread"]:
                self.threads.append(uuid)
            if track["counter"]:
                self.counters[uuid] = one(track, "parent_uuid")
            elif track["parent_uuid"]:
                self.below[uuid] = one(track, "parent_uuid")
        for event in packet["track_event"]:
            self.event(int(one(packet, "timestamp")), event)

    def event(self, time, event):
        kind, track = one(event, "type"), one(event, "track_uuid")
        more = {self.keys[one(entry, "name_iid")]: one(entry, "uint_value", one(entry, "string_value"))
                for entry in event["debug_annotations"]}
        name = self.names.get(one(event, "name_iid"))
        flow = one(event, "flow_ids") or one(event, "terminating_flow_ids")
        phase = {"TYPE_SLICE_BEGIN": "begin", "TYPE_SLICE_END": "end", "TYPE_COUNTER": "value",
                 "TYPE_INSTANT": "instant"}[kind]
        if flow:
            phase = "send" if event["flow_ids"] else "receive"
            more = {"id": flow, "tag": int(more["tag"]), "bytes": int(more["bytes"])}
        if phase == "value":
            more = {"value": float(one(event, "counter_value", one(event, "double_counter_value")))}
            track = self.counters[track]
        if track in self.below:
            phase, track = "sample", self.below[track]
        self.events.append((track, phase, time, name, more))


def compare_perfetto(judge, truth, path, tables):
    trace = Perfetto(path)
    lanes = dict(zip(trace.threads, (int(row["location"]) for row in tables["location"])))
    compare_slices(judge, "perfetto", truth, lanes, trace.events)
    judge.same("perfetto: values", [(lanes[lane], time, more["value"])
                                    for lane, phase, time, _, more in trace.events if phase == "value"],
               truth.values)
    regions = {int(row["region"]): row["name"] for row in tables["region"]}
    contexts = {int(row["context"]): regions[int(row["region"])] for row in tables["context"]}
    judge.same("perfetto: samples", [(lanes[lane], time, name)
                                     for lane, phase, time, name, _ in trace.events if phase == "sample"],
               [(location, time, contexts[context]) for location, time, context in truth.samples])
    instants = sum(phase == "instant" for _, phase, _, _, _ in trace.events)
    judge.same("perfetto: instants", instants, truth.collectives + sum(truth.others.values()))


# ---- stacks ----

def folded_sums(text):
    """As flame graph tools do: the last word is the weight. By function: of it alone."""
    sums = collections.Counter()
    for line in text.splitlines():
        stack, weight = line.rsplit(" ", 1)
        sums[stack.rsplit(";", 1)[1]] += int(weight)
    return sums


def compare_folded(judge, truth, times, samples, tables):
    names = {row["region"]: row["name"].replace(";", ":") for row in tables["region"]}
    wanted = collections.Counter()
    for row in tables["call"]:
        wanted[names[row["region"]]] += int(row["self"])
    judge.same("folded: times", folded_sums(times), +wanted)
    judge.same("folded: samples", sum(folded_sums(samples).values()), len(truth.samples))


# ---- all of it ----

def compare(bin_folder, archive, scratch, base):
    """All formats of an archive; `base`: the beginning of the names of files in scratch."""
    spur, judge = os.path.join(bin_folder, "spur"), Judge()
    truth = Truth(spur, archive)
    path = {form: os.path.join(scratch, f"{base}.{form}")
            for form in ("csv", "sqlite", "chrome", "perfetto")}
    for form, file in path.items():
        output(spur, "export", "--to", form, "-o", file, archive)
    tables = read_csv(path["csv"])
    compare_tables(judge, "csv", truth, tables)
    compare_tables(judge, "sqlite", truth, read_sqlite(path["sqlite"]))
    with open(path["chrome"], encoding="utf-8") as file:
        compare_chrome(judge, truth, file.read(), tables)
    compare_perfetto(judge, truth, path["perfetto"], tables)
    times, samples = (output(spur, "export", "--to", "folded", "--weight", weight, archive).decode()
                      for weight in ("time", "samples"))
    compare_folded(judge, truth, times, samples, tables)
    return [f"{base}: {fault}" for fault in judge.faults]
