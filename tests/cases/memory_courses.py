# SPDX-License-Identifier: BSD-3-Clause
"""
Which courses of memory are growth: a program takes blocks that stay, in steps that are drawn, and has a large
block for a drawn while. The program prints the blocks that stay, with their times: the truth of the finding.

    COURSES_SEED=N     draws the courses of that run
    COURSES=100        so many rounds in place of one
"""

import os
import re
import subprocess

from cases.memory_growth import GROWS, PROGRAMS, UNITS
from seeded import Seeded

of = "wrappers/memory tools/report/topics"
MIB = 1 << 20
# A pause of the machine that is longer than this share of the run makes another course of it.
LONGEST_PAUSE, TRIES = 0.12, 20


def courses(draw):
    """{name: (is growth, needs call sites, the numbers of growth.c)}"""
    steps = draw.randrange(20, 60)
    total = draw.randrange(24, 60) * MIB
    block, big = total // steps, draw.randrange(2 * total, 4 * total)
    first = draw.randrange(steps // 5, steps * 3 // 5)
    last = draw.randrange(first + steps // 10, steps * 9 // 10)
    stop, begin = draw.randrange(steps // 10, steps * 3 // 5), draw.randrange(steps * 3 // 5)
    jump = draw.randrange(steps // 2, steps * 9 // 10)
    none = (0, -1, -1)
    return {
        "leak": (True, False, (steps, block, 0, steps, *none, 0)),
        "late leak": (True, False, (steps, block * 2, begin, steps, *none, 0)),
        "leak beside a block": (True, True, (steps, block, 0, steps, big, first, last, 0)),
        "leak that stopped, or cache": (False, False, (steps, block, 0, stop, *none, 0)),
        "cache beside a block": (False, False, (steps, block, 0, stop, big, first, last, 0)),
        "block in mid-run": (False, False, (steps, block, 0, 0, big, first, last, 0)),
        "jump": (False, False, (steps, block * steps, jump, jump + 1, *none, 0)),
        "jump beside a block": (False, False, (steps, block * steps, jump, jump + 1, big, first, last, 0)),
        "one for the other": (False, False, (steps, block, 0, steps, *none, 1)),
    }


def times_of(run, traced, is_growth):
    """The blocks that stay as (bytes, share of the run), or None: the machine paused too long."""
    rows = [row.split() for row in traced.stdout.splitlines()]
    length = float(rows[-1][2])
    blocks = [(int(bytes_), float(at) / length) for line, bytes_, at in rows if line != "0"]
    shares = [at for _, at in blocks] + [1]
    pauses = [later - earlier for earlier, later in zip(shares, shares[1:])]
    if is_growth and max(pauses) > LONGEST_PAUSE:
        return None
    return blocks


def try_course(run, program, name, course, how):
    is_growth, _, numbers = course
    for _ in range(TRIES):
        traced, archive = run.record("course", [how, program, "course", *map(str, numbers)])
        blocks = times_of(run, traced, is_growth)
        if blocks is not None:
            break
        subprocess.run(["rm", "-r", archive], check=True)
    run.expect(blocks is not None, f"a run of {name} without long pauses of the machine")
    report = run.report(archive, "--by", "memory")
    found = [found["text"] for found in report["findings"] if found["kind"] == "memory_growth"]
    subprocess.run(["rm", "-r", archive], check=True)
    what = f"{name}, {how} {' '.join(map(str, numbers))}: {found}"
    run.equal(len(found), is_growth, what)
    if not is_growth:
        return
    total = sum(bytes_ for bytes_, _ in blocks)
    half = sum(bytes_ for bytes_, at in blocks if at > 0.5)
    row, = report["sections"]["memory"]
    # The report knows the least of each fortieth of the run.
    run.expect(abs(row["growth"] - half) <= total / 8 + 2 * numbers[1], f"{half} of {total} bytes: {what}")
    if "=" in how:
        said = re.search(GROWS, found[0])
        run.expect(said and said[5] == "growth.c", what)
        whole, part = float(said[1]) * UNITS[said[2]], float(said[3]) * UNITS[said[4]]
        run.expect(0.9 * whole <= part <= whole, f"the line has it all: {what}")


def main(run):
    drawn = Seeded("COURSES", run.scratch)
    print(f"COURSES_SEED={drawn.seed}", flush=True)
    program = os.path.join(run.scratch, "growth")
    subprocess.run(["gcc", "-g", "-O1", "-fno-builtin", os.path.join(PROGRAMS, "growth.c"), "-o", program],
                   check=True)
    rounds = int(os.environ.get("COURSES", "1"))
    for _ in range(rounds):
        for name, course in courses(drawn.draw).items():
            how = "--memory=64K" if course[1] or drawn.draw.randrange(2) else "--memory"
            try_course(run, program, name, course, how)
