# SPDX-License-Identifier: BSD-3-Clause
"""
The stacks of samples, against a program that knows who calls whom: each sample is in one of its chains of
calls, and each chain has the samples that its CPU time is worth. Functions of the C library may stand above
and between.
"""

import bisect
import collections
import os
import subprocess

from call_stacks import Paths

RATE = 100
SECONDS = 0.15  # of each chain
LEAST = 0.4     # of the samples of a chain: a machine that is busy has its ticks at other times
START = 8       # samples at most before main() begins
PROGRAM = "thread_chains"


class Names:
    """Functions by the symbol table of a program, where nobody names them: "program+0x12"."""

    def __init__(self, program):
        listed = subprocess.run(["nm", "-n", program], stdout=subprocess.PIPE, check=True).stdout.decode()
        rows = [line.split() for line in listed.splitlines() if line[:1].isalnum()]
        functions = [(int(at, 16), name) for at, kind, name in rows if kind in "tT"]
        self.starts, self.names = zip(*functions)

    def of(self, name):
        module, plus, offset = name.partition("+0x")
        if not plus:
            return name
        if module != PROGRAM:
            return "?"
        return self.names[max(0, bisect.bisect(self.starts, int(offset, 16)) - 1)]


def main(run):
    program, place = run.command(["{programs}/" + PROGRAM])[0], os.path.join(run.scratch, "archive")
    traced = run.execute([run.spur, "--sample", str(RATE), "-o", place, program], "run")
    run.equal((traced.status, traced.stderr), (0, ""), "status and errors")
    chains = [tuple(line.split()) for line in traced.stdout.splitlines()]
    run.equal(len(chains), 7, "chains")
    own = {name for chain in chains for name in chain}
    archive, names, found = run.judge(place).archive, Names(program), collections.Counter()
    paths = Paths(archive)
    for location in archive.locations:
        for kind, _, values, _ in archive.events(location):
            if kind == "CallingContextSample":
                shown = [names.of(name) for _, name, _, _ in paths.nodes(values[0])]
                found[tuple(name for name in shown if name in own)] += 1
    print(f"  {dict(found)}")
    # The first functions of a chain may be at work without the next; before main() there are others.
    known = {chain[depth:] for chain in chains for depth in range(len(chain))}
    for path, samples in found.items():
        run.expect(path in known or not path and samples <= START,
                   f"chains of calls, got {samples} of {path}")
    for chain in chains:
        samples = found[chain] + found[chain[1:]]
        run.expect(samples >= LEAST * RATE * SECONDS, f"samples of {chain}, got {samples}")
