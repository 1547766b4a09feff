# SPDX-License-Identifier: BSD-3-Clause
"""
Draws programs that read and write files, and knows how: each access is made so that it is sequential,
strided or random, of a size and at a place that were drawn. What spur report has to say of it is summed up
here, from what was drawn and not from records.
"""

import collections

READ, WRITE, FLUSH = 0, 1, 2
POSIX, STREAM, MPI_IO = 0, 1, 2
LAYERS = ("POSIX I/O", "ISO C I/O", "MPI-IO")
KINDS = ("read", "write")
BLOCK = 4096
APPEND = 2  # a status flag
WINDOW = 100  # ticks
UNJUDGED = "unjudged"


class Sums(collections.Counter):
    def shares(self):
        judged = self["sequential"] + self["strided"] + self["random"]

        def percent(name, whole):
            return 100.0 * self[name] / whole if whole else None

        return {"small_percent": percent("small", self["moved"]),
                "sequential_percent": percent("sequential", judged),
                "strided_percent": percent("strided", judged), "random_percent": percent("random", judged),
                "unaligned_percent": percent("unaligned", self["placed"]),
                "judged": judged, "placed": self["placed"]}


class Place:
    """The position of an open file, and where the last access of each mode began and ended."""

    def __init__(self, is_known):
        self.position = 0 if is_known else None
        self.begin, self.end, self.stride = [None, None], [0 if is_known else None] * 2, [None, None]
        self.appends = False  # of the open file, whatever handle sets it

    def lose(self):
        """What is appended goes behind an end that others may move."""
        self.__init__(False)
        self.appends = True


class Handle:
    def __init__(self, number, file, layer, parent=None):
        self.number, self.file, self.layer, self.parent = number, file, layer, parent
        self.place, self.is_inherited = None, False


class Process:
    """What one process does, one thing after the other, on any of its threads."""

    def __init__(self, rng, number, n_threads, handles, clock):
        self.rng, self.number, self.clock = rng, number, clock
        self.events = {number << 32 | i: [(0, "Enter", 0)] for i in range(n_threads)}
        self.handles, self.open = handles, []
        self.sums = collections.defaultdict(Sums)  # (handle, site, kind, inside, size power)
        self.calls, self.metadata, self.operation = Sums(), Sums(), 0
        self.windows = collections.Counter()  # calls that move no data, by tenth of a second
        for handle in handles:
            if handle.is_inherited:
                handle.place = Place(False)
                self.open.append(handle)

    def step(self):
        self.clock[0] += self.rng.randrange(1, 4)
        return self.clock[0]

    def tell(self, where, *record):
        self.events[where].append((self.clock[0], *record))

    def add(self, handle, site, kind, inside, size, **numbers):
        power = size.bit_length() if kind in KINDS else 0
        row = self.sums[handle, site, kind, inside, power]
        row.update(count=1, bytes=size, **numbers)

    # ---- calls ----

    def call(self, region, is_metadata, body):
        """A call from a site; `body` is told the location and the site, and takes its time."""
        where, site = self.rng.choice(list(self.events)), self.rng.randrange(3)
        begin = self.step()
        self.tell(where, "Attributes", [(0, 21, site)])
        self.tell(where, "Enter", region)
        body(where, site)
        self.tell(where, "Leave", region)
        took = self.clock[0] - begin
        self.calls.update(count=1, ticks=took)
        if is_metadata:
            self.metadata.update(count=1, ticks=took)
            self.windows[begin // WINDOW] += 1

    def create(self, handle):
        appends = handle.layer != MPI_IO and self.rng.random() < 0.15

        def body(where, site):
            begin = self.clock[0]
            self.step()
            self.tell(where, "IoCreateHandle", handle.number, 3, 0, APPEND if appends else 0)
            self.add(handle, site, "open", 0, 0, ticks=self.clock[0] - begin)
        self.call(3, True, body)
        handle.place = Place(True)
        handle.place.appends = appends
        if handle not in self.open:
            self.open.append(handle)

    def duplicate(self, handle, other):
        def body(where, _):
            self.step()
            status = APPEND if handle.place.appends else 0
            self.tell(where, "IoDuplicateHandle", handle.number, other.number, status)
        self.call(3, True, body)
        other.place = handle.place
        if other not in self.open:
            self.open.append(other)

    def set_flags(self, handle):
        """Of this handle and its duplicates."""
        handle.place.appends = not handle.place.appends

        def body(where, _):
            self.step()
            self.tell(where, "IoChangeStatusFlags", handle.number, APPEND if handle.place.appends else 0)
        self.call(3, True, body)

    def seek(self, handle, offset):
        def body(where, site):
            self.step()
            self.tell(where, "IoSeek", handle.number, offset, 0, offset)
            self.add(handle, site, "other", 0, 0)
        self.call(4, True, body)
        handle.place.position = offset

    def flush(self, handle):
        def body(where, site):
            self.record(where, site, handle, "other", 0, 0, {}, FLUSH)
        self.call(2, False, body)

    def record(self, where, site, handle, kind, inside, size, numbers, mode, offset=None, below=None):
        """An operation; `below` is what the library does meanwhile."""
        self.operation += 1
        number, begin, none = self.operation, self.clock[0], 2**64 - 1
        if offset is not None:
            self.tell(where, "Attributes", [(1, 4, offset)])
        asked = none if mode == FLUSH else size + self.rng.randrange(3)
        self.tell(where, "IoOperationBegin", handle.number, mode, 0, asked, number)
        self.step()
        if below:
            below()
        self.step()
        self.tell(where, "IoOperationComplete", handle.number, none if mode == FLUSH else size, number)
        self.add(handle, site, kind, inside, size, ticks=self.clock[0] - begin, **numbers)

    # ---- accesses, as they were drawn ----

    def aim(self, place, mode):
        """A way to go on, and the offset where that begins."""
        begin, end, stride = place.begin[mode], place.end[mode], place.stride[mode]
        straight = None if stride is None else begin + stride
        if end is None:
            return UNJUDGED, self.rng.randrange(20) * 1000
        ways = ["sequential", "random"]
        if straight is not None and straight != end and straight >= 0:
            ways += ["strided", "strided"]
        way = self.rng.choice(ways)
        offset = {"sequential": end, "strided": straight}.get(way)
        while offset is None or (way == "random" and offset in (end, straight)):
            offset = self.rng.choice((self.rng.randrange(100) * BLOCK, self.rng.randrange(10**6)))
        return way, offset

    def size(self):
        return self.rng.choice((1, 100, BLOCK - 1, BLOCK, BLOCK, BLOCK + 1, 1 << 20))

    def go_on(self, place, mode, offset, size):
        place.stride[mode] = None if place.begin[mode] is None else offset - place.begin[mode]
        place.begin[mode], place.end[mode] = offset, offset + size

    def access(self, handle, inside=0, where=None, site=None):
        mode, size, place = self.rng.choice((READ, WRITE)), self.size(), handle.place
        numbers, offset = {"moved": 1, "small": size < BLOCK}, None
        if self.rng.random() < 0.05:
            size, numbers = 0, {}  # the end of the file, or a failure
        elif place.appends:
            mode = WRITE
            numbers["sequential"] = 1
            place.lose()
        else:
            way, begin = self.aim(place, mode)
            numbers.update({way: 1, "placed": 1, "unaligned": begin % BLOCK != 0})
            if inside or (handle.layer == POSIX and self.rng.random() < 0.4):
                offset = begin
            elif begin != place.position:
                self.seek(handle, begin)
            self.go_on(place, mode, begin, size)
            if offset is None:
                place.position = begin + size
        numbers.pop(UNJUDGED, None)

        def body(where, site):
            self.record(where, site, handle, KINDS[mode], inside, size, numbers, mode, offset)
        if inside:
            body(where, site)
        else:
            self.call(1, False, body)

    def inherited(self, handle):
        """Nobody knows where it stands, until it is sought; then not how it went on from before."""
        mode = self.rng.choice((READ, WRITE))
        for i in range(self.rng.randrange(4)):
            size = self.size()

            def body(where, site, size=size, is_first=i == 0):
                way = {} if is_first else {"sequential": 1}
                self.record(where, site, handle, KINDS[mode], 0, size,
                            {"moved": 1, "small": size < BLOCK, **way}, mode)
            self.call(1, False, body)
        self.seek(handle, self.rng.randrange(50) * 1000)

    def together(self, handle, below):
        """MPI-IO: its own place is not known; the library reads and writes by POSIX."""
        mode, size = self.rng.choice((READ, WRITE)), self.size()

        def body(where, site):
            def library():
                self.tell(where, "Attributes", [(0, 21, site)])
                self.tell(where, "Enter", 1)
                self.access(below, 1, where, site)
                self.tell(where, "Leave", 1)
            self.record(where, site, handle, KINDS[mode], 0, size, {"moved": 1, "small": size < BLOCK}, mode,
                        below=library if below else None)
        self.call(5, False, body)

    # ---- all of it ----

    def act(self):
        handle = self.rng.choice(self.handles)
        if handle not in self.open:
            self.create(handle)
            return
        if handle.place.position is None and not handle.place.appends:
            self.inherited(handle)
        elif handle.layer == MPI_IO:
            below = [other for other in self.open if other.parent == handle.number]
            self.together(handle, below[0] if below else None)
        elif handle.parent is not None or self.rng.random() < 0.9:
            self.access(handle)
        elif self.rng.random() < 0.4:
            self.flush(handle)
        elif self.rng.random() < 0.4 and handle.layer == POSIX:
            self.set_flags(handle)
        elif self.rng.random() < 0.5:
            self.create(handle)  # it was closed, and its number is used again
        else:
            same = [other for other in self.handles if other.layer == POSIX and other.parent is None
                    and not other.is_inherited and (other.file, handle.layer) == (handle.file, POSIX)]
            if same and same[-1] is not handle:
                self.duplicate(handle, same[-1])

    def end(self):
        self.step()
        for where in self.events:
            self.tell(where, "Leave", 0)
