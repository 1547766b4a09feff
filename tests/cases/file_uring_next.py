# SPDX-License-Identifier: BSD-3-Clause
"""Functions of liburing that Debian 12 lacks, by a stand-in: a ring in the program's memory, new waits."""

import io_events

of = "wrappers/io"
command = ["{programs}/next_uring"]
env = {"SPUR_IO": "aio", "SPUR_WRAP": "io"}
CALLS = ["queue_init_mem", "submit_and_wait_min_timeout", "submit_and_wait_reg", "wait_cqes_min_timeout"]


def check(trace, run):
    regions = trace.regions()
    is_refused = "not permitted" in run.plain.stdout
    calls = CALLS[:1] if is_refused else CALLS
    run.equal([regions.get("io_uring_" + call) for call in calls], [1] * len(calls), "regions")
    if is_refused:
        print("io_uring is not permitted here: only a call that fails was judged")
    else:
        run.equal(io_events.sums(trace), {"next": (0, 300)}, "bytes")
