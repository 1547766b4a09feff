# SPDX-License-Identifier: BSD-3-Clause
"""
Time that was not recorded: pauses of the program, a start with recording off, all that comes after a limit.
It is a row of its own and in no other number. Calls that were only counted have a row, too.
"""

from reported import Reported

of = "tools/report/topics agent/record"
PROGRAM = "{programs}/user_truth"
SLACK_S = 0.05


def check(run, got, off, solve, slack=SLACK_S):
    """`off` seconds were not recorded; solve() took so long while it was."""
    whole = sum(got.truth.values())
    got.near("not recorded", got.self_of("(not recorded)"), off, 0.05, slack)
    got.near("not recorded", got.json["not_recorded"], off, 0.05, slack)
    got.near("time", got.json["time"], whole - off, 0.05, slack)
    if solve:
        got.near("solve", got.total("solve"), solve, 0.05, slack)
        got.near("longest solve", got.rows["solve"]["max"], solve, 0.05, slack)
    run.equal(got.rows["(not recorded)"]["self_percent"], None, "percentage of what is not there")
    percents = sum(row["self_percent"] or 0 for row in got.rows.values())
    run.expect(abs(percents - 100) < 0.1, f"100 % of what was recorded, got {percents}")
    run.expect(any("recording was off" in text for text in got.json["remarks"]), "a remark")


def inside_of(got):
    return got.truth["before"] + got.truth["after"]


def main(run):
    got = Reported(run, "paused", PROGRAM)
    check(run, got, got.truth["pause"], inside_of(got))
    got.near("tiny", got.self_of("tiny"), got.truth["tiny"], 0.05, SLACK_S)
    got = Reported(run, "off", PROGRAM, ["--start", "off"])
    check(run, got, got.truth["before"] + got.truth["pause"], 0)
    got = Reported(run, "limited", PROGRAM, env={"SPUR_LIMIT": "1M", "SPUR_PTHREAD": "all"})
    # Somewhere in the phase of many calls it ends.
    off, calls = got.truth["pause"] + got.truth["last"], got.truth["calls"]
    check(run, got, off + calls / 2, inside_of(got), SLACK_S + calls / 2)
    short = Reported(run, "short", PROGRAM, ["--min-duration", "10s"])
    check(run, short, short.truth["pause"], inside_of(short))
    run.expect("tiny" not in short.rows, "no region that is only counted")
    short.near("short calls", short.self_of("(short calls)"), short.truth["tiny"], 0.05, SLACK_S)
