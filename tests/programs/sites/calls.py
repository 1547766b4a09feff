# SPDX-License-Identifier: BSD-3-Clause
"""
Makes calls of MPI by extension.c in many ways, and says where: in functions, methods, generators,
comprehensions, threads, callbacks from C and from other functions of Python, destructors, names that
are not ASCII, by ctypes, in code that is made while the program runs and goes, at the address of
other code.
"""

import ctypes
import os
import sys
import threading

import extension

SHORT = __file__.rsplit("/", 1)[-1]


def said(call="MPI_Barrier"):
    """The line of the caller is that of the next call."""
    os.write(1, f"{call} {SHORT}:{sys._getframe(1).f_lineno}\n".encode())


def function(n):
    for _ in range(n):
        said() or extension.barrier()
    said() or extension.locked_barrier()


class Größe:
    def method(self):
        said() or extension.barrier()

    def __del__(self):
        said() or extension.barrier()


def generator(n):
    said() or extension.barrier()
    for i in range(n):
        yield i
        said() or extension.barrier()


def inner():
    said() or extension.barrier()


def outer():
    extension.through(inner)
    said() or extension.barrier()


def fails():
    try:
        said() or extension.barrier()
        raise ValueError
    except ValueError:
        said() or extension.barrier()


def made():
    """Code objects that come and go, and differ only in which line is where."""
    for i in range(30):
        code = compile("\n" * i + "barrier()\n" + "\n" * (30 - i) + "pass\n", "made.py", "exec")
        os.write(1, f"MPI_Barrier made.py:{i + 1}\n".encode())
        exec(code, {"barrier": extension.barrier})
        del code


said("MPI_Init_thread") or extension.begin()
function(3)
thing = Größe()
thing.method()
del thing
list(generator(3))
[(said(), extension.barrier()) for _ in range(2)]
outer()
fails()
sorted([3, 1, 2], key=lambda x: (said(), extension.barrier(), x)[2])
made()
threads = [threading.Thread(target=function, args=(5,)) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
present = ctypes.c_int()
libraries = ctypes.CDLL(None)
said("MPI_Query_thread") or libraries.MPI_Query_thread(ctypes.byref(present))
said("MPI_Finalize") or extension.end()
