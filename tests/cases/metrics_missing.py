# SPDX-License-Identifier: BSD-3-Clause
"""
Metrics that cannot be had: a name that does not exist, one that this machine has no counter for, one
that would be 0 for lack of rights, and no libpapi at all. One line each says which, and the rest is
recorded.
"""

import os
import shutil

from trace_metrics import Metrics, complete, papi_counts

of = "agent/metrics agent/metrics/sources"
NOBODY = 65534
LIBRARIES = "/usr/lib/x86_64-linux-gnu"


def traced(run, label, names, before=()):
    words = run.command(["{programs}/serial"])
    plain = run.execute(words, f"{label}.plain")
    result, archive = run.record(label, words, {"SPUR_METRICS": names}, plain, before=before)
    trace = run.judge(archive)
    return result, Metrics(trace), trace


def recorded(metrics):
    return [name for number in metrics.classes() for name, _ in metrics.members(number)]


def only_line(run, result, *words):
    lines = [line for line in result.spur if words[0] in line]
    run.equal(len(lines), 1, f"lines about {words[0]} ({result.spur})")
    for word in words:
        run.expect(word in lines[0], f"'{word}' in: {lines[0]}")


def names(run):
    """Does not exist; exists elsewhere. Machines with counters have the second one."""
    result, metrics, trace = traced(
        run, "names", "rusage:minfault,perf:page-fault,PAPI_TOT_INST,rusage:minflt,rusage:maxrss,"
        "perf:page-faults")
    only_line(run, result, "rusage:minfault", "there is no metric", "rusage:minflt")
    only_line(run, result, "perf:page-fault;", "there is no metric", "perf:page-faults")
    only_line(run, result, "PAPI_TOT_INST;", "there is no metric", "PAPI_TOT_INS")
    only_line(run, result, "rusage:maxrss", "SPUR_METRICS_ASYNC")
    run.equal(recorded(metrics), ["rusage:minflt", "perf:page-faults"], "recorded")
    for stream in trace.streams:
        complete(run, metrics, stream.location)
    run.equal(len(trace.archive.said("METRICS_MISSING")), 1, "property of the archive")


def hardware(run):
    if os.path.isdir("/sys/bus/event_source/devices/cpu"):
        return
    result, metrics, _ = traced(run, "hardware", "perf:cycles,PAPI_TOT_CYC,rusage:nvcsw")
    why = {"perf:cycles": "virtual machine",
           "PAPI_TOT_CYC": "virtual machine" if papi_counts(run) else "libpfm4 is older"}
    for name, reason in why.items():
        only_line(run, result, name, "exists", "not on this machine", reason)
    run.equal(recorded(metrics), ["rusage:nvcsw"], "recorded")


def unknown_processor(run):
    """PAPI cannot tell then whether an event exists."""
    if not papi_counts(run):
        result, metrics, _ = traced(
            run, "unknown", "perf::PAGE-FAULTS,perf::CONTEXT-SWITCHES,perf:page-faults")
        only_line(run, result, "perf::PAGE-FAULTS", "perf::CONTEXT-SWITCHES", "libpfm4 is older")
        run.equal(recorded(metrics), ["perf:page-faults"], "recorded")


def unprivileged(run):
    """Whoever may not look into the kernel would see no context switches."""
    if os.geteuid() != 0:
        raise AssertionError("the test has to become another user: run it as root")
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
        level = int(file.read())
    place = os.path.join(run.scratch, "nobody")
    os.mkdir(place)
    os.chown(place, NOBODY, NOBODY)
    become = ["setpriv", f"--reuid={NOBODY}", "--clear-groups"]
    switches = ["perf:context-switches"] + ["perf::CONTEXT-SWITCHES"] * papi_counts(run)
    result, metrics, _ = traced(run, "nobody/unprivileged", ",".join([*switches, "perf:task-clock"]), become)
    if level < 2:
        run.equal(len(recorded(metrics)), len(switches) + 1, "all is recorded")
        return
    for name in switches:
        only_line(run, result, name, "may not read", "would read 0", f"perf_event_paranoid is {level}",
                  "CAP_PERFMON", "rusage:")
    run.equal(recorded(metrics), ["perf:task-clock"] if level == 2 else [], "recorded")


def without_papi(run):
    """Its files are hidden by an overlay, in a mount namespace of its own."""
    hidden = os.path.join(run.scratch, "hidden")
    os.mkdir(hidden)
    for name in os.listdir(LIBRARIES):
        if name.startswith("libpapi.so"):
            os.mknod(os.path.join(hidden, name), 0o20000, 0)  # a whiteout
    run.expect(os.listdir(hidden), "libpapi.so to hide (Debian: libpapi-dev)")
    script = f'mount -t overlay none -o lowerdir={hidden}:{LIBRARIES} {LIBRARIES} && exec "$@"'
    hide = [shutil.which("unshare"), "-m", "sh", "-c", script, "sh"]
    result, metrics, _ = traced(run, "papi", "PAPI_TOT_INS,perf::PAGE-FAULTS,rusage:minflt", hide)
    only_line(run, result, "libpapi.so", "PAPI_TOT_INS", "perf::PAGE-FAULTS", "libpapi-dev",
              "rusage:")
    run.equal(recorded(metrics), ["rusage:minflt"], "recorded")
    only_none, metrics, _ = traced(run, "nothing", "PAPI_TOT_INS", hide)
    run.equal(recorded(metrics), [], "recorded")
    only_line(run, only_none, "libpapi.so", "PAPI_TOT_INS")


def listed(run):
    """`spur metrics` says what works, and why the rest does not."""
    result = run.execute([run.spur, "metrics", "rusage:*"], "list")
    run.equal(result.status, 0, "exit status")
    lines = {line.split()[-0] + line.split()[1] for line in result.stdout.splitlines()[1:]}
    run.expect({"yesrusage:minflt", "yesrusage:nvcsw"} <= lines, f"what works: {result.stdout}")
    result = run.execute([run.spur, "metrics", "CONTEXT-SWITCHES"], "list")
    for name in ["perf:context-switches"] + ["perf::CONTEXT-SWITCHES"] * papi_counts(run):
        run.expect(name in result.stdout, f"all sources: {result.stdout}")
    result = run.execute([run.spur, "metrics", "rusage:minfault"], "list")
    run.equal(result.status, 1, "exit status")
    run.expect(any("rusage:minflt" in line for line in result.spur), f"similar: {result.spur}")


def main(run):
    names(run)
    hardware(run)
    unknown_processor(run)
    unprivileged(run)
    without_papi(run)
    listed(run)
