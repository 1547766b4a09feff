# SPDX-License-Identifier: BSD-3-Clause
"""
Without SPUR_LIMIT a share of the disk stays free: recording stops before the disk is full, and one line
says so; one line before that says how long the disk will last. SPUR_LIMIT=0 uses all of it.
"""

import os
import subprocess

of = "agent/segment"
DISK, SHARE, MIB = 10 << 20, 20, 1 << 20


def record(run, label, env):
    """What spur says, and the least that was free meanwhile, as far as this looks."""
    disk = os.path.join(run.scratch, label)
    os.makedirs(disk)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", disk], check=True)
    try:
        archive = os.path.join(disk, "archive")
        words = [run.spur, "-o", archive, *run.command(["{programs}/serial_long"])]
        result = run.execute(words, f"{label}.run", {"SPUR_PTHREAD": "all", **env})
        run.equal(result.status, 0, f"{label}: {result.stderr}")
        room = os.statvfs(disk)
        properties = run.says("print", "-G", archive)
        return result.spur, room.f_bavail * room.f_bsize, properties
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def main(run):
    said, free, properties = record(run, "share", {})
    soon = [line for line in said if "will be full in about 1 minute, but for the share" in line]
    stopped = [line for line in said if "is nearly full, and spur leaves a share of it free" in line]
    run.equal((len(soon), len(stopped)), (1, 1), f"lines: {said}")
    run.expect(free > DISK / SHARE / 2, f"{free} bytes are free")
    run.expect('"the disk was nearly full"' in properties, "the reason in the archive")

    said, _, properties = record(run, "all", {"SPUR_LIMIT": "0"})
    run.expect(not [line for line in said if "a share of it" in line], f"lines with SPUR_LIMIT=0: {said}")
    run.equal(len([line for line in said if "recording stopped: events cannot be written" in line]), 1, said)
    run.expect('"the disk was nearly full"' not in properties, "no other reason")

    said, _, properties = record(run, "small", {"SPUR_LIMIT": "2M"})
    limited = [line for line in said if "that SPUR_LIMIT allows" in line]
    run.equal(len(limited), 1, f"lines with a limit: {said}")
