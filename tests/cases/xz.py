# SPDX-License-Identifier: BSD-3-Clause
"""xz compresses with two threads."""

import hashlib
import os

of = "wrappers/pthread"
command = ["xz", "-T2", "-1", "--block-size=256KiB", "input.txt"]
files = {"input.txt": "".join(f"{i * 2654435761 % 4294967296:x} line {i}\n" for i in range(60000))}


def output(folder):
    with open(os.path.join(folder, "input.txt.xz"), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def check(trace, run):
    run.expect(trace.kinds()["ThreadCreate"] >= 2, "threads")
