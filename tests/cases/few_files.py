# SPDX-License-Identifier: BSD-3-Clause
"""
A process that may have few descriptors or none begins to record: there is an archive, or what makes
one, or else one line and no directory. One that the user has made stays, empty; beside an archive
there is no other one.
"""

import os

import matrix

of = "agent/process agent/state"
ENV = {"SPUR_LIMIT": "1G,2G"}  # all that a session may have in its directory


def record(run, archive, limit):
    done = run.execute(run.command(["{programs}/thread_few_files", str(limit)]), "run",
                       {**ENV, "LD_PRELOAD": run.library, "SPUR_DIR": archive})
    run.equal((done.status, done.stdout), (7, "done\n"), f"{limit} descriptors")
    return done


def is_right(run, archive):
    """False: nothing is there."""
    if not os.path.isdir(archive) or not os.listdir(archive):
        return False
    if not matrix.is_made(archive):
        done = run.execute([run.spur, "recover", archive], "run")
        run.equal(done.status, 0, f"spur recover {archive}")
    run.spur_check(archive, True)
    return True


def main(run):
    is_made = []
    for limit in (0, 3, 4, 5, 6, 7, 8, 64):
        fresh, empty, full = (os.path.join(run.scratch, f"{name}_{limit}")
                              for name in ("fresh", "empty", "full"))
        os.mkdir(empty)
        record(run, full, 64)
        for archive, place in ((fresh, fresh), (empty, empty), (full, full + "-2")):
            done = record(run, archive, limit)
            is_made.append(is_right(run, place))
            what = f"{limit} descriptors, {os.path.basename(archive)}: "
            run.equal(os.path.isdir(place), is_made[-1] or place == empty, what + "directory")
            run.expect(is_made[-1] or len(done.spur) == 1, what + f"a line: {done.spur}")
    run.equal((is_made[0], is_made[-1]), (False, True), "an archive with no descriptor, and with many")
