# SPDX-License-Identifier: BSD-3-Clause
"""
Work of each kind that a runtime tells of, also of runtimes that are newer than the one here: libomp from
version 19 on tells loops apart by their schedule.
"""

import collections
import os

of = "wrappers/openmp"


def main(run):
    archive = os.path.join(run.scratch, "archive")
    result = run.execute([run.spur, "-o", archive, *run.command(["{programs}/serial_omp_works"])], "traced")
    run.equal(result.status, 0, f"exit status: {result.stderr}")
    want = collections.Counter(words[1] for words in map(str.split, result.stdout.splitlines()) if words[1:])
    got = collections.Counter()
    for name, calls in run.judge(archive).regions().items():
        if name.startswith("!$omp "):
            got[name.split()[1]] += calls
    run.equal(dict(got), dict(want), "works by kind")
