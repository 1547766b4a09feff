# SPDX-License-Identifier: BSD-3-Clause
"""
`script_counts.py SEED END`: chains of calls that are drawn, by the callers of script_random.py and more:
processes, tasks, decorators, handlers of signals. END is how it ends. With TRUTH=FILE in the environment a
trace function notes there each begin and end of a function of these files, as `PID THREAD SIGN NAME:LINE`.
"""

import os
import sys
import threading

FILES = ("script_random.py", "script_stacks.py", "<made>", __file__.rsplit("/", 1)[-1])
SIGNS = {"call": "+", "return": "-"}


def note_calls(path):
    to = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def note(frame, event, _):
        frame.f_trace_lines = False
        what = frame.f_code
        if what.co_filename.rsplit("/", 1)[-1] in FILES and event in SIGNS:
            name = getattr(what, "co_qualname", what.co_name)
            os.write(to, f"{os.getpid()} {threading.get_native_id()} {SIGNS[event]} {name}:"
                         f"{what.co_firstlineno}\n".encode())
        return note

    threading.settrace(note)
    sys.settrace(note)


if "TRUTH" in os.environ:
    note_calls(os.environ["TRUTH"])

import asyncio  # noqa: E402
import atexit  # noqa: E402
import concurrent.futures  # noqa: E402
import contextlib  # noqa: E402
import ctypes  # noqa: E402
import functools  # noqa: E402
import gc  # noqa: E402
import multiprocessing  # noqa: E402
import signal  # noqa: E402
import time  # noqa: E402
import unicodedata  # noqa: E402

import script_random  # noqa: E402
from script_random import CHAINS, LONGEST, WAYS, draw, way  # noqa: E402

gc.disable()
MAIN = os.getpid()


def go(rest):
    """The next link."""
    if rest:
        WAYS[rest[0]](functools.partial(go, rest[1:]))
    return 0


def decorated(function):
    @functools.wraps(function)
    def around(*args):
        inside()
        return function(*args)
    return around


def inside():
    pass


@way
def by_decorator(next):
    @decorated
    @decorated
    def inner(n):
        return next()
    return inner(1)


@way
def by_partial_method(next):
    class Has:
        def method(self, n):
            return next()
        part = functools.partialmethod(method, 3)

        @classmethod
        def of_class(cls):
            return cls().part()

        @staticmethod
        def of_none():
            return Has.of_class()
    return Has.of_none()


@way
def dispatches(next):
    @functools.singledispatch
    def kind(n):
        return 1

    @kind.register(int)
    def kind_int(n):
        return next()
    return kind(3)


@way
def handles_signal(next):
    if threading.current_thread() is not threading.main_thread() or os.getpid() != MAIN:
        return next()

    def handler(*_):
        next()
    before = signal.signal(signal.SIGUSR1, handler)
    signal.raise_signal(signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, before)


@way
def raises_in_handler(next):
    if threading.current_thread() is not threading.main_thread() or os.getpid() != MAIN:
        return next()

    def handler(*_):
        next()
        raise TimeoutError
    before = signal.signal(signal.SIGUSR1, handler)
    try:
        time.sleep(signal.raise_signal(signal.SIGUSR1) or 0)
    except TimeoutError:
        inside()
    signal.signal(signal.SIGUSR1, before)


@way
def collects(next):
    def called(phase, _):
        if phase == "start":
            inside()
    if gc.callbacks:
        return next()
    gc.callbacks.append(called)
    gc.collect()
    gc.callbacks.remove(called)
    next()


@way
def circles(next):
    class Circle:
        def __del__(self):
            inside()
    one = Circle()
    one.self = one
    del one
    gc.collect()
    next()


@way
def awaits_many(next):
    async def leaf(n):
        await asyncio.sleep(0)
        inside()
        await asyncio.sleep(0)

    async def middle(n):
        await leaf(n)
        async for m in each(2):
            inside()
        return next() if n == 0 else 0

    async def each(n):
        for i in range(n):
            await asyncio.sleep(0)
            yield i

    async def cancelled():
        try:
            await asyncio.sleep(1000)
        finally:
            inside()

    async def top():
        task = asyncio.ensure_future(cancelled())
        await asyncio.gather(*(middle(i) for i in range(3)))
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    if asyncio._get_running_loop():
        return next()
    return asyncio.run(top())


@way
def in_executor(next):
    async def top():
        return await asyncio.get_running_loop().run_in_executor(None, next)
    if asyncio._get_running_loop():
        return next()
    return asyncio.run(top())


@way
def in_pool(next):
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pool.submit(next).result()


@way
def forks(next):
    child = os.fork()
    if child == 0:
        try:
            next()
        finally:
            os._exit(0)
    os.waitpid(child, 0)


@way
def forks_and_goes_on(next):
    """The child goes on in the functions that were open."""
    child = os.fork()
    next()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


@way
def in_process(next):
    if multiprocessing.current_process().daemon:
        return next()
    process = multiprocessing.get_context("fork").Process(target=next)
    process.start()
    process.join()


def spawned(n):
    inside()


@way
def in_spawned(next):
    if draw.random() < 0.3 and os.getpid() == MAIN and threading.current_thread() is threading.main_thread():
        process = multiprocessing.get_context("spawn").Process(target=spawned, args=(1,))
        process.start()
        process.join()
    next()


@way
def exits_thread(next):
    def work():
        next()
        sys.exit(3)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


@way
def raises_thread(next):
    def work():
        next()
        raise KeyError(3)

    def hook(_):
        inside()
    threading.excepthook = hook
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


@way
def left_suspended(next):
    def half():
        try:
            yield 1
        finally:
            inside()
    kept.append(half())
    for _ in kept[-1]:
        break
    next()


@way
def sends(next):
    def takes():
        got = 0
        while got != 3:
            got = yield got
        next()
        return got
    one = takes()
    one.send(None)
    one.send(1)
    with contextlib.suppress(StopIteration):
        one.send(3)


@way
def delegates_throw(next):
    def inner():
        try:
            yield 1
        except KeyError:
            next()
            yield 2

    def outer():
        yield from inner()
    one = outer()
    one.send(None)
    one.throw(KeyError("x"))
    one.close()


@way
def comprehends_more(next):
    return {i: [inside() for _ in range(2)] for i in (next() for _ in range(1))}


@way
def imports(next):
    exec(compile("def made(n):\n  return n()\nmade(next)\n", "<made>", "exec"), {"next": next})


@way
def named(next):
    """Not ASCII, and as long as names may be."""
    name = draw.choice(("größe", "名前", "𝔘", "n" * 4000, "é" * 2000))
    made = {"next": next}
    exec(compile(f"def {name}():\n  return next()\n", "<made>", "exec"), made)
    return made[unicodedata.normalize("NFKC", name)]()


@way
def refused(next):
    """An exception goes through C to the hook for what nobody can catch."""
    def fails(n):
        next()
        raise IndexError(n)
    hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
    ctypes.CFUNCTYPE(None, ctypes.c_int)(fails)(3)
    sys.unraisablehook = hook


@way
def closes_async(next):
    async def each():
        try:
            yield 1
            yield 2
        except KeyError:
            yield 3
        finally:
            inside()

    async def top():
        one, other, kept = each(), each(), each()
        await one.__anext__()
        await one.aclose()
        await other.__anext__()
        await other.athrow(KeyError("x"))
        async for _ in kept:
            break
        return await asyncio.wait_for(asyncio.shield(asyncio.sleep(0, next())), 10)

    if asyncio._get_running_loop():
        return next()
    return asyncio.run(top())


@way
def in_process_pool(next):
    is_main = os.getpid() == MAIN and threading.current_thread() is threading.main_thread()
    if draw.random() > 0.3 or not is_main:
        return next()
    context = multiprocessing.get_context(draw.choice(("fork", "spawn")))
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        pool.submit(spawned, 1).result()
    next()


@way
def traced(next):
    """A debugger, for a while."""
    if "TRUTH" in os.environ:
        return next()
    sys.settrace(lambda *_: None)
    try:
        next()
    finally:
        sys.settrace(None)


class Held:
    def __del__(self):
        inside()


def at_exit():
    inside()


def blocks(begun):
    begun.set()
    inside()
    lock.acquire()


def dies():
    inside()
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(1000)


def handled(*_):
    inside()
    sys.exit(9)


def ends_by_handler():
    signal.signal(signal.SIGTERM, handled)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(1000)


def in_other(function):
    def work():
        inside()
        function()
    threading.Thread(target=work).start()
    lock.acquire()


def raise_error():
    raise KeyError("the end")


def deep_end(n, function):
    """Out of functions that are open, some of them called by C."""
    if n == 0:
        function()
    elif n % 2:
        deep_end(n - 1, function)
    else:
        sorted([n], key=lambda n: deep_end(n - 1, function))


ENDS = {
    "end": inside,
    "exit": lambda: sys.exit(3),
    "raise": raise_error,
    "_exit": lambda: os._exit(3),
    "exec": lambda: os.execv("/bin/sh", ["sh", "-c", "exit 3"]),
    "kill": dies,
    "term": lambda: (os.kill(os.getpid(), signal.SIGTERM), time.sleep(1000)),
    "handled": ends_by_handler,
    "abort": os.abort,
    "thread_exit": lambda: in_other(lambda: os._exit(3)),
    "thread_exec": lambda: in_other(lambda: os.execv("/bin/sh", ["sh", "-c", "exit 3"])),
    "thread_kill": lambda: in_other(dies),
    "thread_abort": lambda: in_other(os.abort),
    "segv": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "interrupt": lambda: (signal.raise_signal(signal.SIGINT), time.sleep(1000)),
}
kept = []
lock = threading.Lock()
lock.acquire()

if __name__ == "__main__":
    script_random.go = go
    atexit.register(at_exit)
    held = Held()
    begun = threading.Event()
    threading.Thread(target=blocks, args=(begun,), daemon=True).start()
    begun.wait()
    for _ in range(CHAINS):
        go(draw.choices(sorted(WAYS), k=1 + draw.randrange(LONGEST)))
    deep_end(draw.randrange(5), ENDS[sys.argv[2]])
