#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
all_workers.py BUILD: any number of workers does the same with any archive. Takes every archive that the
tests of reading commands make: all kinds of records, byte orders, older versions, compression (make.py),
each kind of fault, known and drawn programs, ranks that pause,
large ones, some that are cut off or have drawn bytes. check, report, print, export and view run on them
with 1 thread, and with 2, 3 and 7 threads, and on some with the ranks of MPI jobs. Status, output (of view
the page, of print on ranks a file) and lines are compared. Commands take turns: each reads a part of the
archives of a kind, and all of the large ones, with one number of threads, which is drawn. With ALL=1
each command reads each archive, with each number of threads. SPUR_TEST_SEED=N draws as that run did.
"""

import concurrent.futures
import itertools
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "lib"))

import check_pauses  # noqa: E402
import openmpi  # noqa: E402
from faults import FAULTS, damaged, shortened  # noqa: E402
from judge.everything import everything  # noqa: E402
from judge.otf2_write import write_archive  # noqa: E402
from patience import HANG_S  # noqa: E402
from seeded import FORGETS  # noqa: E402
from turns import ALL, some  # noqa: E402

COMMANDS = (["check", "--json", "--remarks", "--foreign"], ["report", "--json"], ["print", "-A"],
            ["export", "--to", "csv", "--table", "call"], ["view"])
WORKERS = (2, 3, 7)
LARGE = ("8", "7000")  # locations, more than workers, and events of each, more than are read at once (64 KiB)
DAMAGED = 8
PAUSED = 2
FAULTY = 30  # archives with a fault that are read, in turns
# Commands that read an archive of a kind, and how many numbers of threads.
PARTS = {"faults": (1, 1), "kinds": (1, 1), "known": (2, 1), "drawn": (3, 1), "damaged": (2, 1),
         "pauses": (5, 1), "large": (5, 1)}
ON_RANKS = 1  # commands that read one archive of a kind
LEAST = 200  # archives; there are more, unless a maker has made none
LAUNCHERS = (["mpirun.mpich"], ["mpirun.openmpi", "-q", "--oversubscribe"])
ENV = {**os.environ, **FORGETS, **openmpi.ENV}


def call(*words):
    subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def first_difference(one, other):
    if not isinstance(one, bytes):
        return one, other
    lines = [value.splitlines() for value in (one, other)]
    pairs = zip(*lines)
    return next((pair for pair in pairs if pair[0] != pair[1]), [len(some) for some in lines])


def make_archives(build, folder, seed):
    """Makes them all: their folders, by how they are made."""
    programs = os.path.join(build, "tests")
    made = {name: os.path.join(folder, name)
            for name in ("kinds", "known", "drawn", "faults", "pauses", "large")}
    call(sys.executable, "-B", os.path.join(HERE, "..", "fixtures", "make.py"), programs, made["kinds"])
    call(sys.executable, "-B", os.path.join(HERE, "report_archives.py"), made["known"])
    call(sys.executable, "-B", os.path.join(HERE, "report_random.py"), made["drawn"], seed, "6")
    os.mkdir(made["faults"])
    for number, (_, *changes) in enumerate(FAULTS):
        archive = everything()
        for change in changes:
            change(archive)
        write_archive(os.path.join(made["faults"], str(number)), **archive)
    for number in range(PAUSED):
        check_pauses.draw(os.path.join(made["pauses"], str(number)),
                          random.Random(f"pauses {seed} {number}"))
    os.mkdir(made["large"])
    for name, *words in (("plain", *LARGE), ("packed", *LARGE, "0", "zlib")):
        call(os.path.join(programs, "fixture-many"), os.path.join(made["large"], name), *words)
        shortened(os.path.join(made["large"], name))
    made["damaged"] = os.path.join(folder, "damaged")
    os.mkdir(made["damaged"])
    draw = random.Random(f"damage {seed}")
    for number in range(DAMAGED):
        damaged(os.path.join(made["large"], "plain"), os.path.join(made["damaged"], str(number)), draw)
    return {kind: [os.path.join(base, name) for name in sorted(os.listdir(base))
                   if os.path.exists(os.path.join(base, name, "traces.otf2"))]
            for kind, base in made.items()}


class Tester:
    def __init__(self, build, seed):
        self.tools = os.path.join(build, "libexec", "spur")
        self.draw = random.Random(seed)
        self.faults = 0
        self.runs = 0

    def words(self, command, archive, *more):
        path = os.path.join(archive, "traces.otf2") if command[0] == "print" else archive
        if command[0] == "view":
            more = (*more, "-o", archive + ".html")
        return [os.path.join(self.tools, "spur-" + command[0]), *command[1:], *more, path]

    def run(self, words, launcher=()):
        """Of a job, only the lines of spur: launchers have their own about a status that is not 0."""
        self.runs += 1
        done = subprocess.run([*launcher, *words], stdin=subprocess.DEVNULL, capture_output=True, env=ENV,
                              timeout=HANG_S, check=False)
        lines = [line for line in done.stderr.splitlines() if line.startswith((b"spur: ", b"==ERROR=="))]
        return done.returncode, done.stdout + self.page(words), lines if launcher else done.stderr

    @staticmethod
    def page(words):
        """The page that a command has made."""
        path = words[words.index("-o") + 1] if "-o" in words else None
        if not path or not os.path.exists(path):
            return b""
        with open(path, "rb") as file:
            page = file.read()
        os.remove(path)
        return page

    def compare(self, what, found, wanted):
        for part, one, other in zip(("status", "output", "lines"), found, wanted):
            if one != other:
                print(f"FAULT: {what}: other {part} than alone:", *first_difference(one, other))
                self.faults += 1

    def turns(self, paths, n):
        """Each path with so many commands, which take turns from a drawn one on."""
        first = self.draw.randrange(len(COMMANDS))
        for i, path in enumerate(paths):
            for k in range(n):
                yield path, COMMANDS[(first + i * n + k) % len(COMMANDS)]

    def jobs(self, kind, paths):
        """What on_threads() does with these archives."""
        commands, numbers = len(COMMANDS), len(WORKERS)
        if kind == "faults":
            paths = some(paths, FAULTY, self.draw)
        if not ALL:
            commands, numbers = PARTS[kind]
        for path, command in self.turns(paths, commands):
            yield path, command, self.draw.sample(WORKERS, numbers)

    def on_threads(self, archive, command, workers):
        wanted = self.run(self.words(command, archive, "--threads", "1"))
        for n in workers:
            words = self.words(command, archive, "--threads", str(n))
            self.compare(" ".join(words), self.run(words), wanted)

    def on_ranks(self, archive, command, launcher):
        file = ["-o", archive + ".txt"] if command[0] == "print" else []  # else one rank prints all
        words = self.words(command, archive, *file)
        status, output, lines = self.run(self.words(command, archive, "--threads", "1", *file))
        lines = [line for line in lines.splitlines() if line.startswith((b"spur: ", b"==ERROR=="))]
        n = self.draw.choice(WORKERS)
        self.compare(f"{launcher[0]} -n {n} {' '.join(words)}",
                     self.run(words, [*launcher, "-n", str(n)]), (status, output, lines))


def main():
    build = os.path.abspath(sys.argv[1])
    seed = os.environ.get("SPUR_TEST_SEED", str(random.SystemRandom().randrange(10**6)))
    print("SPUR_TEST_SEED =", seed)
    with tempfile.TemporaryDirectory() as folder:
        tester = Tester(build, seed)
        archives = make_archives(build, folder, seed)
        jobs = []
        for kind, paths in archives.items():
            if not paths:
                print("FAULT: no archives:", kind)
                tester.faults += 1
            jobs += tester.jobs(kind, paths)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for job in [pool.submit(tester.on_threads, *job) for job in jobs]:
                job.result()
        on_ranks = [tester.draw.choice(paths) for paths in archives.values() if paths]
        launchers = itertools.cycle(tester.draw.sample(LAUNCHERS, len(LAUNCHERS)))
        for path, command in tester.turns(on_ranks, len(COMMANDS) if ALL else ON_RANKS):
            tester.on_ranks(path, command, next(launchers))
        n = sum(map(len, archives.values()))
        print(n, "archives,", tester.runs, "runs")
        if n < LEAST:
            print("FAULT: so few archives")
            tester.faults += 1
    return 1 if tester.faults else 0


if __name__ == "__main__":
    sys.exit(main())
