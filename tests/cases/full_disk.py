# SPDX-License-Identifier: BSD-3-Clause
"""A disk that is full from the start or gets full: one line, and the program runs to its end."""

import os
import subprocess


def traced_on(run, size):
    """Run the serial program with its archive on a file system of `size`; (lines, was it kept)."""
    disk = os.path.join(run.scratch, "disk")
    os.makedirs(disk, exist_ok=True)
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk],
                           stderr=subprocess.PIPE, check=False)
    run.expect(mount.returncode == 0, "to be allowed to mount a tmpfs:"
                                      f" {mount.stderr.decode(errors='replace').strip()}")
    try:
        archive = os.path.join(disk, "archive")
        result = run.execute([run.spur, "-o", archive] + run.command(["{programs}/serial"]), "run")
        run.equal((result.status, result.stdout, result.stderr),
                  (3, "sum 15\n", "this is stderr"), f"program with a disk of {size}")
        return result.spur, os.path.exists(os.path.join(archive, "traces.otf2"))
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def main(run):
    for size in ("4k", "64k", "1m"):
        lines, is_kept = traced_on(run, size)
        run.expect(is_kept or 1 <= len(lines) <= 2, f"one line about the disk of {size}: {lines}")
        run.expect(is_kept or any("space" in line for line in lines),
                   f"a line about the space on a disk of {size}: {lines}")
