# SPDX-License-Identifier: BSD-3-Clause
"""A thread that is cancelled while the agent works for it ends with PTHREAD_CANCELED."""

import matrix

of = "wrappers/pthread"
SETTINGS = {"default": {}, "long_way": {"SPUR_MIN_DURATION": "1us", "SPUR_BUFFER": "512K"},
            "contended": {"SPUR_PTHREAD": "contended"}, "all": {"SPUR_PTHREAD": "all"},
            "lifetime": {"SPUR_PTHREAD": "lifetime"}}


def main(run):
    for name, settings in SETTINGS.items():
        list(matrix.cells(run, name, ["{programs}/thread_async_cancel"], ["agent"],
                          settings=settings))
