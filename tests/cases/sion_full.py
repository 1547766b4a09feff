# SPDX-License-Identifier: BSD-3-Clause
"""
Containers (SPUR_CONTAINER=sion) on a disk that is full: it has room for what ranks record and none for the
containers, or not even for that; it is full when killed ranks are recovered, and when `spur pack` and `spur
unpack` make an archive anew. One line says so and names the remedy, nothing is lost, and the remedy works.
"""

import contextlib
import os
import shutil
import subprocess

import left_over
import run_case
from archive_bytes import archive_bytes

of = "finish writer"
finish_full = run_case.load_case("finish_full")

mpi = ["mpich", "openmpi"]
ranks = 2
ROUNDS = 9000  # more events than fit in SPUR_BUFFER, so each rank has an event file
env = {"SPUR_CONTAINER": "sion", "SPUR_BUFFER": "512K", "SPUR_LIMIT": "0"}
ROOM, LITTLE_ROOM, DEFINITIONS = 64 << 20, 1 << 20, 256 << 10
CONTAINERS = ["0.def", "0.evt"]
FILES = [f"{rank << 32}.{kind}" for rank in range(ranks) for kind in ("def", "evt")]


@contextlib.contextmanager
def disk(run, room):
    """A file system with so much room."""
    path = os.path.join(run.scratch, "disk")
    os.makedirs(path, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={room}", "tmpfs", path], check=True)
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", path], check=True)


def job(run, archive, source=None, filler=None):
    """What spur says; the program does not notice. A shell copies a file before spur ends."""
    words = run.launcher() + run.command(["{programs}/left{mpi}", str(ROUNDS), "end"])
    if source:
        words = ["sh", "-c", f'"$@" || exit; cat {source} >{filler} 2>&-; true', "sh"] + words
    result = run.execute([run.spur, "-o", archive] + words, "job")
    run.equal((result.status, result.stderr), (0, ""), "the program")
    return result


def has(run, archive, files, what):
    run.equal(sorted(os.listdir(os.path.join(archive, "traces"))), sorted(files), what)
    run.equal(os.path.exists(os.path.join(archive, "traces.srm")), files == CONTAINERS, f"{what}: rank map")


def recovered(run, path, archive, what):
    """When there is room again: the archive."""
    subprocess.run(["mount", "-o", f"remount,size={ROOM}", path], check=True)
    result = run.execute([run.spur, "recover", archive], "recover")
    run.equal((result.status, len(result.spur)), (0, 1), f"{what}: {result.spur}")
    has(run, archive, CONTAINERS, what)
    run.spur_check(archive, True)
    return result


def in_plain_files(run, path, archive, told, events):
    """The other remedy, with a copy of the directory: there is room for definitions, and not for events."""
    copy, more = os.path.join(path, "copy"), os.path.join(path, "more")
    words = f"'spur recover --container none {archive}'"
    run.expect(words in told, f"{words}: {told}")
    subprocess.run(["mount", "-o", f"remount,size={2 * ROOM}", path], check=True)
    subprocess.run(["cp", "-a", archive, copy], check=True)
    finish_full.fill(path, "more")
    os.truncate(more, os.path.getsize(more) - DEFINITIONS)
    for form, status in ("sion", 1), ("none", 0):
        result = run.execute([run.spur, "recover", "--container", form, copy], "recover")
        run.equal((result.status, len(result.spur)), (status, 1), f"{form}: {result.spur}")
    run.equal(os.path.exists(os.path.join(copy, "traces.srm")), False, "plain files")
    run.equal(finish_full.events_of(result), events, "events in plain files")
    shutil.rmtree(copy)
    os.unlink(more)


def in_jobs(run):
    """The launcher finds no room for the containers; then ranks find none for their events."""
    with disk(run, ROOM) as path:
        archive, filler = os.path.join(path, "job"), os.path.join(path, "filler")
        events = finish_full.events_of(job(run, archive, "/dev/null", filler))
        has(run, archive, CONTAINERS, "with room")
    with disk(run, ROOM) as path:
        told = job(run, archive, "/dev/zero", filler).spur
        run.expect(len(told) == 1 and "No space left" in told[0] and "free some space" in told[0] and
                   "all that was recorded is kept" in told[0] and f"'spur recover {archive}'" in told[0],
                   f"one line with a remedy: {told}")
        run.expect(not os.path.exists(os.path.join(archive, "traces.otf2")), "no archive yet")
        in_plain_files(run, path, archive, told[0], events)
        os.unlink(filler)
        result = recovered(run, path, archive, "no room for containers")
        run.equal(finish_full.events_of(result), events, "events")
    with disk(run, LITTLE_ROOM) as path:
        archive = os.path.join(path, "job")
        result = job(run, archive)
        told = [line for line in result.spur if "recording stopped" in line and "free some space" in line]
        run.equal((len(told), len(result.spur)), (1, 2), f"one line with a remedy: {result.spur}")
        if os.path.exists(os.path.join(archive, ".spur")):
            result = recovered(run, path, archive, "no room for events")
        has(run, archive, CONTAINERS, "no room for events")
        some = finish_full.events_of(result)
        run.expect(10000 < some < events, f"as many events as fit, not {some}")


def in_recover(run):
    """Of killed ranks. Without the filler it works, and so does a copy on another disk."""
    left = left_over.leave(run, ["{programs}/left{mpi}", str(ROUNDS)], "left", env, run.launcher())
    room = os.path.join(run.scratch, "room")
    left.put(room)
    events = finish_full.events_of(run.execute([run.spur, "recover", room], "recover"))
    shutil.rmtree(room)
    finish_full.on_full_disk(run, left, events, 12)


def without_room(run, path, archive, command, files):
    """The command says one line and changes nothing; then it works."""
    before = archive_bytes(archive)
    finish_full.fill(path)
    for options in ([], ["-o", os.path.join(path, "other")]) if command == "pack" else ([],):
        result = run.execute([run.spur, command, *options, archive], command)
        run.equal((result.status, len(result.spur), result.stderr), (1, 1, ""), f"{command}: {result.spur}")
        run.expect("No space left" in result.spur[0], f"{command}: what is full: {result.spur}")
        run.equal(archive_bytes(archive), before, f"{command} {options}: the archive")
        run.equal(sorted(os.listdir(path)), ["filler", "job"], f"{command} {options}: nothing else")
    os.unlink(os.path.join(path, "filler"))
    result = run.execute([run.spur, command, archive], command)
    run.equal((result.status, result.spur), (0, []), f"{command} with room")
    has(run, archive, files, command)
    run.spur_check(archive, False)


def in_pack(run):
    with disk(run, ROOM) as path:
        archive = os.path.join(path, "job")
        job(run, archive)
        whole = archive_bytes(archive)
        without_room(run, path, archive, "unpack", FILES)
        without_room(run, path, archive, "pack", CONTAINERS)
        run.equal(archive_bytes(archive), whole, "unpacked and packed again")


def main(run):
    in_jobs(run)
    in_recover(run)
    in_pack(run)
