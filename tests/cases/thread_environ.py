# SPDX-License-Identifier: BSD-3-Clause
"""
A thread may read the environment, and keep pointers into it, while another one starts programs by
system(), popen() and posix_spawn(): what the agent lends to all threads meanwhile lies in no stack frame.
"""

import matrix

of = "wrappers/process agent/process"


def main(run):
    command = ["{programs}/thread_environ"]
    for cell in matrix.cells(run, "environ", command, ["launcher", "agent"], unfinished=False):
        run.equal(cell.traced.stdout, "read\n", f"{cell.what}output")
