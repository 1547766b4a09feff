# SPDX-License-Identifier: BSD-3-Clause
"""
Half messages: a receive that is freed while it is open is never completed in the trace, and a call
that fails records no message. Both judges name just these.
"""

import os
import re
import subprocess

command = ["{programs}/requests_left{mpi}"]
ranks = 3
mpi = ["mpich", "openmpi", "abi"]

# The communicator that the program makes is the third one.
WANTED = sorted(
    [f"requests: process {rank}: MpiIrecvRequest # is never completed" for rank in range(ranks)] +
    [f'messages: comm {comm} {rank}->{(rank + 1) % ranks} tag {tag}: 1 sent, 0 received'
     for comm, tag in ((0, 30), (2, 81), (2, 83)) for rank in range(ranks)])


def comparable(fault):
    return re.sub(r' "[^"]*"', "", re.sub(r"MpiIrecvRequest \d+", "MpiIrecvRequest #", fault))


def main(run):
    from check_trace import Trace
    plain = run.untraced()
    run.equal(plain.status, 0, "exit status without the agent")
    result, archive = run.traced("outer")
    run.same(result, plain)
    trace = Trace(os.path.join(archive, "traces.otf2"))
    run.equal(sorted(comparable(fault) for fault in trace.faults), WANTED, "faults")
    kinds = trace.kinds()
    for kind, count in (("MpiIsend", 1), ("MpiIsendComplete", 1), ("MpiIrecvRequest", 4),
                        ("MpiIrecv", 2), ("MpiRequestCancelled", 1), ("MpiSend", 5),
                        ("MpiRecv", 1)):
        run.equal(kinds.get(kind, 0), count * ranks, kind)
    check = subprocess.run([run.spur, "check", "--strict", archive], stdout=subprocess.PIPE,
                           check=False)
    run.expect(f"\n{len(WANTED)} faults, 0 remarks in " in check.stdout.decode(),
               f"the same number of faults from spur check: {check.stdout.decode()}")
