# SPDX-License-Identifier: BSD-3-Clause
"""
What a process holds while it runs grows with what it records: 256 threads in one process, and 256
processes at the same time, that record little take little space.
"""

of = "agent/segment"
env = {"SPUR_PTHREAD": "all", "SPUR_WRAP": "pthread,process"}
LOCKS = 30
# Processes, threads of each beside the first one, and how many KiB all may have: pages for the header of
# a segment, slots, events, definitions; a thread has 1.1 KiB for its slot and a page for its events.
CROWDS = ((1, 1, 32), (1, 256, 2048), (256, 1, 256 * 32))


def main(run):
    for processes, threads, most in CROWDS:
        name = f"{processes}x{threads}"
        words = run.command(["{programs}/thread_small", str(processes), str(threads), str(LOCKS)])
        result, archive = run.record(name, words)
        kib = int(result.stdout.split()[0])
        print(f"  {name}: {kib} KiB")
        run.expect(8 * processes <= kib <= most, f"at most {most} KiB of {name}, not {kib}")
        trace = run.judge(archive)
        run.equal(trace.kinds()["ThreadAcquireLock"], processes * threads * LOCKS, f"locks of {name}")
