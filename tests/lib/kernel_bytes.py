# SPDX-License-Identifier: BSD-3-Clause
"""
The bytes that the kernel moves from and to the files of a run, by strace; and an archive of the same run
compared with them. strace gives each thread a log of its own, so no call is cut in two.
"""

import collections
import glob
import os
import re

import io_events
import matrix
from io_layers import ISOC, POSIX

# The descriptors in the order of the arguments: read from, or written to.
MOVES = {"read": "r", "pread64": "r", "readv": "r", "preadv": "r", "preadv2": "r",
         "write": "w", "pwrite64": "w", "writev": "w", "pwritev": "w", "pwritev2": "w",
         "sendfile": "wr", "copy_file_range": "rw", "splice": "rw"}
CALL = re.compile(r"^(\w+)\((.*)\) += (\d+)$")
FILE = re.compile(r"\d+<([^>]*)>")


class Kernel:
    """The logs of one run, in a directory of their own."""

    def __init__(self, place):
        self.place = place
        os.makedirs(place)
        os.chmod(place, 0o777)

    def words(self):
        """What stands before the command, also before `spur`. It slows down only these calls."""
        return ["strace", "-ff", "--seccomp-bpf", "-qq", "-y", "-s", "0",
                "-e", "trace=" + ",".join(MOVES), "-o", os.path.join(self.place, "log")]

    def sums(self, below):
        """{path: (bytes read, bytes written)} of the files below a directory."""
        found = collections.Counter()
        for path in glob.glob(os.path.join(self.place, "log.*")):
            with open(path, encoding="utf-8", errors="replace") as log:
                for line in log:
                    call = CALL.match(line.rstrip("\n"))
                    if call and call[1] in MOVES:
                        for way, name in zip(MOVES[call[1]], FILE.findall(call[2])):
                            found[name.replace(" (deleted)", ""), way] += int(call[3])
        return {name: (found[name, "r"], found[name, "w"]) for name, _ in found
                if name.startswith(below + "/") and (found[name, "r"] or found[name, "w"])}


def recorded(trace, layer, below):
    found = io_events.sums(trace, layer, str)
    return {name: sums for name, sums in found.items() if name.startswith(below + "/") and any(sums)}


def of_streams(trace):
    """The files that have a stream. Compilers may take characters from its buffer without any call."""
    paths = io_events.files(trace.archive)
    return {paths[values["self"]] for name, values in trace.archive.definitions
            if name == "IoHandle" and values["ioParadigm"] == ISOC}


def explain(run, trace, kernel, below, what):
    """
    Each byte that the kernel has moved is that of a call on the file's descriptor, or of a stream over it:
    of what a stream reads ahead the program may take less. Returns how many (read, written).
    """
    want, calls, streams = kernel.sums(below), recorded(trace, POSIX, below), recorded(trace, ISOC, below)
    run.equal(sorted((set(calls) | set(streams)) - set(want)), [], f"{what}: files that the kernel has not")
    for name, (read, written) in want.items():
        by_calls, by_streams = calls.get(name, (0, 0)), streams.get(name, (0, 0))
        run.equal(by_calls[1] + by_streams[1], written, f"{what}: bytes written to {name}")
        if name in of_streams(trace):
            run.expect(by_calls[0] <= read, f"{what}: {by_calls[0]} of {read} bytes read from {name}")
        else:
            run.equal(by_calls[0], read, f"{what}: bytes read from {name}")
    return tuple(sum(column) for column in zip(*want.values())) or (0, 0)


def watch(run, label, words, left=matrix.contents, settings=None):
    """
    The program without spur, and with it under strace: it prints the same and leaves the same files, by
    `left` of its folder, and its bytes are explained. The Trace, and how many (read, written).
    """
    plain = run.execute(words, label + ".plain")
    run.equal(plain.status, 0, f"{label} succeeds: {plain.stdout[-1000:]} {plain.stderr}")
    kernel = Kernel(os.path.join(run.scratch, label + ".kernel"))
    archive = os.path.join(run.scratch, label + ".archive")
    traced = run.execute(kernel.words() + [run.spur, "-o", archive] + words, label + ".traced", settings)
    run.same(traced, plain)
    folders = [os.path.join(run.scratch, f"{label}.{what}") for what in ("traced", "plain")]
    run.equal(matrix.difference(*map(left, folders)), "", f"{label}: files")
    trace = run.judge(archive)
    read, written = explain(run, trace, kernel, folders[0], label)
    print(f"  {label}: {read} bytes read, {written} written", flush=True)
    return trace, read, written
