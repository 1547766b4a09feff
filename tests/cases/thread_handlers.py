# SPDX-License-Identifier: BSD-3-Clause
"""
Handlers of signals that end the process, or jump away, or make children, or stay for ever, at any
instruction of the agent. The program ends as it does alone, nothing hangs, and the archive is true.
ROUNDS=100 in the environment makes more of it, SEED=N repeats a run. A run of "steps" ends threads at every
25th instruction from a drawn one on, with ALL=1 at every fifth: each takes as many signals as it comes far.
"""

import os
import random
import signal
import time

import turns

of = "agent/record wrappers/pthread"
ROUNDS = int(os.environ.get("ROUNDS", "10"))
ABORTED, STATUS = -signal.SIGABRT, 42
LOCKS = ("all", "auto")
STRIDE = "5" if turns.ALL else "25"
PARK_S = 20  # of the agent's patience it is one
WAYS = {"_exit": ROUNDS, "late": ROUNDS, "sent": ROUNDS // 2, "quick_exit": ROUNDS // 3,
        "exec": ROUNDS // 3, "abort": ROUNDS // 3, "thread": 2, "steps": 2, "jump": 3, "fork": 2}


def try_way(run, how, seed, locks):
    name = f"{how}.{seed}.{locks}"
    words = run.command(["{programs}/thread_handlers", how, str(seed), STRIDE])
    status = ABORTED if how == "abort" else STATUS
    traced, archive = run.record(name, ["--locks", locks, *words], status=status)
    for line in traced.spur:
        run.expect(how == "abort" or "killed" not in line, f"{name}: nobody was killed: {line}")
    run.spur_check(archive, unfinished=True)


def park(run, form):
    """Threads that never let go cost the end of the process a second, not one each."""
    archive = os.path.join(run.scratch, f"park.{form}.archive")
    words = run.command(["{programs}/thread_handlers", "park", str(random.randrange(1 << 16))])
    env = {"LD_PRELOAD": run.library, "SPUR_DIR": archive} if form == "agent" else {}
    words = words if form == "agent" else [run.spur, "-o", archive] + words
    begin = time.monotonic()
    traced = run.execute(words, f"park.{form}", env)
    took = time.monotonic() - begin
    run.equal(traced.status, STATUS, f"park, {form}: status")
    run.expect(took < PARK_S, f"an end within {PARK_S} s, took {took:.1f}")
    run.expect(not any("killed" in line for line in traced.spur), f"no word of killing: {traced.spur}")
    run.expect(any(" 49 locations, " in line for line in traced.spur), f"49 locations: {traced.spur}")
    run.spur_check(archive, unfinished=True)


def main(run):
    seed = int(os.environ.get("SEED", random.randrange(1 << 16)))
    print(f"SEED={seed}")
    for how, rounds in WAYS.items():
        plain = run.execute(run.command(["{programs}/thread_handlers", how, "1", STRIDE]), f"{how}.plain")
        run.equal(plain.status, ABORTED if how == "abort" else STATUS, f"{how}: plain status")
        for i in range(rounds):
            for locks in LOCKS:
                try_way(run, how, seed + i, locks)
    random.seed(seed)
    park(run, "launcher")
    park(run, "agent")
