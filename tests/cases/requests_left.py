# SPDX-License-Identifier: BSD-3-Clause
"""
Half messages: a receive that is freed while it is open is never completed in the trace, and neither
is its message. One that is too long for its buffer is received. Both judges name just the first.
"""

import os
import re
import subprocess

of = "wrappers/mpi"
command = ["{programs}/requests_left{mpi}"]
ranks = 3
mpi = ["mpich", "openmpi", "abi"]

WANTED = sorted(
    [f"requests: process {rank}: MpiIrecvRequest # is never completed" for rank in range(ranks)] +
    [f'messages: comm 0 {rank}->{(rank + 1) % ranks} tag 30: 1 sent, 0 received'
     for rank in range(ranks)])


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
                        ("MpiIrecv", 3), ("MpiRequestCancelled", 0), ("MpiSend", 5),
                        ("MpiRecv", 2)):
        run.equal(kinds.get(kind, 0), count * ranks, kind)
    check = subprocess.run([run.spur, "check", "--strict", archive], stdout=subprocess.PIPE,
                           check=False)
    run.expect(f"\n0 faults, {len(WANTED)} remarks in " in check.stdout.decode(),
               f"as many remarks from spur check: {check.stdout.decode()}")
