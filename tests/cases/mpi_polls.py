# SPDX-License-Identifier: BSD-3-Clause
"""
A rank that polls with MPI_Test and MPI_Iprobe until a message comes, and counts its calls. From the
64th unsuccessful call in a row they are one region with the number of calls; all commands tell the
program's own numbers, in a snapshot and after kill -9 as well. SPUR_POLLS=all records each.
KILLS=100 in the environment kills that often, SEED=N repeats a run.
"""

import csv
import io
import os
import random
import re
import signal
import struct
import subprocess
import time

from patience import HANG_S

mpi = ["mpich", "openmpi"]
command = ["{programs}/mpi_polls{mpi}"]
ranks = 2
ROUNDS, LATE_US, ALONE = 5, 50000, 63
POLLS = ("MPI_Test", "MPI_Iprobe")
KILLS, SEED = int(os.environ.get("KILLS", "3")), int(os.environ.get("SEED", "1"))

# What polls go together with: name, settings, whether they are counted, and the words of the program.
FEW = ["2", "5000"]
FORMS = (
    ("auto", {}, True, [str(ROUNDS), str(LATE_US)]),
    ("ring", {"SPUR_FLUSH": "ring", "SPUR_BUFFER": "1M"}, True, FEW),
    ("unwind", {"SPUR_UNWIND": "5"}, True, FEW),
    ("sample", {"SPUR_SAMPLE": "200"}, True, FEW),
    ("all", {"SPUR_POLLS": "all"}, False, FEW),
    ("sites", {"SPUR_SITES": "on"}, False, FEW),
    ("metrics", {"SPUR_METRICS": "rusage:minflt"}, False, FEW),
)


def said(text):
    """What the program has counted."""
    tests, probes = re.search(r"(\d+) tests, (\d+) probes", text).groups()
    return {"MPI_Test": int(tests), "MPI_Iprobe": int(probes)}


def region_of(archive, name, values):
    """What an event enters; None: nothing."""
    if name == "CallingContextEnter":
        return archive.name_of("Region", archive.spaces["CallingContext"][values[0]][1]["region"])
    return archive.name_of("Region", values[0]) if name == "Enter" else None


def recorded(trace):
    """{name: (regions, calls that they stand for)} by an independent reader."""
    archive, found = trace.archive, {}
    for location in archive.spaces["Location"]:
        for name, _, values, attributes in trace.events(location):
            region = region_of(archive, name, values)
            if region in POLLS:
                numbers = [value for attribute, _, value in attributes or ()
                           if archive.name_of("Attribute", attribute) == "spur::calls"]
                n, calls = found.get(region, (0, 0))
                found[region] = (n + 1, calls + sum(numbers or [1]))
    return found


def rows_of(run, archive, sql, *options):
    words = [run.spur, "query", "--csv", *options, archive, sql]
    said_by = subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True, timeout=HANG_S)
    return list(csv.reader(io.StringIO(said_by.stdout)))[1:]


def told(run, archive, *options):
    """The calls of polls as the report and the query tell them."""
    report = run.report(archive, "--top", "0", *options)["sections"]["regions"]
    rows = rows_of(run, archive, "SELECT name, calls FROM regions", *options)
    return [{row["region"]: row["calls"] for row in report if row["region"] in POLLS},
            {name: int(calls) for name, calls in rows if name in POLLS}]


def windows(run, archive, truth):
    """A stretch counts with all its calls in each window that it reaches into, in all commands."""
    sql = "SELECT name, enter_s, leave_s, calls FROM calls"
    calls = [(name, float(enter), float(leave), int(n))
             for name, enter, leave, n in rows_of(run, archive, sql) if name in POLLS]
    run.equal({name: sum(n for of, _, _, n in calls if of == name) for name in POLLS}, truth,
              "table of calls")
    begin = float(rows_of(run, archive, "SELECT min(enter_s) FROM calls")[0][0])
    longest = max(calls, key=lambda call: call[2] - call[1])
    middle = (longest[1] + longest[2]) / 2
    for half in (f"..{middle - begin:.9f}", f"{middle - begin:.9f}.."):
        window = [call for call in calls if (call[1] <= middle if half[0] == "." else call[2] >= middle)]
        some = {name: sum(n for of, _, _, n in window if of == name) for name in POLLS}
        some = {name: n for name, n in some.items() if n}
        run.expect(longest in window, f"{longest} reaches into {half}")
        for by, got in zip(("report", "query"), told(run, archive, "--time", half)):
            run.equal(got, some, f"calls in {half}, by the {by}")


def exported(run, archive):
    """The calls of the longest stretch in Chrome's form are those of the table."""
    path = os.path.join(run.scratch, "chrome.json")
    subprocess.run([run.spur, "export", "--to", "chrome", "-o", path, archive], check=True, timeout=HANG_S)
    with open(path, encoding="utf-8") as file:
        numbers = [int(n) for n in re.findall(r'"calls":(\d+)', file.read())]
    rows = rows_of(run, archive, "SELECT calls FROM calls WHERE calls > 1")
    run.equal(sorted(numbers), sorted(int(row[0]) for row in rows), "calls, by the export")


def form(run, name, env, is_counted, words):
    archive = os.path.join(run.scratch, f"{name}.archive")
    result = run.execute([run.spur, "-o", archive] + run.launcher() + run.command() + words, name, env)
    run.equal(result.status, 0, "status")
    truth, trace = said(result.stdout), run.judge(archive)
    found = recorded(trace)
    run.equal({of: calls for of, (_, calls) in found.items()}, truth, f"{name}: calls, by python3-otf2")
    for by, got in zip(("report", "query"), told(run, archive)):
        run.equal(got, truth, f"{name}: calls, by the {by}")
    regions = sum(n for n, _ in found.values())
    if not is_counted:
        run.equal(regions, sum(truth.values()), f"{name}: regions")
    return archive, truth, regions


def shared_counts(path):
    with open(path, "rb") as file:
        return struct.unpack("<2Q", file.read(16).ljust(16, b"\0"))


def probes_in(run, archive):
    rows = rows_of(run, archive, "SELECT calls FROM regions WHERE name = 'MPI_Iprobe'")
    return int(rows[0][0])


def kill(run, number, chance):
    """A snapshot while it probes, and what is left of it after kill -9."""
    archive, counts = (os.path.join(run.scratch, f"kill.{number}.{end}") for end in ("archive", "counts"))
    process = subprocess.Popen([run.spur, "-o", archive, *run.command(), counts], env=run.environment(),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + HANG_S
    while not os.path.exists(counts) or shared_counts(counts)[1] < 1000 + chance.randrange(1000):
        run.expect(time.monotonic() < until, "it probes")
        time.sleep(0.001)
    before = shared_counts(counts)[1]
    copy = archive + "-snapshot"
    result = run.execute([os.path.join(run.build, "libexec", "spur", "spur-snapshot"), archive, "-o", copy],
                         f"snapshot.{number}")
    run.equal(result.status, 0, f"spur snapshot: {result.spur}")
    after = shared_counts(counts)[1]
    time.sleep(chance.random() * 0.01)
    os.kill(shared_counts(counts)[0], signal.SIGKILL)
    process.wait(timeout=HANG_S)
    run.judge(archive, True)
    run.judge(copy, True)
    run.expect(before <= probes_in(run, copy) <= after + 1, f"snapshot of {before} to {after} probes")
    done, kept = shared_counts(counts)[1], probes_in(run, archive)
    run.expect(done <= kept <= done + 1, f"{kept} of {done} probes, and perhaps the one at work")


def main(run):
    for name, env, is_counted, words in FORMS:
        archive, truth, regions = form(run, name, env, is_counted, words)
        if name != "auto":
            continue
        # A stretch of each kind in each round, and polls in turn, which make none.
        report = run.report(archive, "--top", "0")["sections"]
        late = sum(row["late_sender"] for row in report["messages"])
        run.expect(late > 0.8 * ROUNDS * LATE_US / 1e6, f"waiting for late senders: {late} s")
        in_turn = 2 * ROUNDS * LATE_US // 100
        run.expect(regions <= 2 * ROUNDS * (ALONE + 2) + in_turn, f"{regions} regions")
        windows(run, archive, truth)
        exported(run, archive)
    chance = random.Random(SEED)
    print(f"SEED={SEED}")
    for number in range(KILLS):
        kill(run, number, chance)
