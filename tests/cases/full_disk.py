# SPDX-License-Identifier: BSD-3-Clause
"""
A disk that is full from the start or gets full: one line about it, and the program runs to its end.
When there was no room left to finish the archive either, `spur recover` does it once there is.
"""

import contextlib
import os
import random
import subprocess

of = "agent/segment finish"
env = {"SPUR_LIMIT": "0",  # no share of the disk stays free
       "SPUR_PTHREAD": "all"}  # the subject is what becomes of many records

ENDS_OF_RECORDING = ("spur: nothing is recorded", "spur: recording stopped")
NOT_FINISHED = "cannot be finished"


# Records of a program that fills the disk: of 200k there is space for the beginning of a chunk.
LEAST = {"200k": 10, "300k": 10, "2m": 1000, "4m": 1000, "7m": 1000}


def must(run, *words):
    done = subprocess.run(words, stderr=subprocess.PIPE, check=False)
    run.expect(done.returncode == 0, f"{words[0]} to work (are you root?):"
                                     f" {done.stderr.decode(errors='replace').strip()}")


@contextlib.contextmanager
def disk_of(run, size):
    disk = os.path.join(run.scratch, "disk")
    must(run, "mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk)
    try:
        yield disk
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def recover(run, disk, archive):
    """Where there was no space to finish the archive, there is now."""
    if os.path.exists(os.path.join(archive, ".spur")):
        must(run, "mount", "-o", "remount,size=64m", disk)
        run.execute([run.spur, "recover", archive], "run")


def trace_on(run, size, program, plain):
    """Run a program with its archive on a file system of `size`; is there something to recover?"""
    with disk_of(run, size) as disk:
        archive = os.path.join(disk, "archive")
        result = run.execute([run.spur, "-o", archive] + run.command([program]), "run")
        run.equal((result.status, result.stdout, result.stderr),
                  (plain.status, plain.stdout, plain.stderr), f"program, disk of {size}")
        about = [line for line in result.spur
                 if line.startswith(ENDS_OF_RECORDING) and "space" in line]
        # Little is recorded in little: there may be room for it, and not for the archive.
        is_whole = not about and any(NOT_FINISHED in line for line in result.spur)
        run.equal(len(about), 0 if is_whole else 1,
                  f"lines about the space on a disk of {size} ({result.spur})")
        run.expect(not (is_whole and program.endswith("serial_long")), "a line when recording stops")
        warnings = [line for line in result.spur if line.startswith("spur: the disk of ")]
        run.expect(len(warnings) <= 1 and len(result.spur) - len(warnings) <= 2,
                   f"nothing but the summary beside it: {result.spur}")
        if is_whole or program.endswith("serial_long"):
            recover(run, disk, archive)
            trace = run.judge(archive, unfinished=True)
            run.expect(trace.kinds()["ThreadAcquireLock"] > LEAST.get(size, 9),
                       f"records on a disk of {size}")


def small_is_enough(run):
    """What records little takes little: the archive and all that is needed to make it."""
    with disk_of(run, "64k") as disk:
        result = run.execute([run.spur, "-o", disk + "/archive"] + run.command(["{programs}/serial"]), "run")
        run.equal(len(result.spur), 1, f"nothing but the summary: {result.spur}")
        run.equal(run.judge(disk + "/archive").kinds()["ThreadAcquireLock"], 10, "records in 64 KiB")


def drawn(run, runs=12):
    """Definitions take space, too: whichever of them finds none, what the archive holds is whole."""
    seed = random.SystemRandom().randrange(1 << 31)
    print(f"  seed {seed}", flush=True)
    draw = random.Random(seed)
    for _ in range(runs):
        program = run.command(["{programs}/" + draw.choice(("io_all.plain", "serial_netcdf", "user_c"))])
        options = draw.choice(([], ["--sites"], ["--unwind", "8"], ["--memory"]))
        size = f"{draw.randrange(24, 700, 4)}k"
        with disk_of(run, size) as disk:
            archive = os.path.join(disk, "archive")
            result = run.execute([run.spur, "-o", archive, "--io", "all", *options] + program, "run")
            run.equal((result.status, result.stderr), (0, ""), f"{program} on a disk of {size}, seed {seed}")
            recover(run, disk, archive)
            if not any(line.startswith(ENDS_OF_RECORDING[0]) for line in result.spur):
                run.spur_check(archive, unfinished=False)


def main(run):
    os.makedirs(os.path.join(run.scratch, "disk"))
    for program, sizes in (("{programs}/serial", ("4k", "12k", "32k")),
                           ("{programs}/serial_long", tuple(LEAST))):
        plain = run.execute(run.command([program]), "run")
        for size in sizes:
            trace_on(run, size, program, plain)
    small_is_enough(run)
    drawn(run)
