# SPDX-License-Identifier: BSD-3-Clause
"""
Allocators of programs that map memory below a lock of their own: in the executable, and preloaded in front of
spur's libraries. A block that spur or the loader took below such a call would never come back. One line
says that such an allocator comes before libspur-memory.so; so it does with well-known ones.
"""

import itertools
import os
import subprocess

of = "wrappers/memory/preload"
HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "..", "programs", "memory", "own_allocator.c")
PLAIN = """
#include <stdlib.h>
#include <stdio.h>
int main(void) { return puts(malloc(50) ? "5" : ""); }
"""
MAPS, LOCKS = ("BY_MMAP", "BY_MPROTECT", "BY_MREMAP", "BY_SBRK"), ("A_SPIN", "A_MUTEX")
OPTIONS = (["--memory"], ["--memory=4K", "--io", "posix,isoc"])
NO_MEMORY = ["spur: memory is not recorded: the program has a malloc() that comes before libspur-memory.so"]
KNOWN = ("libjemalloc.so.2", "libtcmalloc_minimal.so.4")
PATIENCE_S = 60


def build(run, maps, locks, name, *more):
    path = os.path.join(run.scratch, f"{name}.{maps}.{locks}")
    subprocess.run(["gcc", "-g", "-O1", "-Wall", "-fno-builtin", "-pthread", f"-DMAPS={maps}",
                    f"-DLOCKS={locks}", *more, SOURCE, "-o", path], check=True)
    return path


def in_front(library, program):
    return ["/bin/sh", "-c", f'LD_PRELOAD="{library}:$LD_PRELOAD" exec "$0"', program]


def told(run, label, words, status, printed):
    traced, _ = run.record(label, words, status=status, timeout=PATIENCE_S)
    run.equal(traced.stdout, printed, label)
    run.equal(traced.spur[:-1], NO_MEMORY, f"{label}: what spur says")


def main(run):
    source, plain = (os.path.join(run.scratch, name) for name in ("plain.c", "plain"))
    with open(source, "w", encoding="utf-8") as file:
        file.write(PLAIN)
    subprocess.run(["gcc", source, "-o", plain], check=True)
    for maps, locks in zip(MAPS, itertools.cycle(LOCKS)):
        program = build(run, maps, locks, "own")
        library = build(run, maps, locks, "library", "-DLIBRARY", "-fPIC", "-shared")
        for number, options in enumerate(OPTIONS):
            what = f"{maps}.{locks}.{number}"
            told(run, f"own.{what}", options + [program], 5, "2000 2000 2000\n")
            told(run, f"front.{what}", options + in_front(library, plain), 2, "5\n")
    for library in KNOWN:
        told(run, library, OPTIONS[0] + in_front(library, plain), 2, "5\n")
