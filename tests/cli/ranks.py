#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
ranks.py BUILD: `mpirun -n N spur check ARCHIVE`, report, export, unpack, view and print do the same as
one process, once, on each MPI library; and when a rank fails, is killed, or cannot write, or files become
shorter, all end, with one line. RANKS_SEED=N draws as that run did.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import report_causes  # noqa: E402
from faults import FAULTS  # noqa: E402
from judge.everything import everything  # noqa: E402
from judge.otf2_write import write_archive  # noqa: E402
from matrix import contents  # noqa: E402
from patience import HANG_S  # noqa: E402
from seeded import Seeded  # noqa: E402

ARCHIVES = 4  # of those with a fault
COMMANDS = (("check", "--json", "--remarks", "--foreign"), ("report", "--json"), ("report",))
EXPORTS = (["chrome"], ["csv", "--table", "call"], ["csv", "--table", "message"], ["folded"])
WORKS = {"check": ["check"], "report": ["report"], "folded": ["export", "--to", "folded"],
         "chrome": ["export", "--to", "chrome"], "sqlite": ["export", "--to", "sqlite"], "unpack": ["unpack"],
         "view": ["view"], "print": ["print", "-A"]}
SAYS = ("spur: ", "[OTF2] ")
WRITES = ("sqlite", "view", "print")  # a file
LATE_S = 60  # a guard: it is there in no time
READ_BYTES = 500000  # more than a process reads before its events
SIZES = (2, 3, 5, 7)  # Open MPI gives a single rank a terminal, and what a report looks like there


class Tester(Seeded):
    def __init__(self, build, folder):
        super().__init__("RANKS", folder)
        self.spur = os.path.join(build, "bin", "spur")
        programs = os.path.join(build, "tests", "programs")
        self.launchers = {
            "mpich": (["mpirun.mpich"], self.env),
            "openmpi": (["mpirun.openmpi", "-q", "--oversubscribe"], self.env),
            "abi": ([os.path.join(programs, "abi", "mpirun")],
                    {**self.env, "LD_LIBRARY_PATH": programs}),
        }
        self.many = os.path.join(folder, "many")
        self.few = os.path.join(folder, "few")
        self.packed = os.path.join(folder, "packed")
        for archive, *words in ((self.many, "20000"), (self.few, "1000"),
                                (self.packed, "20000", "0", "zlib")):
            subprocess.run([os.path.join(build, "tests", "fixture-many"), archive, "20", *words],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)

    def run(self, name, *words):
        launcher, env = self.launchers[name]
        return subprocess.run([*launcher, *words], capture_output=True, env=env, timeout=HANG_S,
                              check=False, text=True, errors="replace")

    def alone(self, *words):
        return subprocess.run(words, capture_output=True, env=self.env, timeout=HANG_S, check=False,
                              text=True, errors="replace")

    def archives(self):
        """Archives of every kind of fault have three locations; the large one is right."""
        base = tempfile.mkdtemp(dir=self.folder)
        for number, (_, *changes) in enumerate(self.draw.sample(FAULTS, ARCHIVES)):
            archive = everything()
            for change in changes:
                change(archive)
            yield write_archive(os.path.join(base, str(number)), **archive)
        yield self.many

    def lines(self, name, run):
        """Those of spur: a launcher has its own about a status that is not 0."""
        return [line for line in run.stderr.splitlines() if line.startswith(SAYS)]

    def test_same(self):
        for archive in self.archives():
            for command in (*COMMANDS, ("export", "--to", *self.draw.choice(EXPORTS))):
                words = [self.spur, *command, archive]
                alone = subprocess.run(words, capture_output=True, check=False, text=True, errors="replace")
                for name in self.launchers:
                    ranks = self.draw.choice(SIZES if command == ("report",) else (1, *SIZES))
                    what = f"{name}, {ranks} ranks, {words[1:]}"
                    ran = self.run(name, "-n", str(ranks), *words)
                    self.same(what, ran.stdout, alone.stdout)
                    self.same(what + ", status", ran.returncode, alone.returncode)
                    self.same(what + ", lines", self.lines(name, ran), self.lines(name, alone))

    def test_causes(self):
        """The ranks replay the run."""
        drawn = [report_causes.draw(os.path.join(self.folder, f"waits-{i}"), self.draw)[0] for i in range(3)]
        n = 0
        for archive in (*drawn, self.packed):
            words = [self.spur, "report", "--json", "--by", "causes,critical", archive]
            alone = subprocess.run([*words, "--threads", "1"], capture_output=True, check=True, text=True)
            n += len(json.loads(alone.stdout)["sections"]["causes"])
            for name in self.launchers:
                for ranks in (2, 7):
                    ran = self.run(name, "-n", str(ranks), *words)
                    self.same(f"{name}, {ranks} ranks, {words[1:]}", (ran.stdout, ran.returncode),
                              (alone.stdout, 0))
        if not n:
            self.fault("nobody waits")

    def hosts(self):
        """A library that makes a rank see memory of the ranks with the same HOST only."""
        source = os.path.join(self.folder, "hosts.c")
        with open(source, "w", encoding="ascii") as file:
            file.write("#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <errno.h>\n#include <stdio.h>\n"
                       "#include <stdlib.h>\n#include <string.h>\n#include <sys/types.h>\n"
                       "int memfd_create(const char *name, unsigned flags)\n{\n    char own[99];\n"
                       "    if (!strcmp(getenv(\"HOST\"), \"none\"))\n        return errno = ENOSYS, -1;\n"
                       "    snprintf(own, sizeof own, \"%s@%s@\", name, getenv(\"HOST\"));\n"
                       "    return ((int (*)(const char *, unsigned))dlsym(RTLD_NEXT, \"memfd_create\"))"
                       "(own, flags);\n}\n"
                       "ssize_t readlink(const char *path, char *link, size_t room)\n{\n    char own[99];\n"
                       "    ssize_t n = ((ssize_t(*)(const char *, char *, size_t))dlsym(RTLD_NEXT, "
                       "\"readlink\"))(path, link, room);\n"
                       "    snprintf(own, sizeof own, \"@%s@\", getenv(\"HOST\"));\n"
                       "    int is_far = n > 0 && memmem(link, (size_t)n, \"/memfd:spur\", 11) &&\n"
                       "                 !memmem(link, (size_t)n, own, strlen(own));\n"
                       "    return is_far ? (errno = ENOENT, -1) : n;\n}\n")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", source + ".so", source], check=True)
        return source + ".so"

    def sent(self, ran):
        """The bytes of notes and results that the workers say they have sent."""
        found = re.search(r"notes: (\d+) bytes in \d+ messages; results: (\d+) bytes", ran.stderr)
        return int(found.group(1)) + int(found.group(2)) if found else self.fault(ran.stderr) or 0

    def test_hosts(self):
        """Ranks of one host look at each other's lines; other hosts get them once each, as messages."""
        words = [self.spur, "report", "--json", "--verbose", self.many]
        alone = self.alone(*words, "--threads", "1")
        preload = self.hosts()
        script = ("case ${OMPI_COMM_WORLD_RANK-$PMI_RANK} in %s esac; export HOST LD_PRELOAD=" + preload +
                  "; exec \"$@\"")
        for name in ("mpich", "openmpi"):
            sent = []
            for hosts in ("aaaaa", "aabbb", "abaab", ("a", "b", "c", "d", "none"), ["none"] * 5):
                cases = " ".join(f"{rank}) HOST={host} ;;" for rank, host in enumerate(hosts))
                ran = self.run(name, "-n", "5", "sh", "-c", script % cases, "sh", *words)
                self.same(f"{name}, hosts {hosts}", (ran.stdout == alone.stdout, ran.returncode), (True, 0))
                sent.append(self.sent(ran))
            one, two, mixed, five, none = sent
            lines = (none - one) / 4  # each of five gets four fifths of them
            for what, found, copies in (("two", two, 1), ("mixed", mixed, 1), ("five", five, 4)):
                if not 0.7 * copies * lines < found - one < 1.7 * copies * lines:
                    self.fault(f"{name}, {what} hosts: {sent} bytes")
            if one > none / 2:
                self.fault(f"{name}, one host: {sent} bytes")
            cases = " ".join(f"{rank}) HOST={host} ;;" for rank, host in enumerate("aabcb"))
            ran = self.run(name, "-n", "5", "sh", "-c", script % cases, "sh", *words, "--threads", "2")
            self.same(f"{name}, three hosts, threads", (ran.stdout == alone.stdout, ran.returncode),
                      (True, 0))
            limited = self.run(name, "-n", "3", "sh", "-c", "ulimit -f 100000; exec \"$@\"", "sh", *words)
            self.same(f"{name}, limited files", (limited.stdout == alone.stdout, limited.returncode),
                      (True, 0))

    def written(self, words, name=None, ranks=0):
        """What a command has written to a file, its status, its lines, and other files there."""
        folder = os.path.join(self.folder, "written")
        os.mkdir(folder)
        command, *rest = words
        words = [self.spur, command, "-o", os.path.join(folder, "file"), *rest]
        ran = self.run(name, "-n", str(ranks), *words) if name else self.alone(*words)
        files = contents(folder)
        shutil.rmtree(folder)
        return files.pop("file", None), ran.returncode, self.lines(name, ran), sorted(files)

    def test_files(self):
        """Ranks make a page together, and write the text of an archive into one file."""
        lacks = os.path.join(self.folder, "lacks")
        shutil.copytree(self.many, lacks)
        with open(os.path.join(lacks, "traces", "13.evt"), "r+b") as file:
            file.truncate(30000)
        commands = (["view"], ["view", "--no-findings"], ["print"], ["print", "-A"])
        for archive in (*self.archives(), self.packed, lacks):
            for command in self.draw.sample(commands, 2):
                words = [*command, archive]
                alone = self.written([*command, "--threads", "1", archive])
                for name in self.launchers:
                    ranks = self.draw.choice(SIZES)
                    file, *others = self.written(words, name, ranks)
                    self.same(f"{name}, {ranks} ranks, {words}", (*others, file == alone[0]),
                              (*alone[1:], True))

    def test_not_shared(self):
        """Where a rank does not have the file, the first one writes for all."""
        place = os.path.join(self.folder, "elsewhere")
        os.mkdir(place)
        wanted = self.alone(self.spur, "print", "-A", self.many).stdout
        script = "case ${OMPI_COMM_WORLD_RANK-$PMI_RANK} in 1) cd elsewhere ;; esac; exec \"$@\""
        for name in ("mpich", "openmpi"):
            launcher, env = self.launchers[name]
            ran = subprocess.run([*launcher, "-n", "3", "sh", "-c", script, "sh",
                                  self.spur, "print", "-A", "-o", "file", self.many],
                                 cwd=self.folder, env=env, timeout=HANG_S, check=False,
                                 capture_output=True, text=True)
            with open(os.path.join(self.folder, "file"), encoding="utf-8") as file:
                text = file.read()
            found = (ran.returncode, self.lines(name, ran), text == wanted, os.listdir(place))
            self.same(f"{name}, not shared", found, (0, [], True, []))
            os.remove(os.path.join(self.folder, "file"))

    def test_first(self):
        """What is printed, the first rank prints."""
        pages = os.path.join(self.folder, "pages")
        os.mkdir(pages)
        commands = (["print", os.path.join(self.few, "traces.otf2")], ["view", "--text", self.few],
                    ["view", "-o", os.path.join(pages, "few.html"), self.few],
                    ["query", "--rebuild", self.few, "SELECT count(*), sum(self_s) FROM calls"])
        for words in ([self.spur, *command] for command in commands):
            alone = subprocess.run(words, capture_output=True, check=True, text=True)
            wanted = contents(pages)
            for name in self.launchers:
                ran = self.run(name, "-n", "3", *words)
                self.same(f"{name}, {words}", (ran.stdout == alone.stdout, ran.returncode,
                                               self.lines(name, ran)), (True, 0, []))
                self.same(f"{name}, {words}, page", contents(pages) == wanted, True)
        for name in self.launchers:
            ran = self.run(name, "-n", "2", self.spur, "print", "/nonexistent")
            self.same(f"{name}, no archive", (ran.stdout.count("==ERROR=="), ran.returncode), (1, 1))

    def test_all_fail(self):
        """What is wrong for all is said once."""
        for name in self.launchers:
            for words in (["check", "/nonexistent"], ["check", "--wrong"], ["report", "/nonexistent"],
                          ["report", "--wrong"], ["view", "--wrong"], ["view", "/nonexistent"],
                          ["query", "--wrong"], ["query", "/nonexistent", "SELECT 1"]):
                alone = subprocess.run([self.spur, *words], capture_output=True, check=False, text=True)
                ran = self.run(name, "-n", "3", self.spur, *words)
                self.same(f"{name}, {words}", (self.lines(name, ran), ran.returncode),
                          (self.lines(name, alone), alone.returncode))

    def test_threads(self):
        """Threads of ranks are workers, too."""
        commands = (["check", "--json"], ["report", "--json"], ["report", "--json", "--causes", "0"],
                    ["export", "--to", "chrome"], ["export", "--to", "csv", "--table", "message"])
        drawn = report_causes.draw(os.path.join(self.folder, "threads"), self.draw)[0]
        for command in commands:
            archive = self.draw.choice((self.many, drawn, self.packed))
            words = [self.spur, *command, archive]
            alone = self.alone(*words, "--threads", "1")
            for name in self.launchers:
                ranks, threads = self.draw.choice(SIZES), self.draw.choice((2, 3, 4))
                ran = self.run(name, "-n", str(ranks), *words, "--threads", str(threads))
                self.same(f"{name}, {ranks} ranks, {threads} threads, {words}",
                          (ran.stdout == alone.stdout, ran.returncode, self.lines(name, ran)),
                          (True, alone.returncode, self.lines(name, alone)))
        pages = [self.written(["view", "--threads", "1", archive]) for archive in (self.many, drawn)]
        for name in self.launchers:
            ranks, threads = self.draw.choice(SIZES[:3]), self.draw.choice((2, 3))
            for archive, page in zip((self.many, drawn), pages):
                found = self.written(["view", "--threads", str(threads), archive], name, ranks)
                self.same(f"{name}, {ranks} ranks, {threads} threads, view {archive}", found, page)
            ran = self.run(name, "-n", "2", self.spur, "print", "-o", os.path.join(self.folder, "text"),
                           "--threads", "2", self.packed)
            self.same(f"{name}, print, two threads", ([line[:20] for line in self.lines(name, ran)],
                      ran.stdout, ran.returncode != 0), (["spur: --threads 2: e"], "", True))
        for name in self.launchers:
            script = "exec \"$@\" --threads $((${OMPI_COMM_WORLD_RANK-$PMI_RANK} + 1))"
            words = [self.spur, "report", "--verbose", self.many]
            ran = self.run(name, "-n", "3", "sh", "-c", script, "sh", *words)
            lines = self.lines(name, ran)
            self.same(f"{name}, 1, 2 and 3 threads", (ran.stdout, lines[0].split(" have")[0]),
                      (self.alone(*words[:2], self.many).stdout, "spur: 6 workers (MPI and threads)"))

    def test_processors(self):
        """Ranks share the processors that they may use; two may use one only, which the third may, too."""
        processors = [str(one) for one in sorted(os.sched_getaffinity(0))[:2]]
        script = (f"case ${{OMPI_COMM_WORLD_RANK-$PMI_RANK}} in 2) on={','.join(processors)} ;; "
                  f"*) on={processors[0]} ;; esac; exec taskset -c $on \"$@\"")
        for name in ("mpich", "abi"):
            ran = self.run(name, "-n", "3", "sh", "-c", script, "sh", self.spur, "check", "--verbose",
                           self.many)
            self.same(f"{name}, processors", self.lines(name, ran)[0].split(" ")[1], str(2 + len(processors)))

    def command(self, name, archive):
        """A command that reads an archive, which spur unpack must be able to change."""
        output = ["-o", os.path.join(self.folder, "output")] if name in WRITES else []
        return [self.spur, *WORKS[name], *output, archive]

    def test_traffic(self):
        """Ranks send to each other what threads do, but for results: a thread of report shows its own."""
        def said(launcher, workers, *words):
            threads = ["--threads", "1" if launcher else str(workers)]
            start = [launcher, "-n", str(workers)] if launcher else []
            words = [self.spur, *words, "--verbose", *threads, self.many]
            ran = self.run(*start, *words) if launcher else subprocess.run(
                words, capture_output=True, check=True, text=True)
            line = "".join(self.lines(launcher, ran))
            way = "MPI" if launcher else "threads"
            numbers = re.fullmatch(rf"spur: {workers} workers \({way}\) have sent notes: (\d+) bytes in "
                                   r"(\d+) messages; results: (\d+) bytes in (\d+) messages; the busiest "
                                   r"worker: (\d+) bytes; all have met (\d+) times and exchanged (\d+) times",
                                   line)
            if not numbers:
                self.fault(f"{launcher}, {workers} workers, {words}: {line}")
                return [0] * 7
            return [int(number) for number in numbers.groups()]

        for words in (["check"], ["report", "--causes", "0"]):
            workers = self.draw.choice(SIZES)
            wanted = said(None, workers, *words)
            self.same(f"{words}, results", wanted[3], workers - 1)
            sent = {name: said(name, workers, *words) for name in self.launchers}
            for name, numbers in sent.items():
                self.same(f"{name}, {words}", numbers, next(iter(sent.values())))
                self.same(f"{name} as threads, {words}", self.without_results(numbers),
                          self.without_results(wanted))
                if numbers[2] < wanted[2]:
                    self.fault(f"{name}, {words}: results of {numbers[2]} bytes, of threads {wanted[2]}")

    @staticmethod
    def without_results(numbers):
        notes, messages, _, results, _, meetings, exchanges = numbers
        return [notes, messages, results, meetings, exchanges]

    def test_unpack(self):
        """Ranks unpack each their own files."""
        alone = os.path.join(self.folder, "alone")
        shutil.copytree(self.packed, alone)
        subprocess.run([self.spur, "unpack", "--threads", "1", alone], check=True)
        wanted = contents(alone)
        for name, threads in [(None, 2), (None, 3), (None, 7)] + [(name, threads) for name in self.launchers
                                                                  for threads in (0, 2)]:
            copy = os.path.join(self.folder, f"copy-{name}-{threads}")
            shutil.copytree(self.packed, copy)
            words = [self.spur, "unpack", copy] + (["--threads", str(threads)] if threads else [])
            ran = self.run(name, "-n", str(self.draw.choice(SIZES)), *words) if name else subprocess.run(
                words, capture_output=True, check=False, text=True)
            self.same(f"unpack, {name}, {threads}", (ran.returncode, ran.stdout, self.lines(name, ran),
                                                     contents(copy) == wanted), (0, "", [], True))

    def test_one_fails(self):
        """Only one host has no archive, or it has another one."""
        for name in ("mpich", "openmpi"):
            for work, (status, text) in {"check": (2, "check: /nonexistent: No such file or directory"),
                                         "report": (1, "/nonexistent: no such archive"),
                                         "folded": (1, "/nonexistent: no such archive"),
                                         "view": (1, "/nonexistent: no such archive"),
                                         "unpack": (1, "/nonexistent.otf2: cannot read: No such file or "
                                                    "directory")}.items():
                archive = self.packed if work == "unpack" else self.many
                missing = "/nonexistent.otf2" if work == "unpack" else "/nonexistent"
                ran = self.run(name, "-n", "2", *self.command(work, archive), ":",
                               "-n", "1", *self.command(work, missing))
                self.same(f"{name}, {work}, none", (self.lines(name, ran), ran.stdout, ran.returncode),
                          (["spur: " + text], "", status))
                ran = self.run(name, "-n", "1", *self.command(work, archive), ":",
                               "-n", "2", *self.command(work, self.few))
                self.same(f"{name}, {work}, another", (self.lines(name, ran), ran.returncode),
                          ([f"spur: {self.few}/traces.otf2: rank 1 reads another archive there than rank 0: "
                            "give the same one to all ranks"], status))

    def reading(self, job, pid):
        """Waits until a process has read events, or has them mapped; False: it has ended before."""
        while job.poll() is None:
            try:
                with open(pid, encoding="ascii") as file:
                    process = f"/proc/{int(file.read())}"
                with open(f"{process}/maps", encoding="utf-8") as file:
                    is_mapped = ".evt" in file.read()
                with open(f"{process}/io", encoding="ascii") as file:
                    if is_mapped or int(file.readline().split()[1]) > READ_BYTES:
                        return True
            except (OSError, ValueError):
                pass
            time.sleep(0.0002)
        return False

    def interrupted(self, launcher, env, words, do, whole=None):
        """
        A command of which the second of three ranks is met while it reads: do(its process). Its status, its
        lines, and whether its work was over: it has printed `whole`.
        """
        pid = os.path.join(self.folder, "pid")
        script = "case ${OMPI_COMM_WORLD_RANK-${PMI_RANK-1}} in 1) echo $$ >pid ;; esac; exec \"$@\""
        output = os.path.join(self.folder, "output.%s")
        with open(output % "out", "w+", errors="replace", encoding="utf-8") as out, \
                open(output % "err", "w+", errors="replace", encoding="utf-8") as err, \
                subprocess.Popen([*launcher, "sh", "-c", script, "sh", *words], cwd=self.folder, env=env,
                                 stdin=subprocess.DEVNULL, stdout=out, stderr=err) as job:
            if self.reading(job, pid):
                with open(pid, encoding="ascii") as file:
                    do(int(file.read()))
            job.wait(timeout=HANG_S)
            # A process of the first rank's host may say it only when the launcher has ended.
            lines, is_over = [], False
            end = time.monotonic() + LATE_S
            while not lines and not is_over and job.returncode and time.monotonic() < end:
                err.seek(0)
                lines = [line.rstrip() for line in err if line.startswith(SAYS)]
                out.seek(0)
                is_over = bool(whole) and whole in out.read()  # and what the launcher says
                time.sleep(0.01)
        os.remove(pid)
        return job.returncode, lines, is_over

    def has_text(self, path):
        """Whether spur print has written all; the file is removed."""
        if not os.path.exists(path):
            return False
        with open(path, encoding="utf-8") as file:
            text = file.read()
        os.remove(path)
        return text == self.alone(self.spur, "print", "-A", self.many).stdout

    def test_killed(self):
        """A rank is killed while it reads events."""
        def kill(process):
            time.sleep(self.draw.random() * 0.02)
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass  # that was quick

        for name in ("mpich", "openmpi"):
            launcher, env = self.launchers[name]
            for work in WORKS:
                copy = os.path.join(self.folder, "killed")
                shutil.copytree(self.packed if work == "unpack" else self.many, copy)
                words = self.command(work, copy)
                whole = self.alone(*words).stdout if work not in ("unpack", "print") else None
                status, lines, is_over = self.interrupted([*launcher, "-n", "3"], env, words, kill, whole)
                if work == "print":
                    is_over = self.has_text(words[words.index("-o") + 1])
                if status != 0 and len(lines) != 1 and not (is_over and not lines):
                    self.fault(f"{name}, {work}, killed: status {status}, {lines}")
                shutil.rmtree(copy)

    def test_cut(self):
        """Files become shorter while they are read, by threads and by ranks."""
        def cut(_):
            for base, _, names in os.walk(copy):
                for file in names:
                    if file.endswith(".evt"):
                        os.truncate(os.path.join(base, file), 100)

        for work in WORKS:
            name = self.draw.choice(("mpich", "openmpi"))
            launcher, env = self.launchers[name]
            for start, more in (([], ["--threads", "3"]), ([*launcher, "-n", "3"], [])):
                copy = os.path.join(self.folder, "short")
                shutil.copytree(self.packed if work == "unpack" else self.many, copy)
                *words, path = self.command(work, copy)
                status, lines, _ = self.interrupted(start, env, [*words, *more, path], cut)
                if status not in (0, 1) or len(lines) > 1 or (status and not lines and work != "check"):
                    self.fault(f"{name}, {work}, {start}, cut: status {status}, {lines}")
                shutil.rmtree(copy)

    def test_full_disk(self):
        """One rank cannot write what it has unpacked: nothing is changed. Or its text: there is no file."""
        source = os.path.join(self.folder, "full.c")
        with open(source, "w", encoding="ascii") as file:
            file.write("#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <errno.h>\n#include <stdio.h>\n"
                       "#include <string.h>\n#include <unistd.h>\n"
                       "ssize_t write(int fd, const void *data, size_t n)\n{\n"
                       "    char link[64], name[4096] = \"\";\n"
                       "    snprintf(link, sizeof link, \"/proc/self/fd/%d\", fd);\n"
                       "    if (readlink(link, name, sizeof name - 1) > 0 && strstr(name, \".remade\"))\n"
                       "        return errno = ENOSPC, -1;\n"
                       "    return ((ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, \"write\"))"
                       "(fd, data, n);\n}\n"
                       "ssize_t pwrite(int fd, const void *data, size_t n, off_t at)\n{\n"
                       "    (void)fd, (void)data, (void)n, (void)at;\n    return errno = ENOSPC, -1;\n}\n"
                       "ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at)\n{\n"
                       "    return pwrite(fd, data, n, at);\n}\n")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", source + ".so", source], check=True)
        script = ("case ${OMPI_COMM_WORLD_RANK-$PMI_RANK} in 3) export LD_PRELOAD=%s.so ;; esac; exec \"$@\""
                  % source)
        before = contents(self.packed)
        for name in ("mpich", "openmpi"):
            ran = self.run(name, "-n", "4", "sh", "-c", script, "sh", self.spur, "unpack", self.packed)
            lines = self.lines(name, ran)
            self.same(f"{name}, full disk", (ran.returncode, len(lines), lines[0].endswith(
                ": cannot write: No space left on device") if lines else ran.stderr), (1, 1, True))
            self.same(f"{name}, full disk, archive", contents(self.packed) == before, True)
            folder = os.path.join(self.folder, f"full-{name}")
            os.mkdir(folder)
            text = os.path.join(folder, "text")
            ran = self.run(name, "-n", "4", "sh", "-c", script, "sh",
                           self.spur, "print", "-o", text, self.many)
            self.same(f"{name}, full disk, print",
                      (ran.returncode != 0, self.lines(name, ran), os.listdir(folder)),
                      (True, [f"spur: {text}: No space left on device"], []))

    def test_no_library(self):
        """Without the launcher's library there is one line, which names the remedy."""
        source = os.path.join(self.folder, "no.c")
        with open(source, "w", encoding="ascii") as file:
            file.write("void *dlopen(const char *f, int m) { (void)f, (void)m; return 0; }\n")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", source + ".so", source], check=True)
        command = os.path.join(os.path.dirname(self.spur), "..", "libexec", "spur", "spur-check")
        for rank, lines in ((0, 1), (1, 0)):
            ran = subprocess.run([command, self.many], capture_output=True, text=True, check=False,
                                 env={**os.environ, "LD_PRELOAD": source + ".so",
                                      "PMI_RANK": str(rank), "PMI_SIZE": "2"})
            self.same("no library", (ran.returncode, ran.stderr.count("LD_LIBRARY_PATH"),
                                     ran.stdout), (2, lines, ""))


def main():
    with tempfile.TemporaryDirectory() as folder:
        tester = Tester(sys.argv[1], folder)
        for name, (launcher, _) in tester.launchers.items():
            if shutil.which(launcher[0]) is None:
                tester.fault(f"{launcher[0]} is missing")
        if not tester.faults:
            for test in (tester.test_same, tester.test_causes, tester.test_hosts, tester.test_traffic,
                         tester.test_unpack, tester.test_files, tester.test_not_shared, tester.test_first,
                         tester.test_all_fail, tester.test_threads, tester.test_processors,
                         tester.test_one_fails, tester.test_killed, tester.test_cut, tester.test_full_disk,
                         tester.test_no_library):
                test()
    return 1 if tester.faults else 0


if __name__ == "__main__":
    sys.exit(main())
