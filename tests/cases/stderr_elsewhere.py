# SPDX-License-Identifier: BSD-3-Clause
"""
What has descriptor 2 may be a program's data: a line of spur goes to the standard error that the
session began with, or nowhere. Each process has something to say, that recording stops, and without
the launcher the last one says what it has made.
"""

import os
import time

of = "base"
WAYS = ("reopened", "given", "forked", "closed")
LIMIT = {"SPUR_LIMIT": "300K"}  # the smallest chunk fits, no second one
LOCKS = 20000


def data(run, folder):
    path = os.path.join(run.scratch, folder, "data")
    for _ in range(400):  # a process that outlives its parent is waited for by nobody
        if os.path.exists(path) and os.path.getsize(path):
            break
        time.sleep(0.05)
    with open(path, encoding="utf-8") as file:
        return file.read()


def finished(run, archive):
    for _ in range(400):
        if os.path.exists(os.path.join(archive, "traces.otf2")) and \
                not os.path.exists(os.path.join(archive, ".spur")):
            return
        time.sleep(0.05)
    run.expect(False, f"the archive {archive}")


def one_way(run, how, form):
    folder = f"{how}.{form}"
    archive = os.path.join(run.scratch, folder + ".archive")
    program = run.command(["{programs}/thread_stderr", how, str(LOCKS)])
    if form == "preload":
        result = run.execute(run.preloading() + program, folder, LIMIT | {"SPUR_DIR": archive})
    else:
        result = run.execute([run.spur, "-o", archive] + program, folder, LIMIT)
    run.equal((result.status, result.stdout, result.stderr), (0, "", ""), folder)
    finished(run, archive)
    if how != "closed":
        run.equal(data(run, folder), "data\n", f"{folder}: what the program wrote")
    run.spur_check(archive, False)
    return result


def main(run):
    for how in WAYS:
        one_way(run, how, "preload")
        said = one_way(run, how, "outer").spur
        run.expect(how == "forked" or len(said) == 1 and "archive/traces.otf2" in said[0],
                   f"the launcher's line: {said}")
    # A shell that catches what a command says has the command's words and no others.
    locks = " ".join(run.command(["{programs}/thread_stderr", "plain", str(LOCKS)]))
    for caught in ("2>caught", "2>&1 | cat >caught"):
        folder = f"caught.{len(caught)}"
        script = f"{locks} {caught}; cat caught"
        words = ["sh", "-c", script]
        run.record(folder, words, LIMIT, run.execute(words, folder + ".plain"))
