# SPDX-License-Identifier: BSD-3-Clause
"""
SION containers, written and read without spur's library: what tests compare spur with. Where the form
leaves no choice spur writes the bytes of pack(), and of what it writes streams() finds the plain files.

    pack(source, target, ranks=[[0, 1], [2]], files=[0, 0])    a plain archive in containers
    streams(archive)                                           {(location, kind): bytes} of containers

streams() fails if anything in the rank map or in a container does not fit: no byte of them may be another
one, but for those of the name that a container has.

Archives are directories with traces.otf2. Options of pack(), where the defaults are what OTF2 with
SIONlib writes: `align` (of blocks), `block` and `record` (bytes, the longest), `interleave` (one
record of each location in turn), `big` (numbers of a big-endian host), `members` (in place of
`files`: the ranks of each file, in the order of tasks), `name` (of the archive, as its writer knew it).
`block` 0: each task has one block, as large as its stream, up to FITTING.
"""

import itertools
import os
import shutil
import struct

MIB = 1 << 20
KINDS = ("evt", "def", "snap")
AT_EVENT_CHUNK, AT_SUBSTRATE = 12, 28
POSIX, SION = 1, 2
MAP_CHUNK = 256 * 1024
NAME_BYTES, FORM, WITH_KEYS = 1024, 5, 51
FITTING = 32 * MIB


def _round(number, step):
    return (number + step - 1) // step * step


def _number(value):
    data = value.to_bytes(8, "little").rstrip(b"\0")
    return bytes([len(data)]) + data


def _read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def _write(data, *path):
    with open(os.path.join(*path), "wb") as file:
        file.write(data)


def rank_map(ranks, places, files):
    """`places`: the file and the task of each rank."""
    # The bytes that a record may need at most decide where it goes.
    records = [(0, b"\x0a" + b"".join(map(_number, (files, len(ranks), sum(map(len, ranks))))))]
    for rank, locations in enumerate(ranks):
        records.append((21, b"\x0b" + b"".join(map(_number, (rank, *places[rank], len(locations))))))
        records += [(10, b"\x0c" + _number(location)) for location in locations]
    chunks = [b"\x03\x42" + struct.pack("<QQ", 1, 0)]
    for most, record in records + [(0, b"\x02\x01")]:
        if most >= MAP_CHUNK - len(chunks[-1]):
            chunks[-1] = chunks[-1].ljust(MAP_CHUNK, b"\0")
            chunks.append(b"\x03\x42" + struct.pack("<QQ", 1, 0))
        chunks[-1] += record
    return b"".join(chunks)


def _container(path, first, number, files, ranks, tasks, mapping, align, block, sign):
    """`tasks`: the stream of each."""
    n = len(tasks)
    blocks = [_round(block or min(max(len(task), 1), FITTING), align) for task in tasks]
    used = [[len(task[at:at + step]) for at in range(0, max(len(task), 1), step)]
            for task, step in zip(tasks, blocks)]
    rows = max(map(len, used))
    begin = _round(52 + NAME_BYTES + 16 * n + 12, align)
    tail = begin + rows * sum(blocks)
    words = sign + "%dq" % n
    with open(path, "wb") as file:
        file.write(b"sion" + (b"\1\1\1\1" if sign == ">" else bytes(4)))
        file.write(struct.pack(sign + "7iqq", 1007, 6, FORM, align, n, files, number, WITH_KEYS << 32, 0))
        file.write(first.encode()[:NAME_BYTES - 1].ljust(NAME_BYTES, b"\0"))
        file.write(struct.pack(words, *ranks) + struct.pack(words, *blocks))
        file.write(struct.pack(sign + "iq", rows, tail))
        for task, data in enumerate(tasks):
            for row in range(len(used[task])):
                file.seek(begin + row * sum(blocks) + sum(blocks[:task]))
                file.write(data[row * blocks[task]:(row + 1) * blocks[task]])
        file.seek(tail)
        file.write(struct.pack(words, *map(len, used)))
        for row in itertools.zip_longest(*used, fillvalue=0):
            file.write(struct.pack(words, *row))
        if mapping:
            file.write(struct.pack(sign + "i", len(mapping)))
            file.write(b"".join(struct.pack(sign + "ii", *place) for place in mapping))


def _stream(contents, locations, record, interleave, sign):
    """The records of a rank."""
    pieces = [[(location, contents[location][at:at + record])
               for at in range(0, len(contents[location]), record)]
              for location in locations if location in contents]
    if interleave:
        pieces = itertools.zip_longest(*pieces)
    return b"".join(struct.pack(sign + "Qq", piece[0], len(piece[1])) + piece[1]
                    for row in pieces for piece in row if piece)


def pack(source, target, ranks=None, files=None, align=4096, block=4 * MIB, record=4 * MIB,
         interleave=False, big=False, members=None, name=None):
    contents = {kind: {} for kind in KINDS}
    for file in os.listdir(os.path.join(source, "traces")):
        location, kind = file.split(".")
        contents[kind][int(location)] = _read(source, "traces", file)
    ranks = ranks or [sorted({location for kind in contents.values() for location in kind})]
    files = files or [0] * len(ranks)
    members = members or [[rank for rank, file in enumerate(files) if file == number]
                          for number in range(max(files) + 1)]
    places = {rank: (file, task) for file, of_file in enumerate(members)
              for task, rank in enumerate(of_file)}
    places = [places[rank] for rank in range(len(ranks))]
    os.makedirs(os.path.join(target, "traces"))
    for file in os.listdir(source):
        if file != "traces":
            shutil.copy(os.path.join(source, file), os.path.join(target, file))
    anchor = bytearray(_read(source, "traces.otf2"))
    assert anchor[AT_SUBSTRATE] == POSIX
    anchor[AT_SUBSTRATE] = SION
    _write(anchor, target, "traces.otf2")
    _write(rank_map(ranks, places, len(members)), target, "traces.srm")
    sign = ">" if big else "<"
    first = os.path.join(name or target, "traces", "0.")
    for kind, of_kind in contents.items():
        for number, of_file in enumerate(members if of_kind else []):
            tasks = [_stream(of_kind, ranks[rank], record, interleave, sign) for rank in of_file]
            mapping = places if number == 0 and len(members) > 1 else None
            _container(os.path.join(target, "traces", f"{number}.{kind}"), first + kind, number,
                       len(members), of_file, tasks, mapping, align, block, sign)


class _RankMap:
    """What the file says that tells where ranks are: `ranks` has (file, task, locations) of each."""

    def __init__(self, path):
        self.data, self.chunk, self.at = _read(path), 0, 0
        self._head()
        assert self._kind() == 0x0a
        self.files, n, locations = self._number(), self._number(), self._number()
        self.ranks = [self._rank(rank) for rank in range(n)]
        assert (self._kind(), self.data[self.at:]) == (2, b"\x01")
        assert sum(len(rank[2]) for rank in self.ranks) == locations
        assert len(set().union(*(rank[2] for rank in self.ranks))) == locations

    def _head(self):
        assert self.data[self.chunk:self.chunk + 18] == b"\x03\x42" + struct.pack("<QQ", 1, 0)
        self.at = self.chunk + 18

    def _kind(self):
        if self.data[self.at] == 0:  # the rest of the chunk is empty
            self.chunk += MAP_CHUNK
            self._head()
        self.at += 1
        return self.data[self.at - 1]

    def _number(self):
        n = self.data[self.at]
        self.at += 1 + n
        return int.from_bytes(self.data[self.at - n:self.at], "little")

    def _rank(self, wanted):
        assert (self._kind(), self._number()) == (0x0b, wanted)
        file, task, n, locations = self._number(), self._number(), self._number(), set()
        for _ in range(n):
            assert self._kind() == 0x0c
            locations.add(self._number())
        assert len(locations) == n
        return file, task, locations


class _Container:
    """A container in which all fits together: `tasks` has the stream of each, and nothing else is in it."""

    def __init__(self, path, number, ranks):
        """`ranks`: what the rank map says."""
        self.data, self.name = _read(path), os.path.basename(path)
        self.sign = {bytes(4): "<", b"\1\1\1\1": ">"}[self.data[4:8]]
        members = {task: rank for rank, (file, task, _) in enumerate(ranks.ranks) if file == number}
        self.members = [members[task] for task in range(len(members))]
        self._head(number, ranks.files)
        self.counts, self.used, at = self._table()
        assert self.data[at:] == self._places(number, ranks)
        self.tasks = [self._task(task) for task in range(len(self.members))]

    def _words(self, form, at):
        return struct.unpack_from(self.sign + form, self.data, at)

    def _head(self, number, files):
        n = len(self.members)
        assert self.data[:4] == b"sion" and self._words("3i", 8) == (1007, 6, FORM)
        assert self._words("3iqq", 24) == (n, files, number, WITH_KEYS << 32, 0)
        name, kind = self.data[52:52 + NAME_BYTES].rstrip(b"\0"), self.name.split(".")[1]
        assert b"\0" not in name and (name.endswith(b"/0." + kind.encode()) or len(name) == NAME_BYTES - 1)
        at = 52 + NAME_BYTES
        assert list(self._words("%dq" % n, at)) == self.members
        self.align, = self._words("i", 20)
        self.sizes = self._words("%dq" % n, at + 8 * n)
        self.rows, self.tail = self._words("iq", at + 16 * n)
        assert self.align > 0
        self.begin = _round(at + 16 * n + 12, self.align)
        assert all(size > 0 and size % self.align == 0 for size in self.sizes)
        assert self.tail == self.begin + self.rows * sum(self.sizes) <= len(self.data)
        assert self._is_empty(at + 16 * n + 12, self.begin)

    def _table(self):
        """The blocks of each task, the used bytes of each row, and where the table ends."""
        row = "%dq" % len(self.members)
        counts, at = self._words(row, self.tail), self.tail + struct.calcsize(row)
        assert min(counts) >= 1 and max(counts) == self.rows
        used = [self._words(row, at + number * struct.calcsize(row)) for number in range(self.rows)]
        return counts, used, at + self.rows * struct.calcsize(row)

    def _places(self, number, ranks):
        """What is behind the table."""
        if number or ranks.files == 1:
            return b""
        pairs = [struct.pack(self.sign + "ii", file, task) for file, task, _ in ranks.ranks]
        return struct.pack(self.sign + "i", len(pairs)) + b"".join(pairs)

    def _is_empty(self, begin, end):
        return self.data[begin:end] == bytes(end - begin)

    def _task(self, task):
        stream, size, last = b"", self.sizes[task], self.counts[task] - 1
        for number, row in enumerate(self.used):
            at = self.begin + number * sum(self.sizes) + sum(self.sizes[:task])
            # Blocks are full, but for the last one, which has something if there are others.
            assert row[task] == size if number < last else number == last or row[task] == 0
            assert (number == last > 0) <= row[task] <= size
            assert self._is_empty(at + row[task], at + size)
            stream += self.data[at:at + row[task]]
        return stream

    def records(self):
        """(rank, location, bytes), task by task."""
        for rank, stream in zip(self.members, self.tasks):
            at = 0
            while at < len(stream):
                location, n = struct.unpack_from(self.sign + "Qq", stream, at)
                at += 16 + n
                assert n > 0 and at <= len(stream)
                yield rank, location, stream[at - n:at]


def _is_readable(archive, kind, records):
    """By the reference library, which reads no record further than its end."""
    chunk, = struct.unpack_from("<Q", _read(archive, "traces.otf2"), AT_EVENT_CHUNK)
    return len(records) == 1 if kind == "def" else all(len(record) % chunk == 0 for record in records[:-1])


def streams(archive, for_reference=False):
    """`for_reference`: the records are also cut as the reader of the reference library needs it."""
    ranks, found = _RankMap(os.path.join(archive, "traces.srm")), {}
    names = sorted(os.listdir(os.path.join(archive, "traces")))
    kinds = {name.split(".")[1] for name in names}
    assert names == sorted(f"{number}.{kind}" for number in range(ranks.files) for kind in kinds)
    for name in names:
        number, kind = name.split(".")
        container = _Container(os.path.join(archive, "traces", name), int(number), ranks)
        for rank, location, record in container.records():
            assert location in ranks.ranks[rank][2]
            found.setdefault((location, kind), []).append(record)
    for (_, kind), records in found.items() if for_reference else ():
        assert _is_readable(archive, kind, records)
    return {key: b"".join(records) for key, records in found.items()}
