# SPDX-License-Identifier: BSD-3-Clause
"""
What is kept when there is more than room for: each SPUR_FLUSH and SPUR_LIMIT, snapshots of a program
that goes on, a disk that gets full, a limit on the size of files. SPUR_TEST_LOCKS makes it a longer
one by hand: 9000000 for more than a gigabyte on that disk.
"""

import os
import re
import resource
import signal
import subprocess
import time

from patience import HANG_S

of = "agent/record agent/segment"
env = {"SPUR_PTHREAD": "all"}  # the subject is what becomes of many records

LOCKS = int(os.environ.get("SPUR_TEST_LOCKS", "100000"))
DISK_LOCKS = 700000  # of two threads each: 90 MB
LEAST = {"write": 5000000, "ring": 100000, "stop": 50000}
PAGE_MAX = 64 << 10
LOAD = "{programs}/serial_flush"
STOPPED = ("recording stopped", "stopped recording")


def record(run, name, settings, threads=2, locks=LOCKS // 2, where=None, words=()):
    archive = os.path.join(where or run.scratch, name)
    command = [*words, run.spur, "-o", archive] + run.command([LOAD, str(threads), "0", str(locks)])
    result = run.execute(command, "run", settings)
    run.equal((result.status, result.stdout), (3, f"{threads * locks} locks\ndone\n"), name)
    return archive, result


def check_modes(run):
    whole, result = record(run, "write", {"SPUR_BUFFER": "512K", "SPUR_FLUSH": "write"})
    everything = run.judge(whole).kinds()
    run.expect(everything["BufferFlush"] > 10, "flushes of a chunk at a time")
    run.expect(not any(text in line for line in result.spur for text in STOPPED), "nothing to stop")

    ring, _ = record(run, "ring", {"SPUR_BUFFER": "512K", "SPUR_FLUSH": "ring"})
    trace = run.judge(ring)
    kept = trace.kinds()
    run.expect(1000 < kept["Enter"] < everything["Enter"] / 2, f"few events: {kept['Enter']}")
    run.equal(kept["Enter"], kept["Leave"], "Enter and Leave")
    run.equal(trace.regions()["pthread_once"], 1, "the region that is open all the time")
    run.equal((kept["ProgramBegin"], kept["ProgramEnd"], kept["ThreadBegin"], kept["ThreadEnd"]),
              (1, 1, 1, 1), "begins and ends")
    dropped = trace.archive.said("SPUR::DROPPED_EVENTS", "Location")
    run.equal(len(dropped), 2, "locations that say how many events they dropped")

    for name, settings in (("stop", {"SPUR_BUFFER": "512K", "SPUR_FLUSH": "stop"}),
                           ("limit", {"SPUR_LIMIT": "1M"}), ("all", {"SPUR_LIMIT": "1G,1M"})):
        archive, result = record(run, name, settings)
        about = [line for line in result.spur if any(text in line for text in STOPPED)]
        run.equal(len(about), 2, f"a line when it stops and the summary: {result.spur}")
        trace = run.judge(archive)
        run.expect(trace.kinds()["Enter"] < everything["Enter"] / 2, "few events")
        run.expect(trace.archive.said("SPUR::STOPPED"), "why it stopped")


def start(run, name, settings, seconds="3"):
    archive = os.path.join(run.scratch, name)
    process = subprocess.Popen([run.spur, "-o", archive] + run.command([LOAD, "3", seconds, "0"]),
                               env=run.environment({"SPUR_BUFFER": "512K", **settings}),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    segments = os.path.join(archive, ".spur")
    while not os.path.isdir(segments) or not any("." in name for name in os.listdir(segments)):
        time.sleep(0.05)
    time.sleep(0.5)
    pid = next(name for name in os.listdir(segments) if "." in name).split(".")[-2]
    return archive, process, int(pid)


def check_snapshots(run):
    archive, process, pid = start(run, "running", {"SPUR_FLUSH": "ring"})
    taken = [os.path.join(run.scratch, name) for name in ("one", "two")]
    for what, to in zip((str(pid), archive), taken):
        subprocess.run([run.spur, "snapshot", what, "-o", to], check=True)
    os.kill(pid, signal.SIGUSR2)
    out, _ = process.communicate(timeout=HANG_S)
    run.equal((process.returncode, out), (3, b"done\n"), "the program that went on")
    by_signal = archive + "-snapshot-1"
    end = time.time() + HANG_S
    while not os.path.exists(os.path.join(by_signal, "traces.otf2")) and time.time() < end:
        time.sleep(0.1)
    for path in taken + [by_signal, archive]:
        trace = run.judge(path)
        run.equal(len(trace.streams), 3, f"locations of {path}")
        run.expect(trace.kinds()["Enter"] > 1000, f"events of {path}")

    archive, process, pid = start(run, "killed", {"SPUR_FLUSH": "ring"})
    os.kill(pid, signal.SIGKILL)
    process.communicate(timeout=HANG_S)
    run.equal(process.returncode, -signal.SIGKILL, "the signal that ended the program")
    run.judge(archive, unfinished=True)


def mount(run, size):
    disk = os.path.join(run.scratch, "disk")
    os.makedirs(disk, exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk],
                          stderr=subprocess.PIPE, check=False)
    run.expect(done.returncode == 0, f"mount to work (are you root?): {done.stderr.decode()}")
    return disk


def check_full_disk(run):
    """The archive is there although the disk is full: there is room in reserve to finish it."""
    disk = mount(run, "64m")
    try:
        for mode in ("write", "ring", "stop"):
            archive, result = record(run, mode, {"SPUR_FLUSH": mode, "SPUR_BUFFER": "1M", "SPUR_LIMIT": "0"},
                                     locks=max(LOCKS, DISK_LOCKS), where=disk)
            said = [line for line in result.spur if "No space left" in line]
            run.equal(len(said), mode == "write", f"lines about the space ({result.spur})")
            run.spur_check(archive, False)
            events = int(re.search(r" (\d+) events", result.spur[-1]).group(1))
            run.expect(events > LEAST[mode], f"events on a full disk, {mode}: {events}")
            subprocess.run(["rm", "-r", archive], check=True)
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def check_file_size(run):
    """ulimit -f, which sends SIGXFSZ to who writes: the program gets none."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (3 << 20, resource.RLIM_INFINITY))
    try:
        archive, result = record(run, "small", {"SPUR_BUFFER": "1M"}, locks=2 * LOCKS)
        run.expect(any("File too large" in line and "ulimit -f" in line for line in result.spur),
                   f"a line with the remedy: {result.spur}")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    if not os.path.exists(os.path.join(archive, "traces.otf2")):
        run.execute([run.spur, "recover", archive], "run")
    run.expect(run.judge(archive).kinds()["Enter"] > 1000, "events of small files")


def check_chunk_size(run):
    """Chunks are mapped one by one: a page of any processor's has no part of two."""
    archive, _ = record(run, "odd", {"SPUR_BUFFER": "17M"}, locks=10)
    run.equal(run.judge(archive).archive.anchor.event_chunk % PAGE_MAX, 0, "the rest of a page")


def main(run):
    check_chunk_size(run)
    check_modes(run)
    check_snapshots(run)
    check_full_disk(run)
    check_file_size(run)
