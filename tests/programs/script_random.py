# SPDX-License-Identifier: BSD-3-Clause
"""
`script_random.py SEED`: chains of calls that are drawn, by all sorts of callers in Python and in C. Each link
may call creat(), and says before in which functions it is, as script_stacks.py does.
"""

import asyncio
import contextlib
import ctypes
import functools
import itertools
import json
import operator
import random
import re
import sys
import threading
import weakref

from script_stacks import callback, close, free, held, said, truth

CHAINS, LONGEST = 25, 9
WAYS = {}
draw = random.Random(int(sys.argv[1]))


def way(function):
    """A link of a chain: it goes on with the rest of it by a call of next()."""
    WAYS[function.__name__] = function
    return function


def go(rest):
    """The next link."""
    if draw.random() < 0.3 or not rest:
        said() or close(draw.choice((free, held))(b"made", 0o600))
    if rest:
        WAYS[rest[0]](functools.partial(go, rest[1:]))
    return 0


class Thing:
    def __init__(self, next):
        self.next = next

    def __eq__(self, other):
        return self.next() == 0

    __hash__ = None

    def __getattr__(self, name):
        return self.next()

    def __call__(self):
        return self.next()

    def __str__(self):
        return str(self.next())

    def __iter__(self):
        yield self.next()

    def __del__(self):
        self.__dict__.pop("last", int)()


@way
def straight(next):
    return next()


@way
def by_lambda(next):
    return (lambda: next())()


@way
def generated(next):
    def each():
        yield 1
        yield next()
    return sum(each())


@way
def delegated(next):
    def each():
        yield from (next() for _ in range(1))
    return list(each())


@way
def thrown(next):
    def each():
        try:
            yield 1
        except KeyError:
            yield next()
    one = each()
    operator.length_hint(one)
    one.send(None)
    return one.throw(KeyError("thrown"))


@way
def closed(next):
    def each():
        try:
            yield 1
        finally:
            next()
    one = each()
    one.send(None)
    one.close()


@way
def comprehended(next):
    return [next() for _ in range(1)] + list({next() for _ in range(0)})


@way
def sorts(next):
    return sorted([1], key=lambda n: next())


@way
def reduces(next):
    return functools.reduce(lambda a, b: next(), [1, 2])


@way
def maps(next):
    return list(map(lambda n: next(), [1]))


@way
def filters(next):
    return list(itertools.takewhile(lambda n: next(), [1]))


@way
def substitutes(next):
    return re.sub("a", lambda found: str(next()), "a")


@way
def parses(next):
    return json.loads("{}", object_hook=lambda found: next())


@way
def calls_back(next):
    return callback(lambda n: next() or 0)(1)


@way
def sorts_in_c(next):
    both = (ctypes.c_int * 2)(2, 1)
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    ctypes.CDLL(None).qsort(both, 2, 4, kind(lambda a, b: next() or 0))


@way
def catches(next):
    try:
        raise KeyError(1)
    except KeyError:
        next()
    finally:
        "".join(["a"])


@way
def raises_through(next):
    def fails(n):
        next()
        raise IndexError(n)
    with contextlib.suppress(IndexError):
        sorted([1], key=fails)


@way
def manages(next):
    @contextlib.contextmanager
    def managed():
        next()
        yield
    with managed():
        pass


@way
def compares(next):
    return [Thing(next)] == [1]


@way
def asks(next):
    return getattr(Thing(next), "missing")


@way
def called(next):
    return Thing(next)()


@way
def prints(next):
    return f"{Thing(next)}"


@way
def unpacks(next):
    one, = Thing(next)
    return one


@way
def destroys(next):
    thing = Thing(next)
    thing.last = next
    del thing


@way
def forgets(next):
    thing = Thing(next)
    kept = weakref.ref(thing, lambda gone: next())
    del thing
    return kept


@way
def makes_code(next):
    exec(compile("\n" * draw.randrange(3) + "def made(next):\n  return next()\nmade(next)", "<made>", "exec"),
         {"next": next})


@way
def makes_class(next):
    class Base:
        def __init_subclass__(cls):
            next()
    return type("Made", (Base,), {})


@way
def remembers(next):
    return functools.lru_cache(lambda: next())()


@way
def awaits(next):
    async def turn():
        await asyncio.sleep(0)
        return next()

    async def turns():
        return await asyncio.gather(turn(), asyncio.sleep(0))

    if asyncio._get_running_loop():
        return next()
    return asyncio.run(turns())


@way
def in_thread(next):
    thread = threading.Thread(target=next)
    thread.start()
    thread.join()


@way
def recurses(next):
    def deeper(n):
        return deeper(n - 1) if n else next()
    return deeper(draw.randrange(20))


if __name__ == "__main__":
    for _ in range(CHAINS):
        go(draw.choices(sorted(WAYS), k=1 + draw.randrange(LONGEST)))
    with open("truth", "w", encoding="utf-8") as file:
        json.dump(truth, file)
    truth.clear()
