# SPDX-License-Identifier: BSD-3-Clause
"""
What makes the peak, and what grows: programs in C and Python that know which of their lines takes the
memory that stays, beside blocks that are given back: in mid-run, in each step, or all at the end.
"""

import os
import re
import subprocess

from python_way import PYTHON

of = "wrappers/memory tools/report/iterations"
PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "memory")
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
GROWS = (r"grows until the run ends: by ([0-9.]+) (\w+) in its second half, "
         r"([0-9.]+) (\w+) of it from ([\w.]+):(\d+)")


def record(run, label, words, told=()):
    """{line: bytes} as the program prints it; the report, the findings about growth in it, and its text."""
    traced, archive = run.record(label, ["--memory=64K", *words])
    run.equal(traced.spur[:-1], [], label)
    run.judge(archive, told=told)
    truth = {}
    for line, bytes_ in (map(int, row.split()) for row in traced.stdout.splitlines()):
        truth[line] = truth.get(line, 0) + bytes_
    report = run.report(archive, "--by", "memory")
    found = [found["text"] for found in report["findings"] if found["kind"] == "memory_growth"]
    text = run.says("report", "--width", "250", "--by", "memory", archive)
    return truth, report["sections"], found, text


def grows(run, label, words, file, line_of=None, told=()):
    """The finding names the line of what stays, and half of the bytes: the run's second half."""
    truth, sections, found, text = record(run, label, words, told)
    (line, bytes_), = truth.items()
    line = line_of or line
    run.equal(len(found), 1, f"findings of {label}")
    said = re.search(GROWS, found[0])
    run.expect(said, f"{label}: {found}")
    run.equal((said[5], int(said[6])), (file, line), f"{label}: the line of {found}")
    for number, unit in ((said[1], said[2]), (said[3], said[4])):
        share = float(number) * UNITS[unit] / bytes_
        # Half of it, but a sleep may end late, an interpreter begins slowly, and samples are inexact.
        run.expect(0.2 <= share <= 0.9, f"{label}: {share} of {bytes_} bytes: {found}")
    row, = [row for row in sections["memory_sites"]
            if row["file"].endswith(file) and row["line"] == line]
    run.expect(0.2 <= row["growth"] / bytes_ <= 0.9, f"{label}: {row}")
    run.expect(f"{file}:{line}" in text, f"{label}: {text}")
    return found[0], text


def main(run):
    program = os.path.join(run.scratch, "growth")
    source = os.path.join(PROGRAMS, "growth.c")
    subprocess.run(["gcc", "-g", "-O1", "-fno-builtin", source, "-o", program], check=True)

    truth, sections, _, _ = record(run, "peak", [program, "peak"])
    run.equal({row["line"]: row["at_peak"] for row in sections["memory_sites"]
               if row["file"].endswith("growth.c")}, truth, "held at the peak")

    said, _ = grows(run, "plateau", [program, "plateau"], "growth.c")
    run.expect(re.search(r"it holds 40\.\d+ MiB at the end", said), said)
    said, _ = grows(run, "ends", [program, "ends"], "growth.c")
    run.expect(re.search(r"it holds 40\.\d+ MiB before it gives back all but", said), said)
    helper = 1 + [("of both" in row) for row in open(source, encoding="utf-8")].index(True)
    said, _ = grows(run, "paths", [program, "paths"], "growth.c", helper)
    run.expect(re.search(r"by .*keeps \(growth\.c:\d+\) > helper \(growth\.c:\d+\);", said), said)
    for mode in ("jump", "flat"):
        _, _, found, _ = record(run, mode, [program, mode])
        run.equal(found, [], mode)

    script = os.path.join(PROGRAMS, "growth.py")
    said, text = grows(run, "python", [PYTHON, script, "python"], "growth.py")
    line = r"\(growth\.py:\d+\)"
    path = re.search(rf"by (?:\.\.\. > )?(?:\w+ > )?<module> {line} > by_python {line} > "
                     rf"Record\.__init__ {line};", said)
    run.expect(path, said)
    if PYTHON == "/usr/bin/python3":
        # OpenBLAS unmaps its buffers when the recording has ended.
        grows(run, "numpy", [PYTHON, script, "numpy"], "growth.py", told=("memory-sum",))
