# SPDX-License-Identifier: BSD-3-Clause
"""
growth.py python|numpy: a list grows for a second, in steps that the clock tells, or for three times as long
as the program took to begin; in the same steps the program takes blocks that it gives back. Prints the line
that takes what stays, and its bytes.
"""

import os
import sys
import time

STEPS, MIB = 40, 1 << 20
kept = []


class Record:
    def __init__(self):
        self.data = bytes(2000)  # kept by python


def by_python():
    for _ in range(MIB // 2000):
        kept.append(Record())
    sum(bytes(MIB))


def by_numpy():
    kept.append(numpy.zeros(MIB // 8))  # kept by numpy
    return numpy.arange(MIB) * 2.0


step = {"python": by_python, "numpy": by_numpy}[sys.argv[1]]
if step is by_numpy:
    import numpy
with open("/proc/self/stat", encoding="utf-8") as stat:
    started = int(stat.read().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
length = max(1, 3 * (time.clock_gettime(time.CLOCK_BOOTTIME) - started))
begin = time.monotonic()
for i in range(STEPS):
    time.sleep(max(0, begin + i * length / STEPS - time.monotonic()))
    step()
time.sleep(length / 10)
for number, text in enumerate(open(__file__, encoding="utf-8"), 1):
    if text.rstrip().endswith("# kept by " + sys.argv[1]):
        print(number, STEPS * MIB)
