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
        program, = run.command([f"{{programs}}/omp_jumped.{compiler}"])
        for name, options in (("plain", ()), ("sites", ("--sites",))):
            archive = os.path.join(run.scratch, f"{compiler}.{name}")
            words = [run.spur, "--locks", "all", *options, "-o", archive, program, str(SEED), str(STRIDE)]
            result = run.execute(words, f"{compiler}.{name}.run")
            run.equal((result.status, result.stderr), (0, ""), f"{compiler}, {name}: status and errors")
            run.spur_check(archive, True)
