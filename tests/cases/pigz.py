# SPDX-License-Identifier: BSD-3-Clause
"""pigz compresses with four threads."""

import hashlib
import os

of = "wrappers/pthread"
command = ["pigz", "-n", "-b", "128", "-p", "4", "input.txt"]
files = {"input.txt": "".join(f"{i * 2654435761 % 4294967296:x} line {i}\n" for i in range(60000))}


def output(folder):
    with open(os.path.join(folder, "input.txt.gz"), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def check(trace, run):
    run.expect(trace.kinds()["ThreadCreate"] >= 2, "threads")
    run.expect(trace.kinds()["ThreadAcquireLock"] > 10, "locks")
