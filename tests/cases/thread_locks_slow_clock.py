# SPDX-License-Identifier: BSD-3-Clause
"""
The same where reading the clock takes a call: no record goes the agent's short way. Buffers are as
small as they can be, so that many records are the last of their chunk.
"""

from cases.thread_locks import check, command

env = {"SPUR_CLOCK": "monotonic", "SPUR_BUFFER": "512K"}
