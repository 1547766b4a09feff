# SPDX-License-Identifier: BSD-3-Clause
"""
Writes small archives record by record, right or wrong as the caller wants them: what the judges are
tested with. Little endian.

    write_archive(folder, definitions, {location: [(time, event name, values...)]})

`definitions` is a list of (name, values...) in on-disk order, arrays as one list of tuples. An
event named "Attributes" is the attribute list of the event behind it: [(attribute, type, value)].
More files and other anchors:

    local={location: [(name, values...)]}       an idMap is (is sparse, entries)
    snapshots={location: [(time, name, values...)]}
    markers=[(name, values...)]     thumbnails=[[(name, values...)]]
    anchor={"creator": "spur", ...}             fields of ANCHOR
"""

import os
import struct

from judge import otf2_tables as tables
from judge.otf2_read import RECORDS, SIDE_RECORDS

CHUNK_BYTES = 1 << 20
ANCHOR = {"format": 3, "trace_format": 2, "version": (3, 0, 0), "event_chunk": CHUNK_BYTES,
          "definition_chunk": CHUNK_BYTES, "substrate": 1, "compression": 1, "machine": "",
          "creator": "", "description": "", "properties": (), "trace_id": 1, "end": b"\x02\x01\x00"}
FIXED = {"u8": "B", "i8": "b", "u16": "H", "i16": "h", "u32": "I", "u64": "Q", "f32": "f",
         "f64": "d"}
WIDTHS = {"c32": 4, "c64": 8}
ONES = [(1 << 8 * width) - 1 for width in range(10)]
SIZES = [bytes([size]) for size in range(256)]


def _compressed(value, width, order, short):
    if short and (value == 0 or value == ONES[width]):
        return b"\xff" if value else b"\0"
    size = (value.bit_length() + 7) // 8 or 1
    return SIZES[size] + value.to_bytes(size, order)


def _id_map(is_sparse, entries):
    numbers = [number for entry in entries for number in entry] if is_sparse else entries
    return encode_value("c64", len(entries)) + bytes([is_sparse]) + b"".join(
        encode_value("c64", number) for number in numbers)


def encode_value(encoding, value, order="little", short=True):
    """The bytes of one value; without `short` as the first OTF2 wrote zero and all ones."""
    if encoding in WIDTHS:
        return _compressed(value, WIDTHS[encoding], order, short)
    if encoding in ("ci32", "ci64"):
        width = int(encoding[2:]) // 8
        if value < 0:
            return bytes([width]) + value.to_bytes(width, order, signed=True)
        return _compressed(value, width + 1, order, short)
    if encoding == "string":
        return value.encode("utf-8", "surrogateescape") + b"\0"
    if encoding == "idmap":
        return _id_map(*value)
    return struct.pack(("<" if order == "little" else ">") + FIXED[encoding], value)


def _attributes(record, values):
    out, kind = bytearray(), None
    for field, value in zip(record.fields, values):
        if field.name == "type":
            kind = value
        if field.encoding == "value":
            out += encode_value(tables.VALUES.get(kind, ("c64", None))[0], value)
        elif field.members is None:
            out += encode_value(field.encoding, value)
        else:
            out += encode_value(field.encoding, len(value))
            for row in value:
                kind = row[-2] if len(row) > 1 else None
                for member, part in zip(field.members, row):
                    encoding = tables.VALUES[kind][0] if member.encoding == "value" \
                        else member.encoding
                    out += encode_value(encoding, part)
    return bytes(out)


def _with_length(number, body):
    length = bytes([len(body)]) if len(body) < 255 else b"\xff" + struct.pack("<Q", len(body))
    return bytes([number]) + length + body


def encode(record, values):
    """The bytes of a record, its id included."""
    body = _attributes(record, values)
    return _with_length(record.number, body) if record.framed else bytes([record.number]) + body


def _attribute_list(entries):
    body = encode_value("c32", len(entries))
    for number, kind, value in entries:
        body += encode_value("c32", number) + bytes([kind])
        body += encode_value(tables.VALUES.get(kind, ("c64", None))[0], value)
    return _with_length(6, body)


def _chunk(first, last, body):
    return b"\x03\x42" + struct.pack("<QQ", first, last) + body


def _plain_file(rows, records):
    return _chunk(1, 0, b"".join(encode(rows[name], values) for name, *values in records)) \
        + b"\x02\x01"


def _timed_file(rows, events, chunk_bytes):
    """Timestamps, attribute lists and records, in chunks."""
    file, body, pending, last, first, count = bytearray(), bytearray(), b"", None, 1, 0
    for time, name, *values in events:
        if name == "Attributes":
            pending = _attribute_list(values[0])
            continue
        stamp = b"\x05" + struct.pack("<Q", time)
        bytes_of = pending + encode(rows[name], values)
        if len(body) + len(stamp) + len(bytes_of) + 20 > chunk_bytes:
            file += _chunk(first, count, body).ljust(chunk_bytes, b"\0")
            body, last, first = bytearray(), None, count + 1
        body += (stamp if time != last else b"") + bytes_of
        last, pending, count = time, b"", count + 1
    return bytes(file + _chunk(first, count, body + pending) + b"\x02\x01")


def _anchor_file(anchor):
    text = b"".join(encode_value("string", anchor[name])
                    for name in ("machine", "creator", "description"))
    properties = b"".join(encode_value("string", word) for pair in anchor["properties"]
                          for word in pair)
    return b"\x03\x42OTF2\0" + bytes([anchor["format"], anchor["trace_format"],
                                      *anchor["version"]]) + struct.pack(
        "<QQBBQQ", anchor["event_chunk"], anchor["definition_chunk"], anchor["substrate"],
        anchor["compression"], anchor["locations"], anchor["definitions"]) + text + struct.pack(
            "<I", len(anchor["properties"])) + properties + struct.pack(
                "<QII", anchor["trace_id"], anchor["snapshots"],
                anchor["thumbnails"]) + anchor["end"]


def write_archive(folder, definitions, events, local=None, snapshots=None, markers=None,
                  thumbnails=(), anchor=None):
    """Write folder/traces.*; returns the path of the anchor file."""
    os.makedirs(os.path.join(folder, "traces"))
    count = sum(max(sum(name == "SnapshotStart" for _, name, *_ in records), 1)
                for records in list((snapshots or {}).values())[:1])
    about = {**ANCHOR, "locations": sum(name == "Location" for name, *_ in definitions),
             "definitions": len(definitions), "snapshots": count, "thumbnails": len(thumbnails),
             **(anchor or {})}
    files = {"traces.def": _plain_file(RECORDS, definitions), "traces.otf2": _anchor_file(about)}
    for location, stream in events.items():
        files[f"traces/{location}.evt"] = _timed_file(RECORDS, stream, about["event_chunk"])
        files[f"traces/{location}.def"] = _plain_file(SIDE_RECORDS["def"],
                                                      (local or {}).get(location, ()))
    for location, stream in (snapshots or {}).items():
        files[f"traces/{location}.snap"] = _timed_file(SIDE_RECORDS["snap"], stream,
                                                       about["event_chunk"])
    if markers is not None:
        files["traces.marker"] = _plain_file(SIDE_RECORDS["marker"], markers)
    for number, records in enumerate(thumbnails):
        files[f"traces.{number}.thumb"] = _plain_file(SIDE_RECORDS["thumb"], records)
    for name, data in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    return os.path.join(folder, "traces.otf2")
