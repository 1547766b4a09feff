# SPDX-License-Identifier: BSD-3-Clause
"""
Calls of an empty function and of abs(), in CPU time: `python_calls.py CALLS [empty]`. With `empty` an empty
function is given to sys.setprofile() before.
"""

import sys
import time


def empty():
    pass


def call_empty(calls):
    for _ in range(calls):
        empty()


def call_abs(calls):
    for _ in range(calls):
        abs(1)


def main():
    calls = int(sys.argv[1])
    if "empty" in sys.argv:
        sys.setprofile(lambda frame, event, argument: None)
    for case in (call_empty, call_abs):
        begin = time.process_time_ns()
        case(calls)
        print(case.__name__, (time.process_time_ns() - begin) / calls)


main()
