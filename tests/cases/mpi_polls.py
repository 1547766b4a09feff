# SPDX-License-Identifier: BSD-3-Clause
"""
A rank that polls with MPI_Test, MPI_Iprobe and both in turn until a message comes, and counts its calls.
From the 64th unsuccessful call in a row they are one region for each function, with the number of calls; all
commands tell the program's own numbers, in a snapshot and after kill -9 as well. SPUR_POLLS=all records each.
KILLS=100 in the environment kills that often, SEED=N repeats a run.
"""

import os
import random
import re
import signal
import struct
import subprocess
import time

from patience import HANG_S
from polls import ALONE, exported, judged, rows_of, windows

of = "agent/record wrappers/mpi"
mpi = ["mpich", "openmpi"]
command = ["{programs}/mpi_polls{mpi}"]
ranks = 2
ROUNDS, LATE_US = 5, 50000
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


def form(run, name, env, is_counted, words):
    result, archive = run.record(name, run.launcher() + run.command() + words, env)
    truth = said(result.stdout)
    return archive, truth, judged(run, archive, truth, name, is_counted)


def shared_counts(path):
    """The PID, probes, tests."""
    with open(path, "rb") as file:
        return struct.unpack("<3Q", file.read(24).ljust(24, b"\0"))


def counted_in(run, archive):
    """Probes and tests."""
    rows = rows_of(run, archive, "SELECT calls FROM regions WHERE name IN ('MPI_Iprobe', 'MPI_Test')"
                                 " ORDER BY name")
    return [int(row[0]) for row in rows]


def kill(run, number, chance):
    """A snapshot while it probes, and what is left of it after kill -9."""
    archive, counts = (os.path.join(run.scratch, f"kill.{number}.{end}") for end in ("archive", "counts"))
    process = subprocess.Popen([run.spur, "-o", archive, *run.command(), counts], env=run.environment(),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + HANG_S
    while not os.path.exists(counts) or shared_counts(counts)[1] < 1000 + chance.randrange(1000):
        run.expect(time.monotonic() < until, "it probes")
        time.sleep(0.001)
    before = shared_counts(counts)[1:]
    copy = archive + "-snapshot"
    result = run.execute([os.path.join(run.build, "libexec", "spur", "spur-snapshot"), archive, "-o", copy],
                         f"snapshot.{number}")
    run.equal(result.status, 0, f"spur snapshot: {result.spur}")
    after = shared_counts(counts)[1:]
    time.sleep(chance.random() * 0.01)
    os.kill(shared_counts(counts)[0], signal.SIGKILL)
    process.wait(timeout=HANG_S)
    run.judge(archive, True)
    run.judge(copy, True)
    done = shared_counts(counts)[1:]
    seen, kept = counted_in(run, copy), counted_in(run, archive)
    for what, *numbers in zip(("probes", "tests"), before, seen, after, done, kept):
        low, seen, high, made, kept = numbers
        run.expect(low <= seen <= high + 1, f"snapshot of {low} to {high} {what}: {seen}")
        run.expect(made <= kept <= made + 1, f"{kept} of {made} {what}, and perhaps the one at work")


def main(run):
    for name, env, is_counted, words in FORMS:
        archive, truth, regions = form(run, name, env, is_counted, words)
        if name != "auto":
            continue
        # In each round a row of each kind, and one of both in turn.
        report = run.report(archive, "--top", "0")["sections"]
        late = sum(row["late_sender"] for row in report["messages"])
        run.expect(late > 2.4 * ROUNDS * LATE_US / 1e6, f"waiting for late senders: {late} s")
        waits = {row["function"]: row["late_sender"] for row in report["mpi_functions"]}
        # Each round one message, and one more for the function that began last of the two in turn.
        shares = [waits[function] * 1e6 / (ROUNDS * LATE_US) for function in ("MPI_Test", "MPI_Iprobe")]
        run.expect(min(shares) > 0.8 and 2.4 < sum(shares) < 4.5, f"waits {shares}")
        of = rows_of(run, archive, "SELECT name, sum(wait_s) FROM waits WHERE why LIKE '%sender' GROUP BY 1")
        run.expect(of and all(abs(float(wait) - waits[name]) < 1e-6 for name, wait in of), f"query's {of}")
        most = 3 * ROUNDS * (ALONE + 3)
        run.expect(sum(regions.values()) <= most, f"{regions} regions, at most {most}")
        windows(run, archive, truth)
        exported(run, archive)
    chance = random.Random(SEED)
    print(f"SEED={SEED}")
    for number in range(KILLS):
        kill(run, number, chance)
