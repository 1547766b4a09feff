# SPDX-License-Identifier: BSD-3-Clause
"""
Values and the event they belong to are never apart: no chunk ends between them. So a process that
stops there, or dies while it goes on to another chunk, leaves both or none. The program's events
have the same bytes in each run; half of the chunks would end so.
"""

of = "agent/metrics"
env = {"SPUR_PTHREAD": "all"}  # the subject is what becomes of many records

LOAD = ["{programs}/serial_flush", "2", "0", "20000"]
ENV = {"SPUR_BUFFER": "512K", "SPUR_METRICS": "rusage:majflt", "SPUR_UNWIND": "4"}


def main(run):
    for flush in ("write", "ring", "stop"):
        _, archive = run.record(flush, run.command(LOAD), {**ENV, "SPUR_FLUSH": flush}, status=3)
        run.spur_check(archive, True)
    ends = 0
    for location in ("0", "1"):
        printed = run.says("print", "-L", location, f"{run.scratch}/write.archive")
        events = [line.split(None, 1)[0] for line in printed.splitlines() if line.strip()]
        for before, event in zip(events, events[1:]):
            ends += event == "BUFFER_FLUSH"
            run.expect((before, event) != ("METRIC", "BUFFER_FLUSH"), "values beside their event")
    run.expect(ends >= 8, f"the ends of at least 8 chunks, got {ends}")
