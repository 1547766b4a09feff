#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
ranks.py BUILD: `mpirun -n N spur check ARCHIVE`, report and print say the same as one process, once,
on each MPI library; and when a rank fails or is killed all end, with one line. RANKS_SEED=N draws as
that run did.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

from faults import FAULTS  # noqa: E402
from judge.everything import everything  # noqa: E402
from judge.otf2_write import write_archive  # noqa: E402
from patience import HANG_S  # noqa: E402

ARCHIVES = 4  # of those with a fault
COMMANDS = (("check", "--json", "--remarks", "--foreign"), ("report", "--json"), ("report",))
SIZES = (2, 3, 5)  # Open MPI gives a single rank a terminal, and what a report looks like there


class Tester:
    def __init__(self, build, folder):
        self.spur = os.path.join(build, "bin", "spur")
        self.folder = folder
        self.faults = 0
        self.seed = int(os.environ.get("RANKS_SEED", time.time_ns() % 10**9))
        self.draw = random.Random(self.seed)
        programs = os.path.join(build, "tests", "programs")
        self.env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        self.launchers = {
            "mpich": (["mpirun.mpich"], self.env),
            "openmpi": (["mpirun.openmpi", "-q", "--oversubscribe"], self.env),
            "abi": ([os.path.join(programs, "abi", "mpirun")],
                    {**self.env, "LD_LIBRARY_PATH": programs}),
        }
        self.many = os.path.join(folder, "many")
        self.few = os.path.join(folder, "few")
        for archive, events in ((self.many, "20000"), (self.few, "1000")):
            subprocess.run([os.path.join(build, "tests", "fixture-many"), archive, "20", events],
                           stdout=subprocess.DEVNULL, check=True)

    def fault(self, text):
        print(f"FAULT: RANKS_SEED={self.seed}: {text}")
        self.faults += 1

    def same(self, what, value, wanted):
        if value != wanted:
            self.fault(f"{what}: {value!r} instead of {wanted!r}")

    def run(self, name, *words):
        launcher, env = self.launchers[name]
        return subprocess.run([*launcher, *words], capture_output=True, env=env, timeout=HANG_S,
                              check=False, text=True, errors="replace")

    def archives(self):
        """Archives of every kind of fault have three locations; the large one is right."""
        for number, (_, *changes) in enumerate(self.draw.sample(FAULTS, ARCHIVES)):
            archive = everything()
            for change in changes:
                change(archive)
            yield write_archive(os.path.join(self.folder, str(number)), **archive)
        yield self.many

    def lines(self, name, run):
        """Those of spur: a launcher has its own about a status that is not 0."""
        return [line for line in run.stderr.splitlines() if line.startswith("spur: ")]

    def test_same(self):
        for archive in self.archives():
            for command in COMMANDS:
                words = [self.spur, *command, archive]
                alone = subprocess.run(words, capture_output=True, check=False, text=True)
                for name in self.launchers:
                    ranks = self.draw.choice(SIZES if command == ("report",) else (1, *SIZES))
                    what = f"{name}, {ranks} ranks, {words[1:]}"
                    ran = self.run(name, "-n", str(ranks), *words)
                    self.same(what, ran.stdout, alone.stdout)
                    self.same(what + ", status", ran.returncode, alone.returncode)
                    self.same(what + ", lines", self.lines(name, ran), self.lines(name, alone))

    def test_print(self):
        """Records are printed once, by the first rank."""
        words = [self.spur, "print", os.path.join(self.few, "traces.otf2")]
        alone = subprocess.run(words, capture_output=True, check=True, text=True)
        for name in self.launchers:
            ran = self.run(name, "-n", "3", *words)
            self.same(f"{name}, records", (ran.stdout == alone.stdout, ran.returncode,
                                           self.lines(name, ran)), (True, 0, []))
            ran = self.run(name, "-n", "2", self.spur, "print", "/nonexistent")
            self.same(f"{name}, no archive", (ran.stdout.count("==ERROR=="), ran.returncode), (1, 1))

    def test_all_fail(self):
        """What is wrong for all is said once."""
        for name in self.launchers:
            for words in (["check", "/nonexistent"], ["check", "--wrong"], ["report", "/nonexistent"],
                          ["report", "--wrong"]):
                alone = subprocess.run([self.spur, *words], capture_output=True, check=False, text=True)
                ran = self.run(name, "-n", "3", self.spur, *words)
                self.same(f"{name}, {words}", (self.lines(name, ran), ran.returncode),
                          (self.lines(name, alone), alone.returncode))

    def test_one_fails(self):
        """Only one host has no archive."""
        text = "spur: check: /nonexistent: No such file or directory"
        for name in ("mpich", "openmpi"):
            ran = self.run(name, "-n", "2", self.spur, "check", self.many, ":",
                           "-n", "1", self.spur, "check", "/nonexistent")
            self.same(name, (self.lines(name, ran), ran.stdout, ran.returncode), ([text], "", 2))

    def test_killed(self):
        """A rank is killed some time after it was born."""
        for name in ("mpich", "openmpi"):
            launcher, env = self.launchers[name]
            # Rank 0 alone prints; the other writes its number, becomes the command and is killed.
            script = "case ${OMPI_COMM_WORLD_RANK-$PMI_RANK} in 1) echo $$ >pid ;; esac; exec \"$@\""
            pid = os.path.join(self.folder, "pid")
            with subprocess.Popen([*launcher, "-n", "3", "sh", "-c", script, "sh", self.spur, "check",
                                   self.many], cwd=self.folder, env=env, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) as job:
                while not (os.path.exists(pid) and os.path.getsize(pid)) and job.poll() is None:
                    time.sleep(0.001)
                time.sleep(self.draw.random() * 0.1)
                with open(pid, encoding="ascii") as file:
                    try:
                        os.kill(int(file.read()), signal.SIGKILL)
                    except ProcessLookupError:
                        pass  # that was quick
                out, _ = job.communicate(timeout=HANG_S)
                if job.returncode == 0:
                    self.same(f"{name}, killed too late", out.split(",")[0], "0 faults")
            os.remove(pid)

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
            for test in (tester.test_same, tester.test_all_fail, tester.test_one_fails,
                         tester.test_killed, tester.test_no_library):
                test()
    return 1 if tester.faults else 0


if __name__ == "__main__":
    sys.exit(main())
