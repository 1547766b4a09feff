#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
progress.py BUILD: a command that reads many events says in one line on a terminal how far all its workers
are, threads or ranks, and takes the line away at the end. Where standard error is no terminal there is no
line.
"""

import os
import re
import select
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import openmpi  # noqa: E402
from patience import HANG_S  # noqa: E402

LINE = re.compile(rb"\r\[(#*)( *)\] +(\d+) %  (\d+) M events")
CELLS = 40
CLEAR = b"\r\033[K"
COMMANDS = (["check"], ["report", "--causes", "0"], ["export", "--to", "folded"])
ENV = {**os.environ, **openmpi.ENV}


def on_terminal(words):
    """What a command writes to standard error, which is a terminal; its status."""
    master, slave = os.openpty()
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave,
                          env=ENV) as process:
        os.close(slave)
        said = b""
        end = time.monotonic() + HANG_S
        while time.monotonic() < end and select.select([master], [], [], HANG_S)[0]:
            try:
                said += os.read(master, 4096)
            except OSError:
                break  # nobody has the terminal any more
        os.close(master)
        process.wait(timeout=HANG_S)
    return said, process.returncode


def faults_of(said, events):
    """What is wrong with the lines of a command that has read that many events."""
    shown = LINE.findall(said)
    if len(shown) < 2:
        return [f"{len(shown)} lines: {said[:300]!r}"]
    faults = []
    millions = [int(line[3]) for line in shown]
    percents = [int(line[2]) for line in shown]
    if percents[0] != 0 or millions[0] != 0:
        faults.append(f"begins with {shown[0]}")
    if millions != sorted(millions) or percents != sorted(percents):
        faults.append(f"goes back: {shown}")
    for blocks, blanks, percent, million in shown:
        if len(blocks) + len(blanks) != CELLS or len(blocks) * 100 // CELLS != int(percent):
            faults.append(f"picture and number differ: {blocks} {percent}")
        # Numbers are cut: a cell and a million are the steps.
        if not int(million) * 10**6 <= (int(percent) + 100 / CELLS) / 100 * events or \
                not int(percent) / 100 * events <= (int(million) + 1) * 10**6:
            faults.append(f"{percent} % of {events} events are no {million} M")
    # One of several workers never comes as far as all of them.
    if percents[-1] < 90:
        faults.append(f"ends with {percents[-1]} %")
    if CLEAR not in said[said.rindex(b"M events"):]:
        faults.append(f"stays there: {said[-100:]!r}")
    if b"\n" in LINE.sub(b"", said[:said.rindex(b"M events")]):
        faults.append("more than one line")
    return faults


def main():
    build = os.path.abspath(sys.argv[1])
    spur = os.path.join(build, "bin", "spur")
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        archive = os.path.join(folder, "archive")
        told = subprocess.run([os.path.join(build, "tests", "fixture-many"), archive, "24", "150000"],
                              capture_output=True, check=True, text=True).stdout
        events = int(re.search(r"(\d+) events", told)[1])
        ways = [[spur, *command, "--threads", n, archive] for command in COMMANDS for n in ("1", "3")]
        for launcher in (["mpirun.mpich"], ["mpirun.openmpi", "-q", "--oversubscribe"]):
            to_files = (["print", "-A", "-o", os.path.join(folder, "text")],
                        ["view", "--no-findings", "-o", os.path.join(folder, "page.html")])
            ways += [[*launcher, "-n", n, spur, *command, archive]
                     for command, n in zip((*COMMANDS, *to_files), ("3", "2", "3", "2", "3"))]
        for words in ways:
            said, status = on_terminal(words)
            wrong = faults_of(said, events) + ([f"status {status}"] if status else [])
            for fault in wrong:
                print("FAULT:", " ".join(words), fault)
            faults += len(wrong)
        for words in (ways[0], ways[-1], ways[-4]):
            piped = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, env=ENV,
                                   timeout=HANG_S, check=False)
            if b"M events" in piped.stderr or piped.returncode:
                print("FAULT:", " ".join(words), "without a terminal:", piped.returncode, piped.stderr[:300])
                faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
