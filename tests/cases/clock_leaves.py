# SPDX-License-Identifier: BSD-3-Clause
"""
The processor's clock leaves the system's in the middle of a program: it jumps ahead, twice or ahead and
back, or back by little, or runs faster. The times of an archive keep to the system's all the same, also of a
program that is killed, and where a thread records behind the step back that was quiet since before the step
ahead. A line says so. The program replaces the instructions by which the agent reads that clock.
"""

import re

from cases import tsc_forbidden

of = "agent/state finish/events"
# The clock of finishing never left: to that of a killed program it goes the whole way back.
MODES = {"ahead": r"10 s", "ahead_a_little": r"[12] ms", "ahead_and_back": r"10 s",
         "ahead_and_back_elsewhere": r"10 s", "faster": r"[\d.]+ us", "back_a_little": r"(?:1.5|3) ms"}
JUMPS_US = {"ahead": 1e7, "ahead_a_little": 1e3, "ahead_and_back": 1e7, "ahead_and_back_elsewhere": 1e7,
            "back_a_little": 1.5e3}
PAIRS = 2 + 300 * 40
SAID = r"the processor's clock (?:went ahead of|fell behind) the system's by {}, \d\.\d s after the start: " \
       r"the times of 1 process are corrected"
BACK = r"the processor's clock has gone back \(.*\): recording continues with the system's clock"
START_S = 1  # that of the program, which is not measured
TRIES, NEAR_S, SOON_S = 8, 1e-4, 0.02  # the machine may do something else as the program asks for the time
# From the second pair on: until the first change, and until the end.
LOCKS = "SELECT enter_s, enter_s + duration_s AS leave_s FROM calls " \
        "WHERE name LIKE 'pthread_mutex_%' ORDER BY enter_s"
BEGIN, CHANGE = 2, 2 * (2 + 100 * 40) - 1


def deviation(run, label, archive, mode):
    """What SPUR::CLOCK says of the process; to the clock of finishing it is twice as much."""
    words = archive.said("SPUR::CLOCK")[0]
    off_us = float(re.search(r"at most ([\d.]+) us off", words)[1])
    jump_us = JUMPS_US.get(mode, 0)  # another rate is seen in steps
    run.expect(0.9 * jump_us < off_us and (not jump_us or off_us < 2.2 * jump_us), f"{label}: {words}")


def sums(run, label, report, rows, took):
    """Those of the report, by the calls and by what the program has measured of all of it but its start."""
    locks = sum(row["total"] for row in report["sections"]["regions"]
                if row["region"].startswith("pthread_mutex_"))
    calls = sum(row["leave_s"] - row["enter_s"] for row in rows)
    portions = sum(report["portions"].values())
    run.expect(abs(portions - report["time"]) < NEAR_S, f"{label}: what the portions make together")
    run.expect(abs(locks - calls) < NEAR_S, f"{label}: the time in locks")
    run.expect(took < report["wall"] + NEAR_S and report["wall"] < took + START_S, f"{label}: the whole time")


def record(run, program, label, mode, env):
    """By how much the times of the archive differ from what the program has measured, in s."""
    result, archive = run.record(label, [program, mode], env, status=-9 if "KILLED" in env else 0)
    took = [int(word) / 1e9 for word in re.search(r"took (\d+) and (\d+) ns", result.stdout).groups()]
    at_once = "AT_ONCE" in env
    said = BACK if at_once else SAID.format(MODES[mode])
    run.expect(any(re.fullmatch("spur: " + said, line) for line in result.spur),
               f"what is said of {label}: {result.spur}")
    trace = run.judge(archive, "KILLED" in env)
    run.equal(trace.regions()["pthread_mutex_lock"], PAIRS + at_once, f"locks of {label}")
    report, rows = run.report(archive), run.query(archive, LOCKS)
    if not at_once:
        run.expect(any(re.fullmatch(said, text) for text in report["remarks"]), f"remarks on {label}")
        deviation(run, label, trace.archive, mode)
    sums(run, label, report, rows, took[1])
    apart = [rows[at]["leave_s"] - rows[BEGIN]["enter_s"] - was for at, was in zip((CHANGE, -1), took)]
    print(f"{label}: {apart[0] * 1e6:.1f} and {apart[1] * 1e6:.1f} us from the truth")
    return abs(apart[1] - apart[0]) if abs(apart[0]) < SOON_S else SOON_S


def main(run):
    if not tsc_forbidden.HAS_TSC:
        return
    program = run.command(["{programs}/thread_tsc"])[0]
    places = {"TSC_AT": ",".join(tsc_forbidden.readings(run.library)), "SPUR_CLOCK": "tsc",
              "SPUR_PTHREAD": "all"}
    for mode in MODES:
        for how in ({}, {"KILLED": "1"}, {"AT_ONCE": "1"})[:2 + (mode == "back_a_little")]:
            label = ".".join((mode, *how)).lower()
            near = any(record(run, program, f"{label}.{i}", mode, {**places, **how}) < NEAR_S
                       for i in range(TRIES))
            run.expect(near, f"{label}: times within {NEAR_S} s")
