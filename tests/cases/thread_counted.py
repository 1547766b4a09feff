# SPDX-License-Identifier: BSD-3-Clause
"""
Locks that nobody waits for are counted. Threads take locks, semaphores and conditions at random, and a child
of fork() as well: what the report, spur query and python3-otf2 count is the program's own number, whatever
the setting. A lock that was never waited for, and then is: its first wait names the holder, since when and
from which line it holds the lock, and a deadlock of two such locks is found, as with SPUR_PTHREAD=all.
RUNS=100 in the environment draws so many runs, SEED=N repeats one.
"""

import collections
import os
import random
import re
import signal
import subprocess
import time

import otf2
from otf2 import events as ev

of = "wrappers/pthread"
RUNS, SEED = int(os.environ.get("RUNS", "4")), int(os.environ.get("SEED", "0"))
MODES = ("auto", "all")
COUNTED = "select * from counted_locks"
KILLED, TAKEN, PYTHON = 5000, 300, "/usr/bin/python3"
READERS, LATE = 2, 4000
SCRIPT = f"""
import threading, time
for _ in range({TAKEN}):
    with threading.Lock():
        pass
lock = threading.Lock()
def hold():
    with lock:
        time.sleep(0.3)
thread = threading.Thread(target=hold)
thread.start()
time.sleep(0.1)
with lock:
    print("done")
thread.join()
"""
FIRST, NS, SLACK_S, STAND_S = 64, 1e9, 0.02, 1.0
FORMS = ({}, {"SPUR_SITES": "on"}, {"SPUR_UNWIND": "4"}, {"SPUR_SAMPLE": "500"}, {"SPUR_BUFFER": "64K"})
CALLS = {"semaphore": "sem_post", "condition": "pthread_cond_signal"}


def recorded(run, name, mode, words, env=None):
    program = run.command(["{programs}/thread_counted", *words])
    result, archive = run.record(name, ["--locks", mode, *program], env)
    run.spur_check(archive, False)
    return archive, result.stdout, run.report(archive, "--top", "0")


def by_python(archive):
    """{(pid, name): [acquisitions, signals]}: of records and properties; and which of both there are."""
    found, ids, kinds = collections.defaultdict(lambda: [0, 0]), {}, collections.Counter()
    with otf2.reader.open(os.path.join(archive, "traces.otf2")) as reader:
        groups = {group: int(re.search(r"Process (\d+)", group.name)[1])
                  for group in reader.definitions.location_groups}
        for one in reader.definitions.location_group_properties:
            if one.name.startswith("SPUR::LOCK::"):
                ids[groups[one.location_group], int(one.name.split("::")[-1])] = one.value
        for one in reader.definitions.location_group_properties:
            if one.name.startswith("SPUR::COUNTED::"):
                pid = groups[one.location_group]
                said = dict(re.findall(r"(\w+)=(\d+)", one.value))
                row = found[pid, ids[pid, int(one.name.split("::")[-1])]]
                row[0] += int(said["acquisitions"])
                row[1] += int(said["signals"])
                kinds["counted"] += int(said["acquisitions"]) + int(said["signals"])
        for location, event in reader.events:
            pid = groups[location.group]
            if isinstance(event, ev.ThreadAcquireLock):
                found[pid, ids[pid, event.lock_id]][0] += 1
            elif isinstance(event, (ev.Enter, ev.CallingContextEnter)):
                region = event.region if isinstance(event, ev.Enter) else event.calling_context.region
                kinds[pid, region.name] += 1
    return found, kinds


def drawn(run, seed):
    draw = random.Random(seed)
    words = [str(draw.randrange(1, 10**6)), str(draw.choice((1, 2, 3, 5))),
             str(draw.choice((300, 4000, 8000)))]
    env = draw.choice(FORMS)
    for mode in MODES:
        name = f"{seed}.{mode}"
        print(f"  SEED={seed}: {mode} {words} {env}")
        archive, said, report = recorded(run, name, mode, words, env)
        truth = {(int(pid), what): (int(acquired), int(signals))
                 for pid, what, acquired, signals in map(str.split, said.splitlines())}
        told, kinds = by_python(archive)
        rows = {(int(row["process"].split()[1]), row["name"]): row for row in report["sections"]["locks"]}
        run.expect((kinds["counted"] == 0) == (mode == "all") or int(words[2]) <= 300, f"{name}: {kinds}")
        for (pid, what), (acquired, signals) in truth.items():
            row = rows.get((pid, what), {"acquisitions": 0, "auto": 0, "signals": 0})
            got = told.get((pid, what), [0, 0])
            if what in CALLS:
                got[1] += kinds[pid, CALLS[what]]
                run.equal(row["signals"] + kinds[pid, CALLS[what]], signals, f"{name}: {what}, report: {row}")
                run.equal(got[1], signals, f"{name}: {what}, python3-otf2")
            else:
                run.equal(row["acquisitions"] + row["counted"], acquired, f"{name}: {what}, {row}")
                run.equal(got[0], acquired, f"{name}: {what}, python3-otf2")
                run.expect(acquired < FIRST or row["acquisitions"] >= FIRST, f"{name}: the first of {row}")
        want = sorted((row["process"], row["lock"], row["name"], row["counted"], row["signals"],
                       row["counting_threads"])
                      for row in report["sections"]["locks"] if row["counted"] or row["signals"])
        got = sorted((row["process"], row["lock"], row["name"] or "", row["acquisitions"], row["signals"],
                      row["threads"]) for row in run.query(archive, COUNTED))
        run.equal(got, want, f"{name}: counted locks, spur query")
        waits, = run.query(archive, "select count(*) as n from lock_waits")
        run.equal(waits["n"],
                  sum(row["contended"] for row in report["sections"]["locks"]), f"{name}: waits, spur query")


def first_wait(run):
    """
    The same holder, line and time in both modes, and as the program has measured. How long a lock is held on
    average is known only where each acquisition has a record.
    """
    told = {}
    for mode in MODES:
        _, said, report = recorded(run, f"wait.{mode}", mode, ["wait"], {"SPUR_SITES": "on"})
        truth = {name: int(value) for name, value in map(str.split, said.splitlines())}
        row = next(row for row in report["sections"]["locks"] if row["name"] == "plain_mutex")
        finding = next(found for found in report["findings"] if found["kind"] == "lock")
        told[mode] = (row["holder"], row["holder_site"], row["holder_call"], row["contended"], row["waiters"],
                      row["acquisitions"] + row["counted"], finding["site"],
                      re.sub(r"[\d.]+ [mun]?s|\d+ %", "T",
                             re.sub(" A thread holds it .*? on average[.]", "", finding["text"])))
        line = f"thread_counted.c:{truth['line']}"
        run.equal(told[mode][:2], ("thread keeper", line), f"{mode}: the holder")
        run.expect(truth["least"] / NS <= row["holder_held"] <= truth["most"] / NS,
                   f"{mode}: it holds the lock {row['holder_held']} s, {truth}")
        run.expect((row["counted"] > 0) == (mode == "auto"), f"{mode}: {row}")
    run.equal(told["auto"], told["all"], "what the report says")


def circle(run):
    """Two locks that nobody has waited for before."""
    found = []
    for mode in MODES:
        archive = os.path.join(run.scratch, f"circle.{mode}")
        words = [run.spur, "--locks", mode, "--sites", "-o", archive,
                 os.path.join(run.programs, "thread_counted"), "circle"]
        with subprocess.Popen(words, env=run.environment({}), stdout=subprocess.PIPE, text=True) as job:
            pid = int(job.stdout.readline())
            time.sleep(STAND_S)
            os.kill(pid, signal.SIGKILL)
        run.spur_check(archive, True)
        text = run.says("report", archive)
        lines = [line for line in text.splitlines() if "deadlock: " in line]
        run.equal(len(lines), 1, f"{mode}: deadlocks in\n{text}")
        found.append(lines[0].replace(str(pid), "PID"))
    run.equal(found[0], found[1], "the deadlock")


def killed(run):
    """A process that is killed has counted all the same."""
    words = run.command(["{programs}/thread_counted", "killed"])
    _, archive = run.record("killed", words, status=-signal.SIGKILL)
    row = next(row for row in run.query(archive, COUNTED) if row["name"] == "plain_mutex")
    run.expect(KILLED - FIRST - 1 <= row["acquisitions"] <= KILLED - FIRST, f"killed: {row}")
    run.equal(row["threads"], 1, "killed: threads")


def readers(run):
    """Their late acquisitions have one order."""
    _, _, report = recorded(run, "readers", "auto", ["readers"])
    late = [row for row in report["sections"]["locks"] if row["acquisitions"] == READERS]
    run.expect(len(late) > LATE, f"{len(late)} locks with late acquisitions")


def interpreter(run):
    """Locks of Python's own are counted from the first on; one that a thread waits for is recorded."""
    result, archive = run.record("python", [PYTHON, "-c", SCRIPT])
    run.equal(result.stdout, "done\n", "python")
    calls = collections.Counter(re.findall(r"ENTER.*(sem_\w+|pthread_mutex_\w+)", run.says("print", archive)))
    waits = calls["sem_wait"] + calls["sem_clockwait"]
    run.expect(waits > 0 and calls["sem_init"] < FIRST, f"python: {calls}")
    run.expect(sum(row["acquisitions"] for row in run.query(archive, COUNTED)) > TAKEN, "python: counted")


def main(run):
    killed(run)
    readers(run)
    interpreter(run)
    first_wait(run)
    circle(run)
    seeds = [SEED] if SEED else [random.SystemRandom().randrange(1, 10**6) for _ in range(RUNS)]
    for seed in seeds:
        drawn(run, seed)
