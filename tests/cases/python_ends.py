# SPDX-License-Identifier: BSD-3-Clause
"""
SPUR_PYTHON: small programs that are drawn, and how they end while threads run Python code, functions in C, or
wait for locks. Each prints the same and ends in the same way as without spur, and its archive is true. SEED=N
draws as the run did that printed it; PROGRAMS=N are so many; TEST_PYTHON=/path/to/python3 is another
interpreter (CPython 3.8 to 3.15; see lib/python_way.py).
"""

import os
import random
import re

from python_way import PYTHON, TAKES, WAYS
from run_case import without_numbers
from seeded import FORGETS

of = "wrappers/python"
FEW = 6  # as many as a test takes
SETTINGS = ({}, {"SPUR_SITES": "on"}, {"SPUR_MIN_DURATION": "1us"}, {"SPUR_WRAP": "python"})

HEAD = '''
import atexit
import os
import signal
import sys
import threading
import time


def plain(n=0):
    return n


def marked():
    plain()


def generated(n):
    for i in range(n):
        yield plain(i)


def raises(n):
    if n == 0:
        raise KeyError(n)
    raises(n - 1)


def caught():
    try:
        raises(3)
    except KeyError:
        plain()


class Held:
    def __del__(self):
        plain()


class Slow:
    def __del__(self, sleep=time.sleep):
        sleep(0.02)


held = Held()
lock = threading.Lock()
lock.acquire()
turn = threading.Condition()
ends = os.pipe()


def start(work):
    begun = threading.Event()

    def run():
        begun.set()
        work()
    threading.Thread(target=run, daemon=True).start()
    begun.wait()


def say(text):
    marked()
    print(text, flush=True)
'''

# What a thread does until the program ends.
FOREVER = {
    "calls": "while True:\n    plain()",
    "generators": "while True:\n    sum(generated(5))",
    "exceptions": "while True:\n    caught()",
    "naps": "while True:\n    time.sleep(0.0003)\n    plain()",
    "sleeps": "time.sleep(1000)",
    "locked": "plain()\nlock.acquire()",
    "timed": "while not lock.acquire(timeout=0.0004):\n    plain()",
    "turns": "with turn:\n    turn.wait()",
    "spins": "while True:\n    with turn:\n        turn.wait(0.0003)",
    "queue": "import queue\none = queue.Queue()\nwhile True:\n    one.put(plain())\n    one.get()",
    "reads": "os.read(ends[0], 1)",
    "opens": "while True:\n    with open('/dev/null') as file:\n        file.read()",
    "packs": "import zlib\nwhile True:\n    zlib.compress(b'x' * 100000)\n    plain()",
    "foreign": "import ctypes\nuse = ctypes.CDLL(None).usleep\nwhile True:\n    use(300)\n    plain()",
    # Keeps the GIL: CPython crashes if C calls Python when the interpreter has just gone (PyGILState_Ensure).
    "called": "import ctypes\nback = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int)(plain)\n"
              "while True:\n    back(3)",
    "sorts": "while True:\n    sorted([3, 1, 2], key=plain)",
    "tasks": "import asyncio\nasync def turns():\n    while True:\n        await asyncio.sleep(0)\n"
             "asyncio.run(turns())",
    "makes": "while True:\n    one = threading.Thread(target=plain, daemon=True)\n"
             "    try:\n        one.start()\n    except RuntimeError:\n        return\n    one.join()",
}
# What the program does meanwhile.
DONE = {
    "calls": "for i in range(200):\n    plain(i)",
    "raises": "caught()",
    "naps": "time.sleep(0.003)",
    "thread": "one = threading.Thread(target=marked)\none.start()\none.join()",
    "bad_thread": "one = threading.Thread(target=raises, args=(2,))\none.start()\none.join()",
    "exit_thread": "one = threading.Thread(target=sys.exit, args=(4,))\none.start()\none.join()",
    "late_thread": "threading.Thread(target=lambda: (time.sleep(0.01), marked())).start()",
    "pool": "from concurrent.futures import ThreadPoolExecutor\n"
            "with ThreadPoolExecutor(2) as pool:\n    print(sum(pool.map(plain, range(20))), flush=True)",
    "fork": "child = os.fork()\nif child == 0:\n    say('child')\n    os._exit(5)\n"
            "print(os.waitpid(child, 0)[1] >> 8, flush=True)",
    "fork_exit": "child = os.fork()\nif child == 0:\n    say('child')\n    sys.exit(6)\n"
                 "print(os.waitpid(child, 0)[1] >> 8, flush=True)",
    "generator": "half = generated(9)\nnext(half)",
    "slow": "slow = Slow()",
    "held": "circle = Held()\ncircle.itself = circle",
}
LAST = {
    "says": "say('last')",
    "raises": "raises(1)",
    "calls": "sum(generated(50))",
    "naps": "time.sleep(0.002)\nplain()",
    "collects": "import gc\ngc.collect()",
}
# How the program ends.
ENDS = {
    "end": "plain()",
    "exit": "sys.exit(3)",
    "text": "sys.exit('a text')",
    "raise": "raises(2)",
    "_exit": "os._exit(7)",
    "exec": "os.execv('/bin/sh', ['sh', '-c', 'exit 8'])",
    "abort": "os.abort()",
    "kill": "os.kill(os.getpid(), signal.SIGKILL)\ntime.sleep(1000)",
    "term": "os.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(1000)",
    "handled": "signal.signal(signal.SIGTERM, lambda *_: sys.exit(9))\n"
               "os.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(1000)",
    "interrupt": "signal.raise_signal(signal.SIGINT)\ntime.sleep(1000)",
    "alarm": "signal.setitimer(signal.ITIMER_REAL, 0.002)\ntime.sleep(1000)",
    "deep": "sys.setrecursionlimit(150)\ndef deeper():\n    return deeper()\ndeeper()",
    "threads": "threading.Thread(target=lambda: (time.sleep(0.005), os._exit(10))).start()\ntime.sleep(1000)",
}


def function(name, body):
    """What it imports is there before: a fork meanwhile would find half of it."""
    lines = body.splitlines()
    imports = [line for line in lines if line.startswith("import ")]
    inner = [f"    {line}" for line in lines if line not in imports]
    return "\n".join(["", "", *imports, f"def {name}():", *inner, ""])


def program(draw):
    """A program, and in words what it does."""
    threads = draw.choices(sorted(FOREVER), k=1 + draw.randrange(3))
    done = draw.choices(sorted(DONE), k=draw.randrange(4))
    last = draw.choices(sorted(LAST), k=draw.randrange(3))
    end = draw.choice(sorted(ENDS))
    text = HEAD + "".join(function(f"thread{i}", FOREVER[name]) for i, name in enumerate(threads))
    text += "".join(f"start(thread{i})\n" for i in range(len(threads)))
    for i, name in enumerate(last):
        text += function(f"last{i}", LAST[name]) + f"\n\natexit.register(last{i})\n"
    text += "".join(f"say({name!r})\n{DONE[name]}\n" for name in done)
    return f"{text}say('end')\n{ENDS[end]}\n", " ".join([*threads, "|", *done, "|", *last, "|", end])


def stderr(text):
    """Not the lines of a traceback, since a signal comes at any of them, nor paths."""
    lines = [re.sub(r"\S+/", "", line) for line in text.splitlines() if not line.startswith(" ")]
    return without_numbers("\n".join(lines))


def marks(result):
    """The calls of marked() at least: each line but those of numbers."""
    return sum(not line.isdigit() for line in result.stdout.splitlines())


def trace(run, name, what, way, settings):
    """Once without spur, and once with it."""
    command = [PYTHON, "-B", "-W", "ignore", f"{name}.py"]
    env = {**FORGETS, **WAYS[way]}
    plain = run.execute(command, f"{name}.plain", env)
    _, archive = run.record(name, ["--python", *command], {**env, **settings}, plain)
    run.spur_check(archive, False, ("thread-left",))  # the end may come before a thread begins
    rows = {row["region"]: row["calls"] for row in run.report(archive)["sections"]["regions"]}
    calls = rows.get("marked", 0)
    least = 0 if "SPUR_MIN_DURATION" in settings else marks(plain)
    run.expect(calls >= least, f"{name}, {what}: {least} calls of marked(), not {calls}")


def main(run):
    seed = int(os.environ.get("SEED", random.randrange(10 ** 6)))
    print(f"SEED={seed}")
    draw = random.Random(seed)
    for i in range(int(os.environ.get("PROGRAMS", FEW))):
        text, what = program(draw)
        way, settings = draw.choice(sorted(WAYS)), draw.choice(SETTINGS)
        what = f"{what}, {way} {settings}"
        print(f"{i}: {what}")
        run.case.files = {f"p{i}.py": text, **TAKES}
        trace(run, f"p{i}", what, way, settings)
