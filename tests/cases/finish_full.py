# SPDX-License-Identifier: BSD-3-Clause
"""
There is room for what a killed run left, and none for the archive of it: a full disk, and a limit on
the size of files. One line says so and what to do; nothing is lost, and doing it makes the archive.
"""

import os
import re
import resource
import subprocess

import left_over
from patience import HANG_S

of = "finish"
MEBIBYTE = 1 << 20
CHUNK = 1 << 18  # with a SPUR_BUFFER of 512K


def try_to_recover(run, session, limits=None):
    """The one line of a recovery that fails."""
    words = [os.path.join(run.build, "libexec", "spur", "spur-finish"), session]
    ended, trouble = left_over.execute(words, HANG_S, limits, run.environment({}))
    run.equal(trouble, None, "recovery without room")
    print(f"  {ended.line.strip()}")
    run.equal((ended.status, ended.line.count("\n")), (1, 1), f"status and lines: {ended.line}")
    run.expect("all that was recorded is kept" in ended.line and f"'spur recover {session}'" in
               ended.line, "a line that says what to do")
    run.expect(not os.path.exists(os.path.join(session, "traces.otf2")), "no archive yet")
    return ended.line


def events_of(result):
    return int(re.search(r" (\d+) events", result.spur[-1]).group(1))


def recover(run, session, events):
    result = run.execute([run.spur, "recover", session], "recovery")
    run.equal((result.status, len(result.spur)), (0, 1), f"recovery: {result.spur}")
    run.spur_check(session, True)
    run.equal(events_of(result), events, "events, in whatever way it was finished")


def fill(disk, name="filler"):
    with open(os.path.join(disk, name), "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * MEBIBYTE)
        except OSError:
            pass


def on_full_disk(run, left, events, mebibytes):
    disk = os.path.join(run.scratch, "disk")
    os.makedirs(disk, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "tmpfs", disk], check=True)
    try:
        for name in ("stays", "moves"):
            session = os.path.join(disk, name)
            left.put(session)
            fill(disk)
            for _ in range(2):  # the second one goes on where the first one had to stop
                line = try_to_recover(run, session)
                run.expect("No space left" in line and f"has {mebibytes} MiB, of which 0 MiB" in line and
                           "free some space" in line, "what is full, and the remedy")
            if name == "moves":
                subprocess.run(["cp", "-a", session, run.scratch], check=True)
                session = os.path.join(run.scratch, name)
            else:
                os.unlink(os.path.join(disk, "filler"))
            recover(run, session, events)
            subprocess.run(["rm", "-rf", os.path.join(disk, name), os.path.join(disk, "filler")],
                           check=True)
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def with_small_files(run, left, events, mode, sizes):
    session = os.path.join(run.scratch, f"small.{mode}.{sizes[-1]}")
    left.put(session)
    for size in sizes:
        line = try_to_recover(run, session, lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                                       (size, size)))
        run.expect("File too large" in line and f"ulimit -f, is {size} bytes" in line and
                   "raise that limit" in line, "the limit, and the remedy")
    recover(run, session, events)


def main(run):
    for mode, settings in (("ring", {"SPUR_FLUSH": "ring"}), ("write", {}),
                           ("sion", {"SPUR_CONTAINER": "sion"})):
        left = left_over.leave(run, ["{programs}/thread_left", "15000"], mode,
                               {"SPUR_BUFFER": "512K", "SPUR_PTHREAD": "all", **settings})
        session = os.path.join(run.scratch, "room." + mode)
        left.put(session)
        events = events_of(run.execute([run.spur, "recover", session], "recovery"))
        run.expect(events > 50000, f"events: {events}")
        with_small_files(run, left, events, mode, (0, 300 << 10))
        # As large as the whole chunks of a location: its end does not fit.
        files = [os.path.getsize(os.path.join(session, "traces", name))
                 for name in os.listdir(os.path.join(session, "traces")) if name.endswith(".evt")]
        for size in {bytes // CHUNK * CHUNK for bytes in files if bytes > CHUNK}:
            with_small_files(run, left, events, mode, (size,))
        if mode != "write":  # the plain files are there until the containers are whole
            on_full_disk(run, left, events, 24 if mode == "sion" else 12)
