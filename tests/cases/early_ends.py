# SPDX-License-Identifier: BSD-3-Clause
"""Processes that end at any moment of their first recorded call have a true archive."""

import matrix

of = "agent/process"
ROWS = {how: ["{programs}/serial_early_ends", how] for how in ("killed", "handler")}


def main(run):
    matrix.table(run, ROWS, ways=["launcher"])
