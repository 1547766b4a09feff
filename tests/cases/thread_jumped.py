# SPDX-License-Identifier: BSD-3-Clause
"""
A handler jumps out of a lock's call after each number of instructions: a release that was not recorded, or
was recorded already, is not recorded by the next call either. Nor is it by the child that a handler makes,
which goes on with the call. spur check finds what is. SEED=N: jumps and children after N, N + 12, ...
instructions, with ALL=1 jumps after each fourth number.
"""

import os
import random

import turns

of = "wrappers/pthread"
STRIDE = 12
SEED = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, STRIDE + 1)


def main(run):
    program = os.path.join(run.programs, "thread_jumped")
    for mode in ("auto", "all"):
        for call in ("lock", "unlock"):
            for after in ("anew", "again", "fork"):
                what = f"{mode}.{call}.{after}"
                archive = os.path.join(run.scratch, what)
                steps = (SEED, STRIDE)
                if turns.ALL and after != "fork":
                    steps = (SEED % 4 + 1, 4)
                words = [run.spur, "--locks", mode, "-o", archive, program, call, after, *map(str, steps)]
                result = run.execute(words, f"{what}.run")
                run.equal(result.status, 0, f"{what}: status, {result.stderr}")
                run.spur_check(archive, True)
