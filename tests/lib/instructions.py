# SPDX-License-Identifier: BSD-3-Clause
"""instructions(run, tool, *words): how many a command of the build executes, which has to succeed."""

import os
import re


def instructions(run, tool, *words):
    profile = os.path.join(run.scratch, "profile")
    ended = run.execute(["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}",
                         os.path.join(run.build, "libexec", "spur", tool), *words], tool)
    run.equal(ended.status, 0, f"{tool} {words}: {ended.stdout}")
    return int(re.search(r"Collected : (\d+)", ended.stderr).group(1))
