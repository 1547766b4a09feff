# SPDX-License-Identifier: BSD-3-Clause
"""What tests of archives in SION containers have in common: the commands, and how they are run."""

import os
import subprocess

from patience import HANG_S
from seeded import Seeded

# Each reads the archive, and says the same of containers as of plain files.
COMMANDS = (
    ["check", "--all", "--remarks", "--foreign"], ["check", "--json", "--own"],
    ["print"], ["print", "-G"], ["report"], ["report", "--json"], ["report", "--diff", "traces.otf2"],
    ["marker"], ["query", "--csv", "--rebuild"], ["view", "--text", "--width", "80"],
    ["export", "--to", "folded"], ["export", "--to", "chrome"], ["export", "--to", "csv", "--table", "call"],
)
SQL = ["SELECT name, calls, self_s FROM regions ORDER BY name"]
RANKS = (1, 2, 4, 5)
EACH = 6  # commands that read an archive, in turns
LAUNCHERS = (["mpirun.mpich"], ["mpirun.openmpi", "-q", "--oversubscribe"])


class ContainersTester(Seeded):
    def __init__(self, name, build, folder):
        super().__init__(name, folder)
        self.spur = os.path.join(build, "bin", "spur")
        self.tests = os.path.join(build, "tests")
        self.many = os.path.join(self.tests, "fixture-many")
        self.library = os.path.join(build, "lib")

    def run(self, archive, *words):
        """In the archive's directory: the status, the output, and what spur or the library has said."""
        done = subprocess.run(words, cwd=archive, env=self.env, capture_output=True, check=False,
                              timeout=HANG_S)
        lines = [line for line in done.stderr.decode(errors="replace").splitlines()
                 if line.startswith(("spur", "[OTF2]", "==ERROR=="))]
        return done.returncode, done.stdout.decode(errors="replace"), lines

    def commands(self, n=len(COMMANDS)):
        for command in self.some(COMMANDS, n):
            yield [self.spur, *command, "traces.otf2", *(SQL if command[0] == "query" else [])]

    def compile(self, launcher, source):
        """A program of tests/fixtures, with the compiler of that MPI and spur's library."""
        root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
        program = self.path(f"{source}.{launcher[0]}")
        folders = ["-I" + os.path.join(root, name) for name in ("include", "tests")]
        subprocess.run([launcher[0].replace("run", "cc"), "-D_GNU_SOURCE", *folders, "-o", program,
                        os.path.join(root, "tests", "fixtures", source + ".c"), "-L" + self.library,
                        "-lspur-otf2", "-Wl,-rpath," + self.library], check=True)
        return program
