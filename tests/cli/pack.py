#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
pack.py BUILD: `spur pack` makes, byte by byte, the containers that an encoder of its own makes of a
plain archive, by any number of threads and ranks, and `spur unpack` gives the plain archive back. A
fault leaves the archive as it was. Killed at any moment, it leaves the old archive or the new one;
where it stood between the last two renames, every command says what to do.

PACK_SEED=N draws as that run did; PACK_CALLS=all spoils every system call in place of some.
"""

import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "lib")]

import containers  # noqa: E402
from judge.everything import everything  # noqa: E402
from judge.otf2_write import write_archive  # noqa: E402
from matrix import contents  # noqa: E402
from patience import HANG_S  # noqa: E402
from seeded import Seeded  # noqa: E402

LAUNCHERS = (["mpirun.mpich"], ["mpirun.openmpi", "-q", "--oversubscribe"])
CALLS = ("openat", "pwrite64", "write", "mkdir", "chmod", "fchmod", "rename", "renameat2", "unlink",
         "unlinkat", "rmdir", "syncfs")
SAMPLE = os.environ.get("PACK_CALLS", "12")
SHARED_MEMORY = 1
LONG = 36 << 20  # bytes, more than a block
PIECE = 1 << 20


class Tester(Seeded):
    def __init__(self, build, folder):
        super().__init__("PACK", folder)
        self.spur = os.path.join(build, "bin", "spur")
        self.program = os.path.join(build, "libexec", "spur", "spur-pack")
        self.many = os.path.join(build, "tests", "fixture-many")

    def copy(self, archive, name):
        shutil.rmtree(self.path(name), ignore_errors=True)
        shutil.copytree(archive, self.path(name))
        return self.path(name)

    def run(self, *words):
        done = subprocess.run(words, cwd=self.folder, env=self.env, capture_output=True, check=False,
                              timeout=HANG_S)
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")

    def write_hosts(self):
        """Two processes on a host each, one of them with two threads; snapshots, markers, thumbnails."""
        archive = everything()
        definitions = archive["definitions"]
        node = definitions.index(("SystemTreeNode", 1, 12, 12, 0))
        definitions.insert(node + 1, ("SystemTreeNode", 2, 12, 12, 0))
        for i, row in enumerate(definitions):
            if row[:2] == ("LocationGroup", 1):
                definitions[i] = (*row[:4], 2, *row[5:])
        definitions += [("SystemTreeNodeDomain", node, SHARED_MEMORY) for node in (1, 2)]
        return os.path.dirname(write_archive(self.path("hosts"), **archive))

    def two_hosts(self):
        return self.path("hosts") if os.path.exists(self.path("hosts")) else self.write_hosts()

    def generated(self, name, locations, events):
        subprocess.run([self.many, self.path(name), str(locations), str(events)], check=True,
                       stdout=subprocess.DEVNULL)
        return self.path(name)

    def wanted(self, plain, ranks, files):
        """What an encoder of the tests makes of it."""
        shutil.rmtree(self.path("wanted"), ignore_errors=True)
        containers.pack(plain, self.path("wanted"), ranks=ranks, files=files, block=0, record=1 << 40,
                        align=os.stat(self.folder).st_blksize, name=".")
        return contents(self.path("wanted"))

    # ---- what is made ----

    def alike(self, what, packed, plain, *command):
        """Both archives are told of at once: an output may be longer than memory."""
        with open(self.path("err"), "w+b") as err, open(self.path("err_plain"), "w+b") as err_plain:
            told = [subprocess.Popen([self.spur, *command, "."], cwd=archive, env=self.env,
                                     stdout=subprocess.PIPE, stderr=file)
                    for archive, file in ((packed, err), (plain, err_plain))]
            piece = wanted = b" "
            while piece == wanted != b"":
                piece, wanted = (process.stdout.read(PIECE) for process in told)
            for process in told:
                process.stdout.close()
            ended = [process.wait(HANG_S) for process in told]
            complaints = [file.seek(0) or file.read() for file in (err, err_plain)]
        self.same(what, (piece, ended[0], complaints[0]), (wanted, ended[1], complaints[1]))

    def compare(self, plain, ranks, files, *options):
        what = f"{os.path.basename(plain)} {options}"
        wanted = self.wanted(plain, ranks, files)
        packed = self.copy(plain, "packed")
        self.same(what, self.run(self.spur, "pack", *options, packed), (0, "", ""))
        self.same(f"{what}: files", contents(packed) == wanted, True)
        self.same(f"{what}, again", self.run(self.spur, "pack", packed),
                  (0, "", f"spur: {packed}/traces.otf2: is in SION containers already\n"))
        for command in (["check"], ["print"], ["report", "--json"]):
            self.alike(f"{what} {command}", packed, plain, *command)
        self.same(f"{what}, unpack", self.run(self.spur, "unpack", packed), (0, "", ""))
        self.same(f"{what}, unpacked", contents(packed) == contents(plain), True)

    def test_made(self):
        hosts = self.two_hosts()
        self.compare(hosts, [[0, 2], [1]], [0, 1])
        self.compare(hosts, [[0, 2], [1]], [0, 0], "--containers", "1")
        n = self.draw.randint(2, 9)
        some = self.generated("some", n, self.draw.randint(2, 9000))
        ranks = [[location] for location in range(n)]
        self.compare(some, ranks, [0] * n)
        for files in {1, self.draw.randint(1, n), n, n + 3}:
            least = min(files, n)
            self.compare(some, ranks, [rank * least // n for rank in range(n)], "--containers", str(files))
        long = self.generated("long", 2, 3400000)
        self.same("a stream of several blocks", os.path.getsize(long + "/traces/0.evt") > LONG, True)
        self.compare(long, [[0], [1]], [0, 0], "--threads", "2")

    def test_workers(self):
        plain = self.generated("workers", 11, 20000)
        wanted = self.wanted(plain, [[location] for location in range(11)], [0] * 4 + [1] * 4 + [2] * 3)
        ways = [([self.spur, "pack", "--threads", str(n)], str(n)) for n in (1, 2, 5)]
        ways += [([*launcher, "-n", str(n), self.spur, "pack"], f"{launcher[0]} {n}")
                 for launcher in LAUNCHERS for n in (2, 3)]
        for words, what in ways:
            packed = self.copy(plain, "packed")
            self.same(what, self.run(*words, "--containers", "3", packed), (0, "", ""))
            self.same(f"{what}: files", contents(packed) == wanted, True)
        for words, what in self.some(ways[:3]) + self.some(ways[3:]):
            new = self.path("new")
            shutil.rmtree(new, ignore_errors=True)
            self.same(f"{what} -o", self.run(*words, "--containers", "3", "-o", new, plain), (0, "", ""))
            self.same(f"{what} -o: files", contents(new) == wanted, True)

    def test_modes(self):
        """Nobody may read in a container what he could not read before."""
        plain = self.copy(self.two_hosts(), "secret")
        os.chmod(os.path.join(plain, "traces"), 0o750)
        for name in os.listdir(os.path.join(plain, "traces")):
            os.chmod(os.path.join(plain, "traces", name), 0o640)
        os.chmod(os.path.join(plain, "traces", "1.evt"), 0o600)
        for command in ("pack", "unpack"):
            self.same(command, self.run(self.spur, command, plain), (0, "", ""))
            modes = {stat.S_IMODE(os.stat(os.path.join(plain, "traces", name)).st_mode)
                     for name in os.listdir(os.path.join(plain, "traces"))}
            self.same(f"modes after {command}", modes, {0o600})
            folder = stat.S_IMODE(os.stat(os.path.join(plain, "traces")).st_mode)
            self.same(f"mode of the folder after {command}", oct(folder), oct(0o750))

    # ---- what is refused ----

    def refused(self, plain, text, *options):
        before = contents(plain)
        for threads in ("1", "3"):
            status, out, err = self.run(self.spur, "pack", "--threads", threads, *options, plain)
            self.same(text, (status, out, err.count("\n"), text in err), (1, "", 1, True))
            self.same(f"{text}: the archive", contents(plain), before)

    def test_refused(self):
        plain = self.two_hosts()
        odd = self.copy(plain, "odd")
        for name, data, text in (("traces/007.evt", b"x", "traces/007.evt: is no file of the archive"),
                                 ("traces/7.txt", b"x", "traces/7.txt: is no file of the archive"),
                                 ("traces/7.evt", b"", "traces/7.evt: is empty")):
            with open(os.path.join(odd, name), "wb") as file:
                file.write(data)
            self.refused(odd, text)
            os.remove(os.path.join(odd, name))
        os.mkfifo(os.path.join(odd, "traces", "9.evt"))
        status, _, err = self.run(self.spur, "pack", odd)
        self.same("a pipe", (status, err.count("\n"), "traces/9.evt: is no file" in err), (1, 1, True))
        os.remove(os.path.join(odd, "traces", "9.evt"))
        self.refused(plain, "is not an empty directory", "-o", odd)
        with open(os.path.join(odd, "traces.otf2"), "r+b") as file:
            file.truncate(20)
        self.refused(odd, "no anchor file of an OTF2 archive, or damaged")
        os.rename(os.path.join(odd, "traces"), os.path.join(odd, "other"))
        os.symlink("other", os.path.join(odd, "traces"))
        shutil.copy(os.path.join(plain, "traces.otf2"), odd)
        status, _, err = self.run(self.spur, "pack", odd)
        self.same("a link", (status, err.count("\n"), "is a symbolic link" in err), (1, 1, True))
        zlib = self.path("zlib")
        subprocess.run([self.many, zlib, "2", "100", "0", "zlib"], check=True, capture_output=True)
        self.refused(zlib, "is compressed: 'spur unpack' comes first")
        one = self.path("one")
        self.run(self.spur, "pack", "-o", one, plain)
        self.refused(one, "is in SION containers already: copy it", "-o", self.path("two"))

    # ---- what goes wrong ----

    def spoil(self, archive, call, number, how, *options):
        """spur-pack, by one thread, under strace; what it says."""
        log = self.path("strace")
        done = subprocess.run(["strace", "-f", "-qq", "-o", log, "-e", f"inject={call}:{how}:when={number}",
                               self.program, "--threads", "1", *options, archive], cwd=self.folder,
                              capture_output=True, check=False, timeout=HANG_S, text=True)
        return done.returncode, done.stderr

    def places(self, plain, *options, for_writing=False):
        """The calls of a run, behind those of the loader; with `for_writing` no files that are read."""
        archive, log = self.copy(plain, "spoilt"), self.path("strace")
        shutil.rmtree(self.path("new"), ignore_errors=True)
        subprocess.run(["strace", "-f", "-qq", "-o", log, "-e", "trace=" + ",".join(CALLS), self.program,
                        "--threads", "1", *options, archive], cwd=self.folder, check=True)
        with open(log, encoding="utf-8", errors="replace") as file:
            lines = [re.sub(r"^\d+ +", "", line) for line in file]
        found, counts, is_begun = [], {}, False
        for line in lines:
            call = re.match(r"\w*", line)[0]
            counts[call] = counts.get(call, 0) + 1
            is_begun = is_begun or "spoilt" in line
            if is_begun and call in CALLS and (call != "openat" or not for_writing or "O_CREAT" in line):
                found.append((call, counts[call]))
        last = {("renameat2", counts.get("renameat2", 0)), ("rename", counts.get("rename", 0))}
        if SAMPLE != "all":
            found = sorted(set(self.draw.sample(found, int(SAMPLE))) | last.intersection(found))
        return found

    def state(self, archive, old, new):
        """"old", "new", "between" (where both halves wait), or what there is."""
        now = contents(archive)
        for name, value in (("old", old), ("new", new)):
            if {key: now.get(key) for key in value} == value:
                return name
        status, _, err = self.run(self.spur, "report", archive)
        is_told = status == 1 and err.count("\n") == 1 and "run it again" in err
        return "between" if is_told else f"{sorted(now)} {status} {err}"

    def test_killed(self):
        plain = self.two_hosts()
        old, new = contents(plain), self.wanted(plain, [[0, 2], [1]], [0, 1])
        seen = set()
        for call, number in self.places(plain):
            what = f"killed at {call} {number}"
            archive = self.copy(plain, "spoilt")
            self.spoil(archive, call, number, "signal=KILL")
            state = self.state(archive, old, new)
            seen.add(state)
            self.same(what, state in ("old", "new", "between"), True)
            second = self.draw.choice(("pack", "unpack")) if state == "between" else "pack"
            self.same(f"{what}, {second} again", self.run(self.spur, second, archive)[0], 0)
            self.same(f"{what}, and then", contents(archive) == (new if second == "pack" else old), True)
        self.same("killed between two renames", "between" in seen, True)
        for call, number in self.places(plain, "-o", self.path("new")):
            shutil.rmtree(self.path("new"), ignore_errors=True)
            archive = self.copy(plain, "spoilt")
            self.spoil(archive, call, number, "signal=KILL", "-o", self.path("new"))
            self.same(f"-o killed at {call} {number}: the old archive", contents(archive) == old, True)
            if os.path.exists(self.path("new", "traces.otf2")):
                self.same(f"-o killed at {call} {number}", contents(self.path("new")) == new, True)

    def test_full_disk(self):
        """One line; the archive is as it was, and nothing else is left."""
        plain = self.two_hosts()
        old, new = contents(plain), self.wanted(plain, [[0, 2], [1]], [0, 1])
        for options in ((), ("-o", self.path("new"))):
            for call, number in self.places(plain, *options, for_writing=True):
                if call in ("chmod", "fchmod", "unlink", "unlinkat", "rmdir"):
                    continue
                what = f"{options[:1]} {call} {number} without space"
                shutil.rmtree(self.path("new"), ignore_errors=True)
                archive = self.copy(plain, "spoilt")
                status, err = self.spoil(archive, call, number, "error=ENOSPC", *options)
                if status == 0:  # it was of no use, or nobody needs to know
                    self.same(what, self.state(self.path("new") if options else archive, old, new), "new")
                    continue
                self.same(f"{what}: said", (status, err.count("\n"), "No space left" in err), (1, 1, True))
                self.same(f"{what}: the archive", contents(archive) == old, True)
                self.same(f"{what}: left", os.path.exists(self.path("new")), False)


def main():
    with tempfile.TemporaryDirectory() as folder:
        tester = Tester(sys.argv[1], folder)
        print(f"PACK_SEED={tester.seed}")
        for test in (tester.test_made, tester.test_workers, tester.test_modes, tester.test_refused,
                     tester.test_killed, tester.test_full_disk):
            test()
    return 1 if tester.faults else 0


if __name__ == "__main__":
    sys.exit(main())
