# SPDX-License-Identifier: BSD-3-Clause
"""
What the agent says to a pipe that nobody reads any more, or to a file that may not grow, sends no
signal to the program: it ends as without the agent.
"""

import os
import resource
import signal
import subprocess

of = "base"


def status(run, name, stderr, limit=None):
    def begin():
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    archive = os.path.join(run.scratch, name)
    env = run.environment({"LD_PRELOAD": run.library, "SPUR_DIR": archive})
    return subprocess.run(run.command(["{programs}/thread_few_files", "64"]), env=env, stderr=stderr,
                          stdout=subprocess.PIPE, preexec_fn=begin, check=False, timeout=100).returncode


def main(run):
    reader, writer = os.pipe()
    os.close(reader)
    run.equal(status(run, "pipe", writer), 7, "the status with a pipe that nobody reads")
    for limit in (0, 10):
        with open(os.path.join(run.scratch, f"said_{limit}"), "wb") as file:
            run.equal(status(run, f"file_{limit}", file, limit), 7, f"the status with {limit} bytes")
