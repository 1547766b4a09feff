# SPDX-License-Identifier: BSD-3-Clause
"""
What a test does in turns: a run does a part of it, which is drawn; with ALL=1 in the environment all of it.
TURNS=N draws what the run did that printed it.
"""

import os
import random
import time

ALL = "ALL" in os.environ
SEED = int(os.environ.get("TURNS", time.time_ns() % 10**9))


def some(choices, n=1, draw=None):
    """So many of these choices, in their order, or all of them."""
    choices = list(choices)
    if ALL or n >= len(choices):
        return choices
    return [choices[i] for i in sorted((draw or _drawing()).sample(range(len(choices)), n))]


def _drawing():
    global _draw
    if not _draw:
        print("TURNS =", SEED)
        _draw = random.Random(SEED)
    return _draw


_draw = None
