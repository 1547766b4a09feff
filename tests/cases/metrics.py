# SPDX-License-Identifier: BSD-3-Clause
"""
Values of threads whose page faults, CPU time and context switches are known, by the program's own
getrusage(2) right before and right after a call that is traced: those at the Enter and the Leave of
that call lie in between, for the kernel's counters by perf_event_open(2) and for PAPI's as for rusage.
"""

import os

from trace_metrics import STRICT, Metrics, complete, monotone, papi_counts

of = "agent/metrics"
RUSAGE = ("minflt", "majflt", "nvcsw", "nivcsw", "utime", "stime")
command = ["{programs}/thread_metrics"]
env = {"SPUR_METRICS": ",".join(f"rusage:{name}" for name in RUSAGE)
       + ",perf:page-faults,perf:context-switches,perf:task-clock"}
OF_PAPI = ["perf::PAGE-FAULTS", "perf::CONTEXT-SWITCHES"]

PAGES, SPIN_NS, HANDSHAKES, STEPS = 600, 60_000_000, 25, 4
TICK_US = 10_000          # getrusage shows the time of a running thread up to its last tick
# Of the tracer's own: its events lie in memory, too. Pages that it asks for at once, of a buffer of
# 512 KiB at most, are faults for getrusage, and none for perf.
OWN_FAULTS, AT_ONCE = 40, 128
# Perf's clock does not have the time in which the kernel changes to the thread, and back; of a virtual
# machine that can be milliseconds. So the program has such a clock of its own.
CLOCK_SLACK_NS = 200_000


def stdout(text):
    """The numbers are other ones in each run."""
    return [line.split()[:3] for line in text.splitlines()]


def samples_of(text, who):
    """[thread][step] -> (before, after), each {name: number}."""
    names = RUSAGE + ("cpu", "clock")
    found = {}
    for line in text.splitlines():
        words = line.split()
        if words[0] == who:
            key = (int(words[1]), int(words[2]))
            found.setdefault(key, []).append(dict(zip(names, map(int, words[3:]))))
    return found


def between(run, what, low, value, high):
    run.expect(low <= value <= high, f"{what} from {low} to {high}, got {value}")


def equal_to_rusage(run, label, marks, samples):
    """Each value at a mark lies between the two that the program saw."""
    for step, (enter, leave) in enumerate(marks):
        before, after = samples[step]
        for name in RUSAGE:
            slack = TICK_US if name in ("utime", "stime") else 0
            for edge in (enter, leave):
                between(run, f"{label}: {name} at step {step}", before[name] - slack,
                        edge[f"rusage:{name}"], after[name] + slack)


def gain(marks, step, name):
    return marks[step + 1][0][name] - marks[step][1][name]


def used(samples, step, names):
    """The least and the most that the program can have used of it in a step."""
    before, after = samples[step], samples[step + 1]
    least = sum(after[0][name] - before[1][name] for name in names)
    most = sum(after[1][name] - before[0][name] for name in names)
    return least, most


def lasted(times, step):
    """What a step can have used at most: a processor that others of the machine take counts on."""
    return times[step + 1][0] - times[step][1]


def as_expected(run, label, marks, times, samples):
    faults = ["rusage:minflt", "perf:page-faults", *OF_PAPI[:1]]
    for name in faults:
        between(run, f"{label}: {name} of {PAGES} pages", PAGES, gain(marks, 0, name),
                PAGES + OWN_FAULTS + AT_ONCE)
    changes = max(0, used(samples, 1, ("cpu",))[1] - used(samples, 1, ("clock",))[0])
    between(run, f"{label}: task clock of the spin", SPIN_NS - CLOCK_SLACK_NS - changes,
            gain(marks, 1, "perf:task-clock"), max(3 * SPIN_NS, lasted(times, 1)))
    for step in range(STEPS - 1):
        for name in faults[1:]:
            low, high = used(samples, step, ("minflt", "majflt"))
            between(run, f"{label}: {name} in step {step}", low - AT_ONCE,
                    gain(marks, step, name), high)
        for name in ["perf:context-switches", *OF_PAPI[1:]]:
            low, high = used(samples, step, ("nvcsw", "nivcsw"))
            between(run, f"{label}: {name} in step {step}", low, gain(marks, step, name), high)
        low, high = used(samples, step, ("clock",))
        between(run, f"{label}: task clock in step {step}", low - CLOCK_SLACK_NS,
                gain(marks, step, "perf:task-clock"), high + CLOCK_SLACK_NS)
    switches = gain(marks, 2, "rusage:nvcsw") + gain(marks, 2, "rusage:nivcsw")
    run.expect(switches >= HANDSHAKES, f"{label}: {HANDSHAKES} context switches, got {switches}")


def marks_of(metrics, location):
    """The values at Enter and Leave of each pthread_mutex_trylock, and the times of the two in ns."""
    tick = 1e9 / metrics.clock_frequency()
    found = [(values, time * tick) for time, values, _, region in metrics.readings(location)
             if region == "pthread_mutex_trylock"]
    values, times = ([reading[i] for reading in found] for i in (0, 1))
    return list(zip(values[::2], values[1::2])), list(zip(times[::2], times[1::2]))


def check(trace, run):
    metrics = Metrics(trace)
    classes = metrics.classes()
    run.equal([values["metricOccurrence"] for values in classes.values()], [STRICT], "classes")
    run.equal(len(trace.processes()), 2, "processes")
    judged = 0
    text = open(f"{run.scratch}/printed", encoding="utf-8").read()
    for process, who in enumerate(("parent", "child")):
        samples = samples_of(text, who)
        for stream in trace.streams:
            if stream.process != process:
                continue
            complete(run, metrics, stream.location)
            monotone(run, metrics, stream.location)
            marks, times = marks_of(metrics, stream.location)
            if not marks:
                continue
            run.equal(len(marks), STEPS, f"marks of {stream.label}")
            thread = 0 if stream.is_main else 1
            of_thread = [samples[thread, step] for step in range(STEPS)]
            equal_to_rusage(run, stream.label, marks, of_thread)
            as_expected(run, stream.label, marks, times, of_thread)
            judged += 1
    run.equal(judged, 4, "threads with known numbers")


def main(run):
    """As run.all_forms(), but what the traced program prints is needed."""
    if not papi_counts(run):
        OF_PAPI.clear()
    env["SPUR_METRICS"] = ",".join([env["SPUR_METRICS"], *OF_PAPI])
    plain = run.plain = run.untraced()
    result, archive = run.traced("outer")
    run.same(result, plain)
    run.equal(result.spur[:-1], [], "lines before the summary")
    with open(os.path.join(run.scratch, "printed"), "w", encoding="utf-8") as file:
        file.write(result.stdout)
    check(run.judge(archive), run)
