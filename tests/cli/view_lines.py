#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
The picture in a terminal, against what spur print says: each column shows the region that most of its
time was spent in itself. `view_lines.py BUILD`, in a folder with the archives of report_archives.py.
"""

import collections
import os
import pty
import re
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))

from exported import Judge, Truth, output  # noqa: E402
from viewed import Page  # noqa: E402

SPUR = os.path.join(sys.argv[1], "bin", "spur")
ARCHIVES = ("ranks", "threads")
LEGEND = re.compile(r"^([A-Za-z]) (\S.*)$")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
judge = Judge()


def text_of(archive, *options):
    """Rows as text, without their labels, and what the letters are."""
    lines = output(SPUR, "view", "--text", *options, archive).decode().splitlines()
    at = lines[0].index("|")
    end = lines.index("")
    names = dict(found.groups() for found in map(LEGEND.match, lines[end:]) if found)
    return [line[at:] for line in lines[1:end]], names, len(lines[0]) - at


def selves(calls, begin, end):
    """Time in each region itself, from `begin` to `end`."""
    sums, level = collections.Counter(), []
    for region, enter, leave in sorted(calls, key=lambda call: (call[1], -call[2])):
        while level and level[-1][1] <= enter:
            level.pop()
        inside = max(0, min(leave, end) - max(enter, begin))
        sums[region] += inside
        if level:
            sums[level[-1][0]] -= inside
        level.append((region, leave))
    return sums


def compare(archive, width, truth, ids):
    rows, names, columns = text_of(archive, "--width", str(width))
    page = Page(f"{archive}.lines.html")
    bucket = int(page.meta["duration"]) // columns + 1
    judge.same(f"{archive}: rows", len(rows), len(ids))
    told = 0
    for row, location in zip(rows, ids):
        calls = [call[1:] for call in truth.calls if call[0] == location]
        for i, letter in enumerate(row[:columns]):
            sums = selves(calls, i * bucket, (i + 1) * bucket)
            outside = bucket - sum(sums.values())
            (region, most), second = (sums.most_common(2) + [(None, 0)] * 2)[:2]
            what = f"{archive} at {width}: column {i} of {location} is {letter} ({names.get(letter)}), {sums}"
            if most > max(outside, second[1]):
                judge.check(names.get(letter) == truth.names[region], what)
                told += 1
            elif outside > most:
                judge.check(letter in ".-~ X", what)
    judge.check(told > columns // 4, f"{archive} at {width}: {told} columns have a region")


def in_terminal(env):
    """What is written where standard output is a terminal."""
    here, there = pty.openpty()
    process = subprocess.Popen([SPUR, "view", "--text", "ranks"], stdout=there,
                               env={**os.environ, **env})
    os.close(there)
    text = b""
    while True:
        try:
            more = os.read(here, 65536)
        except OSError:
            break
        text += more
        if not more:
            break
    os.close(here)
    judge.same("status in a terminal", process.wait(), 0)
    return text.decode().replace("\r\n", "\n")


def main():
    for archive in ARCHIVES:
        output(SPUR, "view", "--no-findings", "-o", f"{archive}.lines.html", archive)
        truth = Truth(SPUR, archive)
        ids = [int(row["id"]) for row in Page(f"{archive}.lines.html").meta["rows"]]
        for width in (40, 80, 200):
            compare(archive, width, truth, ids)
    plain = output(SPUR, "view", "--text", "ranks").decode()
    judge.check("\x1b" not in plain, "colours where there is no terminal")
    environment = {"NO_COLOR": "", "TERM": "xterm-256color"}
    coloured = in_terminal(environment)
    judge.check("\x1b[48;5;" in coloured, "colours in a terminal")
    judge.same("letters in a terminal", COLOUR.sub("", coloured).splitlines(), plain.splitlines())
    judge.check("\x1b" not in in_terminal({**environment, "NO_COLOR": "1"}), "colours with NO_COLOR")
    for fault in judge.faults[:20]:
        print(fault)
    return 1 if judge.faults else 0


sys.exit(main())
