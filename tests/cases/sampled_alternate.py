# SPDX-License-Identifier: BSD-3-Clause
"""
Samples and snapshots beside handlers on the alternate stack, which go on on fibres, and on stacks that have
no room for a signal's frame: no frame is written over, and what the program reads of masks is its own.
"""

of = "agent/sampling"
PROGRAM = "{programs}/thread_alternate"
WANT = {"context": 3, "hand": 3, "unblocking": 3, "jump": 3, "small": 3, "tiny": 1}
RING = {"SPUR_FLUSH": "ring"}
RATE = "500"


def record(run, mode, handled, env, *options):
    traced, archive = run.record(mode, [*options, *run.command([PROGRAM, mode])], env)
    run.equal(traced.stdout, f"{handled} handled, 0 bytes changed\n", mode)
    return archive


def main(run):
    for mode, handled in WANT.items():
        plain = run.execute(run.command([PROGRAM, mode]), mode + ".plain")
        run.equal(plain.stdout, f"{handled} handled, 0 bytes changed\n", mode + " alone")
        archive = record(run, mode, handled, None, "--sample", RATE)
        samples = run.judge(archive).kinds()["CallingContextSample"]
        run.expect(samples > 0, f"samples of {mode}")
    for mode in ("snapshots", "blocked"):
        record(run, mode, 3, RING)
