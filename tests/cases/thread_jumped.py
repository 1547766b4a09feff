# SPDX-License-Identifier: BSD-3-Clause
"""
A handler jumps out of a lock's call after each number of instructions: a release that was not recorded, or
was recorded already, is not recorded by the next call either. Nor is it by the child that a handler makes,
which goes on with the call. spur check finds what is. SEED=N: children after N, N + 12, ... instructions,
jumps after N % 4 + 1, and so on.
"""

import os
import random

of = "wrappers/pthread"
SEED = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, 13)


def main(run):
    program = os.path.join(run.programs, "thread_jumped")
    for mode in ("auto", "all"):
        for call in ("lock", "unlock"):
            for after in ("anew", "again", "fork"):
                what = f"{mode}.{call}.{after}"
                archive = os.path.join(run.scratch, what)
                first = SEED if after == "fork" else SEED % 4 + 1
                words = [run.spur, "--locks", mode, "-o", archive, program, call, after, str(first)]
                result = run.execute(words, f"{what}.run")
                run.equal(result.status, 0, f"{what}: status, {result.stderr}")
                run.spur_check(archive, True)
