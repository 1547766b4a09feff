#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run a program on the reference library and on ours, and hold the two runs against each other.

    compare.py PROGRAM OUR_LIBRARY [--read NAME ...]

PROGRAM is linked to the reference library; ours takes its place by a symbolic link of its name in a
private directory. What the program prints and all files it writes must be equal, but for the trace id,
and the version in the anchor if the reference is older. Where the reference library crashes (a line
"crashed: ..."), ours may answer what it likes; files in a directory "unequal" are not compared. The
archives of --read must also please otf2-print and the Python reader, on both libraries' files alike.
"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "fixtures"))

import make  # noqa: E402


def fail(text):
    print("compare.py:", text)
    sys.exit(1)


def run(program, where, library_dir):
    env = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")
    if library_dir:
        env["LD_LIBRARY_PATH"] = library_dir
    os.mkdir(where)
    done = subprocess.run([program, where], env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=900)
    if done.returncode:
        fail(f"{program} on {library_dir or 'the reference'}: status {done.returncode}\n"
             + done.stderr.decode(errors="replace")[-2000:])
    text = done.stdout.decode(errors="replace").replace(where, "DIR")
    return text.splitlines()


def compare_text(theirs, ours):
    """Line by line; where theirs crashed, ours must not."""
    heading = ""
    for i, (their, our) in enumerate(zip(theirs, ours)):
        heading = their if their.startswith("----") else heading
        crashed = their.startswith("crashed: ")
        if our.startswith("crashed: ") or (their != our and not crashed):
            before = "\n  ".join(theirs[max(i - 3, 0):i])
            fail(f"{heading}\n  {before}\nline {i + 1}: reference: {their}\n  ours: {our}")
    if len(theirs) != len(ours) or not theirs:
        fail(f"{len(theirs)} lines by the reference, {len(ours)} by ours")


def comparable(anchor):
    """The anchor without its trace id; a version that the reference may have is as ours."""
    at = 46
    for _ in range(3):
        at = anchor.index(b"\0", at) + 1
    n, = struct.unpack_from("=I", anchor, at)
    at += 4
    for _ in range(2 * n):
        at = anchor.index(b"\0", at) + 1
    return make.as_newest(anchor[:at] + anchor[at + 8:])


def files_of(top):
    found = {}
    for folder, _, names in os.walk(top):
        if "unequal" in folder:
            continue
        found[os.path.relpath(folder, top)] = None
        for name in names:
            path = os.path.join(folder, name)
            found[os.path.relpath(path, top)] = path
    return found


def compare_files(theirs, ours):
    a, b = files_of(theirs), files_of(ours)
    if set(a) != set(b):
        fail(f"only one has {sorted(set(a) ^ set(b))[:5]}")
    total = 0
    for name, path in sorted(a.items()):
        if not path:
            continue
        with open(path, "rb") as f, open(b[name], "rb") as g:
            x, y = f.read(), g.read()
        total += len(x)
        if name.endswith(".otf2") and x and y:
            x, y = comparable(x), comparable(y)
        if x != y:
            at = next((i for i, (p, q) in enumerate(zip(x, y)) if p != q), min(len(x), len(y)))
            fail(f"{name}: differs from byte {at} on ({len(x)} and {len(y)} bytes)")
    return len(a), total


def read_back(tool, archive):
    done = subprocess.run(tool + [archive], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=900)
    if done.returncode or done.stderr:
        fail(f"{tool[0]} {archive}: status {done.returncode}\n"
             + done.stderr.decode(errors="replace")[:2000])
    lines = done.stdout.decode(errors="replace").splitlines()
    # The version is that of the library that wrote the archive; comparable() compares versions.
    return [line for line in lines if "Trace" not in line and archive not in line
            and not line.startswith("Version ")]


PYTHON_READER = """
import sys, otf2
with otf2.reader.open(sys.argv[1]) as trace:
    for location, event in trace.events:
        print(location.name, type(event).__name__, event.time,
              {a.name: v for a, v in (event.attributes or {}).items()})
"""


def main():
    if len(sys.argv) < 3:
        fail(__doc__)
    program, library = map(os.path.abspath, sys.argv[1:3])
    names = sys.argv[4:] if sys.argv[3:4] == ["--read"] else []
    if names and not shutil.which("otf2-print"):
        fail("otf2-print is missing: install otf2-tools")
    with tempfile.TemporaryDirectory() as top:
        private = os.path.join(top, "lib")
        os.mkdir(private)
        make.links(library, private)
        theirs, ours = os.path.join(top, "theirs"), os.path.join(top, "ours")
        compare_text(run(program, theirs, None), run(program, ours, private))
        n, total = compare_files(theirs, ours)
        print(f"{n} files and directories, {total} bytes: equal")
        for name in names:
            for tool in (["otf2-print", "-A", "-Werror"],
                         ["/usr/bin/python3", "-c", PYTHON_READER]):
                a, b = (read_back(tool, os.path.join(d, name, "traces.otf2"))
                        for d in (theirs, ours))
                if a != b or not b:
                    fail(f"{tool[0]}: reads {name} differently")
                print(f"{tool[0]} reads {name}: {len(b)} lines, equal")


main()
