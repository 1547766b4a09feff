# SPDX-License-Identifier: BSD-3-Clause
"""What tests of commands have in common that draw what they do, and go on after a fault."""

import os
import random
import time

import openmpi
from turns import some

# glibc overwrites memory that is freed: who reads it after that reads nonsense.
FORGETS = {"MALLOC_PERTURB_": "165"}


class Seeded:
    """
    NAME_SEED=N in the environment, which each fault names, draws as that run did. With ALL=1 a test does
    all that it else draws a part of: `some`.
    """

    def __init__(self, name, folder):
        self.name, self.folder = f"{name}_SEED", folder
        self.faults = 0
        self.seed = int(os.environ.get(self.name, time.time_ns() % 10**9))
        self.draw = random.Random(self.seed)
        self.env = {**os.environ, **FORGETS, **openmpi.ENV}

    def some(self, choices, n=1):
        """So many of these choices, or all of them."""
        return some(choices, n, self.draw)

    def fault(self, text):
        print(f"FAULT: {self.name}={self.seed}: {text}")
        self.faults += 1

    def same(self, what, value, wanted):
        if value != wanted:
            self.fault(f"{what}: {value!r:.2000} instead of {wanted!r:.2000}")

    def path(self, *names):
        return os.path.join(self.folder, *names)
