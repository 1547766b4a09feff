#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
cut_containers.py BUILD LIBRARY: commands on an archive in SION containers of which one file is cut, at
every byte. LIBRARY is made of cut_command.c, which says what a command must do then.

A third of the lengths is tried, a length with one command, in turns that SEED=N shifts; near a file's end
each length with each command. With ALL=1 each length is tried with each command, but in the name that a
container has in its head, which nobody reads, and in the global definitions, which are a plain file.
"""

import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "lib")]

import containers  # noqa: E402
from judge.everything import counted, everything  # noqa: E402
from judge.otf2_write import write_archive  # noqa: E402
from matrix import contents  # noqa: E402
from patience import HANG_S  # noqa: E402
from turns import ALL  # noqa: E402

COMMANDS = (["check"], ["print", "-A"], ["unpack"], ["report"], ["view", "--text"],
            ["export", "--to", "csv", "--table", "call"])
NO_SNAPSHOTS = ("report", "view", "export")  # do not read them
NAME = range(52, 52 + containers.NAME_BYTES)
LOCATIONS = [[0, 2], [1]]  # of each rank, which have a container each
AT_ONCE = 2
END = 20  # of a file: marks, and how long it is
TURNS = 3 * len(COMMANDS)
SEED = int(os.environ.get("SEED", time.time_ns() % TURNS))


def write(folder):
    """Events in several blocks, definitions, snapshots."""
    archive = everything()
    for location in archive["events"]:
        archive["events"][location] = [(time, ("Enter", "Leave")[time % 2], 1) for time in range(100, 104)]
        archive["snapshots"][location] = [(103, "SnapshotStart", 0), (103, "SnapshotEnd", 3)]
    archive["definitions"] = counted(archive["definitions"], archive["events"])
    del archive["markers"], archive["thumbnails"]
    write_archive(os.path.join(folder, "plain"), **archive)
    containers.pack(os.path.join(folder, "plain"), os.path.join(folder, "packed"), ranks=LOCATIONS,
                    files=[0, 1], align=8, block=40)


def needed(command, name, size):
    """How long the file must be: behind that is what the command does not need."""
    if name.endswith(".snap") and command in NO_SNAPSHOTS or name == "traces.def" and command == "unpack":
        return 0
    if name == "traces.srm":
        return size - 1  # a mark, behind which nothing comes
    if command == "check":
        return size
    if name.startswith("traces/0."):
        return size - 4 - 8 * len(LOCATIONS)  # where each rank is: the rank map says so as well
    return size - {"traces.otf2": 2, "traces.def": 1}.get(name, 0)  # marks of the end


def lengths(name, size, turn):
    turns = len(COMMANDS) if ALL else TURNS
    few = {"traces": NAME, "traces.def": range(size - END)}.get(name.split("/")[0], ())
    alone = few if ALL else range(size - END)
    return [length for length in range(size)
            if length not in alone or (length + SEED) % turns == turn]


def cut(spur, library, folder, turn, name):
    """How many lengths were tried, and the faults."""
    command = COMMANDS[turn]
    archive = os.path.join(folder, f"{turn}.{os.path.basename(name)}")
    shutil.copytree(os.path.join(folder, "packed"), archive)
    path = os.path.join(archive, name)
    size = os.path.getsize(path)
    before, least, at = contents(archive), needed(command[0], name, size), lengths(name, size, turn)
    if command == ["unpack"]:  # it changes what it does not refuse
        at = [length for length in at if length < least]
    env = {**os.environ, "LD_PRELOAD": library, "CUT_FILE": path, "CUT_AT": ",".join(map(str, at)),
           **({"CUT_IS_REFUSED": ""} if command == ["unpack"] else {})}
    done = subprocess.run([spur + command[0], *command[1:], os.path.join(archive, "traces.otf2")],
                          env=env, capture_output=True, timeout=HANG_S, check=False, text=True)
    wanted = f"same {sum(length >= least for length in at)}"
    faults = [] if (done.returncode, done.stderr, done.stdout) == (0, "", wanted + "\n") else \
        [f"status {done.returncode}, {wanted} is wanted: {done.stdout[:2000]}{done.stderr}"]
    if contents(archive) != before:
        faults += ["the archive has changed"]
    return len(at), [f"spur {' '.join(command)}, {name}: {fault}" for fault in faults]


def main():
    spur = os.path.join(sys.argv[1], "libexec", "spur", "spur-")
    with tempfile.TemporaryDirectory() as folder:
        write(folder)
        names = ["traces.otf2", "traces.def", "traces.srm"]
        names += [f"traces/{name}" for name in os.listdir(os.path.join(folder, "packed", "traces"))]
        tasks = [(turn, name) for turn in range(len(COMMANDS)) for name in names]
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            found = list(pool.map(lambda task: cut(spur, sys.argv[2], folder, *task), tasks))
    cuts, faults = sum(n for n, _ in found), sum((faults for _, faults in found), [])
    print(*faults, f"SEED={SEED}: {len(names)} files, {cuts} cuts, {len(faults)} faults", sep="\n")
    return 1 if faults or not cuts else 0


if len(sys.argv) != 3:
    sys.exit(__doc__)
sys.exit(main())
