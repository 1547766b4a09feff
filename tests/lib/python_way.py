# SPDX-License-Identifier: BSD-3-Clause
"""
The interpreter that the tests of Python programs run: Debian's, or TEST_PYTHON=/path/to/python3. From CPython
3.12 on there are two ways in which functions are recorded. Programs whose environment has TAKEN find the free
tools of sys.monitoring taken, and are recorded by the other one.
"""

import os
import subprocess

PYTHON = os.environ.get("TEST_PYTHON", "/usr/bin/python3")
SAYS_VERSION = "import sys; print(sys.version_info[1])"
MINOR = int(subprocess.run([PYTHON, "-c", SAYS_VERSION], stdout=subprocess.PIPE, check=True).stdout)
HAS_MONITORING = MINOR >= 12

# A file of the program, which the interpreter runs at its start.
TAKES = {"sitecustomize.py": '''
import sys

for number in (3, 4):
    sys.monitoring.use_tool_id(number, "test")
'''}
TAKEN = {"PYTHONPATH": "."}
WAYS = {"monitoring": {}, "profile": TAKEN} if HAS_MONITORING else {"profile": {}}
