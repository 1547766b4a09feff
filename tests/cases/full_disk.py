# SPDX-License-Identifier: BSD-3-Clause
"""A disk that is full from the start or gets full: one line, and the program runs to its end."""

import os
import subprocess


def traced_on(run, size, program):
    """Run a program with its archive on a file system of `size`; (Result, was the archive kept)."""
    disk = os.path.join(run.scratch, "disk")
    os.makedirs(disk, exist_ok=True)
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk],
                           stderr=subprocess.PIPE, check=False)
    run.expect(mount.returncode == 0, "to be allowed to mount a tmpfs:"
                                      f" {mount.stderr.decode(errors='replace').strip()}")
    try:
        archive = os.path.join(disk, "archive")
        result = run.execute([run.spur, "-o", archive] + run.command([program]), "run")
        is_kept = os.path.exists(os.path.join(archive, "traces.otf2"))
        if is_kept:
            run.judge(archive, unfinished=True)
        return result, is_kept
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def main(run):
    for program, sizes in (("{programs}/serial", ("4k", "64k", "1m")),
                           ("{programs}/serial_long", ("2m", "4m", "7m"))):
        plain = run.execute(run.command([program]), "run")
        for size in sizes:
            result, is_kept = traced_on(run, size, program)
            run.equal((result.status, result.stdout, result.stderr),
                      (plain.status, plain.stdout, plain.stderr), f"program, disk of {size}")
            about = [line for line in result.spur if "space" in line]
            run.equal(len(about), 1, f"lines about the space on a disk of {size} ({result.spur})")
            run.expect(len(result.spur) <= 2, f"no more than a summary beside it: {result.spur}")
            run.expect(is_kept or program.endswith("serial"),
                       f"an archive of what found place on {size}")
