# SPDX-License-Identifier: BSD-3-Clause
"""
A metadata storm: a process opens and closes a file at a rate that it knows, beside another one that does so
now and then. What spur report says of the storm is what follows from the calls in the archive, and no less
than what the program has counted.
"""

of = "tools/report/files"
RATE = 1000  # a storm has at least so many calls a second
BEFORE = 0.3  # seconds
PER_SECOND = 10  # windows; the run is shorter than 40 s


def calls_of(trace, location):
    """(begin, end) in ticks of each call."""
    begin, found = None, []
    for name, time, _, _ in trace.events(location):
        if name == "Enter":
            begin = time
        elif name == "Leave" and begin is not None:
            found.append((begin, time))
            begin = None
    return found


def storm_in(calls, start, second):
    """Of the stretch of windows with most calls: (calls, begin, end); and the most calls in a window."""
    windows, best, inside = {}, [], []
    for begin, end in calls:
        windows.setdefault((begin - start) * PER_SECOND // second, []).append((begin, end))
    for index in range(max(windows) + 1):
        here = windows.get(index, [])
        inside = inside + here if len(here) >= RATE / PER_SECOND else []
        if inside and 2 * (inside[-1][1] - inside[0][0]) >= second:
            best = max(best, inside, key=len)
    return (len(best), best[0][0], best[-1][1]), max(map(len, windows.values()))


def main(run):
    traced, archive = run.record("traced", run.command(["{programs}/serial_storm"]),
                                 {"SPUR_IO": "posix", "SPUR_WRAP": "io"})
    n_calls, nanoseconds = map(int, traced.stdout.split())
    trace = run.judge(archive)
    clock, = (values for name, values in trace.archive.definitions if name == "ClockProperties")
    second = clock["timerResolution"]
    by_count = sorted((calls_of(trace, stream.location) for stream in trace.streams), key=len)
    run.equal((len(by_count), len(by_count[-1])), (2, n_calls), "processes, and calls of one of them")
    start = clock["globalOffset"]
    (n, begin, end), peak = storm_in(by_count[-1], start, second)
    report = run.report(archive, "--by", "file_processes")
    calm, storm = sorted(report["sections"]["file_processes"], key=lambda row: row["metadata_calls"])
    run.equal((calm["storm_rate"], calm["storm_time"], calm["storm_begin"]), (0, 0, 0), "the calm one")
    first = min(next(iter(trace.events(stream.location)))[1] for stream in trace.streams)
    want = {"metadata_peak": peak * PER_SECOND, "storm_rate": n * second / (end - begin),
            "storm_time": (end - begin) / second, "storm_begin": (begin - first) / second}
    for name, value in want.items():
        run.expect(abs(storm[name] - value) <= 1e-6 * value, f"{name}: {storm[name]}, not {value}")
    # A busy machine may keep the program from it, and so divide the storm.
    rate = n_calls / (nanoseconds / 1e9)
    run.expect(storm["storm_rate"] >= 0.9 * rate, f"{storm['storm_rate']} a second, not {rate}")
    run.expect(storm["storm_begin"] >= BEFORE, f"it begins at {storm['storm_begin']}")
    found, = (found["text"] for found in report["findings"] if found["kind"] == "metadata")
    run.expect(f" of them by {storm['process']}." in found and " In a storm of " in found, found)
