# SPDX-License-Identifier: BSD-3-Clause
"""
A program that closes the descriptors of the counters and has files under their numbers: these are
neither read nor closed, a line says that the counters are gone, and the rest is recorded.
"""

import resource

from trace_metrics import papi_counts

of = "agent/metrics"
LIMIT, FILES = 1024, 950


def main(run):
    resource.setrlimit(resource.RLIMIT_NOFILE,
                       (LIMIT, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    command = run.command(["{programs}/thread_closes"])
    plain = run.execute(command, "plain")
    run.equal(plain.stdout.split()[1], str(FILES), "descriptors that the program fills")
    for name in ["perf:task-clock"] + ["perf::PAGE-FAULTS"] * papi_counts(run):
        result, archive = run.record(name.replace(":", "_"), command, {"SPUR_METRICS": name}, plain)
        lines = [line for line in result.spur if "closed their descriptors" in line]
        run.expect(lines, f"a line about the counters: {result.spur}")
        trace = run.judge(archive)
        run.equal(len(trace.processes()), 2, "processes")
        run.expect(trace.kinds()["Metric"] > 0, "values up to then")
