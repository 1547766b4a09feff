# SPDX-License-Identifier: BSD-3-Clause
"""
Processes in a time namespace, which shifts what they read of the system's clock and of the starts of
processes: others see that they run, and the archive has its times by the clock that all of them share.
"""

import os
import subprocess
import time

from patience import HANG_S

of = "session agent/state"
SHIFTED = "unshare --time --monotonic {0} --boottime {0} --fork"
SHIFTS = (100000, -1000)  # s
PROCESSES = "(sleep 1; true) >/dev/null 2>&1 &"


def may_shift(shift):
    words = [*SHIFTED.format(shift).split(), "true"]
    return subprocess.run(words, stderr=subprocess.DEVNULL, check=False).returncode == 0


def runs_on(run, shift):
    """A process of the namespace is the last one, and makes the archive; nobody else does."""
    script = f"{SHIFTED.format(shift)} sh -c '{PROCESSES}'"
    done, place = run.record(f"runs_on.{shift}", ["sh", "-c", script], {"SPUR_CLOCK": "monotonic"})
    said = any("finished when the last" in line for line in done.spur)
    run.expect(said, f"{shift}: who runs on: {done.spur}")
    end = time.monotonic() + HANG_S
    while time.monotonic() < end and os.path.exists(os.path.join(place, ".spur")):
        time.sleep(0.05)
    run.expect(not os.path.exists(os.path.join(place, ".spur")), f"{shift}: the session is over")
    run.judge(place, False)


def times(run, shift, clock):
    """Of a process inside and one outside; both are killed, or end."""
    inside = f"{SHIFTED.format(shift)} sh -c 'sleep 0.3; true'"
    script = f"{inside}; sleep 0.3; true; {inside}"
    begin = time.monotonic()
    done, place = run.record(f"times.{shift}.{clock}", ["sh", "-c", script], {"SPUR_CLOCK": clock})
    most = time.monotonic() - begin
    run.equal([line for line in done.spur if "locations" not in line], [], f"{shift}, {clock}: what is said")
    run.judge(place, False)
    took = run.report(place)["wall"]
    run.expect(0.9 < took < most, f"{shift}, {clock}: {took} s in the archive of {most} s")


def main(run):
    for shift in SHIFTS:
        if may_shift(shift):
            runs_on(run, shift)
            for clock in ("tsc", "monotonic"):
                times(run, shift, clock)
