# SPDX-License-Identifier: BSD-3-Clause
"""
SPUR_MIN_DURATION: calls that are shorter are counted only. Each program counts its own calls, so what
was recorded and what was counted are all of them: on threads, ranks and in a child, with stacks,
metrics, samples, filters and rings, and after kill -9. KILLS=100 in the environment makes more of these.
"""

import os
import random
import subprocess
import time

from agree import agree
from patience import HANG_S
from process_ends import read_counts

of = "agent/record"
mpi = ["mpich", "openmpi"]
LIMIT_NS, ROUNDS, STAYING, LATEST_S = 2000000, 3000, 120, 0.25
LIMIT = {"SPUR_MIN_DURATION": "2ms"}
REGIONS = ("outer", "inner")
KILLS = int(os.environ.get("KILLS", "8"))


def totals(trace, location):
    """(calls, ns) of each record of what was only counted."""
    archive, found = trace.archive, []
    for name, _, values, _ in trace.events(location):
        if name == "Metric":
            members = archive.spaces["Metric"][values[0]][1]["metricMembers"]
            if archive.name_of("MetricMember", members[0]) == "spur::short_calls":
                found.append(tuple(value for _, value in values[1]))
    return found


def left(trace, location, regions):
    """How many regions were left by the program, of the archive's own and in calling contexts."""
    archive, n = trace.archive, 0
    for name, _, values, attributes in trace.events(location):
        if name in ("Leave", "CallingContextLeave") and attributes is None:
            region = values[0]
            if name == "CallingContextLeave":
                region = archive.spaces["CallingContext"][region][1]["region"]
            n += regions is None or archive.name_of("Region", region) in regions
    return n


def counted(run, trace, location, regions=REGIONS):
    """(recorded, only counted); what was counted last is the sum, and took so long."""
    values = totals(trace, location)
    run.equal(values, sorted(values), "the numbers so far")
    calls, ns = values[-1] if values else (0, 0)
    run.expect(0 <= ns <= calls * LIMIT_NS, f"{calls} short calls within their limit, {ns} ns")
    return left(trace, location, regions), calls


def told(run, trace, calls):
    properties = trace.archive.anchor.properties
    run.equal((properties.get("SPUR::MIN_DURATION"), properties.get("SPUR::SHORT_CALLS")),
              (str(LIMIT_NS), str(calls)), "what the archive says of it")


def traced(run, label, mode, env):
    counts = os.path.join(run.scratch, f"{label}.counts")
    words = run.command(["{programs}/user_short", mode, counts])
    result, archive = run.record(label, words, {**LIMIT, **env})
    run.equal(result.stdout, "", "what the program prints")
    return run.judge(archive), [pair for pair in read_counts(counts) if pair[0]]


def whole(run, label, env, mode="once", share=1.0, regions=REGIONS):
    """All calls are there; `share` is that of the calls that are not left out by other means."""
    trace, pairs = traced(run, label, mode, env)
    locations = [location for location in trace.archive.locations
                 if location & 0xffffffff == 0 or mode == "once"][:len(pairs)]
    run.equal(len(locations), len(pairs), "locations")
    sums = [counted(run, trace, location, regions) for location in locations]
    wanted = [int(done * share) for _, done, _ in pairs]
    run.equal([kept + calls for kept, calls in sums], wanted, f"{label}: calls")
    for kept, calls in sums:
        run.expect(kept >= STAYING, f"{label}: what is long or has a value stays: {kept}")
        run.expect(calls > ROUNDS // 2, f"{label}: most are only counted: {calls}")
    told(run, trace, sum(calls for _, calls in sums))
    agree(run, os.path.dirname(trace.archive.path))
    return trace


def settings(run):
    whole(run, "plain", {})
    whole(run, "fork", {"SPUR_WRAP": "user"}, "fork")  # waitpid() may be short as well
    whole(run, "off", {"SPUR_START": "off"})
    whole(run, "stacks", {"SPUR_UNWIND": "8"})
    whole(run, "samples", {"SPUR_SAMPLE": "1000"})
    trace = whole(run, "metrics", {"SPUR_METRICS": "rusage:utime,rusage:minflt"})
    kinds = trace.kinds()
    run.expect(kinds["Metric"] >= kinds["Enter"] + kinds["Leave"], "values at each event that stays")
    rules = os.path.join(run.scratch, "filter")
    with open(rules, "w", encoding="utf-8") as file:
        file.write("SCOREP_REGION_NAMES_BEGIN EXCLUDE inner SCOREP_REGION_NAMES_END")
    whole(run, "filter", {"SPUR_FILTER": rules}, share=1 / 3, regions=("outer",))


def ring(run):
    """What is dropped are records; the numbers count from the start."""
    trace, pairs = traced(run, "ring", "once", {"SPUR_FLUSH": "ring", "SPUR_BUFFER": "512K"})
    for location, (_, done, _) in zip(trace.archive.locations, pairs):
        kept, calls = counted(run, trace, location)
        run.equal(kept + calls, done, "calls in a ring that is not full")


def kill(run, number):
    label = f"kill{number}"
    counts, archive = (os.path.join(run.scratch, f"{label}.{what}") for what in ("counts", "trace"))
    more = [{}, {"SPUR_UNWIND": "8"}, {"SPUR_METRICS": "rusage:minflt"}, {"SPUR_BUFFER": "512K"}]
    env = {"LD_PRELOAD": run.library, "SPUR_DIR": archive, **LIMIT, **more[number % len(more)]}
    process = subprocess.Popen(run.command(["{programs}/user_short", "ever", counts]),
                               env=run.environment(env), stderr=subprocess.DEVNULL)
    time.sleep(random.uniform(0, LATEST_S))
    process.kill()
    process.wait()
    pairs = read_counts(counts)
    if not any(done for _, done, _ in pairs):
        return 0
    result = run.execute([run.spur, "recover", archive], label)
    run.equal(result.status, 0, f"{label}: spur recover: {result.spur}")
    trace = run.judge(archive, True)
    sums = dict.fromkeys(range(len(pairs)), (0, 0))
    for location in trace.archive.locations:
        sums[location & 0xffffffff] = counted(run, trace, location)
    for index, (begun, done, _) in enumerate(pairs):
        run.expect(done <= sum(sums[index]) <= begun,
                   f"{label}: {done} to {begun} calls, found {sums[index]}")
    told(run, trace, sum(calls for _, calls in sums.values()))
    return sum(map(sum, sums.values()))


def kills(run):
    seed = int(os.environ.get("SEED", random.randrange(10 ** 6)))
    print(f"SEED={seed}")
    random.seed(seed)
    found = [kill(run, number) for number in range(KILLS)]
    run.expect(sum(calls > 0 for calls in found) > KILLS // 3, f"most kills in the middle: {found}")


def look(run, number, counts, archive, found):
    """One snapshot; `found` is what was counted only in the one before."""
    copy = os.path.join(run.scratch, f"look{number}")
    before = [done for _, done, _ in read_counts(counts)[:3]]
    result = run.execute([run.spur, "snapshot", archive, "-o", copy], "look")
    run.equal(result.status, 0, f"spur snapshot: {result.spur}")
    trace = run.judge(copy, True)
    for location in trace.archive.locations:
        kept, calls = counted(run, trace, location)
        index = location & 0xffffffff
        run.expect(before[index] <= kept + calls + 3 and found[index] <= calls,
                   f"snapshot {number}: {before} calls at least, found {kept} and {calls}")
        found[index] = calls


def snapshots(run):
    """Looks at a program that takes back what it has written at any time."""
    counts, archive = (os.path.join(run.scratch, f"look.{what}") for what in ("counts", "trace"))
    words = run.command(["{programs}/user_short", "ever", counts])
    env = run.environment({"LD_PRELOAD": run.library, "SPUR_DIR": archive, **LIMIT})
    process = subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found, latest = [0, 0, 0], time.monotonic() + HANG_S
    try:
        for number in range(3):
            while not all(done > ROUNDS * number for _, done, _ in read_counts(counts)[:3] or [(0, 0, 0)]):
                run.expect(time.monotonic() < latest, "the program to go on")
                time.sleep(0.01)
            look(run, number, counts, archive, found)
    finally:
        process.kill()
        process.wait()


def mistakes(run):
    for value in ("10", "-1us"):
        counts = os.path.join(run.scratch, "bad.counts")
        words = run.command(["{programs}/user_short", "fork", counts])
        result, archive = run.record(f"bad{value}", words, {"SPUR_WRAP": "user", "SPUR_MIN_DURATION": value})
        naming = [line for line in result.spur if f"SPUR_MIN_DURATION={value} is not a time" in line]
        run.equal(len(naming), 1, f"lines that name it ({result.spur})")
        trace = run.judge(archive)
        run.equal(trace.regions(), {"outer": 2 * ROUNDS, "inner": 4 * ROUNDS}, "all is recorded")


def ranks(run):
    words = run.launcher(2) + run.command(["{programs}/short_ranks{mpi}"])
    result, archive = run.record("ranks", ["--min-duration=2ms", *words],
                                 {"SPUR_MPI": "all", "SPUR_WRAP": "mpi"})
    trace = run.judge(archive)
    wanted = sorted(int(line.split()[2]) for line in result.stdout.splitlines())
    sums = [counted(run, trace, location, None) for location in trace.archive.locations]
    run.equal(sorted(kept + calls for kept, calls in sums), wanted, "calls of MPI")
    run.expect(sum(calls for _, calls in sums) > 100, f"calls that are only counted: {sums}")
    kinds = trace.kinds()
    run.equal((kinds["MpiSend"], kinds["MpiRecv"]), (20, 20), "messages, which all stay")


def main(run):
    ranks(run)
    if run.mpi == "mpich":
        settings(run)
        ring(run)
        snapshots(run)
        kills(run)
        mistakes(run)
