# SPDX-License-Identifier: BSD-3-Clause
"""
What may go wrong while a host moves what it has recorded (SPUR_LOCAL): the directory is full, the process
that moves is killed, another host moves at the same time, the directory was copied, or is another user's.
Nothing is lost, and nothing goes where it does not belong. And `spur snapshot` of what has not been moved.
"""

import glob
import os
import random
import re
import shutil
import subprocess
import time

import run_case
from patience import HANG_S

of = "agent/state finish/find"
local = run_case.load_case("local")

env = {"SPUR_PTHREAD": "all"}
NOBODY = 65534
SEED = int(os.environ.get("SEED", "1"))
SAMPLE = int(os.environ.get("MOVES", "6"))
LOCKS = 12000  # of one thread, in more than one chunk
CALL = re.compile(r"^(\d+) +(\w+)\(.*")
MOVING = ("mkdirat", "openat2", "openat", "ftruncate", "lseek", "pread64", "pwrite64", "renameat2",
          "renameat", "unlinkat")


def load(run, locks=LOCKS):
    return run.command(["{programs}/serial_flush", "1", "0", str(locks)])


def acquired(run, archive):
    return run.judge(archive, unfinished=True).kinds()["ThreadAcquireLock"]


def recover(run, archive, options=(), status=0):
    result = run.execute([run.spur, "recover", *options, archive], "recover")
    run.equal(result.status, status, f"status of recover: {result.spur}")
    return result.spur


def preloaded(run, archive, name, words=(), program=None):
    """Without a launcher: the process moves what it has, and finishes, by itself."""
    return run.execute([*words, *run.preloading(), *(program or load(run))], name, {"SPUR_DIR": archive})


def full(run, place):
    """A line says that the directory is full, and what was recorded stays on the host until it is not."""
    disk = os.path.join(run.scratch, "disk")
    archive = os.path.join(disk, "archive")
    os.makedirs(disk)
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", disk], check=False)
    run.equal(made.returncode, 0, "mount works (as root)")
    try:
        result = run.execute([run.spur, "-o", archive] + load(run), "full", {"SPUR_LIMIT": "0"})
        run.equal((result.status, result.stdout), (3, f"{LOCKS} locks\ndone\n"), "the program")
        run.expect(len(result.spur) <= 2 and any("No space left" in line for line in result.spur),
                   f"a line about the space: {result.spur}")
        run.equal(len(os.listdir(place.path)), 1, "what was recorded stays on the host")
        run.equal(glob.glob(archive + "/.spur/.moving*"), [], "nothing in parts")
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        recover(run, archive)
        run.equal(acquired(run, archive), place.locks, "ThreadAcquireLock")
        place.is_left("a directory that was full")
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def moves(run, archive):
    """Calls of the move, as (call, which one of its thread's): from the first folder to the end of it."""
    log = os.path.join(run.scratch, "moves.strace")
    preloaded(run, archive, "moves", ["strace", "-f", "-qq", "-o", log, "-e", "trace=" + ",".join(MOVING)])
    count, found, moving = {}, [], False
    with open(log, encoding="utf-8", errors="replace") as file:
        for line in file:
            call = CALL.match(line)
            if not call:
                continue
            count[call.groups()] = count.get(call.groups(), 0) + 1
            moving = moving or "/.moving-" in line
            if moving:
                found.append((call[2], count[call.groups()]))
            if '"finishing"' in line:
                break
    return found


def killed(run, place):
    """In the middle of a move the process is killed: it is there as a whole, or on its host."""
    chance = random.Random(SEED)
    calls = moves(run, os.path.join(run.scratch, "whole.archive"))
    run.expect(len(calls) > SAMPLE and {"renameat2", "renameat"} & {call for call, _ in calls},
               f"calls of a move: {calls}")
    torn = 0
    for number, (call, at) in enumerate(chance.sample(calls, SAMPLE)):
        archive = os.path.join(run.scratch, f"killed{number}.archive")
        words = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={call}:signal=KILL:when={at}"]
        preloaded(run, archive, "killed", words)
        torn += len(glob.glob(archive + "/.spur/.moving-*"))
        if os.path.exists(os.path.join(archive, ".spur")):
            recover(run, archive)
        run.equal(acquired(run, archive), place.locks, f"ThreadAcquireLock, killed at {call} {at}")
        place.is_left(f"a move that was killed at {call} {at}")
    run.expect(torn > 0, "moves of which a part was there")


def together(run, place):
    """A host moves while another one is in the middle of it."""
    archive = os.path.join(run.scratch, "together.archive")
    program = " ".join(load(run))
    slow = "strace -f -qq -o /dev/null -e inject=renameat2,renameat:delay_enter=300000"
    script = (f"unshare --uts sh -c 'hostname slow; {slow} {program}' & "
              f"unshare --uts sh -c 'hostname quick; {program}; ls -A {archive}/.spur' & wait")
    result = run.execute([run.spur, "-o", archive, "sh", "-c", script], "together")
    run.expect("hosts" in result.stdout, f"another host while the quick one had ended: {result.stdout}")
    trace = run.judge(archive, unfinished=True)
    run.equal(trace.kinds()["ThreadAcquireLock"], 2 * place.locks, "ThreadAcquireLock of two hosts")
    nodes = {trace.archive.string(values["name"]) for name, values in trace.archive.definitions
             if name == "SystemTreeNode"}
    run.expect({"slow", "quick"} <= nodes, f"both hosts in {nodes}")
    place.is_left("two hosts")


def copied(run, place):
    """A copy of the directory is not what the host records for."""
    archive, copy = (os.path.join(run.scratch, name) for name in ("first.archive", "copy.archive"))
    preloaded(run, archive, "copied", program=run.command(["{programs}/serial_killed"]))
    shutil.copytree(archive, copy, symlinks=True)
    said = recover(run, copy, status=1)
    run.equal(len(os.listdir(place.path)), 1, f"what was recorded is where it was: {said}")
    recover(run, archive)
    run.equal(acquired(run, archive), 1001, "ThreadAcquireLock")
    place.is_left("a directory that was copied")


def of_others(run, place):
    """Root recovers another user's session, whose files tell it to move what root has recorded."""
    run.equal(os.getuid(), 0, "user id: the test becomes another user, so it needs")
    own, theirs = os.path.join(run.scratch, "own.archive"), os.path.join(place.path, "theirs")
    killing = run.command(["{programs}/serial_killed"])
    preloaded(run, own, "own", program=killing)
    os.chmod(place.path, 0o1777)
    os.mkdir(theirs)
    os.chown(theirs, NOBODY, NOBODY)
    become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    preloaded(run, os.path.join(theirs, "archive"), "theirs", become, killing)
    roots, = glob.glob(place.path + "/spur-0-*")
    for name, path in ((f"host.{roots.rsplit('-')[-1]}", roots), ("host.0123456789abcdef", place.path)):
        with open(os.path.join(theirs, "archive", ".spur", "hosts", name), "w", encoding="utf-8") as file:
            file.write(path)
    os.chmod(theirs, 0o755)
    recover(run, os.path.join(theirs, "archive"), ["--recover"])
    run.equal(acquired(run, os.path.join(theirs, "archive")), 1001, "ThreadAcquireLock of the other user")
    run.equal(glob.glob(place.path + "/spur-*"), [roots], "root's place only")
    recover(run, own)
    run.equal(acquired(run, own), 1001, "ThreadAcquireLock of root")
    shutil.rmtree(theirs)
    place.is_left("sessions of two users")


def snapshots(run, place):
    """By the number of the process, and by the directory; beside the directory by default."""
    archive = os.path.join(run.scratch, "running.archive")
    words = [run.spur, "-o", archive] + run.command(["{programs}/serial_flush", "3", "3", "0"])
    ring = run.environment({"SPUR_BUFFER": "512K", "SPUR_FLUSH": "ring"})
    process = subprocess.Popen(words, env=ring, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.time() + HANG_S
    while not (segments := glob.glob(place.path + "/*/.spur/*.*.*/segment")) and time.time() < end:
        time.sleep(0.05)
    time.sleep(0.5)
    pid = segments[0].split("/")[-2].split(".")[-2]
    for what in (pid, archive):
        run.equal(run.execute([run.spur, "snapshot", what], "snapshot").status, 0, f"snapshot of {what}")
    out, _ = process.communicate(timeout=HANG_S)
    run.equal((process.returncode, out), (3, b"done\n"), "the program that went on")
    for path in (archive + "-snapshot-1", archive + "-snapshot-2", archive):
        trace = run.judge(path)
        run.equal(len(trace.streams), 3, f"locations of {path}")
        run.expect(trace.kinds()["Enter"] > 1000, f"events of {path}")
    place.is_left("a process of which there are snapshots")


def main(run):
    print(f"SEED={SEED}")
    local.env = env  # the place comes from there
    with local.Local(run) as place:
        archive = os.path.join(run.scratch, "plain.archive")
        preloaded(run, archive, "plain")
        place.locks = acquired(run, archive)
        run.expect(place.locks > LOCKS, f"locks: {place.locks}")
        for part in (full, killed, together, copied, of_others, snapshots):
            print(f"{part.__name__}:")
            part(run, place)
