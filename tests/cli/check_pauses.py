#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
check_pauses.py BUILD: what `spur check` says of messages of ranks whose recording pauses, for any number of
workers. Ranks in a ring send to the next one; some messages have another size where they arrive. A pair
counts those up to the first pause of one of the two; from then on nobody knows which messages belong
together. It is known what is to be found, whether one worker reads both ends or not. A thread that is
created before a pause and begins in it is never seen to begin, and a task is not seen to end: that is told
of archives without a pause only.
PAUSES_SEED=N draws as that run did.
"""

import collections
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))

from judge.otf2_write import write_archive  # noqa: E402
from seeded import Seeded  # noqa: E402

RANKS, STEPS, STEP, BYTES, TAG = 8, 40, 1000, 64, 7
OFF, ON = 2, 1
ARCHIVES = 4
FOUND = re.compile(r"from rank (\d+) to (\d+) tag 7: message (\d+) has 64 bytes .* \((\d+) messages\)")


def definitions(streams):
    undefined = 0xffffffff
    texts = ("", "world", "main", "node")
    made = [("ClockProperties", 1000000000, 0, (STEPS + 1) * STEP, 1)]
    made += [("String", i, text) for i, text in enumerate(texts)]
    made += [("Paradigm", 4, 1, 0), ("SystemTreeNode", 0, 3, 3, undefined),
             ("Region", 0, 2, 2, 0, 0, 0, 1, 0, 0)]
    made += [("LocationGroup", i, 2, 1, 0, undefined) for i in range(RANKS)]
    made += [("Location", i, 2, 1, len(streams[i]), i) for i in range(RANKS)]
    return made + [("Group", 0, 1, 6, [(i,) for i in range(RANKS)], 4, 4, 0),
                   ("Group", 1, 1, 4, [(i,) for i in range(RANKS)], 5, 4, 0),
                   ("Comm", 0, 1, 1, undefined, 0)]


def creates(folder, pauses):
    """Rank 0 creates a thread that nobody sees begin, and a task that nobody sees end."""
    streams = {rank: [] for rank in range(RANKS)}
    streams[0] = [(STEP, "ThreadCreate", 0, 1), (STEP + 1, "ThreadTaskCreate", 0, 0, 1)]
    if pauses:
        streams[0].append((2 * STEP, "MeasurementOnOff", OFF))
    write_archive(folder, definitions(streams), streams,
                  anchor={"properties": [("SPUR::PAUSED_PROCESSES", str(pauses))]})


def draw(folder, rng):
    """Writes an archive; what is wrong, by pair: the first such message, and how many."""
    pauses = {rank: sorted(rng.sample(range(2, STEPS - 2), 2)) for rank in rng.sample(range(RANKS), 3)}
    streams = {rank: [] for rank in range(RANKS)}
    wrong = {}

    def is_off(rank, step):
        first, last = pauses.get(rank, (STEPS, STEPS))
        return first < step <= last

    for step in range(STEPS):
        for rank in range(RANKS):
            to, at = (rank + 1) % RANKS, step * STEP
            size = rng.choice((BYTES, BYTES, BYTES - 1))
            if not is_off(rank, step):
                streams[rank].append((at + 100 + rank, "MpiSend", to, 0, TAG, BYTES))
            if not is_off(to, step):
                streams[to].append((at + 500 + rank, "MpiRecv", rank, 0, TAG, size))
            is_sure = all(step <= pauses.get(one, (STEPS,))[0] for one in (rank, to))
            if size != BYTES and is_sure:
                first, n = wrong.get((rank, to), (step, 0))
                wrong[rank, to] = (first, n + 1)
            if rng.random() < 0.1 and not is_off(rank, step):
                streams[rank].append((at + 700, "BufferFlush", at + 750))
        for rank, (first, last) in pauses.items():
            if step in (first, last):
                streams[rank].append((step * STEP + 900, "MeasurementOnOff", OFF if step == first else ON))
    for stream in streams.values():
        stream.sort(key=lambda record: record[0])
    write_archive(folder, definitions(streams), streams,
                  anchor={"properties": [("SPUR::PAUSED_PROCESSES", str(len(pauses)))]})
    return wrong


class Tester(Seeded):
    def left(self, spur, folder):
        for pauses, said in (0, {"thread-left": 1, "task-left": 1}), (1, {}):
            creates(f"{folder}{pauses}", pauses)
            ran = subprocess.run([spur, "check", "--strict", f"{folder}{pauses}"], capture_output=True,
                                 env=self.env, check=False, text=True)
            found = re.findall(r"^(?:fault|remark) (\S+):", ran.stdout, re.M)
            self.same(f"created, {pauses} pauses", collections.Counter(found), said)

    def test(self, spur, folder):
        wrong = draw(folder, self.draw)
        if not wrong:
            self.fault("nothing is wrong")
        outputs = []
        for threads in ("1", "2", "3", "7"):
            ran = subprocess.run([spur, "check", "--all", "--threads", threads, folder], capture_output=True,
                                 env=self.env, check=False, text=True)
            found = {(int(a), int(b)): (int(first), int(n)) for a, b, first, n in FOUND.findall(ran.stdout)}
            self.same(f"{threads} threads, found", found, wrong)
            self.same(f"{threads} threads, lines", ran.stdout.count("from rank"), len(wrong))
            outputs.append((ran.stdout, ran.stderr, ran.returncode))
        self.same("any number of threads", outputs[1:], outputs[:1] * 3)


def main():
    with tempfile.TemporaryDirectory() as folder:
        tester = Tester("PAUSES", folder)
        spur = os.path.join(sys.argv[1], "bin", "spur")
        for i in range(ARCHIVES):
            tester.test(spur, os.path.join(folder, str(i)))
        tester.left(spur, os.path.join(folder, "left"))
    return 1 if tester.faults else 0


if __name__ == "__main__":
    sys.exit(main())
