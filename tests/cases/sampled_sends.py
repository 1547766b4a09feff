# SPDX-License-Identifier: BSD-3-Clause
"""
Samples that come while a rank is in MPI_Isend: the record of the send, which is written once the
request is known, has the time of the Enter as without samples. No message arrives before it is sent.
"""

import os

import otf2
from otf2 import events as ev

of = "agent/sampling"
command = ["{programs}/sampled_sends{mpi}"]
ranks = 2
env = {"SPUR_SAMPLE": "997"}
ROUNDS = 10000


def check(trace, run):
    kinds = trace.kinds()
    run.equal(kinds["MpiIsend"], ROUNDS, "sends")
    run.expect(kinds["CallingContextSample"] > 0, f"samples: {kinds}")
    entered, late, within = {}, [], 0
    with otf2.reader.open(os.path.join(run.scratch, "outer.archive", "traces.otf2")) as reader:
        for location, event in reader.events:
            if isinstance(event, (ev.Enter, ev.CallingContextEnter)):
                entered[location] = event
            elif isinstance(event, (ev.Leave, ev.CallingContextLeave)):
                entered.pop(location, None)
            elif isinstance(event, ev.MpiIsend):
                late += [event.time - entered[location].time] * (event.time != entered[location].time)
            elif isinstance(event, ev.CallingContextSample) and location in entered:
                within += 1
    print(f"    {within} samples within calls")
    run.equal(late, [], "sends later than their Enter")
