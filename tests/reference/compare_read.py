#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Run a program that reads on the reference library and on ours, over archives, and compare.

    compare_read.py PROGRAM OUR_LIBRARY BIN NAME...

The archives NAME of ../fixtures/make.py are made by the programs in BIN on both libraries, which
must give the same bytes; NAME- stands for all variants of an archive but compressed ones and those
in containers. PROGRAM
prints blocks, each begins with a line "==== what". Blocks must be equal, but for calls or blocks in
which the reference library crashes: ours may answer there what it likes, but must neither crash nor
contradict itself (a line "differs: ").
An archive "NAME=OTHER", which the reference library refuses, must read by ours as OTHER does.
Of the variants, and of the ways in which PROGRAM reads an archive, half have their turn (../lib/turns.py).
"""
import filecmp
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", folder) for folder in ("fixtures", "lib")]

import make  # noqa: E402
from turns import some  # noqa: E402

# Their records are random: which snapshot is that of a time, and which of two definitions with the
# same id is meant, nobody can say.
SENSELESS = ("records", "flushed", "odd")
MEANING = ("snapshots_by_time", "global_events_by_older_callbacks")

LARGE = 200000  # bytes of an archive from which on only hashes of its records are compared;
#                 those of variants are compared so, too


def fail(text):
    sys.exit(f"compare_read.py: {text}")


def size_of(top):
    return sum(os.path.getsize(os.path.join(folder, name))
               for folder, _, names in os.walk(top) for name in names)


def read(program, library_dir, archive, is_digest, twin, ways):
    """`twin` has a file for each location, and may be the archive itself; `ways` of read_events.c."""
    # Its many children need not look up each function again.
    env = dict(os.environ, ASAN_OPTIONS="detect_leaks=0", LD_BIND_NOW="1", FILES=os.path.join(twin, "traces"),
               WAYS=str(sum(1 << way for way in ways)))
    if library_dir:
        env["LD_LIBRARY_PATH"] = library_dir
    anchor = os.path.join(archive, "traces.otf2")
    command = [program, anchor] + (["digest"] if is_digest else [])
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=900)
    if done.returncode:
        fail(f"{' '.join(command)} on {library_dir or 'the reference'}: status {done.returncode}\n"
             + done.stderr.decode(errors="replace")[-2000:])
    blocks = {}
    for text in done.stdout.decode(errors="replace").split("==== ")[1:]:
        name, _, body = text.partition("\n")
        blocks[name] = body.splitlines()
    if not blocks:
        fail(f"{program} prints nothing")
    return blocks


def is_crash(line):
    return line.startswith("crashed: ")


def compare(archive, theirs, ours):
    """Returns the number of blocks that were compared and of faults, which are printed."""
    compared = faults = 0
    if list(theirs) != list(ours):
        fail(f"{archive}: not the same blocks")
    for name, our in ours.items():
        their = theirs[name]
        wrong = [line for line in our if line.startswith(("crashed: ", "differs: "))]
        if wrong:
            print(f"{archive}: {name}: ours: {wrong[0][:300]}")
            faults += 1
        elif len(their) != 1 or not is_crash(their[0]):
            compared += 1
            at = next((i for i, (a, b) in enumerate(zip(their, our))
                       if a != b and not is_crash(a)), min(len(their), len(our)))
            if at < max(len(their), len(our)):
                faults += 1
                print(f"{archive}: {name}: line {at + 1} of {len(their)} and {len(our)}\n"
                      f"    behind:    {(their[at - 1:at] or [''])[0][:200]}\n"
                      f"    reference: {(their[at:at + 1] or ['(end)'])[0][:300]}\n"
                      f"    ours:      {(our[at:at + 1] or ['(end)'])[0][:300]}")
    return compared, faults


def same_files(theirs, ours, names):
    """The plain archives: both libraries wrote the same, but for the trace id in the anchor."""
    for name in {name.split("-")[0] for name in names}:
        top = os.path.join(ours, name)
        for folder, _, files in os.walk(top):
            for base in files:
                path = os.path.join(folder, base)
                other = os.path.join(theirs, name, os.path.relpath(path, top))
                if base != "traces.otf2" and not filecmp.cmp(path, other, shallow=False):
                    fail(f"{path} is not what the reference library writes")


def main():
    if len(sys.argv) < 5:
        fail(__doc__)
    program, library, bin_dir = map(os.path.abspath, sys.argv[1:4])
    wanted = []
    for name in sys.argv[4:]:
        if name.endswith("-"):
            variants = [other for other in make.names() if other.startswith(name)
                        and not {"zlib", "sion"} & set(other.split("-"))]
            wanted += some(variants, len(variants) // 2)
        else:
            wanted.append(name)
    names = sorted({part for name in wanted for part in name.split("=")})
    faults = 0
    with tempfile.TemporaryDirectory() as top:
        private = os.path.join(top, "lib")
        os.mkdir(private)
        make.links(library, private)
        theirs, ours = os.path.join(top, "theirs"), os.path.join(top, "ours")
        make.make(bin_dir, ours, library, names)
        make.make(bin_dir, theirs, None, {name.split("-")[0] for name in names})
        same_files(theirs, ours, names)
        for name in wanted:
            name, _, other = name.partition("=")
            archive = os.path.join(ours, name)
            is_digest = size_of(archive) > LARGE or "-" in name
            twin = os.path.join(ours, other or name)
            ways = sum(some(((0, 3), (5, 6))), ())
            if not is_digest:
                ways += sum(some(((1, 2), (4, 7))), ())
            our = read(program, private, archive, is_digest, twin, ways)
            their = read(program, private if other else None, twin, is_digest, twin, ways)
            if name.split("-")[0] in SENSELESS:
                our, their = ({block: body for block, body in blocks.items()
                               if block not in MEANING} for blocks in (our, their))
            if other:
                for blocks in (our, their):
                    blocks.pop("read_anchor", None)  # tells of the compression, the substrate
            n, bad = compare(name, their, our)
            faults += bad
            print(f"{name}: {n} of {len(our)} blocks compared, {bad} faults")
    if faults:
        fail(f"{faults} faults")


main()
