# SPDX-License-Identifier: BSD-3-Clause
"""
Locks are given back where that has no record. Who gets them next has one, and no trace says that two threads
hold one lock.
"""

import os
import subprocess

of = "wrappers/pthread"
LIBRARY = """
void (*at_the_end)(void);
__attribute__((destructor)) static void stop(void) { if (at_the_end) at_the_end(); }
"""


def main(run):
    library = os.path.join(run.scratch, "libend.so")
    subprocess.run(["gcc", "-x", "c", "-", "-shared", "-fPIC", "-o", library], input=LIBRARY, text=True,
                   check=True)
    program = run.command(["{programs}/gomp_lost_releases"])
    for words in ["mutex"], ["wait"], ["robust"], ["omp"], ["end", library], ["many"]:
        kinds = run.judge(run.record(words[0], [*program, *words])[1]).kinds()
        run.expect(kinds["ThreadAcquireLock"] > kinds.get("ThreadReleaseLock", 0),
                   f"{words[0]}: a release has no record in {kinds}")
