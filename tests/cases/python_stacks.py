# SPDX-License-Identifier: BSD-3-Clause
"""
SPUR_UNWIND: a program of Python says for each call which functions it is in; the recorded stacks have the
same functions with the same lines in this order, and functions in C where these call. Samples of a program
whose threads still run when it ends, or forks.
"""

import json
import os

from call_stacks import LOOP, Paths, is_script, place

PYTHON = "/usr/bin/python3"
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "script_stacks.py")
INNER = '''
import _xxsubinterpreters as interpreters

inner = interpreters.create()
interpreters.run_string(inner, "import ctypes; ctypes.CDLL(None).creat(b'made', 0o600)")
'''
ENDS = '''
import os
import sys
import threading
import time


def nested(n):
    return nested(n - 1) if n else 0


def work():
    while True:
        nested(50)
        sorted([1, 2], key=lambda n: nested(2))
        exec("def made(): pass" + chr(10) + "made()")
        time.sleep(0.0001)


for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
end = time.monotonic() + 0.15
while time.monotonic() < end:
    nested(900)
if sys.argv[1] == "fork":
    child = os.fork()
    nested(100)
    if not child:
        os._exit(nested(3))
    os.waitpid(child, 0)
if sys.argv[1] == "_exit":
    os._exit(0)
'''
ENV = {"SPUR_UNWIND": "1024", "SPUR_WRAP": "io", "SPUR_IO": "posix"}

files = {"ends.py": ENDS}


def stacks(archive):
    """Above each creat(), in the order of time."""
    paths, found = Paths(archive), []
    for location in archive.locations:
        for kind, time, values, _ in archive.events(location):
            if kind != "CallingContextEnter":
                continue
            region = paths.values("CallingContext", values[0])["region"]
            if archive.name_of("Region", region) == "creat":
                found.append((time, paths.frames(values[0], lambda name: name)))
    return [stack for _, stack in sorted(found)]


def ends(run):
    """Threads are in the middle of anything, or have no GIL, when the interpreter takes their frames."""
    for way in ("exit", "_exit", "fork"):
        archive = os.path.join(run.scratch, f"{way}.archive")
        result = run.execute([run.spur, "-o", archive, PYTHON, "-B", "ends.py", way], f"{way}.run",
                             {"SPUR_SAMPLE": "2000", "SPUR_WRAP": "pthread", "SPUR_PTHREAD": "lifetime"})
        run.equal([result.status, result.stderr], [0, ""], f"{way}: status and errors")
        run.judge(archive)


def traced(run, label, *words):
    archive = os.path.join(run.scratch, f"{label}.archive")
    result = run.execute([run.spur, "-o", archive, PYTHON, "-B", *words], f"{label}.run", ENV)
    run.equal([result.status, result.stderr], [0, ""], f"{label}: status and errors")
    return stacks(run.judge(archive).archive)


def main(run):
    inner = traced(run, "inner", "-c", INNER)
    run.equal([[is_script(frame) for frame in stack].count(True) for stack in inner], [0],
              "functions of Python beside a sub-interpreter")
    found = traced(run, "many", SCRIPT)
    with open(os.path.join(run.scratch, "many.run", "truth"), encoding="utf-8") as file:
        truth = [[place(*frame) for frame in stack] for stack in json.load(file)]
    run.expect(len(truth) > 100, "that the program says something")
    run.equal(len(found), len(truth), "calls")
    for i, (stack, said) in enumerate(zip(found, truth)):
        got = [frame for frame in stack if is_script(frame)]
        run.equal(got, said, f"functions of call {i}, in {stack}")
    between(run, found)
    ends(run)


def between(run, found):
    """from_c() is called by C, and nothing else in the stack is the loop."""
    callers = [stack[i + 1] for stack in found for i, frame in enumerate(stack[:-1])
               if frame.startswith("from_c@")]
    run.expect(len(callers) > 10, "calls of from_c()")
    run.equal([frame for frame in callers if is_script(frame)], [], "what calls from_c()")
    loops = [frame for stack in found for frame in stack if LOOP in frame]
    run.equal(loops, [], "loops of the interpreter")
