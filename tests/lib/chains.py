# SPDX-License-Identifier: BSD-3-Clause
"""The chains of calls of tests/programs/thread_chains.c, as it prints them and as an archive has them."""

import bisect
import os
import subprocess

from call_stacks import Paths

LIBRARY = "libchains"


class Chains:
    """Those of a program. Where spur finds no names, for which it starts a helper, symbols have them."""

    def __init__(self, run, program):
        self.run, self.program = run, run.command(["{programs}/" + program])[0]
        listed = subprocess.run(["nm", "-n", self.program], stdout=subprocess.PIPE, check=True)
        rows = [line.split() for line in listed.stdout.decode().splitlines() if line[:1].isalnum()]
        functions = [(int(at, 16), name) for at, kind, name in rows if kind in "tT"]
        self.starts, self.names = zip(*functions)
        self.own = set()

    def said(self, lines):
        """Lines that the program has printed."""
        chains = [tuple(line.split()) for line in lines]
        self.own.update(name for chain in chains for name in chain)
        return chains

    def trace(self, label, mode, *options, env=None):
        """(its archive, the chains that it says)"""
        place = os.path.join(self.run.scratch, label)
        words = [self.run.spur, *options, "-o", place, self.program, *mode]
        traced = self.run.execute(words, f"{label}.run", env)
        self.run.equal((traced.status, traced.stderr), (0, ""), f"{label}: status and errors")
        return self.run.judge(place).archive, self.said(traced.stdout.splitlines())

    def name_of(self, function):
        """"program+0x12" is a function of it. Of its library nobody knows one."""
        module, plus, offset = os.path.basename(function).partition("+0x")
        if module.startswith(LIBRARY):
            return LIBRARY
        if not plus:
            return function
        if module != os.path.basename(self.program):
            return "?"
        return self.names[max(0, bisect.bisect(self.starts, int(offset, 16)) - 1)]

    def chain(self, functions):
        """Those that the program knows; others of the C library may stand between them and before."""
        shown = [self.name_of(function) for function in functions]
        return tuple(name for name in shown if name in self.own)

    def of_context(self, archive, context):
        return self.chain(name for _, name, _, _ in Paths(archive).nodes(context))
