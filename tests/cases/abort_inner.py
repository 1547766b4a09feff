# SPDX-License-Identifier: BSD-3-Clause
"""
MPI_Abort where spur is around the ranks and not around the job: nobody is left to make the archive.
One line says what to do, once, and so does every command that is asked for the archive.
"""

import os
import subprocess

of = "agent/process finish"
command = ["{programs}/abort{mpi}"]
ranks = 4
COMMANDS = (["report"], ["check"], ["print"], ["marker"], ["snapshots", "-n", "2"])
TRIES = 10  # what a rank writes last may be lost when the library kills the job


def stderr(_text):
    return ""


def about(result):
    return [line for line in result.spur if "after the job" in line]


def said(run, words, status):
    done = subprocess.run([run.spur] + words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=run.environment(), timeout=100, check=False)
    run.equal(done.returncode, status, f"{words}: status")
    return [line for line in done.stderr.decode().splitlines() if line.startswith("spur: ")]


def main(run):
    plain = run.untraced()
    run.equal(plain.status, 7, "status")
    for i in range(TRIES):
        result, archive = run.record(f"inner.{i}", run.command(), plain=plain, before=run.launcher())
        found = about(result)
        run.expect(len(found) <= 1, f"one line at most: {found}")
        if found:
            break
    run.equal(found, [f"spur: MPI_Abort: if {archive} is not finished after the job, "
                      f"'spur recover {archive}' makes the archive"], "the line")
    run.equal(os.listdir(archive), [".spur"], "what there is")
    for words in COMMANDS:
        for path in (archive, os.path.join(archive, "traces.otf2")):
            status = 2 if words == ["check"] else 1
            run.equal(said(run, words + [path], status),
                      [f"spur: {archive} is not finished: 'spur recover {archive}' makes the archive"],
                      f"{words}: what it says")
    run.expect("MPI_Abort(7)" in said(run, ["recover", archive], 0)[0], "the summary")
    run.judge(archive, True)
    result, archive = run.record("outer", run.launcher() + run.command(), plain=plain)
    run.equal(about(result), [], "nothing of that where spur is around the job")
    run.judge(archive, True)
