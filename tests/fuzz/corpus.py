#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Seeds for the fuzz targets, made from archives of ../fixtures; and the replay of seeds and of what
crashed once.

    corpus.py BIN OUT                 makes OUT/TARGET/* for all targets
    corpus.py --replay SEEDS PROGRAM  runs the target PROGRAM on SEEDS/TARGET/* and on crashes/TARGET/*

BIN holds the test programs that write. An input is a file of an archive with its chunks cut to what
they hold (fuzz.h), behind a byte that says how to read it; anchors, thumbnails: just the file;
containers: see containers_of().
"""
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", folder) for folder in ("fixtures", "lib")]

import containers  # noqa: E402
import make  # noqa: E402

CHUNK = 262144
SEPARATOR = b"\xfe\xed\xfa\xce"
LONGEST = 20000  # seeds are short: mutations of long ones rarely mean something

ARCHIVES = ["small", "small-big", "small-mixed", "small-format1", "small-v11", "small-unknown",
            "small-trailing", "small-reversed", "small-bare", "small-zlib", "small-zlib-loose",
            "silent", "empty"]

# What is behind the token of a page of spur view --serve.
REQUESTS = [b"", b"alive", b"window?from=0&to=1", b"window?to=9007199254740991&from=0",
            b"window?from=1&to=2&rows=0-15,20,31&sections=calls,messages,collectives,samples,counters",
            b"window?from=5&to=7&rows=0%2C2-3%2c9&sections=counters", b"window?from=-1&to=NaN",
            b"window?from=1e3&to=2&rows=1-0", b"..%2f", b"localhost:80", b"[::1]:65535", b"127.0.0.1"]


def cut(data):
    """The chunks of a file without the zeros that fill them."""
    chunks = [data[at:at + CHUNK] for at in range(0, len(data), CHUNK)]
    return SEPARATOR.join([chunk.rstrip(b"\0") for chunk in chunks[:-1]] + chunks[-1:])


def seeds_of(archive):
    """Yield (target, input) of an archive's files."""
    packed = "zlib" in archive
    for folder, _, names in os.walk(archive):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            ending = name.rsplit(".", 1)[1]
            if ending == "otf2":
                yield "anchor", data
            elif ending == "thumb":
                yield "thumbnails", data
            elif ending == "evt" and packed:
                yield "zlib", b"\0" + data
            elif not packed:
                target = {"evt": "events", "snap": "snapshots", "marker": "markers",
                          "def": "global_defs" if name == "traces.def" else "local_defs"}[ending]
                for how in (b"\0", b"\7"):
                    yield target, how + cut(data)
                if ending == "evt":
                    yield "zlib_chunks", b"\0\1" + data


def containers_of(plain, out):
    """A rank map behind its length, and a container, of an archive in containers of small blocks."""
    for number, shape in enumerate(({}, {"big": True}, {"record": 50, "interleave": True},
                                    {"ranks": [[0], [], [1, 2]]}, {"ranks": [[1], [0, 2]], "files": [0, 1]})):
        folder = os.path.join(out, str(number))
        containers.pack(plain, folder, align=8, block=200, **shape)
        with open(os.path.join(folder, "traces.srm"), "rb") as file:
            ranks = file.read()
        for kind in ("evt", "def", "snap"):
            with open(os.path.join(folder, "traces", "0." + kind), "rb") as file:
                yield struct.pack("<H", len(ranks)) + ranks + file.read()


def put(out, target, name, data):
    folder = os.path.join(out, target)
    os.makedirs(folder, exist_ok=True)
    if len(data) <= LONGEST:
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)


def make_seeds(bin_dir, out):
    for number, request in enumerate(REQUESTS):
        put(out, "requests", str(number), request)
    with tempfile.TemporaryDirectory() as top:
        make.make(bin_dir, top, None, ARCHIVES)
        for archive in ARCHIVES:
            for number, (target, data) in enumerate(seeds_of(os.path.join(top, archive))):
                put(out, target, f"{archive}.{number}", data)
        for number, data in enumerate(containers_of(os.path.join(top, "small"), os.path.join(top, "in"))):
            put(out, "containers", str(number), data)


def files_in(folder):
    return sorted(os.path.join(folder, name) for name in os.listdir(folder)) \
        if os.path.isdir(folder) else []


def replay(seeds, program):
    target = os.path.basename(program).split("fuzz_", 1)[1]
    inputs = files_in(os.path.join(seeds, target))
    if not inputs:
        sys.exit(f"no seeds for {target}")
    inputs += files_in(os.path.join(HERE, "crashes", target))
    return subprocess.run([program, *inputs], timeout=600, check=False).returncode


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "--replay":
        sys.exit(replay(sys.argv[2], os.path.abspath(sys.argv[3])))
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    make_seeds(*sys.argv[1:])
