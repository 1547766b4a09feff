#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Do the commands in README.md and docs/ work? `run_pages.py BUILD` takes them out of the pages and runs
them, each page in a directory of its own that has what the pages speak of: ./app, ./solver, an archive
`ring`, and so on. A command is, in an indented block,

    $ COMMAND               with the indented lines that it goes on in, up to its end for a shell
    spur ...                or SETTING=... spur ..., or mpirun ... spur ...; up to a comment, in a block
                            without `$`: behind one, such lines are what a command prints

Lines with placeholders (DIR, ARCHIVE, ..., 4711) say how a command is written, and are not run.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "lib")]

from patience import HANG_S  # noqa: E402
from run_case import OPENMPI_ENV  # noqa: E402
from stand_ins import stand_ins  # noqa: E402

ROOT = os.path.dirname(HERE)
PLACEHOLDER = re.compile(r"\b(DIR|ARCHIVE|PROGRAM|PID|COMMAND)\b|\.\.\.|4711|/home/|\bjob\.sh\b|/opt/")
FORM = re.compile(r"(([A-Z_]+=\S+ +)*(mpirun [^#]*?)?spur )")
# What depends on the machine, or on what goes on in another window; other tests do these.
NOT_RUN = re.compile(r"PAPI_|plugin:|flamegraph|spur-app-\*|--recover run|&$|^spur on trace"
                     r"|spur snapshot trace|trace-snapshot-1|bwrap \$IN|pgrep")
LEAST = 25  # commands in all pages: else they are no longer found

APP = r"""
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *run(void *nothing)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return nothing;
}
int main(void)
{
    pthread_t thread;
    return pthread_create(&thread, 0, run, 0) || pthread_join(thread, 0);
}
"""
SOLVER = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
    int one = 1, all, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank < 2 && all > 1)
        MPI_Sendrecv(&one, 1, MPI_INT, 1 - rank, 0, &all, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
"""
PROG_C = r"""
#include <otf2/otf2.h>
int main(void)
{
    return OTF2_Error_GetName(OTF2_SUCCESS) == 0;
}
"""
PROG_PY = """
import otf2
with otf2.reader.open("ring/traces.otf2") as trace:
    assert sum(1 for event in trace.events) > 0
"""
MAKEFILE = ".PHONY: one two\nall: one two\none two:\n\tsh -c 'cat Makefile | wc -l' >$@\n"


def commands(page):
    """The commands of a page, as they stand there."""
    lines = open(page, encoding="utf-8").read().split("\n")
    found, at, has_dollar = [], 0, False
    while at < len(lines):
        line = lines[at]
        at += 1
        has_dollar = line.startswith("    $ ") or (has_dollar and line.startswith("    "))
        if line.startswith("    $ "):
            command = line[6:]
            # It goes on: the quotes are open, or a pipe or a backslash stands at its end.
            while (command.count("'") % 2 or command.endswith(("|", "\\"))) and at < len(lines):
                command += "\n" + lines[at][4:]
                at += 1
        elif not has_dollar and line.startswith("    ") and FORM.match(line[4:]):
            command = re.split(r"  +", line[4:])[0]
        else:
            continue
        if not PLACEHOLDER.search(command) and not NOT_RUN.search(command):
            found.append(command)
    return found


class Place:
    """A directory with all that the pages speak of."""

    def __init__(self, build, scratch):
        self.build, self.scratch = build, scratch
        self.programs = os.path.join(scratch, "programs")
        os.makedirs(self.programs)
        self.compile("app", APP, "cc", "-pthread")
        self.compile("solver", SOLVER, "mpicc.openmpi")
        path = f"{os.path.join(build, 'bin')}:{stand_ins(self.programs, os.path.join(build, 'bin', 'spur'))}"
        self.env = {**{key: value for key, value in os.environ.items() if not key.startswith("SPUR_")},
                    **OPENMPI_ENV, "PATH": path, "OMP_NUM_THREADS": "1"}
        made = self.run("spur -q -o ring mpirun -n 2 programs/solver && spur print -G ring", scratch).stdout
        begin = re.search(r"Global Offset: (\d+)", made)
        if not begin:
            sys.exit(f"the archive of the pages cannot be made:\n{made}")
        self.begin = begin.group(1)

    def compile(self, name, text, *words):
        source = os.path.join(self.programs, name + ".c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run([*words, "-g", "-O0", "-o", os.path.join(self.programs, name), source], check=True)

    def run(self, command, folder):
        return subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=self.env,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=HANG_S, check=False)

    def folder(self, page):
        folder = os.path.join(self.scratch, os.path.basename(page))
        os.makedirs(folder)
        for name, source in (("app", "app"), ("server", "app"), ("solver", "solver")):
            shutil.copy(os.path.join(self.programs, source), os.path.join(folder, name))
        for archive in ("ring", "melt"):
            shutil.copytree(os.path.join(self.scratch, "ring"), os.path.join(folder, archive))
        for name, text in (("in.dat", ""), ("prog.c", PROG_C), ("prog.py", PROG_PY), ("Makefile", MAKEFILE)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        return folder

    def adapted(self, command):
        """As it can run here: few ranks, times of this archive, the build tree that is tested."""
        command = re.sub(r"-n \d+", "-n 2", command).replace(",perf:task-clock", "")
        command = re.sub(r"\b\d{13,}\+", f"{self.begin}+", command)
        return command.replace("$PWD/build/bin", os.path.join(self.build, "bin"))


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: run_pages.py BUILD")
    docs = os.path.join(ROOT, "docs")
    pages = [os.path.join(ROOT, "README.md")] + [os.path.join(docs, name) for name in sorted(os.listdir(docs))
                                                 if name.endswith(".md") and name != "README.md"]
    count, faults = 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        place = Place(os.path.abspath(sys.argv[1]), scratch)
        for page in pages:
            found = commands(page)
            folder = place.folder(page) if found else None
            for command in found:
                count += 1
                done = place.run(place.adapted(command), folder)
                word = "ok" if done.returncode == 0 else f"FAULT, status {done.returncode}"
                print(f"{os.path.relpath(page, ROOT)}: {word}: {command}")
                if done.returncode != 0:
                    faults += 1
                    print(done.stdout[-2000:])
    if count < LEAST:
        sys.exit(f"only {count} commands were found in the pages")
    return 1 if faults else 0


sys.exit(main())
