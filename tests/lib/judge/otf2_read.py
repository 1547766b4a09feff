# SPDX-License-Identifier: BSD-3-Clause
"""
A reader of OTF2 archives in plain Python, stricter than the reference library: what only wastes
space or works by luck is an error too. It shares no code and no table with the library under test.

    archive = Archive("dir/traces.otf2")
    archive.definitions       [(record name, {attribute: value})] in file order
    archive.spaces["Comm"]    id -> (record name, {attribute: value})
    archive.events(location)  yields (name, time, values, attribute list or None), with the mapping
                              tables and the clock correction of the location applied

Events are plain tuples since an archive of a million of them must be judged in seconds. `values`
stand in on-disk order (FIELDS names them); an array is one tuple of member tuples.
"""

import os
import struct

from judge import otf2_tables as tables

LITTLE, BIG = 0x42, 0x23
END_OF_CHUNK, END_OF_BUFFER, END_OF_FILE, HEADER, TIMESTAMP, ATTRIBUTES = 0, 1, 2, 3, 5, 6
UNDEFINED32, UNDEFINED64 = 0xffffffff, 0xffffffffffffffff
UNDEFINED = {"u8": 0xff, "c32": UNDEFINED32, "c64": UNDEFINED64}


class FormatError(Exception):
    """The archive breaks the format; the text names file and offset."""


# ---- values: each returns (value, next position) ----

def _compressed(width, signed):
    ones, half, full = (1 << 8 * width) - 1, 1 << (8 * width - 1), 1 << 8 * width

    def read(data, at, order):
        size = data[at]
        at += 1
        if size == 0:
            return 0, at
        if size == 0xff:
            return (-1 if signed else ones), at
        if size > width:
            raise FormatError(f"size byte {size} of a {8 * width}-bit number at {at - 1}")
        value = int.from_bytes(data[at:at + size], order)
        return (value - full if signed and value >= half else value), at + size

    return read


def _fixed(code):
    size = struct.calcsize(code)

    def read(data, at, order):
        sign = "<" if order == "little" else ">"
        return struct.unpack_from(sign + code, data, at)[0], at + size

    return read


def _string(data, at, _order):
    end = data.find(0, at)
    if end < 0:
        raise FormatError(f"string without an end at {at}")
    return bytes(data[at:end]).decode("utf-8", "surrogateescape"), end + 1


READ = {"u8": _fixed("B"), "i8": _fixed("b"), "u16": _fixed("H"), "i16": _fixed("h"),
        "u64": _fixed("Q"), "f32": _fixed("f"), "f64": _fixed("d"), "c32": _compressed(4, False),
        "c64": _compressed(8, False), "ci32": _compressed(4, True), "ci64": _compressed(8, True),
        "string": _string}


def _value(kind, data, at, order):
    return READ[tables.VALUES.get(kind, ("c64", None))[0]](data, at, order)


def _id_map(data, at, order):
    count, at = READ["c64"](data, at, order)
    sparse, at = READ["u8"](data, at, order)
    pairs = {}
    for index in range(count):
        if sparse:
            index, at = READ["c64"](data, at, order)
        pairs[index], at = READ["c64"](data, at, order)
    return pairs, at


# ---- the tables, parsed ----

class Field:
    """An attribute; `members` is a list of fields when it counts an array."""

    def __init__(self, text):
        self.name, _, rest = text.partition(":")
        self.encoding, _, space = rest.partition("@")
        self.optional = space.endswith("?")
        self.space = space.rstrip("?") or None
        self.members = None


class Record:
    """A row of the tables."""

    def __init__(self, words):
        self.framed = not words[0].endswith("!")
        self.number = int(words[0].rstrip("!"))
        self.name = words[1]
        self.fields = []
        self.n_oldest = None  # attributes that the first version of the record had, if fewer
        into = self.fields
        for word in words[2:]:
            if word == "|":
                self.n_oldest = len(self.fields)
            elif word == "*(":
                into = self.fields[-1].members = []
            elif word == ")":
                into = self.fields
            else:
                into.append(Field(word))
        own = self.fields[0] if self.fields else None
        self.space = own.space if own and own.name == "self" else None


def _rows(text):
    rows = {}
    for line in text.replace("\n   ", " ").strip().split("\n"):
        record = Record(line.split())
        rows[record.number] = record
    return rows


EVENTS = _rows(tables.EVENTS)
GLOBAL = _rows(tables.GLOBAL_DEFINITIONS)
LOCAL = {**{n: r for n, r in GLOBAL.items() if n >= 10}, **_rows(tables.LOCAL_DEFINITIONS)}
FIELDS = {record.name: [f.name for f in record.fields] for record in EVENTS.values()}
RECORDS = {record.name: record for rows in (GLOBAL, EVENTS) for record in rows.values()}
SIDE_RECORDS = {kind: {record.name: record for record in _rows(text).values()}
                for kind, text in (("def", tables.LOCAL_DEFINITIONS), ("snap", tables.SNAPSHOTS),
                                   ("marker", tables.MARKERS), ("thumb", tables.THUMBNAILS))}


def _read_attributes(record, data, at, end, order):
    """All attributes of a definition as a dictionary; absent trailing ones stay away."""
    values = {}
    for field in record.fields:
        if at >= end:
            break
        if field.encoding == "value":
            values[field.name], at = _value(values["type"], data, at, order)
        elif field.encoding == "idmap":
            values[field.name], at = _id_map(data, at, order)
        else:
            values[field.name], at = READ[field.encoding](data, at, order)
        if field.members is not None:
            rows = []
            for _ in range(values[field.name]):
                row = {}
                for member in field.members:
                    if member.encoding == "value":
                        row[member.name], at = _value(row["types"], data, at, order)
                    else:
                        row[member.name], at = READ[member.encoding](data, at, order)
                rows.append(row)
            for member in field.members:
                values[member.name] = [row[member.name] for row in rows]
    return values, at


# ---- event decoders: straight-line functions made from the rows ----

def _decoder_lines(field, target, indent):
    pad = "    " * indent
    if field.encoding == "u8":
        lines = [f"{target} = d[p]; p += 1"]
    elif field.encoding in ("c32", "c64"):
        lines = ["n = d[p]; p += 1", f"if n == 1: {target} = d[p]; p += 1",
                 f"elif n == 0: {target} = 0",
                 f"elif n == 255: {target} = {UNDEFINED[field.encoding]}",
                 f"elif n <= {int(field.encoding[1:]) // 8}:"
                 f" {target} = from_bytes(d[p:p + n], order); p += n",
                 "else: raise FormatError(f'bad size byte {n} at {p - 1}')"]
    else:
        lines = [f"{target}, p = read_{field.encoding}(d, p, order)"]
    if field.space in tables.MAPPINGS:
        table = "m" + field.space
        lines.append(f"if {table} is not None: {target} = {table}.get({target}, {target})")
    return [pad + line for line in lines]


def _decoder_source(record):
    spaces = {f.space for f in record.fields for f in [f] + (f.members or [])}
    lines = ["def decode(d, p, order, maps):"]
    lines += [f"    m{s} = maps.get('{s}')" for s in sorted(spaces & set(tables.MAPPINGS))]
    names = []
    for number, field in enumerate(record.fields):
        names.append(f"v{number}")
        lines += _decoder_lines(field, names[-1], 1)
        if field.members is not None:
            lines += ["    rows = []", f"    for _ in range(v{number}):"]
            members = [f"w{i}" for i in range(len(field.members))]
            for member, target in zip(field.members, members):
                lines += _decoder_lines(member, target, 2)
            lines.append(f"        rows.append(({', '.join(members)},))")
            lines.append(f"    v{number} = tuple(rows)")
    lines.append(f"    return ({''.join(n + ', ' for n in names)}), p")
    return "\n".join(lines)


def _make_decoders():
    made = [None] * 256
    scope = {"from_bytes": int.from_bytes, "FormatError": FormatError}
    scope.update({f"read_{encoding}": read for encoding, read in READ.items()})
    for record in EVENTS.values():
        exec(_decoder_source(record), scope)  # the text comes from the table above only
        made[record.number] = scope["decode"]
    return made


DECODE = _make_decoders()


def _attribute_list(data, at, order, maps):
    size, at = (data[at], at + 1) if data[at] != 0xff else READ["u64"](data, at + 1, order)
    end = at + size
    entries = []
    count, at = READ["c32"](data, at, order)
    for _ in range(count):
        name, at = READ["c32"](data, at, order)
        kind, at = READ["u8"](data, at, order)
        value, at = _value(kind, data, at, order)
        space = tables.VALUES.get(kind, (None, None))[1]
        entries.append((maps.get("Attribute", {}).get(name, name), kind,
                        maps[space].get(value, value) if space in maps else value))
    if at != end:
        raise FormatError(f"attribute list ends at {at}, announced {end}")
    return entries, at


# ---- files ----

class ChunkedFile:
    """A file of chunks: header, record bytes, end marks; all of it verified on the way."""

    def __init__(self, path, chunk_bytes, timed):
        with open(path, "rb") as file:
            self.data = file.read()
        self.path, self.chunk_bytes, self.timed = path, chunk_bytes, timed
        self.count = 0
        self.order = "little"

    def error(self, text):
        return FormatError(f"{os.path.basename(self.path)}: {text}")

    def chunk(self, index):
        """Position of the first record of a chunk; checks its header against what was read."""
        at = index * self.chunk_bytes
        if at + 18 > len(self.data):
            raise self.error(f"ends without END_OF_FILE before offset {at}")
        if self.data[at] != HEADER or self.data[at + 1] not in (LITTLE, BIG):
            raise self.error(f"no chunk header at {at}")
        self.order = "little" if self.data[at + 1] == LITTLE else "big"
        first, self.last = struct.unpack_from("<QQ" if self.order == "little" else ">QQ",
                                              self.data, at + 2)
        if first != (self.count + 1 if self.timed else 1):
            raise self.error(f"chunk {index} begins with record {first}, read {self.count}")
        return at + 18

    def end_chunk(self, index, at):
        """After END_OF_CHUNK: only zeros up to the next chunk, and the announced last record."""
        end = (index + 1) * self.chunk_bytes
        if self.data[at:end].strip(b"\0"):
            raise self.error(f"chunk {index}: bytes after END_OF_CHUNK at {at}")
        self.check_last(index)

    def check_last(self, index):
        if self.last != (self.count if self.timed else 0):
            raise self.error(f"chunk {index} announces last record {self.last}, read {self.count}")

    def end_file(self, index, at):
        if self.data[at:] != b"\x01":
            raise self.error(f"{self.data[at:at + 8].hex()} after END_OF_FILE at {at}, want 01")
        self.check_last(index)

    def definitions(self, rows):
        """Yield (record name or None, attributes)."""
        index, at, data = 0, self.chunk(0), self.data
        while True:
            number = data[at]
            at += 1
            if number == END_OF_CHUNK:
                self.end_chunk(index, at)
                index += 1
                at = self.chunk(index)
                continue
            if number == END_OF_FILE:
                return self.end_file(index, at)
            size, at = ((data[at], at + 1) if data[at] != 0xff
                        else READ["u64"](data, at + 1, self.order))
            end = at + size
            if end >= (index + 1) * self.chunk_bytes or end > len(data):
                raise self.error(f"record at {at} leaves its chunk")
            record = rows.get(number)
            if record is None:
                raise self.error(f"unknown definition {number} at {at}")
            values, at = _read_attributes(record, data, at, end, self.order)
            if at != end:
                raise self.error(f"{record.name} ends at {at}, announced {end}")
            yield record.name, values

    def events(self, maps):
        """Yield (name, time, values, attribute list or None), clocks not corrected."""
        index, at, data = 0, self.chunk(0), self.data
        order, time, attributes, is_stamped = self.order, 0, None, False
        decode, names = DECODE, [EVENTS[n].name if n in EVENTS else None for n in range(256)]
        framed = [n not in EVENTS or EVENTS[n].framed for n in range(256)]
        stamp = struct.Struct("<Q" if order == "little" else ">Q").unpack_from
        while True:
            number = data[at]
            at += 1
            if number == TIMESTAMP:
                if is_stamped:
                    raise self.error(f"two timestamps in a row at {at - 1}")
                time = stamp(data, at)[0]
                at += 8
                is_stamped = True
                continue
            if names[number] is not None:
                end = None
                if framed[number]:
                    size = data[at]
                    at += 1
                    if size == 0xff:
                        size, at = READ["u64"](data, at, order)
                    end = at + size
                values, at = decode[number](data, at, order, maps)
                if end is not None and at != end:
                    raise self.error(f"{names[number]} ends at {at}, announced {end}")
                if self.count == 0 and not is_stamped:
                    raise self.error("the first event has no timestamp")
                self.count += 1
                is_stamped = False
                yield names[number], time, values, attributes
                attributes = None
            elif number == ATTRIBUTES:
                attributes, at = _attribute_list(data, at, order, maps)
            elif number == END_OF_CHUNK:
                self.end_chunk(index, at)
                index += 1
                at = self.chunk(index)
            elif number == END_OF_FILE:
                return self.end_file(index, at)
            else:
                raise self.error(f"unknown event {number} at {at - 1}")


class Anchor:
    """DIR/NAME.otf2."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        if len(data) < 72 or data[0] != HEADER or data[2:7] != b"OTF2\0":
            raise FormatError(f"{os.path.basename(path)}: not an OTF2 anchor file")
        order = "little" if data[1] == LITTLE else "big"
        self.version = tuple(data[9:12])
        code = "<QQBBQQ" if order == "little" else ">QQBBQQ"
        (self.event_chunk, self.definition_chunk, self.substrate, self.compression,
         self.locations, self.definitions) = struct.unpack_from(code, data, 12)
        self.machine, at = _string(data, 46, order)
        self.creator, at = _string(data, at, order)
        self.description, at = _string(data, at, order)
        count, at = _fixed("I")(data, at, order)
        self.properties = {}
        for _ in range(count):
            name, at = _string(data, at, order)
            if name in self.properties:
                raise FormatError(f"anchor: property {name} twice")
            self.properties[name], at = _string(data, at, order)
        self.trace_id, at = READ["u64"](data, at, order)
        self.snapshots, self.thumbnails = struct.unpack_from("<II", data, at)
        if data[at + 8:] != b"\x02\x01\x00":
            raise FormatError(f"anchor: ends in {data[at + 8:].hex()}, want 020100")


class Archive:
    """An archive on disk, definitions read, events read on demand."""

    def __init__(self, path):
        self.path = path
        self.folder, base = os.path.split(path)
        self.name = base[:base.rindex(".")]
        self.anchor = Anchor(path)
        self.definitions = list(self._chunked(self.name + ".def", False).definitions(GLOBAL))
        self.spaces = {record.space: {} for record in GLOBAL.values() if record.space}
        for name, values in self.definitions:
            space = RECORDS[name].space
            if space:
                self.spaces[space].setdefault(values["self"], (name, values))
        self.locations = sorted(self.spaces["Location"])

    def _chunked(self, relative, timed):
        size = self.anchor.event_chunk if timed else self.anchor.definition_chunk
        return ChunkedFile(os.path.join(self.folder, relative), size, timed)

    def string(self, number):
        entry = self.spaces["String"].get(number)
        return entry[1]["string"] if entry else None

    def name_of(self, space, number):
        entry = self.spaces[space].get(number)
        return self.string(entry[1].get("name", UNDEFINED32)) if entry else None

    def said(self, name, of="LocationGroup"):
        """The texts of the properties of that name: what processes, or locations, say of themselves."""
        return [self.string(values["stringValue"]) for kind, values in self.definitions
                if kind == f"{of}Property" and self.string(values["name"]) == name]

    def local(self, location):
        """(mapping tables by id space, [(time, offset, error)]) of a location."""
        maps, offsets = {}, []
        for name, values in self._chunked(f"{self.name}/{location}.def", False).definitions(LOCAL):
            if name == "MappingTable":
                space = tables.MAPPINGS[values["mappingType"]]
                if space in maps or not values["idMap"]:
                    raise FormatError(f"{location}.def: mapping table {space} twice or empty")
                maps[space] = values["idMap"]
            elif name == "ClockOffset":
                if offsets and values["time"] <= offsets[-1][0]:
                    raise FormatError(f"{location}.def: clock offsets out of order")
                offsets.append((values["time"], values["offset"], values["standardDeviation"]))
        return maps, offsets

    def clock_error(self, location):
        """Whole ticks by which the corrected times of a location may be wrong, as the archive says."""
        offsets = self.local(location)[1]
        errors = [error for _, _, error in offsets if error > 0]
        return int(min(max(errors), UNDEFINED32)) if errors and len(offsets) > 1 else 0

    def events(self, location):
        maps, offsets = self.local(location)
        events = self._chunked(f"{self.name}/{location}.evt", True).events(maps)
        if len(offsets) < 2:
            return events
        correct = _clock_correction(offsets)
        return ((name, correct(time), (correct(values[0]),) if name == "BufferFlush" else values,
                 attributes) for name, time, values, attributes in events)


def _clock_correction(offsets):
    lines = [(t0, t1, o0, (o1 - o0) / (t1 - t0))
             for (t0, o0, _), (t1, o1, _) in zip(offsets, offsets[1:])]
    at = 0

    def correct(time):
        nonlocal at
        while at + 1 < len(lines) and time > lines[at][1]:
            at += 1
        begin, _, offset, slope = lines[at]
        return time + offset + round(slope * (time - begin))

    return correct
