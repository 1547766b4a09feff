# SPDX-License-Identifier: BSD-3-Clause
"""
Calls creat() by ctypes, which nothing else calls, in many ways, and says for each call which functions of
Python's it was in: [qualified name, file, line], the innermost first. from_c() is called by functions in C.
"""

import asyncio
import ctypes
import functools
import json
import sys
import threading
from os import close

truth = []
free = ctypes.CDLL(None).creat  # without the GIL
held = ctypes.PyDLL(None).creat
callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)


def said():
    """The line of the caller is that of the next call."""
    frame, stack = sys._getframe(1), []
    while frame:
        code = frame.f_code
        stack.append([getattr(code, "co_qualname", code.co_name), code.co_filename.rsplit("/", 1)[-1],
                      frame.f_lineno])
        frame = frame.f_back
    truth.append(stack)


def plain(n=0):
    said() or close(free(b"made", 0o600))
    said() or close(held(b"made", 0o600))
    return n


def from_c(n=0):
    plain()
    return n


class Größe:
    """Names that are not ASCII, and calls that are no calls in the source."""
    def __init__(self):
        plain()

    def __lt__(self, other):
        plain()
        return True

    def __del__(self):
        said() or close(free(b"made", 0o600))

    @property
    def value(self):
        return (lambda: plain(1))()

    def __enter__(self):
        return self

    def __exit__(self, *what):
        plain()


def recursive(n):
    return recursive(n - 1) if n else plain()


def generated(n):
    plain()
    for i in range(n):
        yield i
        plain()


def delegated(n):
    yield from generated(n)
    yield from map(from_c, range(n))


def raises(n):
    try:
        if not n:
            raise KeyError(n)
        raises(n - 1)
    finally:
        said() or close(free(b"made", 0o600))


def deep(n):
    """Python and C in turns."""
    said() or close(free(b"made", 0o600))
    if n:
        sorted([n], key=callback(lambda i: deep(i - 1)) if n % 3 == 0 else lambda i: deep(i - 1))
    return 0


async def waits(n):
    plain()
    await asyncio.sleep(0)
    plain()
    return [one async for one in each(n)]


async def each(n):
    for i in range(n):
        said() or close(free(b"made", 0o600))
        yield i


def many():
    plain()
    with Größe() as big:
        assert big.value == 1
    del big
    recursive(5)
    list(delegated(2))
    [plain(i) for i in range(2)]
    sorted([1, 2], key=from_c)
    sorted([Größe(), Größe()])
    callback(from_c)(1)
    functools.partial(from_c, 3)()
    functools.reduce(lambda a, b: plain(a), [1, 2])
    try:
        raises(3)
    except KeyError:
        plain()
    deep(7)
    exec(compile("\n\nplain()\ndef made():\n  plain()\nmade()", "<made>", "exec"), {"plain": plain})


def in_thread(work, daemon=False):
    thread = threading.Thread(target=work, daemon=daemon)
    thread.start()
    thread.join()


if __name__ == "__main__":
    many()
    in_thread(many)
    in_thread(plain, True)
    asyncio.run(waits(2))
    recursive(900 if sys.version_info >= (3, 11) else 300)  # of 1024 frames, with those in C
    with open("truth", "w", encoding="utf-8") as file:
        json.dump(truth, file)
    truth.clear()
