# SPDX-License-Identifier: BSD-3-Clause
"""
Messages between two ranks of a host: none is received before it was sent, whatever the clock is, where a rank
may read the processor's clock no more, and where it is in a time namespace (which only root may make).
CLOCK_MESSAGES=1000000 makes so many; then only `spur check` judges.
"""

import os
import subprocess

of = "agent/state finish/events"
mpi = ["mpich", "openmpi"]
FEW = 40000
MESSAGES = int(os.environ.get("CLOCK_MESSAGES", FEW))
SHIFTED = ["unshare", "--time", "--monotonic", "1000000", "--fork"]
MODES = {
    # mode: (what the second rank is started by, what the program is told)
    "plain": ([], []),
    "forbidden": ([], ["forbid"]),
    "shifted": (SHIFTED, []),
    "shifted.forbidden": (SHIFTED, ["forbid"]),
}


def may_shift():
    return subprocess.run([*SHIFTED, "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0


def record(run, clock, mode):
    starter, told = MODES[mode]
    program = run.command(["{programs}/clock_messages{mpi}", str(MESSAGES), *told])
    job = [f"mpirun.{run.mpi}", "-n", "1", *program, ":", "-n", "1", *starter, *program]
    result, archive = run.record(f"{clock}.{mode}", ["-q", *job], {"SPUR_CLOCK": clock})
    run.equal(result.spur, [], f"{clock}, {mode}")
    if MESSAGES > FEW:
        print(f"{clock}, {mode}: {run.spur_check(archive, False)}")
        return
    kinds = run.judge(archive).kinds()
    run.equal((kinds["MpiSend"], kinds["MpiRecv"]), (MESSAGES, MESSAGES), f"messages, {clock}, {mode}")


def main(run):
    for clock in ("auto", "tsc", "monotonic"):
        for mode, (starter, _) in MODES.items():
            if not starter or may_shift():
                record(run, clock, mode)
