# SPDX-License-Identifier: BSD-3-Clause
"""
Tasks of libgomp compute what they compute untraced, with and without cancellation; each that is
created is complete, and each that runs is recorded.
"""

import re

of = "wrappers/openmp"


def main(run):
    for cancellation in ("false", "true"):
        env = {"OMP_CANCELLATION": cancellation, "OMP_MAX_TASK_PRIORITY": "5"}
        traced, trace = run.standard(cancellation, run.command(["{programs}/gomp_tasks"]), env)
        kinds, regions = trace.kinds(), trace.regions()
        run.equal(kinds["ThreadTaskCreate"], kinds["ThreadTaskComplete"], "tasks")
        tasks = sum(n for name, n in regions.items() if re.match(r"!\$omp task (untied )?@", name))
        counted = int(re.search(r"(\d+) tasks", traced.stdout).group(1))
        shares = 7 + 3  # of taskloops that do not count
        if cancellation == "false":
            run.equal(tasks, kinds["ThreadTaskComplete"], "regions of tasks")
            run.equal(tasks, counted + shares + 100, "tasks that were counted")
        else:
            run.expect(counted + shares < tasks <= kinds["ThreadTaskComplete"], "tasks that ran")
