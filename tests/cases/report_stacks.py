# SPDX-License-Identifier: BSD-3-Clause
"""
Stacks in the report: the time between two calls belongs to what both stacks have in common, and the
calls themselves have the numbers that they have without stacks.
"""

from reported import Reported

of = "tools/report/topics"
CALLS = {"pthread_mutex_lock": 30, "pthread_mutex_unlock": 30}


def main(run):
    got = Reported(run, "steps", "{programs}/thread_steps", ["--unwind", "20"])
    got.near("main", got.self_of("main"), got.truth["main"], 0.05, 0.02)
    got.near("wide", got.self_of("wide"), got.truth["wide"], 0.05, 0.02)
    run.expect(got.self_of("deep") + got.self_of("call") < 0.02,
               f"no time of main for what it called before\n{got.text}")
    run.equal([got.rows[name]["calls"] for name in ("main", "deep", "call")], [None] * 3,
              "calls of functions that are only on stacks")
    run.equal({name: got.rows[name]["calls"] for name in CALLS}, CALLS, "recorded calls")
    run.equal([text for text in got.json["remarks"] if "open" in text], [], "regions open at the end")
    plain = Reported(run, "plain", "{programs}/thread_steps")
    run.equal({name: plain.rows[name]["calls"] for name in CALLS}, CALLS, "calls without stacks")
    got.near("time of the calls", got.self_of("pthread_mutex_lock"), 0, 0, 0.02)
