# SPDX-License-Identifier: BSD-3-Clause
"""
A handler jumps out of a call in the middle of a record: the thread is not recorded any more. Tasks that the
thread makes then have no begin, so nothing of them is recorded where another thread executes them. SEED=N:
jumps after N, N + 12, ... instructions.
"""

import os
import random

of = "agent/record wrappers/openmp"
STRIDE = 12
SEED = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, STRIDE + 1)


def main(run):
    print(f"SEED = {SEED}")
    for compiler in ("gcc", "clang"):
        words = run.command([f"{{programs}}/omp_jumped.{compiler}", str(SEED), str(STRIDE)])
        for name, options in (("plain", ()), ("sites", ("--sites",))):
            run.spur_check(run.record(f"{compiler}.{name}", ["--locks", "all", *options, *words])[1], True)
