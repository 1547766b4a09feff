# SPDX-License-Identifier: BSD-3-Clause
"""
The same where reading the clock takes a call: records go the agent's other short way. Buffers are as
small as they can be, so that many records are the last of their chunk.
"""

from cases import thread_locks

of = "agent/record agent/segment"
env = {"SPUR_CLOCK": "monotonic", "SPUR_BUFFER": "512K", "SPUR_PTHREAD": "all"}
command, check = thread_locks.command, thread_locks.check
