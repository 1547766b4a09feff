# SPDX-License-Identifier: BSD-3-Clause
"""
A thread goes on between any two reads of `spur snapshot`, as a seed draws it: what had been recorded
before is in the snapshot, up to one moment, whatever chunks were sealed and used again meanwhile.
"""

import os
import random
import subprocess

from judge.otf2_read import Archive, FIELDS
from patience import HANG_S

of = "tools/session finish"
env = {"SPUR_PTHREAD": "all"}
SEED = int(os.environ.get("SEED", "1"))
CHUNK = 4090  # locks that fit into 256 KiB, about

NO_VALUES = {"SPUR_METRICS_ASYNC": "plugin:{programs}/metric_plugin.so#level", "METRIC_PLUGIN_NO_VALUES": "1"}
# Locks before the snapshot and during it, settings, and whether the first ones are dropped.
ROUNDS = {
    "a ring that goes round": (7 * CHUNK, 3 * CHUNK, {"SPUR_BUFFER": "1M", "SPUR_FLUSH": "ring"}, True),
    "a ring of two chunks": (3 * CHUNK, 4 * CHUNK, {"SPUR_BUFFER": "512K", "SPUR_FLUSH": "ring"}, True),
    "a buffer that fills": (2 * CHUNK, 6 * CHUNK, {}, False),
    "a buffer that is written": (7 * CHUNK, 4 * CHUNK, {"SPUR_BUFFER": "1M"}, False),
    "a location without events": (CHUNK, CHUNK, NO_VALUES, False),
}
TIMES = int(os.environ.get("TIMES", "3"))


class Program:
    """It takes its lock as often as it is told, and counts."""

    def __init__(self, run, name, settings):
        self.archive = os.path.join(run.scratch, name + ".archive")
        self.to, self.back = (os.path.join(run.scratch, name + end) for end in (".to", ".from"))
        os.mkfifo(self.to)
        os.mkfifo(self.back)
        words = ["sh", "-c", 'exec "$@" <"$0.to" >"$0.from"', os.path.join(run.scratch, name),
                 run.spur, "-o", self.archive, *run.command(["{programs}/serial_steps"])]
        self.process = subprocess.Popen(words, env=run.environment(settings), stderr=subprocess.PIPE)
        self.input = open(self.to, "w", encoding="utf-8", buffering=1)
        self.output = open(self.back, encoding="utf-8")

    def step(self, run, locks):
        self.input.write(f"{locks}\n")
        run.equal(self.output.readline(), f"{locks}\n", "what the program says")

    def end(self, run):
        self.input.close()
        _, said = self.process.communicate(timeout=HANG_S)
        self.output.close()
        run.equal(self.process.returncode, 0, f"the program: {said}")


def look(run, program, seed, locks):
    """A snapshot, during which the program takes its lock so often; where it is, and what was said."""
    copy = program.archive + "-snapshot"
    between = {"LD_PRELOAD": os.path.join(run.programs, "between_reads.so"),
               "BETWEEN": f"{seed} {locks} {CHUNK * 3 // 2} {program.to} {program.back}"}
    result = run.execute([os.path.join(run.build, "libexec", "spur", "spur-snapshot"), program.archive,
                          "-o", copy], "snapshot", between)
    run.equal(result.status, 0, f"spur snapshot: {result.spur}")
    return copy, result.spur[-1]


def orders(copy):
    """Of the locks that are taken, as the agent counts them, from 1 on."""
    archive = Archive(os.path.join(copy, "traces.otf2"))
    position = FIELDS["ThreadAcquireLock"].index("acquisitionOrder")
    return [values[position] for name, _, values, _ in archive.events(archive.locations[0])
            if name == "ThreadAcquireLock"]


def snapshot(run, name, seed):
    before, meanwhile, settings, is_ring = ROUNDS[name]
    chance = random.Random(seed)
    before += chance.randrange(CHUNK)
    settings = {key: value.format(programs=run.programs) for key, value in settings.items()}
    program = Program(run, f"{name.replace(' ', '_')}.{seed}", settings)
    program.step(run, before)
    copy, said = look(run, program, seed, meanwhile)
    program.end(run)
    what = f"SEED={seed}, {name}: {before} locks before, {meanwhile} meanwhile"
    run.spur_check(copy, False)
    found = orders(copy) or [0]
    run.equal(found, list(range(found[0], found[-1] + 1)), f"{what}: a piece is missing")
    run.expect(before <= found[-1] <= before + meanwhile, f"{what}: the last one is {found[-1]}")
    if not is_ring:
        run.equal(found[0], 1, f"{what}: the first one")
        run.expect("dropped" not in said and "truncated" not in said, f"{what}: {said}")


def main(run):
    print(f"SEED={SEED}")
    for name in ROUNDS:
        print(f"{name}:")
        for seed in range(SEED, SEED + TIMES):
            snapshot(run, name, seed)
