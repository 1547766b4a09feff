# SPDX-License-Identifier: BSD-3-Clause
"""
Work of each kind that a runtime tells of, also of runtimes that are newer than the one here: libomp from
version 19 on tells loops apart by their schedule. What nobody knows yet has its number in the name.
"""

import collections

of = "wrappers/openmp"


def main(run):
    result, archive = run.record("works", run.command(["{programs}/serial_omp_works"]))
    want = collections.Counter(words[1] for words in map(str.split, result.stdout.splitlines()) if words[1:])
    got = collections.Counter()
    for name, calls in run.judge(archive).regions().items():
        if name.startswith("!$omp "):
            words = name.split()
            got["-".join(words[1:3]) if words[2].isdigit() else words[1]] += calls
    run.equal(dict(got), dict(want), "works by kind")
    run.equal(sum("which is not known here" in line for line in result.spur), 1,
              "one line about what is not known")
