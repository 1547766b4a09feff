# SPDX-License-Identifier: BSD-3-Clause
"""
Recorded calls where the stack is small: in handlers on alternate stacks from 2 KiB on, in threads of
16 KiB, in a main thread of 32 KiB. Everything that the agent has to do happens there: the first
record, a full buffer, a death of a child, the end of the process with the archive, a new process and
another program. The runs are those of the untraced program. They say themselves when a handler used more than
2 KiB beside what the kernel puts there: 1 KiB for us, the rest its own.
"""

import matrix

of = "base agent/stacks"
PROGRAM = "{programs}/thread_small_stacks"
KIB = 1024
HANDLERS = ("lock", "flush", "child", "end", "end_first", "fork", "exec")
THREADS = ("t_lock", "t_system", "t_fork", "t_exit", "t_end", "t_exec")
STATUS = {"end": 3, "end_first": 3, "exec": 8, "t_exit": 4, "t_end": 3, "t_exec": 8}
WAYS = ("launcher", "agent")
# Small chunks are full soon; what is read at each event, and the stack at each, takes more.
SMALL_BUFFER = {"SPUR_BUFFER": "512K", "SPUR_PTHREAD": "all"}
RECORDING = {"metrics": {"SPUR_METRICS": "rusage:minflt"}, "unwind": {"SPUR_UNWIND": "8"}}


def sizes_of(mode):
    return (16 * KIB, 24 * KIB, 32 * KIB) if mode in THREADS else (2 * KIB, 8 * KIB, 16 * KIB)


def main(run):
    for mode in HANDLERS + THREADS:
        for size in sizes_of(mode):
            command = [PROGRAM, mode, str(size)]
            # A process that has recorded nothing may leave none.
            for cell in matrix.cells(run, f"{mode}.{size}", command, ways=WAYS,
                                     settings=SMALL_BUFFER,
                                     archive=None if mode == "end_first" else True):
                run.equal(cell.traced.status, STATUS.get(mode, 0), cell.what + "status")
                if mode == "flush" and size == 2 * KIB:
                    run.expect(cell.trace(run).kinds()["BufferFlush"] > 0, cell.what + "a flush")
    for name, settings in RECORDING.items():
        for mode, size in ("lock", 2 * KIB), ("flush", 2 * KIB), ("t_lock", 16 * KIB):
            for _ in matrix.cells(run, f"{name}.{mode}", [PROGRAM, mode, str(size)], ways=WAYS[1:],
                                  settings={**settings, **SMALL_BUFFER}):
                pass
    command = ["sh", "-c", f"ulimit -s 32; exec {run.command([PROGRAM])[0]} lock 8192"]
    for cell in matrix.cells(run, "main", command, ways=WAYS):
        run.equal(cell.traced.status, 0, cell.what + "status")
