# SPDX-License-Identifier: BSD-3-Clause
"""
SPUR_UNWIND: programs of Python say for each call which functions they are in, one of them in calls that are
drawn; the recorded stacks have the same functions with the same lines in this order, and functions in C where
these call. Samples of a program whose threads still run when it ends, or forks. Beside a sub-interpreter, and
for a version that spur does not know, one line says that there are none. SEED=N draws as the run did that
printed it; TEST_PYTHON=/path/to/python3 is another interpreter.
"""

import collections
import json
import os
import random
import subprocess

from call_stacks import LOOP, Paths, is_script, place
from python_way import MINOR, PYTHON

of = "wrappers/python"
PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs")
SCRIPT, DRAWN = (os.path.join(PROGRAMS, f"script_{name}.py") for name in ("stacks", "random"))
# Calls before there is another interpreter, while there is, in that one, and when it has gone.
INNER = '''
import ctypes
import sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

creat = ctypes.CDLL(None).creat


def outer():
    creat(b"made", 0o600)


outer()
if sys.version_info >= (3, 13):
    inner = interpreters.create(sys.argv[1])
elif sys.version_info >= (3, 12):
    inner = interpreters.create(isolated=sys.argv[1] == "isolated")
else:
    inner = interpreters.create()
outer()
interpreters.run_string(inner, "def theirs(): __import__('posix').truncate('made', 0)" + chr(10) + "theirs()")
interpreters.destroy(inner)
outer()
'''
# As an interpreter of a version that has not all that is needed.
UNKNOWN = '''
#include <fcntl.h>

const char *Py_GetVersion(void);
const char *Py_GetVersion(void)
{
    return "3.6.8 (default)";
}

int main(void)
{
    return creat("made", 0600) < 0;
}
'''
ENDS = '''
import os
import sys
import threading
import time


def nested(n):
    return nested(n - 1) if n else 0


def in_child(until):
    while time.process_time() < until:
        pass


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
        in_child(time.process_time() + 0.1)
        os._exit(nested(3))
    os.waitpid(child, 0)
if sys.argv[1] == "_exit":
    os._exit(0)
'''
ENV = {"SPUR_UNWIND": "1024", "SPUR_WRAP": "io", "SPUR_IO": "posix"}
SAMPLED = {"SPUR_SAMPLE": "2000", "SPUR_WRAP": "pthread", "SPUR_PTHREAD": "lifetime"}

files = {"ends.py": ENDS, "inner.py": INNER}


def stacks(archive, calls=("creat",)):
    """Above each of these calls, in the order of time."""
    paths, found = Paths(archive), []
    for location in archive.locations:
        for kind, time, values, _ in archive.events(location):
            if kind != "CallingContextEnter":
                continue
            region = paths.values("CallingContext", values[0])["region"]
            if archive.name_of("Region", region) in calls:
                found.append((time, paths.frames(values[0], lambda name: name)))
    return [stack for _, stack in sorted(found)]


def sampled(archive, function):
    """How many samples find the function on the stack."""
    paths = Paths(archive)
    return sum(any(name == function for _, name, _, _ in paths.nodes(values[0]))
               for location in archive.locations
               for kind, _, values, _ in archive.events(location) if kind == "CallingContextSample")


def ends(run):
    """Threads are in the middle of anything, or have no GIL, when the interpreter takes their frames."""
    for way in ("exit", "_exit", "fork"):
        _, archive = run.record(way, [PYTHON, "-B", "-W", "ignore", "ends.py", way], SAMPLED)
        samples = sampled(run.judge(archive).archive, "in_child")
        run.expect(samples > 5 if way == "fork" else samples == 0, f"{way}: samples of the child: {samples}")


def traced(run, label, *words, said=0):
    """Its archive; how many lines of spur's tell why functions of Python are missing."""
    result, archive = run.record(label, words, ENV)
    run.equal(sum("without functions of Python" in line for line in result.spur), said, f"{label}: lines")
    return run.judge(archive).archive


def inner(run, way):
    archive = traced(run, way, PYTHON, "-B", "inner.py", way, said=1)
    counts = [[is_script(frame) for frame in stack].count(True)
              for stack in stacks(archive, ("creat", "truncate", "truncate64"))]
    run.equal(counts, [2, 0, 0, 2], f"{way}: functions of Python beside a sub-interpreter")


def unknown(run):
    program = os.path.join(run.scratch, "unknown")
    done = subprocess.run(["cc", "-x", "c", "-rdynamic", "-o", program, "-"], input=UNKNOWN.encode(),
                          check=False)
    run.equal(done.returncode, 0, "status of the compiler")
    run.equal(len(stacks(traced(run, "old", program, said=1))), 1, "calls of an unknown version")


def main(run):
    inner(run, "legacy")
    if MINOR >= 12:
        inner(run, "isolated")
    unknown(run)
    found = same(run, "many", SCRIPT)
    between(run, found)
    seed = os.environ.get("SEED", str(random.randrange(10 ** 6)))
    print(f"SEED={seed}")
    between(run, same(run, "drawn", DRAWN, seed), 0)
    ends(run)


def same(run, label, *words):
    """The stacks, of which the functions of Python are what the program says."""
    found = stacks(traced(run, label, PYTHON, "-B", *words))
    with open(os.path.join(run.scratch, f"{label}.run", "truth"), encoding="utf-8") as file:
        truth = [[place(*frame) for frame in stack] for stack in json.load(file)]
    run.expect(len(truth) > 20, f"{label}: that the program says something")
    run.equal(len(found), len(truth), f"{label}: calls")
    for i, (stack, said) in enumerate(zip(found, truth)):
        got = [frame for frame in stack if is_script(frame)]
        run.equal(got, said, f"{label}: functions of call {i}, in {stack}")
    sites = collections.Counter(stack[0].split("@")[-1] for stack in truth)
    run.equal(reported_sites(run, label), sites, f"{label}: sites in the report")
    return found


def reported_sites(run, label):
    """Of calls by ctypes: that is in another library, which has no lines."""
    rows = run.report(os.path.join(run.scratch, f"{label}.archive"), "--by", "sites", "--top", "1000")
    found = collections.Counter()
    for row in rows["sections"]["sites"]:
        found[row["site"]] += row["calls"] if row["region"] == "creat" else 0
    return +found


def between(run, found, least=10):
    """from_c() is called by C, and nothing else in the stack is the loop."""
    callers = [stack[i + 1] for stack in found for i, frame in enumerate(stack[:-1])
               if frame.startswith("from_c@")]
    run.expect(len(callers) >= least, "calls of from_c()")
    run.equal([frame for frame in callers if is_script(frame)], [], "what calls from_c()")
    loops = [frame for stack in found for frame in stack if LOOP in frame]
    run.equal(loops, [], "loops of the interpreter")
