# SPDX-License-Identifier: BSD-3-Clause
"""
Samples of a program that works in short turns, in step with ticks and sleeps: their number is that of
its CPU time, and they are where it works. Without perf_event_open(2) only their number is.
"""

from reported import Reported

of = "tools/report/topics"
RATE = 100
POINTS = 0.14  # four standard deviations of 200 samples


def main(run):
    got = Reported(run, "shares", "{programs}/thread_shares", ["--sample", str(RATE)])
    first, second = got.truth["first"], got.truth["second"]
    got.near("CPU time", got.total("first") + got.total("second"), first + second, 0.1, 0.05)
    said = run.says("print", "-G", got.place)
    share = got.total("first") / (got.total("first") + got.total("second"))
    print(f"    share of the first: {share:.3f} of {first / (first + second):.3f}")
    if "timer_create and perf_event_open" in said:
        run.expect(abs(share - first / (first + second)) <= POINTS, f"share {share}\n{got.text}")
    else:
        run.expect("timer_create" in said, "how samples are taken")
    clock = Reported(run, "clock", "{programs}/thread_phases", ["--sample", "task-clock:2000000"]) \
        if "perf_event_open" in said else None
    if clock:  # user mode only
        time = clock.total("first") + clock.total("second")
        wanted = clock.truth["first"] + clock.truth["second"]
        run.expect(0.3 * wanted < time <= 1.1 * wanted, f"CPU time {time} of {wanted}")
