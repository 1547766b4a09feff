# SPDX-License-Identifier: BSD-3-Clause
"""
growth.py python|numpy: a list grows for a second, in steps that the clock tells; in the same steps the
program takes blocks that it gives back. Prints the line that takes what stays, and its bytes.
"""

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
begin = time.monotonic()
for i in range(STEPS):
    time.sleep(max(0, begin + i / STEPS - time.monotonic()))
    step()
for number, text in enumerate(open(__file__, encoding="utf-8"), 1):
    if text.rstrip().endswith("# kept by " + sys.argv[1]):
        print(number, STEPS * MIB)
