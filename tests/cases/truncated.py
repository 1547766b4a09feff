# SPDX-License-Identifier: BSD-3-Clause
"""
A power cut, as the file system shows it after the next boot: a file of a recording is cut off, or its
last sectors are zeros, or it is gone. `spur recover` makes a true archive of what is left; for every
thread it holds each event that is whole, up to the first one that is not. What cannot be used is
named in a line.

Lengths: around each chunk, slot and definition, and some at random. A part of them, or with
TRUNCATIONS=all all of them, and SEED=N repeats a run.
"""

import bisect
import os
import random
import shutil
import subprocess

import left_over
from patience import HANG_S
from small_tables import with_small_tables

of = "finish finish/events"
SEED = int(os.environ.get("SEED", "1"))
SAMPLE = os.environ.get("TRUNCATIONS", "30")
HEADER, FIRST_EVENT, END_OF_CHUNK, TIMESTAMP, END_OF_FILE, LONG = 18, 10, 0, 5, 2, 255
SOURCE = """#include <stdio.h>
#include "session/segment.h"
int main(void)
{
    printf("%d %zu %zu", (int)SPUR_SLOTS_OFFSET, sizeof(struct spur_slot), sizeof(struct spur_segment));
    return 0;
}
"""
LAYOUT = {}  # of the segment
BLOCK = 256 << 10  # the smallest there are
SECTOR = 512
CUT, ZERO, GONE = "cut", "zeros", "gone"
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SAME = 64  # bytes that tell one chunk from another: there are times in them


def event_ends(chunk):
    """Where the events of a chunk end."""
    at, ends = HEADER, []
    while at < len(chunk) and chunk[at] not in (END_OF_CHUNK, END_OF_FILE):
        if chunk[at] == TIMESTAMP:
            at += 9
            continue
        size = 2 + chunk[at + 1]
        if chunk[at + 1] == LONG:
            size = 10 + int.from_bytes(chunk[at + 2:at + 10], "little")
        if chunk[at] >= FIRST_EVENT and at + size <= len(chunk):
            ends.append(at + size)
        at += size
    return ends


def chunks_of(data):
    return [data[at:at + BLOCK] for at in range(0, len(data), BLOCK) if len(data) > at + HEADER]


class Piece:
    """A chunk of a thread, and where the dead process had it."""

    def __init__(self, chunk, left):
        self.ends, self.chunk, self.path = event_ends(chunk), chunk, None
        mark = self.mark = chunk[HEADER:HEADER + SAME]
        for path, data in left.files.items():
            if "/pids/" in path:  # the same file as the segment, by another name
                continue
            for at in range(0, len(data), BLOCK):
                if data[at + HEADER:at + HEADER + SAME] == mark:
                    self.path, self.at, source = path, at, data[at:at + BLOCK]
        if self.path:  # what was added for the dead process is not in the source
            self.ends = [end for end in self.ends if source[HEADER:end] == chunk[HEADER:end]] \
                if source[HEADER:] != chunk[HEADER:] else self.ends


def same_until(one, other):
    """How far two chunks are the same, their headers apart."""
    low, high = HEADER, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[HEADER:middle] == other[HEADER:middle] else \
            (low, middle - 1)
    return low


class Whole:
    """What there is without a cut: for each thread its chunks, in order."""

    def __init__(self, run, left):
        self.left, session = left, os.path.join(run.scratch, "whole")
        left.put(session)
        result = run.execute([run.spur, "recover", "--recover", session], "whole.run")
        run.equal(result.status, 0, "recovery of all")
        run.judge(session, unfinished=True)
        self.threads = {}
        for name in sorted(os.listdir(os.path.join(session, "traces"))):
            if name.endswith(".evt"):
                with open(os.path.join(session, "traces", name), "rb") as file:
                    pieces = [Piece(chunk, left) for chunk in chunks_of(file.read())]
                self.threads[name] = [piece for piece in pieces if piece.path]
        run.expect(any(len({piece.path for piece in pieces}) > 1
                       for pieces in self.threads.values()), "events in files and in memory")
        shutil.rmtree(session)

    def slot_end(self, pieces):
        """Behind the slot of the thread, in the segment: before it nobody knows whose chunks they are."""
        held = [piece for piece in pieces if piece.path.endswith("segment")]
        segment = self.left.files[held[0].path]
        blocks = [(piece.at // BLOCK).to_bytes(4, "little") for piece in held]
        for at in range(LAYOUT["slots_at"], BLOCK, LAYOUT["slot"]):
            if all(block in segment[at:at + LAYOUT["slot"]] for block in blocks) and \
                    segment[at + LAYOUT["slot"] // 2:at + LAYOUT["slot"]].strip(b"\0"):
                return at + LAYOUT["slot"]
        return BLOCK

    def wanted(self, name, path, length):
        """Events of the thread that are there if the file is whole below the length."""
        events, pieces = 0, self.threads[name]
        for piece in pieces:
            here = len(piece.ends)
            if piece.path == path:
                here = bisect.bisect_right(piece.ends, length - piece.at)
                if path.endswith("segment") and length < self.slot_end(pieces):
                    here = 0
            events += here
            if here < len(piece.ends):
                break
        return events

    def found(self, session):
        """Events of each thread that an archive has, from the first one on. Ids may be others."""
        folder, found = os.path.join(session, "traces"), {}
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), "rb") as file:
                chunks = chunks_of(file.read())
            for thread, pieces in self.threads.items():
                if chunks and pieces and pieces[0].mark == chunks[0][HEADER:HEADER + SAME]:
                    found[thread] = same_events(pieces, chunks)
        return found


def same_events(pieces, chunks):
    events = 0
    for piece, chunk in zip(pieces, chunks):
        here = bisect.bisect_right(piece.ends, same_until(piece.chunk, chunk))
        events += here
        if here < len(piece.ends):
            break
    return events


def is_unusable(path, kind, length):
    """Without the first part of a segment nobody knows what the rest is."""
    return os.path.basename(path) == "segment" and (kind == GONE or length < LAYOUT["head"])


def is_named(path, kind, length):
    """A header whose first sector is there tells who it was; then it is used as far as it goes."""
    return is_unusable(path, kind, length) and not (kind == ZERO and length >= SECTOR)


def lengths(path, data, kind):
    """Where a file may end: around what it is made of, and anywhere."""
    used = len(data.rstrip(b"\0"))
    marks = set(range(0, len(data) + 1, BLOCK)) | {used, len(data)}
    if path.endswith("segment"):
        first, slot = LAYOUT["slots_at"], LAYOUT["slot"]
        marks |= {8, 64, 1024} | set(range(first, first + 6 * slot, slot))
    if path.endswith("journal"):
        marks |= set(range(0, used, 4096)) | {8, 16, 24}
    near = {mark + by for mark in marks for by in (-1, 0, 1)}
    if kind == ZERO:
        return sorted({mark // SECTOR * SECTOR for mark in marks} |
                      {random.randrange(used // SECTOR + 1) * SECTOR for _ in range(24)})
    near |= {random.randrange(used + 1) for _ in range(12)}
    return sorted(length for length in near if 0 <= length < len(data))


def all_cuts(left):
    for path in sorted(left.files):
        kinds = (CUT, ZERO) if os.path.basename(path) != "reserve" else ()
        for kind in kinds:
            for length in lengths(path, left.files[path], kind):
                if kind == CUT or left.files[path][length:].strip(b"\0"):
                    yield path, kind, length
        yield path, GONE, 0


class Trouble(Exception):
    """What is wrong with what a cut leaves."""


def expect(is_right, text):
    if not is_right:
        raise Trouble(f"expected {text}")


def is_unseen(path, kind, output):
    """Zeros behind a record of a journal look like its end: what was defined later is not missed."""
    faults = [line for line in output.splitlines() if line.startswith("fault ")]
    return (kind == ZERO and os.path.basename(path) == "journal" and faults and
            all(line.startswith("fault thread-pair:") for line in faults))


def try_cut(run, whole, path, kind, length):
    session = os.path.join(run.scratch, "session")
    shutil.rmtree(session, ignore_errors=True)
    left = whole.left.copy()
    data = left.files.pop(path)
    if kind != GONE:
        left.files[path] = data[:length] + (bytes(len(data) - length) if kind == ZERO else b"")
    left.put(session)
    ended, trouble = left_over.execute([run.spur, "recover", "--recover", session], HANG_S, None,
                                       run.environment({}))
    expect(not trouble, f"an end: {trouble}")
    expect(ended.status == 0, f"status 0: {ended.line}")
    checked, trouble = left_over.execute(
        [run.spur, "check", "--strict", "--allow-unfinished", session], HANG_S, None,
        run.environment({}))
    expect(not trouble, f"an end of the check: {trouble}")
    expect(checked.status == 0 or is_unseen(path, kind, checked.line),
           f"no faults: {checked.line[:400]}")
    found, lost = whole.found(session), is_unusable(path, kind, length)
    for name, pieces in whole.threads.items():
        wanted = whole.wanted(name, path, length)
        if lost and os.path.dirname(path) in pieces[0].path:
            wanted = 0
        expect(found.get(name, 0) >= wanted, f"{wanted} events in {name}: {found}")
    expect(not is_named(path, kind, length) or os.path.dirname(path) in ended.line,
           f"a word of it: {ended.line}")
    printed = subprocess.run(["otf2-print", os.path.join(session, "traces.otf2")], env=with_small_tables(),
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    expect((printed.returncode, printed.stderr) == (0, b""), f"otf2-print: {printed.stderr[:400]}")
    shutil.rmtree(session)


def learn_layout(run):
    """The places in a segment, from the header of the tree."""
    program = os.path.join(run.scratch, "layout")
    folders = [f"-I{folder}" for folder in (ROOT, f"{ROOT}/include", f"{run.build}/include")]
    subprocess.run(["gcc", "-D_GNU_SOURCE", *folders, "-x", "c", "-", "-o", program], input=SOURCE, text=True,
                   check=True)
    said = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout
    LAYOUT.update(zip(("slots_at", "slot", "head"), map(int, said.split())))


def main(run):
    print(f"SEED={SEED}")
    learn_layout(run)
    random.seed(SEED)
    left = left_over.leave(run, ["{programs}/thread_left", "9000"], "left",
                           {"SPUR_BUFFER": "512K", "SPUR_PTHREAD": "all"})
    with open("/proc/sys/kernel/random/boot_id", "rb") as file:
        boot = file.read().strip()
    for path, data in left.files.items():  # the machine has been started again since then
        left.files[path] = data.replace(boot, boot[::-1])
    whole = Whole(run, left)
    cuts = list(all_cuts(left))
    total = len(cuts)
    if SAMPLE != "all":
        cuts = random.sample(cuts, int(SAMPLE))
    wrong = 0
    for cut in cuts:
        try:
            try_cut(run, whole, *cut)
        except Trouble as trouble:
            wrong += 1
            print(f"{cut}: {trouble}", flush=True)
    print(f"{len(cuts)} of {total} cuts")
    run.equal(wrong, 0, "cuts with trouble")
