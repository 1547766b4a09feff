# SPDX-License-Identifier: BSD-3-Clause
"""SPUR_METRICS_AT, every=N, and SPUR_METRICS_ASYNC; the launcher's option; a plug-in."""

import os

from trace_metrics import (ASYNCHRONOUS, METRIC_LOCATION, STRICT, SYNCHRONOUS, Metrics, complete,
                           monotone)

of = "agent/metrics agent/metrics/sources"


def traced(run, number, env, options=(), program="thread_life", launcher=()):
    words = [*options, *launcher, *run.command(["{programs}/" + program])]
    result, archive = run.record(number, words, {"SPUR_PTHREAD": "all", **env})
    trace = run.judge(archive)
    return result, trace, Metrics(trace)


def occurrence(metrics):
    return [values["metricOccurrence"] for values in metrics.classes().values()]


def option(run):
    _, trace, metrics = traced(run, "option", {}, ["--metrics", "rusage:minflt,rusage:nvcsw"])
    run.equal(occurrence(metrics), [STRICT], "occurrence")
    for stream in trace.streams:
        complete(run, metrics, stream.location)


def every(run):
    """One call of three, at its Enter and at its Leave."""
    _, trace, metrics = traced(run, "every", {"SPUR_METRICS": "rusage:minflt",
                                              "SPUR_METRICS_AT": "pthread,every=3"})
    run.equal(occurrence(metrics), [SYNCHRONOUS], "occurrence")
    for stream in trace.streams:
        calls = metrics.readings(stream.location)[::2]
        ends = metrics.readings(stream.location)[1::2]
        with_values = [number for number, call in enumerate(calls) if call[1]]
        run.equal(with_values, list(range(2, len(calls), 3)), f"calls with values {stream.label}")
        run.equal([bool(end[1]) for end in ends], [bool(call[1]) for call in calls], "Leaves")


def families(run):
    """Calls of MPI only, on each of two ranks."""
    run.mpi = "mpich"
    _, trace, metrics = traced(run, "families", {"SPUR_METRICS": "rusage:time,perf:task-clock",
                                                 "SPUR_METRICS_AT": "mpi"},
                               (), "ring.mpich", run.launcher(4))
    run.equal(occurrence(metrics), [SYNCHRONOUS], "one class for all ranks")
    run.equal(len(trace.streams), 4, "locations")
    for stream in trace.streams:
        monotone(run, metrics, stream.location)
        for _, values, _, region in metrics.readings(stream.location):
            run.equal(values is not None, region.startswith("MPI_"), f"values at {region}")


def asynchronous(run):
    _, trace, metrics = traced(run, "async", {"SPUR_METRICS_ASYNC": "rusage:maxrss,rusage:minflt,"
                                              "perf:page-faults,period=1",
                                              "SPUR_METRICS": "rusage:nvcsw"}, (), "thread_metrics")
    run.equal(sorted(occurrence(metrics)), [STRICT, ASYNCHRONOUS], "classes")
    instances = metrics.instances()
    run.equal(len(instances), 2, "instances: one for each process")
    for number, values in instances.items():
        location = values["recorder"]
        definition = trace.archive.spaces["Location"][location][1]
        run.equal(definition["locationType"], METRIC_LOCATION, "type of the location")
        run.equal(values["metricScope"], 1, "scope: the process")
        run.equal(values["scope"], definition["locationGroup"], "its process")
        readings = [values for _, values in metrics.lone(location)]
        run.expect(len(readings) >= 5, f"several values of {number}, got {len(readings)}")
        last = readings[-1]
        run.expect(last["rusage:maxrss"] > 1000, f"KiB of memory: {last}")
        for name in ("rusage:minflt", "perf:page-faults"):
            run.expect(all(a[name] <= b[name] for a, b in zip(readings, readings[1:])), name)
            # Two threads have touched 600 pages each.
            run.expect(last[name] - readings[0][name] > 1200, f"{name} of all threads: {last}")


def plugin(run):
    file = os.path.join(run.programs, "metric_plugin.so")
    _, trace, metrics = traced(run, "plugin", {"SPUR_METRICS": f"plugin:{file},rusage:minflt",
                                               "SPUR_METRICS_ASYNC": f"plugin:{file}#level"})
    for stream in trace.streams:
        readings = [values for _, values, _, _ in metrics.readings(stream.location)]
        for number, values in enumerate(readings):
            want = {"calls": number + 1, "half": (number + 1) / 2,
                    "level": -5 if number % 2 == 0 else 5}
            run.equal({name: values[name] for name in want}, want, f"values of {stream.label}")
    trouble = {"SPUR_METRICS": f"plugin:{file},rusage:minflt", "METRIC_PLUGIN_TROUBLE": "5"}
    result, _, _ = traced(run, "trouble", trouble)
    run.expect(any("metric_plugin.so" in line and "Input/output error" in line
                   for line in result.spur), f"a line with the reason: {result.spur}")


def main(run):
    option(run)
    every(run)
    families(run)
    asynchronous(run)
    plugin(run)
