# SPDX-License-Identifier: BSD-3-Clause
"""
SION containers, written and read without spur's library: what tests compare spur with. Where the form
leaves no choice spur writes the bytes of pack(), and of what it writes streams() finds the plain files.

    pack(source, target, ranks=[[0, 1], [2]], files=[0, 0])    a plain archive in containers
    streams(archive)                                           {(location, kind): bytes} of containers

streams() fails if the rank map and the containers disagree on where a rank or a location is.

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
AT_SUBSTRATE, POSIX, SION = 28, 1, 2
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


def _tasks(path, number, ranks):
    """The stream of each task of a container, which has these ranks, and the sign of its byte order."""
    data = _read(path)
    sign = ">" if data[4] & 1 else "<"
    n, = struct.unpack_from(sign + "i", data, 24)
    align, = struct.unpack_from(sign + "i", data, 20)
    assert struct.unpack_from(sign + "i", data, 32)[0] == number
    assert list(struct.unpack_from(sign + "%dq" % n, data, 52 + NAME_BYTES)) == ranks
    sizes = struct.unpack_from(sign + "%dq" % n, data, 52 + NAME_BYTES + 8 * n)
    rows, tail = struct.unpack_from(sign + "iq", data, 52 + NAME_BYTES + 16 * n)
    counts = struct.unpack_from(sign + "%dq" % n, data, tail)
    tasks, begin = [], _round(52 + NAME_BYTES + 16 * n + 12, align)
    for task in range(n):
        stream = b""
        for row in range(counts[task]):
            used, = struct.unpack_from(sign + "q", data, tail + 8 * (n * (row + 1) + task))
            at = begin + sum(sizes[:task]) + row * sum(sizes)
            stream += data[at:at + used]
        assert counts[task] <= rows
        tasks.append(stream)
    return tasks, sign


def streams(archive):
    found = {}
    mapping = _RankMap(os.path.join(archive, "traces.srm"))
    for name in sorted(os.listdir(os.path.join(archive, "traces"))):
        number, kind = int(name.split(".")[0]), name.split(".")[1]
        assert number < mapping.files
        of_file = {task: rank for rank, (file, task, _) in enumerate(mapping.ranks) if file == number}
        tasks, sign = _tasks(os.path.join(archive, "traces", name), number,
                             [of_file[task] for task in range(len(of_file))])
        for task, stream in enumerate(tasks):
            at = 0
            while at < len(stream):
                location, n = struct.unpack_from(sign + "Qq", stream, at)
                assert location in mapping.ranks[of_file[task]][2]
                key = (location, kind)
                found[key] = found.get(key, b"") + stream[at + 16:at + 16 + n]
                at += 16 + n
    return found
