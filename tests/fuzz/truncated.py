#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Archives that end too early: what the library and the commands make of them.

    truncated.py BIN --library PROGRAM STEP   PROGRAM is built from truncated.c; a run tries each STEPth
                                              length from a drawn one on, with ALL=1 it tries each
    truncated.py BIN --tools SPUR             SPUR is the launcher

BIN holds the test programs that write. A command must end by itself, and either print what it
prints of the whole archive, or say which file is at fault.
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", folder) for folder in ("fixtures", "lib")]

import containers  # noqa: E402
import make  # noqa: E402
import turns  # noqa: E402

COMMANDS = (["print", "-A"], ["check"], ["report"])
LENGTHS = 9  # of each file, for each command


def run(spur, command, archive):
    done = subprocess.run([spur, *command, os.path.join(archive, "traces.otf2")],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=540, check=False)
    return (done.returncode, done.stdout.decode(errors="replace"),
            done.stderr.decode(errors="replace"))


def lengths_of(size):
    """Some of them, those near the ends among them."""
    step = max(1, size // LENGTHS)
    return sorted({0, 1, 17, 18, size - 2, size - 1} & set(range(size))
                  | set(range(step // 2, size, step)))


def judge(spur, whole, archive, name, length):
    faults = 0
    for command in COMMANDS:
        status, out, err = run(spur, command, archive)
        base = os.path.basename(name)
        is_named = base in err or base in out
        if status < 0 or status > 2:
            text = f"status {status}"
        elif (status, out) != whole[command[0]][:2] and not is_named:
            text = f"status {status}, does not name the file: {err[-300:]}"
        else:
            continue
        faults += 1
        print(f"spur {command[0]}, {name} cut at {length}: {text}")
    return faults


def tools(spur, archive):
    faults = cuts = 0
    whole = {command[0]: run(spur, command, archive) for command in COMMANDS}
    for folder, _, names in os.walk(archive):
        for base in names:
            path = os.path.join(folder, base)
            with open(path, "rb") as file:
                data = file.read()
            for length in lengths_of(len(data)):
                os.truncate(path, length)
                faults += judge(spur, whole, archive, os.path.relpath(path, archive), length)
                cuts += 1
                with open(path, "wb") as file:
                    file.write(data)
    print(f"{cuts} cuts, {faults} faults")
    return faults != 0 or not cuts


def main():
    bin_dir, what, program = sys.argv[1], sys.argv[2], os.path.abspath(sys.argv[3])
    with tempfile.TemporaryDirectory() as top:
        make.make(bin_dir, top, None, ["small"])
        archive = os.path.join(top, "small")
        packed = os.path.join(top, "packed")
        containers.pack(archive, packed, align=8, block=600)
        if what == "--tools":
            sys.exit(tools(program, archive) + tools(program, packed))
        step = 1 if turns.ALL else int(sys.argv[4])
        first = turns.some(range(1, step + 1))[0]
        done = [subprocess.run([program, folder, str(step), str(first)], stdout=subprocess.DEVNULL,
                               timeout=1500, check=False).returncode
                for folder in (archive, packed)]
        shutil.rmtree(archive)
        sys.exit(any(done))


if len(sys.argv) < 4:
    sys.exit(__doc__)
main()
