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
    for mode in ("auto", "all"):
        for call in ("lock", "unlock"):
            for after in ("anew", "again", "fork"):
                what = f"{mode}.{call}.{after}"
                steps = (SEED, STRIDE)
                if turns.ALL and after != "fork":
                    steps = (SEED % 4 + 1, 4)
                words = run.command(["{programs}/thread_jumped", call, after, *map(str, steps)])
                run.spur_check(run.record(what, ["--locks", mode, *words])[1], True)
