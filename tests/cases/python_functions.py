# SPDX-License-Identifier: BSD-3-Clause
"""
SPUR_PYTHON: a program of Python that counts its own calls, and the same counts in the archive: methods,
recursion, generators, coroutines, exceptions (also through functions in C), threads, children by fork and
spawn, functions at exit. With a filter and SPUR_MIN_DURATION, with a profile function of the program's own,
and with a sub-interpreter. Each way in which a program ends, while a thread of it waits, with an interpreter
that checks its memory.

TEST_PYTHON=/path/to/python3 is another interpreter. From CPython 3.12 on all runs by sys.monitoring and by a
profile function, and one in which the program takes away what spur has of sys.monitoring.
"""

import collections
import os

from python_way import HAS_MONITORING, MINOR, PYTHON, TAKES, WAYS

of = "wrappers/python"
HAS_METHODS = MINOR >= 11  # qualified names

COUNTED = '''
import asyncio
import atexit
import collections
import ctypes
import multiprocessing
import os
import sys
import threading

counts = collections.Counter()
lock = threading.Lock()


def plain(n=0):
    with lock:
        counts["plain"] += 1
    return n


def recursive(n):
    with lock:
        counts["recursive"] += 1
    if n:
        recursive(n - 1)


def generated(n):
    counts["generated"] += 1
    for i in range(n):
        yield i
        counts["generated"] += 1


def closed(n):
    counts["closed"] += 1
    try:
        yield 1
    finally:
        counts["closed"] += 1


def raises(n):
    counts["raises"] += 1
    if n == 0:
        raise KeyError(n)
    raises(n - 1)


def through_c(n):
    counts["through_c"] += 1
    if n == 0:
        raise IndexError(n)
    return sorted([n - 1], key=through_c)


def refused(n):
    counts["refused"] += 1
    raise MemoryError(n)


class Thing:
    def __init__(self):
        counts["Thing.__init__"] += 1

    def __lt__(self, other):
        counts["Thing.__lt__"] += 1
        return id(self) < id(other)


async def own_turn(n):
    counts["own_turn"] += 1
    await asyncio.sleep(0)
    counts["own_turn"] += 1
    return plain(n)


async def tasks():
    counts["tasks"] += 1
    await asyncio.gather(*(own_turn(i) for i in range(5)))
    counts["tasks"] += 1


def work():
    with lock:
        counts["work"] += 1
    for _ in range(50):
        plain()


def at_exit():
    counts["at_exit"] += 1
    with open(f"counts.{os.getpid()}", "w") as file:
        for name, n in counts.items():
            print(name, n, file=file)


def child(n):
    counts["child"] += 1
    plain()
    at_exit()


if __name__ == "__main__":
    atexit.register(at_exit)
    recursive(20)
    list(generated(7))
    for one in closed(3):
        break
    del one
    next(held := closed(1))
    held.close()
    try:
        raises(5)
    except KeyError:
        plain()
    try:
        through_c(5)
    except IndexError:
        plain()
    callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(plain)
    assert callback(3) == 3
    unheard, sys.unraisablehook = [], lambda one: unheard.append(one.exc_type)
    ctypes.CFUNCTYPE(None, ctypes.c_int)(refused)(3)
    assert unheard == [MemoryError]
    sys.unraisablehook = sys.__unraisablehook__
    sorted([3, 1, 2], key=plain)
    sorted([Thing(), Thing()])
    asyncio.run(tasks())
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for way in ("fork", "spawn"):
        process = multiprocessing.get_context(way).Process(target=child, args=(1,))
        before = collections.Counter(counts)
        if way == "fork":
            counts.clear()
        process.start()
        counts = before
        process.join()
        assert process.exitcode == 0
'''
OWN = '''
import cProfile
import ctypes
import sys
import threading


def before():
    pass


def counted():
    pass


def other():
    pass


def foreign(argument):
    pass


def thread():
    for _ in range(5):
        other()


calls = []


def note(frame, event, argument):
    if event == "call" and frame.f_code is counted.__code__:
        calls.append(frame)


def by_setprofile():
    sys.setprofile(note)
    for _ in range(10):
        counted()
    sys.setprofile(None)
    return [len(calls)]


def by_profile():
    profile = cProfile.Profile()
    profile.enable()
    for _ in range(10):
        counted()
    profile.disable()
    names = [(getattr(entry.code, "co_name", ""), entry.callcount) for entry in profile.getstats()]
    return [n for name, n in names if name == "counted"]


before()
print(by_profile())
print(by_setprofile())
both = threading.Thread(target=thread)
both.start()
both.join()
number, call = ctypes.c_ulong(), ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(foreign)
ctypes.CDLL(None).pthread_create(ctypes.byref(number), None, call, None)
ctypes.CDLL(None).pthread_join(number, None)
'''
# A profiler may not bear a return of which it has not seen the call.
MATCHED = '''
import sys


def matched():
    pass


def matching():
    sys.setprofile(lambda frame, event, _: events.append(event))
    matched()
    sys.setprofile(None)


events = []
matching()
print(events)
'''
LOST = '''
import sys
import threading

got = []


def before():
    pass


def after():
    pass


def thread():
    for _ in range(5):
        after()


before()
if {sets}:
    sys.setprofile(lambda *_: None)
tools = sys.monitoring
tools.free_tool_id(4)
tools.use_tool_id(4, "its own")
tools.register_callback(4, tools.events.PY_START, lambda code, offset: got.append(code.co_name))
tools.set_events(4, tools.events.PY_START)
open("/dev/null").close()
for _ in range(10):
    after()
both = threading.Thread(target=thread)
both.start()
both.join()
print(tools.get_tool(4), got.count("after"))
'''
ENDS = '''
import atexit
import os
import signal
import sys
import threading
import time


def plain():
    pass


def waits(begun):
    plain()
    begun.set()
    time.sleep(1000)


def last():
    plain()
    print("last", flush=True)


class Held:
    def __del__(self):
        plain()


atexit.register(last)
held = Held()
begun = threading.Event()
threading.Thread(target=waits, args=(begun,), daemon=True).start()
begun.wait()
plain()
if sys.argv[1] == "raise":
    raise KeyError("the end")
if sys.argv[1] == "_exit":
    os._exit(3)
if sys.argv[1] == "exec":
    os.execv("/bin/sh", ["sh", "-c", "exit 3"])
if sys.argv[1] == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
sys.exit(3)
'''
# How a program ends, its status, and the calls of plain() and last() at least.
EXITS = {"exit": (3, 3, 1), "raise": (1, 3, 1), "_exit": (3, 2, 0), "exec": (3, 2, 0), "kill": (-9, 2, 0)}
INNER = '''
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters


def plain():
    return 5


inner = interpreters.create()
interpreters.run_string(inner, "def theirs(): print('theirs', flush=True)" + chr(10) + "theirs()")
interpreters.destroy(inner)
print(plain(), plain())
'''
# What a child of fork() calls first is known to its parent, by another number.
FORKS = '''
import os


def outer():
    pass


def inner():
    outer()


def alone():
    pass


alone()
inner()
child = os.fork()
inner()
if not child:
    os._exit(0)
os.waitpid(child, 0)
'''
FILTER = """SCOREP_FILE_NAMES_BEGIN
  EXCLUDE */lib/python3*
  EXCLUDE <frozen*
SCOREP_FILE_NAMES_END
SCOREP_REGION_NAMES_BEGIN
  EXCLUDE recursive
SCOREP_REGION_NAMES_END
"""
files = {"counted.py": COUNTED, "own.py": OWN, "ends.py": ENDS, "inner.py": INNER, "forks.py": FORKS,
         "matched.py": MATCHED, "filter": FILTER, **TAKES}
for sets in (False, True):
    files[f"lost{int(sets)}.py"] = LOST.format(sets=sets)


class Functions:
    def __init__(self, run, way):
        self.run, self.way = run, way

    def trace(self, label, script, env=None, status=0):
        run, label = self.run, f"{self.way}.{label}"
        env = {"SPUR_WRAP": "pthread,python", **WAYS[self.way], **(env or {})}
        command = ["--python", PYTHON, "-B", *script.split()]
        result, archive = run.record(label, command, env, status=None)
        run.equal(result.status, status, f"{label}: exit status, {result.stderr}")
        return run.judge(archive), result

    def said(self, label):
        """By itself. The name of a method is in the archive from CPython 3.11 on."""
        said = collections.Counter()
        folder = os.path.join(self.run.scratch, f"{self.way}.{label}.run")
        for name in os.listdir(folder):
            if name.startswith("counts."):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    for line in file:
                        said[line.split()[0]] += int(line.split()[1])
        self.run.expect(said["child"] == 2, f"{label}: that both children say something, {said}")
        return {name: n for name, n in said.items() if HAS_METHODS or "." not in name}

    def equal(self, label, trace, left_out=()):
        regions = trace.regions()
        for name, n in sorted(self.said(label).items()):
            wanted = 0 if name in left_out else n
            self.run.equal(regions.get(name, 0), wanted, f"{self.way}, {label}: calls of {name}")


def main(run):
    for way in WAYS:
        functions = Functions(run, way)
        counted(run, functions)
        own(run, functions)
        ends(run, functions)
    if HAS_MONITORING:
        lost(run, Functions(run, "monitoring"))


def rules_of(run):
    return os.path.join(run.scratch, "filter")


def counted(run, functions):
    trace, _ = functions.trace("counted", "counted.py")
    functions.equal("counted", trace)
    run.equal(trace.regions().get("Thread.run", 0), 4 if HAS_METHODS else 0, "functions of modules")
    line = 1 + COUNTED[:COUNTED.index("def plain")].count("\n")
    regions = trace.archive.spaces["Region"].values()
    places = {(os.path.basename(trace.archive.string(values["sourceFile"])), values["beginLineNumber"])
              for _, values in regions if trace.archive.string(values["name"]) == "plain"}
    run.equal(places, {("counted.py", line)}, "where plain() is")
    with open(rules_of(run), "w", encoding="utf-8") as file:
        file.write(FILTER)
    trace, _ = functions.trace("filter", "counted.py", {"SPUR_FILTER": rules_of(run)})
    functions.equal("filter", trace, ("recursive",))
    run.equal(trace.regions().get("Thread.run", 0), 0, "functions of modules that are left out")
    trace, _ = functions.trace("short", "counted.py", {"SPUR_MIN_DURATION": "10s"})
    often = [name for name in functions.said("short") if trace.regions().get(name, 0) > 10]
    run.equal(often, [], "short functions")


def own(run, functions):
    """A profile function of the program's own: before CPython 3.12 cProfile is one, too."""
    trace, result = functions.trace("own", "own.py")
    run.equal(result.stdout, "[10]\n[10]\n", "what the program's profiles say")
    is_apart = functions.way == "monitoring"
    lines = sum("sets a profile function of Python" in line for line in result.spur)
    run.expect(lines == 0 if is_apart else lines > 0, f"a line about it, or none: {lines}")
    regions = trace.regions()
    got = [regions.get(name, 0) for name in ("before", "counted", "other", "foreign", "note")]
    wanted = [1, 20, 5, 1, 0] if is_apart else [1, 10 if HAS_MONITORING else 0, 0, 0, 0]
    run.equal(got, wanted, f"{functions.way}: functions beside the program's own profile")
    _, result = functions.trace("matched", "matched.py")
    run.equal(result.stdout, "['call', 'return', 'c_call']\n", "what a profile function is told first")


def lost(run, functions):
    for sets, calls in ((0, 15), (1, 0)):
        trace, result = functions.trace(f"lost{sets}", f"lost{sets}.py")
        run.equal(result.stdout, "its own 15\n", "what the program's tool sees")
        lines = sum("takes the tool of sys.monitoring" in line for line in result.spur)
        run.equal(lines, 1, f"lines about it: {result.spur}")
        regions = trace.regions()
        got = [regions.get(name, 0) for name in ("before", "after")]
        run.equal(got, [1, calls], "functions of a program that takes the tool")


def ends(run, functions):
    env = {"SPUR_FILTER": rules_of(run), "SPUR_WRAP": "python"}
    trace, _ = functions.trace("forks", "forks.py", env)
    regions = trace.regions()
    got = [regions.get(name, 0) for name in ("alone", "inner", "outer")]
    run.equal(got, [1, 3, 3], "functions of a child beside those of its parent")
    trace, result = functions.trace("inner", "inner.py", env)
    run.equal(result.stdout, "theirs\n5 5\n", "what is printed with a sub-interpreter")
    run.equal(sum("sub-interpreters" in line for line in result.spur), 1, "lines about sub-interpreters")
    regions = trace.regions()
    got = [regions.get(name, 0) for name in ("plain", "theirs")]
    run.equal(got, [2, 0], "functions beside a sub-interpreter")
    for way, (status, *calls) in EXITS.items():
        # It looks at what it gives back, to where that came from.
        trace, result = functions.trace(way, f"ends.py {way}", {**env, "PYTHONMALLOC": "debug"}, status)
        regions = trace.regions()
        run.equal(result.stdout, "last\n" * calls[1], f"{way}: what is printed")
        got = [regions.get(name, 0) for name in ("plain", "last", "waits")]
        run.equal(got, [*calls, 1], f"{way}: functions")
