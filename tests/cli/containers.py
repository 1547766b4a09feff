#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
containers.py BUILD: every command says the same of an archive in SION containers as of its plain
twin; of damaged containers it says one line. What the library writes to containers is what it writes
to plain files, by one process and by the ranks of MPI jobs. CONTAINERS_SEED=N draws as that run did.
Commands and numbers of ranks take turns (lib/turns.py).
"""

import ctypes
import fcntl
import os
import shutil
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", folder) for folder in ("fixtures", "lib")]

import containers  # noqa: E402
import make  # noqa: E402
from containers_tester import EACH, ContainersTester, LAUNCHERS, RANKS  # noqa: E402
from faults import FAULTS  # noqa: E402
from judge.everything import everything  # noqa: E402
from judge.otf2_write import write_archive  # noqa: E402
from matrix import contents  # noqa: E402
from patience import HANG_S  # noqa: E402

WRONG = 6  # archives with a fault each
NO_PARENT = ctypes.c_uint32(0xffffffff)
MANY = [number << 40 for number in range(30000)]  # locations: their records are longer than a chunk
MEMORY, ROOM_FOR_MANY = "/dev/shm", 2 << 30
FIXTURES = ("small", "full", "chunks", "many", "silent", "empty")


class Tester(ContainersTester):
    def shape(self, archive, largest):
        """Who has what in which container, and how that is laid out."""
        locations = sorted({int(name.split(".")[0])
                            for name in os.listdir(os.path.join(archive, "traces"))})
        self.draw.shuffle(locations)
        n = self.draw.randint(1, len(locations) + 2)  # some ranks have no location
        ranks = [locations[rank::n] for rank in range(n)]
        self.draw.shuffle(ranks)
        files = [self.draw.randrange(n) for _ in ranks]
        numbers = sorted(set(files))
        # A block so small that the table of blocks would be the most of the file says nothing more.
        least = max(40, largest // 2000)
        return {"ranks": ranks, "files": [numbers.index(file) for file in files],
                "align": self.draw.choice((8, 512, 4096, 65536)),
                "block": self.draw.choice((least, 10 * least, 4 << 20)),
                "record": self.draw.choice((least, 3 * least, 300000, 4 << 20)),
                "interleave": self.draw.random() < 0.5, "big": self.draw.random() < 0.3}

    def twin(self, plain):
        """The archive in containers, by a drawn shape."""
        folder = os.path.join(plain, "traces")
        largest = max(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))
        shape = self.shape(plain, largest)
        packed = plain + ".packed"
        containers.pack(plain, packed, **shape)
        return packed, f"{os.path.basename(plain)} {shape}"

    def plain_archives(self):
        yield os.path.dirname(write_archive(self.path("right"), **everything()))
        for number, (_, *changes) in enumerate(self.draw.sample(FAULTS, WRONG)):
            archive = everything()
            for change in changes:
                change(archive)
            if not {"substrate", "compression"} & set(archive.get("anchor", {})):
                yield os.path.dirname(write_archive(self.path(str(number)), **archive))

    def test_same(self):
        for plain in self.plain_archives():
            packed, what = self.twin(plain)
            for words in self.commands(EACH):
                self.same(f"{what} {words[1:]}", self.run(packed, *words), self.run(plain, *words))

    def test_several_workers(self):
        """Threads and ranks; locations of several chunks in several rows of blocks."""
        plain = self.path("several")
        subprocess.run([self.many, plain, "20", "30000"], stdout=subprocess.DEVNULL, check=True)
        packed, what = self.twin(plain)
        for command in (["check"], ["report", "--json"]):
            wanted = self.run(plain, self.spur, *command, "traces.otf2")
            for threads in ("1", "3"):
                words = [self.spur, *command, "--threads", threads, "traces.otf2"]
                self.same(f"{what} {words[1:]}", self.run(packed, *words), wanted)
            for launcher in LAUNCHERS:
                for ranks in self.some(RANKS):
                    words = [*launcher, "-n", str(ranks), self.spur, *command, "traces.otf2"]
                    self.same(f"{what} {words}", self.run(packed, *words), wanted)

    def test_refused(self):
        packed, _ = self.twin(os.path.dirname(write_archive(self.path("refused"), **everything())))
        before = containers.streams(packed)
        status, out, lines = self.run(packed, self.spur, "snapshots", "traces.otf2")
        self.same("snapshots", (status, out, lines[0].split(": ", 2)[2]),
                  (1, "", "its files are in SION containers, to which no snapshots can be added;"
                   " 'spur unpack traces.otf2' takes them out"))
        self.same("the archive after that", containers.streams(packed), before)
        words = ["--add-def", "a group", "a category", "LOW"]
        self.same("a marker", self.run(packed, self.spur, "marker", *words, "traces.otf2"), (0, "", []))
        status, out, lines = self.run(packed, self.spur, "marker", "traces.otf2")
        self.same("the marker", (status, "a category" in out, lines), (0, True, []))

    def test_unpack(self):
        """Each location gets its files, and nothing else is left; damage leaves all as it was."""
        plain = self.path("unpacked")
        write_archive(plain, **everything())
        packed, what = self.twin(plain)
        self.same(f"{what} unpack", self.run(packed, self.spur, "unpack", "traces.otf2"), (0, "", []))
        self.same(f"{what} unpacked", contents(packed), contents(plain))
        containers.pack(plain, self.path("unpacked.again"))
        for launcher in LAUNCHERS:
            folder = self.path(launcher[0])
            shutil.copytree(self.path("unpacked.again"), folder)
            ran = self.run(folder, *launcher, "-n", "3", self.spur, "unpack", "traces.otf2")
            self.same(f"{launcher[0]} unpack", ran, (0, "", []))
            self.same(f"{launcher[0]} unpacked", contents(folder), contents(plain))

    def test_unpack_cut_off(self):
        """What a run has left that was killed between two renames, the next run completes."""
        plain, half = self.path("unpacked"), self.path("half")
        shutil.copytree(plain, half)
        shutil.copytree(self.path("unpacked.again"), half + ".containers")
        os.rename(os.path.join(half + ".containers", "traces"), os.path.join(half, "traces.remade"))
        os.rename(os.path.join(half, "traces.otf2"), os.path.join(half, "traces.otf2.remade"))
        for name in ("traces.otf2", "traces.srm"):
            os.rename(os.path.join(half + ".containers", name), os.path.join(half, name))
        for command in (["check"], ["print"], ["report"], ["snapshots"], ["marker"], ["query", "--path"]):
            status, out, lines = self.run(half, self.spur, *command, "traces.otf2")
            self.same(f"{command}, cut off", (status != 0, out, len(lines)), (True, "", 1))
            self.same(f"{command}, cut off: {lines}", "was cut off in its last step" in lines[0], True)
        before = contents(half)
        status, _, lines = self.run(half, self.spur, "pack", "-o", "../half.packed", "traces.otf2")
        self.same("pack -o, cut off", (status, len(lines), "without -o" in lines[0]), (1, 1, True))
        self.same("pack -o, cut off: no archive", os.path.exists(self.path("half.packed")), False)
        self.same("pack -o, cut off: files", contents(half), before)
        with open(os.path.join(half, "traces.otf2"), "rb") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            for command in ("pack", "unpack"):
                status, _, lines = self.run(half, self.spur, command, "traces.otf2")
                self.same(f"{command}, twice", (status, len(lines), "is at work" in lines[0]), (1, 1, True))
        self.same("twice: files", contents(half), before)
        self.same("unpack, cut off", self.run(half, self.spur, "unpack", "traces.otf2"), (0, "", []))
        self.same("unpacked, cut off", contents(half), contents(plain))
        again = self.path("unpacked.again")
        with open(os.path.join(again, "traces", "0.snap"), "r+b") as file:
            file.truncate(3000)
        before = contents(again)
        status, _, lines = self.run(again, self.spur, "unpack", again)
        is_named = f" {again}/traces/0.snap: " in lines[0]
        self.same("unpack, damaged", (status, len(lines), is_named), (1, 1, True))
        self.same("unpack, damaged: files", contents(again), before)

    # ---- what the library writes ----

    def files(self, archive):
        """Of each location and kind, as streams() has it."""
        folder = os.path.join(archive, "traces")
        found = {}
        for name in os.listdir(folder):
            location, kind = name.split(".")
            with open(os.path.join(folder, name), "rb") as file:
                found[int(location), kind] = file.read()
        return found

    def test_written(self):
        """By one process: definitions, events in all directions of time, snapshots, empty files."""
        library = os.path.join(self.library, "libspur-otf2.so")
        for substrate in (None, "SION"):
            os.makedirs(self.path(str(substrate)))
            make.write_plain(self.tests, self.path(str(substrate)), library, set(FIXTURES), substrate)
        for name in FIXTURES:
            plain, written = self.path("None", name), self.path("SION", name)
            self.same(f"{name}, written", containers.streams(written, True), self.files(plain))
            for words in self.commands():
                if words[1] in ("check", "print"):
                    self.same(f"{name}, written, {words[1:]}", self.run(written, *words),
                              self.run(plain, *words))

    def test_written_by_ranks(self):
        """Byte by byte what an encoder of its own makes of the plain twin."""
        for launcher in LAUNCHERS:
            program = self.compile(launcher, "ranks")
            # The last ones have several hosts, a rank without locations, and several rows of blocks.
            for n, files, events in ((self.draw.randint(1, 5), self.draw.randint(0, 3),
                                      self.draw.choice((1, self.draw.randrange(20000)))), (5, 2, 250000)):
                what = f"{launcher[0]} -n {n}, {files} files, {events} events"
                for form in ("posix", "sion"):
                    shutil.rmtree(self.path(form), ignore_errors=True)
                ran = subprocess.run([*launcher, "-n", str(n), program, str(files), str(events)],
                                     cwd=self.folder, env=self.env, check=False, capture_output=True,
                                     timeout=HANG_S, text=True)
                self.same(what, (ran.returncode, ran.stderr), (0, ""))
                self.compare_ranks(what, n, files)
            size = os.path.getsize(self.path("posix", "traces", "0.evt"))
            self.same("several rows of blocks", size > 4 * containers.MIB, True)

    def compare_ranks(self, what, n, files):
        ranks = [[thread << 32 | rank for thread in range((1, 2, 0)[rank % 3])] for rank in range(n)]
        members = [list(range(n))]
        if files:
            members = [[rank for rank in reversed(range(n)) if rank % files == file]
                       for file in range(files)]
            members = sorted((ranks for ranks in members if ranks), key=lambda ranks: ranks[0])
        wanted = self.path("wanted")
        shutil.rmtree(wanted, ignore_errors=True)
        align = os.stat(self.folder).st_blksize
        containers.pack(self.path("posix"), wanted, ranks=ranks, members=members, align=align, name="sion")
        for folder in ("", "traces"):
            names = sorted(os.listdir(os.path.join(wanted, folder)))
            self.same(f"{what}: files", sorted(os.listdir(self.path("sion", folder))), names)
            for name in set(names) - {"traces", "traces.otf2"}:
                same = subprocess.run(["cmp", os.path.join(wanted, folder, name),
                                       self.path("sion", folder, name)], check=False).returncode
                self.same(f"{what}: {folder}/{name}", same, 0)
        for words in self.commands():
            if words[1] == "check":
                self.same(f"{what} {words[1:]}", self.run(self.path("sion"), *words),
                          self.run(self.path("posix"), *words))

    def write_many(self, name, substrate):
        """An archive of MANY locations without events, all of one process."""
        library = ctypes.CDLL(os.path.join(self.library, "libspur-otf2.so"))
        library.OTF2_Archive_Open.restype = ctypes.c_void_p
        archive = ctypes.c_void_p(library.OTF2_Archive_Open(
            self.path(name).encode(), b"traces", ctypes.c_uint8(0), ctypes.c_uint64(1 << 20),
            ctypes.c_uint64(1 << 20), ctypes.c_uint8(substrate), ctypes.c_uint8(1)))
        assert archive, "no archive"
        flush = ctypes.CFUNCTYPE(ctypes.c_uint8)(lambda: 1)
        callbacks = (ctypes.c_void_p * 2)(ctypes.cast(flush, ctypes.c_void_p).value, None)
        errors = {library.OTF2_Archive_SetFlushCallbacks(archive, callbacks, None),
                  library.OTF2_Archive_SetSerialCollectiveCallbacks(archive),
                  library.OTF2_Archive_OpenDefFiles(archive)}
        for function in (library.OTF2_Archive_GetDefWriter, library.OTF2_Archive_GetGlobalDefWriter):
            function.restype = ctypes.c_void_p
        for location in MANY:
            writer = library.OTF2_Archive_GetDefWriter(archive, ctypes.c_uint64(location))
            errors.add(library.OTF2_Archive_CloseDefWriter(archive, ctypes.c_void_p(writer)))
        errors.add(library.OTF2_Archive_CloseDefFiles(archive))
        writer = ctypes.c_void_p(library.OTF2_Archive_GetGlobalDefWriter(archive))
        errors.add(library.OTF2_GlobalDefWriter_WriteString(writer, 0, b"name"))
        errors.add(library.OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, 0, 0, NO_PARENT))
        errors.add(library.OTF2_GlobalDefWriter_WriteLocationGroup(writer, 0, 0, 1, 0, NO_PARENT))
        for location in MANY:
            errors.add(library.OTF2_GlobalDefWriter_WriteLocation(writer, ctypes.c_uint64(location), 0, 1,
                                                                  ctypes.c_uint64(0), 0))
        self.same(f"{name}: written", errors | {library.OTF2_Archive_Close(archive)}, {0})

    def test_rank_map(self):
        """Of several chunks: by the library, and by spur pack."""
        self.write_many("many", containers.POSIX)
        self.write_many("many.written", containers.SION)
        for name, options in (("many.written", {"name": self.path("many.written")}),
                              ("many.packed", {"name": ".", "block": 0, "record": 1 << 40})):
            wanted = self.path(name + ".wanted")
            containers.pack(self.path("many"), wanted, align=os.stat(self.folder).st_blksize, **options)
            size = os.path.getsize(os.path.join(wanted, "traces.srm"))
            self.same(f"{name}: more than a chunk", size > containers.MAP_CHUNK, True)
            if name == "many.packed":
                shutil.copytree(self.path("many"), self.path(name))
                self.same(name, self.run(self.path(name), self.spur, "pack", "traces.otf2"), (0, "", []))
            found, wanted = contents(self.path(name)), contents(wanted)
            self.same(f"{name}: files", sorted(found), sorted(wanted))
            self.same(f"{name}: other bytes", [key for key in found if found[key] != wanted[key]
                                               and key != "traces.otf2"], [])
        plain = self.path("many.packed")
        self.same("many, unpack", self.run(plain, self.spur, "unpack", "traces.otf2"), (0, "", []))
        self.same("many, unpacked", contents(plain) == contents(self.path("many")), True)

    # ---- damage ----

    def damaged(self, name, at, data):
        """The archive with other bytes in one file; `data` None: the file is removed."""
        folder = self.path("damaged")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.path("good.packed"), folder)
        if data is None:
            os.remove(os.path.join(folder, name))
        else:
            with open(os.path.join(folder, name), "r+b") as file:
                file.seek(at)
                file.write(data)
        return folder

    def test_damage(self):
        """Each command names the file and says what is wrong with it, once; nothing crashes."""
        write_archive(self.path("good"), **everything())
        containers.pack(self.path("good"), self.path("good.packed"), align=512, block=512)
        end = 52 + 1024 + 16
        path = os.path.join(self.path("good.packed"), "traces", "0.evt")
        with open(path, "rb") as file:
            data = file.read()
        rows, tail = struct.unpack_from("<iq", data, end)
        word = struct.Struct("<q").pack
        record = (end + 12 + 511) // 512 * 512
        for name, at, wrong, text in (
                ("traces.srm", 0, None, "cannot be opened"),
                ("traces.srm", 0, b"\0", "here should be the header of a chunk"),
                ("traces.srm", 18, b"\x0d", "this record is not known"),
                ("traces.srm", 18, b"\x02", "the numbers of all ranks do not come first"),
                ("traces.srm", 20, b"\x02", "there are not as many ranks as announced"),
                ("traces.srm", 22, b"\x00", "here should be another rank or a location"),
                ("traces/0.def", 0, b"noon", "no SION container"),
                ("traces/0.evt", 0, b"noon", "no SION container"),
                ("traces/0.evt", 0, bytes(52), "the container was never closed"),
                ("traces/0.evt", 4, b"\1", "its byte order is not known"),
                ("traces/0.evt", 16, b"\4", "its version of the format has no records"),
                ("traces/0.evt", 20, bytes(4), "impossible alignment"),
                ("traces/0.evt", 24, bytes(4), "impossible number of tasks"),
                ("traces/0.evt", 27, b"\x7f", "the head of the container"),
                ("traces/0.evt", 28, b"\2", "it is not the container that the rank map says"),
                ("traces/0.evt", 32, b"\1", "impossible number of files"),
                ("traces/0.evt", 40, b"\x32", "its records are not those of locations"),
                ("traces/0.evt", 1076, b"\1", "a task is another rank's"),
                ("traces/0.evt", 1084, word(-1), "impossible size of a block"),
                ("traces/0.evt", end, bytes(4), "impossible number of blocks"),
                ("traces/0.evt", end + 4, bytes(8), "the container was never closed"),
                ("traces/0.evt", end + 4, word(tail + 1), "the table of blocks is not in the file"),
                ("traces/0.evt", tail, word(rows + 1), "a task has more blocks than there are"),
                ("traces/0.evt", tail + 8, word(0), "impossible number of used bytes of a block"),
                ("traces/0.evt", tail + 8, word(513), "impossible number of used bytes of a block"),
                ("traces/0.evt", record, word(77), "a record of a location that the rank map does not"),
                ("traces/0.evt", record + 8, word(-1), "impossible length of a record"),
                ("traces/0.evt", record + 8, word(1 << 40), "a record reaches beyond the end of its task"),
                ("traces/0.evt", record, bytes(400), "empty records")):
            archive = self.damaged(name, at, wrong)
            for command in (["check"], ["print"], ["report"]):
                status, out, lines = self.run(archive, self.spur, *command, "traces.otf2")
                said = [line for line in (out.splitlines() if command == ["check"] else lines)
                        if text in line and os.path.basename(name) in line]
                if status not in (1, 2) or len(said) != 1:
                    self.fault(f"{command} of {name} with {(wrong or b'')[:16]} at {at}: status {status}, "
                               f"{said} of {lines}")

    def test_places(self):
        """What the first of two containers says of the places of ranks; only SIONlib needs that."""
        packed, n = self.path("places"), struct.calcsize("i4i")
        containers.pack(self.path("good"), packed, ranks=[[0, 2], [1]], files=[0, 1], align=512)
        path = os.path.join(packed, "traces", "0.snap")
        with open(path, "rb") as file:
            right = file.read()
        self.same("places", struct.unpack_from("i4i", right, len(right) - n), (2, 0, 0, 1, 0))
        for number in range(5):
            wrong = bytearray(right)
            wrong[len(right) - n + 4 * number] += 1
            with open(path, "wb") as file:
                file.write(wrong)
            status, out, lines = self.run(packed, self.spur, "check", "traces.otf2")
            said = [line for line in out.splitlines() if "container: traces/0.snap" in line
                    and "it does not say where all ranks are, as the rank map does" in line]
            self.same(f"places: {number} {out}", (status, len(said), lines), (1, 1, []))
            self.same(f"places: {number}, report", self.run(packed, self.spur, "report", "traces.otf2")[0], 0)


def run(names):
    with tempfile.TemporaryDirectory() as folder:
        tester = Tester("CONTAINERS", sys.argv[1], folder)
        for name in names:
            getattr(tester, name)()
    return tester.faults


def main():
    faults = run(["test_same", "test_several_workers", "test_refused", "test_unpack", "test_unpack_cut_off",
                  "test_written", "test_written_by_ranks", "test_damage", "test_places"])
    room = os.statvfs(MEMORY)
    if room.f_bavail * room.f_frsize > ROOM_FOR_MANY:
        tempfile.tempdir = MEMORY  # a disk takes long to remove so many files
    return 1 if run(["test_rank_map"]) + faults else 0


if __name__ == "__main__":
    sys.exit(main())
