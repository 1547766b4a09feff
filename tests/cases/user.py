# SPDX-License-Identifier: BSD-3-Clause
"""The program's own regions, parameters and metrics, by spur/spur.h, in C, C++ and threads."""

import os
import struct

of = "wrappers/user include/spur"
STEPS, DEPTH = 10, 5
# of do_all(): recursion once, and the outermost of the three around the switch
EACH = {"step": STEPS + 1, "inner": STEPS + 1, "deep": DEPTH + 1, "left over": 1}


def traced(run, program, env=None):
    words = run.command([program])
    plain = run.execute(words, "plain")
    run.count = getattr(run, "count", 0) + 1
    return run.judge(run.record(f"{os.path.basename(words[0])}.{run.count}", words, env, plain)[1])


def own(trace, streams=None):
    """Regions of the program's own."""
    library = ("pthread_", "fork", "waitpid", "_exit")
    return {name: n for name, n in trace.regions(streams).items() if not name.startswith(library)}


def parameters(trace):
    archive, found = trace.archive, []
    for stream in trace.streams:
        for name, _, values, _ in trace.events(stream.location):
            if name.startswith("Parameter"):
                value = archive.string(values[1]) if name == "ParameterString" else values[1]
                found.append((archive.name_of("Parameter", values[0]), value))
    return found


def check_threads(run, trace):
    main, others = trace.streams[0], trace.streams[1:]
    child = [stream for stream in others if stream.process != main.process]
    run.equal(own(trace, [main]), {**EACH, "left over": 2}, "regions of the main thread")
    for stream in others:
        if stream not in child:
            run.equal(own(trace, [stream]), EACH, "regions of a thread")
    run.equal(own(trace, child), {"step": 1, "inner": 1}, "regions of the child")
    found = parameters(trace)
    steps = sorted(value for name, value in found if name == "iteration")
    run.equal(steps, sorted(list(range(STEPS)) * 3 + [1]), "values of the parameter iteration")
    labels = [value for name, value in found if name == "label"]
    run.equal((labels.count("step 0"), labels.count("step 1")), (15, 16), "values of label")


def check_metrics(run, trace):
    archive, values = trace.archive, {}
    for name, _, record, _ in trace.events(trace.streams[0].location):
        if name == "Metric":
            member = archive.spaces["Metric"][record[0]][1]["metricMembers"][0]
            values.setdefault(archive.name_of("MetricMember", member), []).append(record[1])
    as_double = [struct.unpack("d", struct.pack("Q", word))[0] for ((_, word),) in values["residual"]]
    run.equal(as_double, [1.0 / (1 + i) for i in range(STEPS)], "values of the metric residual")
    run.equal([word for ((_, word),) in values["bytes"]], [1024 * i for i in range(STEPS)],
              "values of the metric bytes")


def seconds_in(trace, stream, region):
    """The time of all visits of a region."""
    archive, ticks = trace.archive, 0
    clock = next(values for name, values in archive.definitions if name == "ClockProperties")
    for name, time, values, _ in trace.events(stream.location):
        if name in ("Enter", "Leave") and archive.name_of("Region", values[0]) == region:
            ticks += time if name == "Leave" else -time
    return ticks / clock["timerResolution"]


def functions(run):
    """-finstrument-functions: names and lines come from the debug information."""
    trace = traced(run, "{programs}/user_functions")
    main, other = trace.streams
    run.equal(own(trace, [main]), {"main": 1, "branch": 1, "inlined": 1, "leaf": 11, "factorial": 6,
                                   "spin": 2, "begin": 1, "finish": 1, "timed": 1, "helped": 2},
              "functions and regions of the main thread")
    for name in ("timed", "helped"):
        run.expect(seconds_in(trace, main, name) >= 0.02, f"the time in {name}")
    run.equal(own(trace, [other]), {"work": 1, "factorial": 5}, "functions of the other thread")
    regions = {trace.archive.string(values["name"]): values
               for _, values in trace.archive.spaces["Region"].values()}
    run.expect(trace.archive.string(regions["leaf"]["sourceFile"]).endswith("user_functions.c"),
               "the file of a function")
    run.expect(regions["leaf"]["beginLineNumber"] in (11, 12, 13), "the line of a function")
    trace = traced(run, "{programs}/user_functions", {"SPUR_WRAP": "pthread"})
    run.equal(own(trace), {}, "functions, if they are not wanted")


def main(run):
    trace = traced(run, "{programs}/user_c")
    check_threads(run, trace)
    check_metrics(run, trace)
    cxx = traced(run, "{programs}/user_cxx")
    run.equal(own(cxx), {**EACH, "guarded": 10}, "regions of C++")
    fixed = traced(run, "{programs}/user_fixed")
    check_threads(run, fixed)
    fortran = traced(run, "{programs}/user_fortran")
    run.equal(own(fortran), {"step": 10}, "regions of Fortran")
    rules = os.path.join(run.scratch, "filter")
    with open(rules, "w", encoding="utf-8") as file:
        file.write("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE * INCLUDE st[eo]p\nSCOREP_REGION_NAMES_END")
    run.equal(set(own(traced(run, "{programs}/user_c", {"SPUR_FILTER": rules}))), {"step"},
              "regions that the filter leaves")
    functions(run)
    plain = run.execute(run.command(["{programs}/user_static"]), "plain")
    run.equal((plain.status, plain.stdout), (0, "done\n"), "a program without a loader")
