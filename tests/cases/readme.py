# SPDX-License-Identifier: BSD-3-Clause
"""
The table of questions in README.md: each command runs as it is printed, on a program with a fault for each
question (tests/programs/solver.c), and its answer names that fault. And the findings at the top of the page
are sentences of a report.
"""

import os
import re
import shutil
import subprocess
import time

from patience import HANG_S
from stand_ins import stand_ins

of = "docs tools/launch tools/report"
mpi = ["openmpi"]

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROG = """
def slow(n):
    return sum(i * i for i in range(n))

for _ in range(5):
    slow(200000)
"""
READS = 2 * 40 * (4000 // 16 + 1)  # ranks, steps, pieces of in.dat with its end
LATE = r"MPI_Allreduce on MPI_COMM_WORLD for ranks that come later, \d+ % of that for rank 1"
# What the answer to each question says.
ANSWERS = {
    "Where does the time go, and why do ranks wait?": LATE,
    "On which line does my program wait?": LATE + r", mostly at solver\.c:LINE",
    "Which of my functions takes the time?": r"extra_work takes [\d.]+ m?s of CPU time .*? on rank 1",
    "Which function of my Python program?": r"slow.* takes [\d.]+ m?s",
    "Which files are read and written, and how?": rf"in\.dat POSIX I/O 80 {READS:,}",
    "Who holds the memory, and does it grow?": r"The memory of rank \d grows until .*? > keep_history",
    "Where does a job hang?": r"rank 1 MPI_Allreduce [\d.]+ m?s rank 0 in ALLREDUCE",
    "What does a process do that runs already?": LATE,
    "What stops the scaling?": r"The main cause \(\d+ %\) is rank 1",
    "How did it look?": r"a\.html",
}


class Place:
    """The directory in which the page is followed."""

    def __init__(self, run):
        self.run, self.folder = run, os.path.join(run.scratch, "work")
        os.makedirs(self.folder)
        shutil.copy(os.path.join(run.programs, "solver.openmpi"), os.path.join(self.folder, "solver"))
        for name, text in (("prog.py", PROG), ("in.dat", "x" * 4000)):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        self.env = run.environment({"PATH": stand_ins(os.path.join(self.folder, "path"), run.spur)})

    def begin(self, command):
        return subprocess.Popen(command, shell=True, cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def end(self, process):
        said = process.communicate(timeout=HANG_S)[0]
        self.run.equal(process.returncode, 0, f"status of {process.args}: {said}")
        return " ".join(said.split())

    def do(self, command):
        return self.end(self.begin(command))

    def held(self, command):
        """A run that waits in its sixth step until let_go()."""
        process = self.begin(command)
        while not os.path.exists(os.path.join(self.folder, "sign")):
            self.run.expect(process.poll() is None, f"{command} ended before its sixth step")
            time.sleep(0.05)
        return process

    def let_go(self, process):
        os.remove(os.path.join(self.folder, "sign"))
        self.end(process)

    def ranks(self):
        """The process IDs of ./solver in this directory."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{pid}/exe") == os.path.join(self.folder, "solver"):
                    found.append(pid)
            except OSError:
                pass
        return found


def record(place, question, commands):
    if question == "Where does a job hang?":
        job = place.held("spur -o g mpirun -n 2 ./solver in.dat sign")
        time.sleep(0.5)  # rank 1 comes to MPI_Allreduce
        place.do(commands[0])
        place.let_go(job)
    elif question == "What does a process do that runs already?":
        job = place.held("mpirun -n 2 ./solver in.dat sign")
        place.do(commands[0].replace("PID", " ".join(place.ranks())))
        place.let_go(job)
    else:
        for command in commands:
            place.do(command)


def without_numbers(text):
    text = re.sub(r"\d[\d.,]*(?= ([mun]?s|%|of|samples|calls)\b| %)", "#", text)
    return re.sub(r"(?<=\.c:)\d+", "#", re.sub(r"# [mun]?s\b", "# s", text))


def main(run):
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        page = file.read()
    with open(os.path.join(ROOT, "tests/programs/solver.c"), encoding="utf-8") as file:
        source = file.read()
    line = source[:source.index("MPI_Allreduce")].count("\n") + 1
    rows = re.findall(r"^\| ([A-Z][^|]*\?) \| ([^|]*) \| `([^|]*)` \|$", page, re.M)
    run.equal([row[0] for row in rows], list(ANSWERS), "the questions of the page")
    place = Place(run)
    for question, records, reads in rows:
        record(place, question, re.findall(r"`([^`]*)`", records))
        said = place.do(reads)
        answer = ANSWERS[question].replace("LINE", str(line))
        run.expect(re.search(answer, said), f"{question}: {said}")
    place.do(re.search(r"^    \$ (spur -o run .*)$", page, re.M).group(1))
    told = without_numbers(place.do("spur report --width 1000 run"))
    shown = re.search(r"^    Most expensive\n(.*?)^    \$", page, re.M | re.S).group(1)
    sentences = re.findall(r"^ +\d\. (.*?)(?: \.\.\.)?$(?=\n +\d\. |\Z)", shown.rstrip(), re.M | re.S)
    run.equal(len(sentences), 3, "findings of the page")
    for sentence in sentences:
        run.expect(without_numbers(" ".join(sentence.split())) in told, f"{sentence}: {told}")
