# SPDX-License-Identifier: BSD-3-Clause
"""
The stacks of samples, against a program that knows who calls whom: each sample is in one of its chains of
calls, and each chain has the samples that its CPU time is worth. Functions of the C library may stand above
and between.
"""

import collections

from chains import Chains

of = "agent/stacks agent/sampling"
RATE = 100
SECONDS = 0.15  # of each chain
LEAST = 0.4     # of the samples of a chain: a machine that is busy has its ticks at other times
START = 20      # samples at most before main() begins


def main(run):
    chains = Chains(run, "thread_chains")
    archive, said = chains.trace("archive", [], "--sample", str(RATE))
    run.equal(len(said), 9, "chains")
    found = collections.Counter()
    for location in archive.locations:
        for kind, _, values, _ in archive.events(location):
            if kind == "CallingContextSample":
                found[chains.of_context(archive, values[0])] += 1
    print(f"  {dict(found)}")
    # The first functions of a chain may be at work without the next; before main() there are others.
    known = {chain[depth:] for chain in said for depth in range(len(chain))}
    for path, samples in found.items():
        run.expect(path in known or not path and samples <= START,
                   f"chains of calls, got {samples} of {path}")
    parts = collections.Counter(chain[depth:] for chain in said for depth in range(len(chain)))
    # The samples of a handler on the alternate stack may come when it has returned.
    for chain in said:
        samples = sum(found[chain[depth:]] for depth in range(len(chain)) if parts[chain[depth:]] == 1)
        run.expect(samples >= LEAST * RATE * SECONDS, f"samples of {chain}, got {samples}")
