# SPDX-License-Identifier: BSD-3-Clause
"""
How long tests wait for a program. The limit is a guard against hangs, and no budget: on a machine that
is busy everything takes many times longer. It is a little less than the 10 minutes after which ctest
ends a test, so that the test itself can still say what hangs.
"""

HANG_S = 540
