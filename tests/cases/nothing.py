# SPDX-License-Identifier: BSD-3-Clause
"""A program that records nothing leaves nothing, and the launcher says so in one line."""

import os

of = "tools/launch agent/process"


def main(run):
    result, archive = run.record("true", ["/bin/true"])
    run.equal((result.stdout, len(result.spur)), ("", 1), f"/bin/true, lines of spur: {result.spur}")
    run.expect(not os.path.exists(archive), "no archive")
    result = run.execute([run.spur, "sh", "-c", "exit 5"], "run")
    run.equal((result.status, len(result.spur)), (5, 1), "sh that exits with 5")
    result = run.execute(run.preloading() + ["/bin/echo", "word"], "run")
    run.equal((result.status, result.stdout, result.stderr, result.spur), (0, "word\n", "", []),
              "/bin/echo with the agent preloaded")
    run.equal(os.listdir(os.path.join(run.scratch, "run")), [], "files left behind")
