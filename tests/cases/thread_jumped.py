# SPDX-License-Identifier: BSD-3-Clause
"""
A handler jumps out of a lock's call after each number of instructions: a release that was not recorded, or
was recorded already, is not recorded by the next call either. spur check finds what is. SEED=N: after N,
N + 4, ... instructions.
"""

import os
import random

of = "wrappers/pthread"
SEED = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, 5)


def main(run):
    program = os.path.join(run.programs, "thread_jumped")
    for mode in ("auto", "all"):
        for call in ("lock", "unlock"):
            for after in ("anew", "again"):
                what = f"{mode}.{call}.{after}"
                archive = os.path.join(run.scratch, what)
                words = [run.spur, "--locks", mode, "-o", archive, program, call, after, str(SEED)]
                result = run.execute(words, f"{what}.run")
                run.equal(result.status, 0, f"{what}: status, {result.stderr}")
                run.spur_check(archive, True)
