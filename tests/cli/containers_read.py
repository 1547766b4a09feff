#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
containers_read.py BUILD: archives in SION containers are read as their plain twins are: by the public
interface, by the ranks of MPI jobs (definitions, events forward, backward and from positions, snapshots,
markers, merged events), by every command, and by `spur unpack`, byte by byte.

The archives are those of tests/golden/sion, which OTF2 with SIONlib has written, and others whose shape
its reader can take or cannot (SHAPES). The encoder that makes the others is compared with SIONlib, byte by
byte, and so is the decoder of the tests (CODED). Commands and numbers of ranks take turns (lib/turns.py).

One archive of SIONlib is not in the tree: "chained" has two rows of blocks, so it is 1.4 MB compressed.
"long" has its shape. CONTAINERS_READ_MORE=DIR reads the archives of DIR as well, such as that one.
"""

import glob
import os
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", folder) for folder in ("fixtures", "lib")]

import containers  # noqa: E402
from containers_tester import EACH, ContainersTester, LAUNCHERS, RANKS  # noqa: E402
from judge.everything import NONE, everything  # noqa: E402
from judge.otf2_write import write_archive  # noqa: E402
from matrix import contents  # noqa: E402
from patience import HANG_S  # noqa: E402

DAMAGES = 100  # of a file
ALIGN = range(20, 24)  # in a container: a number that its sizes are multiples of
TURNS = [[rank] for rank in range(6)]  # a location for each rank
VARIED = [[0], [1, 1 << 32 | 1], [2, 1 << 32 | 2, 2 << 32 | 2], [3]]

# How SIONlib has laid out its archives, but the last one: its numbers are those of another byte order.
CODED = {
    "serial-one": {"ranks": [[0]]},
    "serial-three": {"ranks": [[0, 1, 2]]},
    "pthread": {"ranks": [[0, 1, 2, 3]]},
    "mpi4": {"ranks": [[0], [100], [200], [300]]},
    "mpi4-vary": {"ranks": VARIED},
    "mpi4-two-files": {"ranks": VARIED, "files": [0, 0, 1, 1]},
    "chained": {"ranks": [[0], [100]]},
    "foreign-endian": {"ranks": VARIED, "files": [0, 0, 1, 1], "big": True},
}

# Of which archive (see plain_archives), and how that is laid out: see containers.pack().
SHAPES = {
    "one-task": ("small", {}),
    "three-files": ("six", {"ranks": TURNS, "files": [0, 0, 1, 1, 2, 2]}),
    "round-robin": ("six", {"ranks": TURNS, "members": [[0, 2, 4], [1, 3, 5]]}),
    "backwards": ("six", {"ranks": TURNS, "members": [[5, 3, 1], [4, 2, 0]]}),
    "interleaved": ("six", {"ranks": [[0, 1, 2], [3, 4, 5]], "record": 1000, "interleave": True}),
    "empty-rank-first": ("small", {"ranks": [[], [0, 2], [1]]}),
    "empty-rank-middle": ("small", {"ranks": [[0], [], [1, 2]]}),
    "empty-rank-last": ("small", {"ranks": [[0, 1], [2], []], "files": [0, 0, 1]}),
    "no-definitions": ("no-definitions", {"ranks": [[0], [1, 2]]}),
    "many-locations": ("many", {"ranks": [list(range(rank, 300, 7)) for rank in range(7)]}),
    "odd-chunk": ("odd", {"ranks": [[0], [1, 2]]}),
    "odd-chained": ("odd", {"ranks": [[0], [1, 2]], "block": 65536, "record": 131072}),
    "long": ("long", {"ranks": [[0], [1, 2]]}),
    "chunks-64k": ("odd", {"ranks": [[1, 2], [0]], "block": 65536, "align": 65536}),
    "small-blocks": ("small", {"align": 8, "block": 40, "record": 33}),
    "foreign-small": ("small", {"ranks": [[2, 0], [1]], "files": [0, 1], "align": 8, "block": 40,
                                "big": True}),
    "foreign-chained": ("odd", {"ranks": [[1, 0, 2]], "block": 4096, "record": 5000, "interleave": True,
                                "big": True}),
}


class Tester(ContainersTester):
    def __init__(self, build, folder):
        super().__init__("CONTAINERS_READ", build, folder)
        self.pairs = {}  # name: containers, and the plain twin

    def generated(self, name, locations, events):
        folder = self.path("plain", name)
        subprocess.run([self.many, folder, str(locations), str(events)], stdout=subprocess.DEVNULL,
                       check=True)
        return folder

    def odd_chunks(self):
        """Of several chunks, whose size divides no block."""
        archive = everything()
        calls = [(time, ("Enter", "Leave")[time % 2], 0) for time in range(30000)]
        return write_archive(self.path("plain", "odd"), archive["definitions"],
                             {0: calls, 1: calls[:500], 2: calls[:7]}, anchor={"event_chunk": 262144 + 8888})

    def long(self):
        """Of more than 4 MiB for each location: that is a block and a record of SIONlib."""
        values = 255  # of one event, as many as there may be
        members = [("MetricMember", i, 19, NONE, 1, 0, 8, 1, 0, NONE) for i in range(2, values)]
        metric = ("MetricClass", 3, [(i,) for i in range(values)], 0, 2)
        events = [(time, "Metric", 3, [(8, 1 << 55 | time * values + i) for i in range(values)])
                  for time in range(1, 1900)]
        archive = write_archive(self.path("plain", "long"), everything()["definitions"] + [*members, metric],
                                {0: events, 1: [(time + 1, *rest) for time, *rest in events], 2: events[:3]},
                                anchor={"event_chunk": 262144})
        size = os.path.getsize(os.path.join(os.path.dirname(archive), "traces", "1.evt"))
        self.same("more than a block", size > 4 * containers.MIB, True)

    def plain_archives(self):
        small = self.path("plain", "small")
        write_archive(small, **everything())
        self.odd_chunks()
        self.long()
        shutil.copytree(small, self.path("plain", "no-definitions"))
        for path in glob.glob(self.path("plain", "no-definitions", "traces", "*.def")):
            os.remove(path)
        self.generated("six", 6, 300)
        self.generated("many", 300, 50)

    def make(self):
        folders = [os.path.join(HERE, "..", "golden", "sion"), os.environ.get("CONTAINERS_READ_MORE")]
        for path in sum((glob.glob(os.path.join(folder, "*.tar.xz")) for folder in folders if folder), []):
            name = os.path.basename(path).split(".")[0]
            with tarfile.open(path) as archive:
                archive.extractall(self.path("golden"))
            self.pairs[name] = self.path("golden", name, "sion"), self.path("golden", name, "posix")
        self.same("archives of SIONlib", len(self.pairs) > 0, True)
        self.plain_archives()
        for name, (plain, shape) in SHAPES.items():
            packed = self.path("packed", name)
            containers.pack(self.path("plain", plain), packed, **shape)
            self.pairs[name] = packed, self.path("plain", plain)

    # ---- the encoder and the decoder of the tests ----

    def test_coded(self):
        found = set(CODED) & set(self.pairs)
        self.same("archives that SIONlib has laid out", len(found) >= len(CODED) - 1, True)
        for name in sorted(found):
            packed, plain = self.pairs[name]
            again = self.path("again")
            shutil.rmtree(again, ignore_errors=True)
            containers.pack(plain, again, name="sion", **CODED[name])
            self.same(f"{name}, packed as by SIONlib", self.differing(again, packed), [])
            streams = {f"traces/{location}.{kind}": data
                       for (location, kind), data in containers.streams(packed).items()}
            files = {name: data for name, data in contents(plain).items() if name.startswith("traces/")}
            self.same(f"{name}, streams", streams == files, True)

    def test_decoder(self):
        """
        No byte may be another one, and none may be missing; but the sizes may be multiples of another number,
        too, and names differ.
        """
        packed, _ = self.pairs["foreign-small"]
        right, free = containers.streams(packed), {*ALIGN, *range(52, 52 + containers.NAME_BYTES)}
        for file in ("traces.srm", "traces/0.evt", "traces/1.def"):
            path = os.path.join(packed, file)
            with open(path, "rb") as whole:
                data = whole.read()
            places = [at for at in range(len(data)) if file == "traces.srm" or at not in free]
            for at in self.draw.sample(places, min(len(places), DAMAGES)):
                other = bytes([data[at] ^ self.draw.randrange(1, 256)])
                for wrong in (data[:at] + other + data[at + 1:], data[:at]):
                    with open(path, "wb") as damaged:
                        damaged.write(wrong)
                    self.same(f"{file}, {len(wrong)} bytes, byte {at}", self.decoded(packed) == right, False)
            for align in (0, -8, 7, 1 << 30) if file != "traces.srm" else ():
                with open(path, "wb") as damaged:
                    damaged.write(data[:ALIGN.start] + struct.pack(">i", align) + data[ALIGN.stop:])
                self.same(f"{file}, multiples of {align}", self.decoded(packed), None)
            with open(path, "wb") as whole:
                whole.write(data)
        self.same("as it was", self.decoded(packed) == right, True)

    def decoded(self, archive):
        try:
            return containers.streams(archive)
        except (AssertionError, LookupError, ValueError, OverflowError, MemoryError, struct.error):
            return None

    def differing(self, one, other):
        """The names of files, but for the anchors."""
        files = [self.files(archive) for archive in (one, other)]
        return [name for name in sorted({*files[0], *files[1]}) if files[0].get(name) != files[1].get(name)]

    # ---- by the public interface ----

    def read_by_ranks(self, program, launcher, ranks, which):
        """What each location of each archive has, by its name (some have one twin); how all ended."""
        out = self.path("out")
        shutil.rmtree(out, ignore_errors=True)
        archives = list(dict.fromkeys(pair[which] for pair in self.pairs.values()))
        for i in range(len(archives)):
            os.makedirs(os.path.join(out, str(i)))
        done = subprocess.run([*launcher, "-n", str(ranks), program, out,
                               *(os.path.join(archive, "traces.otf2") for archive in archives)],
                              env=self.env, capture_output=True, check=False, timeout=HANG_S, text=True)
        self.same(f"{launcher[0]} -n {ranks}", (done.returncode, done.stderr), (0, ""))
        has = {archive: contents(os.path.join(out, str(i))) for i, archive in enumerate(archives)}
        end = has[archives[-1]].pop("end")
        return {name: has[pair[which]] for name, pair in self.pairs.items()}, end

    def test_interface(self):
        for launcher in LAUNCHERS:
            program = self.compile(launcher, "read_ranks")
            alone = None
            for ranks in (RANKS[0], *self.some(RANKS[1:])):
                twin, twin_end = self.read_by_ranks(program, launcher, ranks, 1)
                alone = alone or twin
                read, end = self.read_by_ranks(program, launcher, ranks, 0)
                self.same(f"{launcher[0]} -n {ranks}: end", end, twin_end)
                for name in self.pairs:
                    what = f"{name}, {launcher[0]} -n {ranks}"
                    self.compare(what, read[name], twin[name])
                    locations = {key for key in alone[name] if key.isdigit()}
                    self.same(f"{what}: locations", {key for key in read[name] if key.isdigit()}, locations)
                    self.same(f"{what}: locations as by one rank",
                              [key for key in locations if read[name][key] != alone[name][key]], [])

    def compare(self, what, read, twin):
        self.same(f"{what}: files", sorted(read), sorted(twin))
        for key in sorted(set(read) & set(twin)):
            self.same(f"{what}: {key}", read[key], twin[key])
        merged = b"".join(read[key] for key in read if key.startswith("merged."))
        self.same(f"{what}: anything", b"up to" in merged, True)

    # ---- by the commands ----

    def test_commands(self):
        of_plain = {}  # some have one twin
        for name, (packed, plain) in self.pairs.items():
            for words in self.commands(EACH):
                key = (plain, *words)
                of_plain[key] = of_plain.get(key) or self.run(plain, *words)
                said = [self.run(packed, *words), of_plain[key]]
                if name == "no-definitions":  # the file that is missing is a container
                    said = [(status, out, len(lines)) for status, out, lines in said]
                self.same(f"{name} {words[1:]}", *said)

    def test_unpack(self):
        for name, (packed, plain) in self.pairs.items():
            self.same(f"{name}, unpack", self.run(packed, self.spur, "unpack", "traces.otf2"), (0, "", []))
            self.same(f"{name}, files", self.files(packed) == self.files(plain), True)

    def files(self, archive):
        """Of each location, and the global ones: the anchors have numbers of their own."""
        return {name: data for name, data in contents(archive).items()
                if "sqlite" not in name and name != "traces.otf2"}


def main():
    with tempfile.TemporaryDirectory() as folder:
        tester = Tester(sys.argv[1], folder)
        tester.make()
        for test in (tester.test_coded, tester.test_decoder, tester.test_interface, tester.test_commands,
                     tester.test_unpack):
            test()
    return 1 if tester.faults else 0


if __name__ == "__main__":
    sys.exit(main())
