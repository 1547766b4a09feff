#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
ranks.py BUILD: `mpirun -n N spur check ARCHIVE`, report, export, unpack, view and print do the same as
one process, once, on each MPI library. To start a job takes longer than most of its work: the launchers
take turns, from a drawn one on. With ALL=1 each of them starts each job that has a large archive.
RANKS_SEED=N draws as that run did.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

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
from turns import ALL  # noqa: E402

ARCHIVES = 2  # of those with a fault
COMMANDS = (("check", "--json", "--remarks", "--foreign"), ("report", "--json"), ("report",))
EXPORTS = (["chrome"], ["csv", "--table", "call"], ["csv", "--table", "message"], ["folded"])
WORKS = {"check": ["check"], "report": ["report"], "folded": ["export", "--to", "folded"],
         "chrome": ["export", "--to", "chrome"], "sqlite": ["export", "--to", "sqlite"], "unpack": ["unpack"],
         "view": ["view"], "print": ["print", "-A"]}
SAYS = ("spur: ",)
WRITES = ("sqlite", "view", "print")  # a file
SIZES = (2, 3, 5, 7)  # Open MPI gives a single rank a terminal, and what a report looks like there


class Tester(Seeded):
    EVENTS = "7000"  # of each location of the large archives: more than are read at once (64 KiB)

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
        self.small = set()
        self.turns = self.draw.randrange(6)
        for archive, *words in ((self.many, self.EVENTS), (self.few, "1000"),
                                (self.packed, self.EVENTS, "0", "zlib")):
            subprocess.run([os.path.join(build, "tests", "fixture-many"), archive, "20", *words],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)

    def other(self, *names):
        """Another launcher (of these) at each call."""
        names = names or list(self.launchers)
        self.turns += 1
        return names[self.turns % len(names)]

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
            path = write_archive(os.path.join(base, str(number)), **archive)
            self.small.add(path)
            yield path
        yield self.many

    def lines(self, name, run):
        """Those of spur: a launcher has its own about a status that is not 0."""
        return [line for line in run.stderr.splitlines() if line.startswith(SAYS)]

    def launchers_of(self, archive):
        """Those that start a job."""
        return list(self.launchers) if ALL and archive not in self.small else [self.other()]

    def test_same(self):
        for archive in self.archives():
            for command in self.some((*COMMANDS, ("export", "--to", *self.draw.choice(EXPORTS))), 2):
                words = [self.spur, *command, archive]
                alone = subprocess.run(words, capture_output=True, check=False, text=True, errors="replace")
                for name in self.launchers_of(archive):
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
            for ranks in self.some((2, 7)):
                name = self.other()
                ran = self.run(name, "-n", str(ranks), *words)
                self.same(f"{name}, {ranks} ranks, {words[1:]}", (ran.stdout, ran.returncode),
                          (alone.stdout, 0))
        if not n:
            self.fault("nobody waits")

    def compiled(self, name, text):
        """The path of a library made of this C code, to be preloaded."""
        source = os.path.join(self.folder, name + ".c")
        with open(source, "w", encoding="ascii") as file:
            file.write("#define _GNU_SOURCE\n" + text)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", source + ".so", source], check=True)
        return source + ".so"

    def hosts(self):
        """A library that makes a rank see memory of the ranks with the same HOST only."""
        return self.compiled(
            "hosts", "#include <dlfcn.h>\n#include <errno.h>\n#include <stdio.h>\n"
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
        for name in self.some(("mpich", "openmpi")):
            sent = {}
            for what, hosts in (("one", "aaaaa"), *self.some((("two", "aabbb"), ("mixed", "abaab"))),
                                ("five", ("a", "b", "c", "d", "none")), ("none", ["none"] * 5)):
                cases = " ".join(f"{rank}) HOST={host} ;;" for rank, host in enumerate(hosts))
                ran = self.run(name, "-n", "5", "sh", "-c", script % cases, "sh", *words)
                self.same(f"{name}, hosts {hosts}", (ran.stdout == alone.stdout, ran.returncode), (True, 0))
                sent[what] = self.sent(ran)
            one, none = sent["one"], sent["none"]
            lines = (none - one) / 4  # each of five gets four fifths of them
            for what, copies in (("two", 1), ("mixed", 1), ("five", 4)):
                if what in sent and not 0.7 * copies * lines < sent[what] - one < 1.7 * copies * lines:
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
        for archive in self.some((*self.archives(), self.packed, lacks), 3):
            for command in self.some(commands):
                words = [*command, archive]
                alone = self.written([*command, "--threads", "1", archive])
                for name in self.launchers_of(archive):
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
        for name in self.some(("mpich", "openmpi")):
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
        for words in ([self.spur, *command] for command in self.some(commands, 2)):
            alone = subprocess.run(words, capture_output=True, check=True, text=True)
            wanted = contents(pages)
            name = self.other()
            ran = self.run(name, "-n", "3", *words)
            self.same(f"{name}, {words}", (ran.stdout == alone.stdout, ran.returncode,
                                           self.lines(name, ran)), (True, 0, []))
            self.same(f"{name}, {words}, page", contents(pages) == wanted, True)
        for name in self.some(self.launchers):
            ran = self.run(name, "-n", "2", self.spur, "print", "/nonexistent")
            self.same(f"{name}, no archive", (ran.stdout.count("==ERROR=="), ran.returncode), (1, 1))

    def test_threads(self):
        """Threads of ranks are workers, too."""
        commands = (["check", "--json"], ["report", "--json"], ["report", "--json", "--causes", "0"],
                    ["export", "--to", "chrome"], ["export", "--to", "csv", "--table", "message"])
        drawn = report_causes.draw(os.path.join(self.folder, "threads"), self.draw)[0]
        for command in self.some(commands, 3):
            archive = self.draw.choice((self.many, drawn, self.packed))
            words = [self.spur, *command, archive]
            alone = self.alone(*words, "--threads", "1")
            name, ranks, threads = self.other(), self.draw.choice(SIZES), self.draw.choice((2, 3, 4))
            ran = self.run(name, "-n", str(ranks), *words, "--threads", str(threads))
            self.same(f"{name}, {ranks} ranks, {threads} threads, {words}",
                      (ran.stdout == alone.stdout, ran.returncode, self.lines(name, ran)),
                      (True, alone.returncode, self.lines(name, alone)))
        views = [["view", self.many], ["view", drawn], ["view", "--no-findings", self.many]]
        for view in self.some(views):
            name, ranks, threads = self.other(), self.draw.choice(SIZES[:3]), self.draw.choice((2, 3))
            found = self.written([*view, "--threads", str(threads)], name, ranks)
            self.same(f"{name}, {ranks} ranks, {threads} threads, {view}", found,
                      self.written([*view, "--threads", "1"]))
        for name in self.some(self.launchers):
            ran = self.run(name, "-n", "2", self.spur, "print", "-o", os.path.join(self.folder, "text"),
                           "--threads", "2", self.packed)
            self.same(f"{name}, print, two threads", ([line[:20] for line in self.lines(name, ran)],
                      ran.stdout, ran.returncode != 0), (["spur: --threads 2: e"], "", True))
        for name in self.some(self.launchers):
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
        for name in self.some(("mpich", "abi")):
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

        for words in self.some((["check"], ["report", "--causes", "0"])):
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
                                                                  for threads in self.some((0, 2))]:
            copy = os.path.join(self.folder, f"copy-{name}-{threads}")
            shutil.copytree(self.packed, copy)
            words = [self.spur, "unpack", copy] + (["--threads", str(threads)] if threads else [])
            ran = self.run(name, "-n", str(self.draw.choice(SIZES)), *words) if name else subprocess.run(
                words, capture_output=True, check=False, text=True)
            self.same(f"unpack, {name}, {threads}", (ran.returncode, ran.stdout, self.lines(name, ran),
                                                     contents(copy) == wanted), (0, "", [], True))


def run_tests(kind, tests):
    """Each of the tests that these methods are; the status of the process."""
    with tempfile.TemporaryDirectory() as folder:
        tester = kind(sys.argv[1], folder)
        for name, (launcher, _) in tester.launchers.items():
            if shutil.which(launcher[0]) is None:
                tester.fault(f"{launcher[0]} is missing")
        if not tester.faults:
            for test in tests:
                test(tester)
    return 1 if tester.faults else 0


if __name__ == "__main__":
    sys.exit(run_tests(Tester, (
        Tester.test_same, Tester.test_causes, Tester.test_hosts, Tester.test_traffic, Tester.test_unpack,
        Tester.test_files, Tester.test_not_shared, Tester.test_first, Tester.test_threads,
        Tester.test_processors)))
