# SPDX-License-Identifier: BSD-3-Clause
"""Processes that do not end: where they are, for the message of a failed test, and their end."""

import os
import signal
import subprocess

DEBUGGER_S, LINES = 20, 400


def _link(pid, name):
    try:
        return os.readlink(f"/proc/{pid}/{name}")
    except OSError:
        return ""


def _text(pid, name):
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def processes_in(folder):
    """Those that work in a folder or below it: neither a session of its own nor a cleared environment
    hides a process from this."""
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    here = os.path.realpath(folder)
    return [pid for pid in pids if pid != os.getpid()
            and (_link(pid, "cwd") + "/").startswith(here + "/")]


def where(pid):
    """What a process is, and the stacks of its threads."""
    words = ["gdb", "-q", "-batch", "-p", str(pid), "-ex", "thread apply all bt 25"]
    try:
        said = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False,
                              stderr=subprocess.DEVNULL, timeout=DEBUGGER_S).stdout
        lines = said.decode(errors="replace").splitlines()
    except (OSError, subprocess.TimeoutExpired) as error:
        lines = [str(error)]
    first = next((i for i, line in enumerate(lines) if line.startswith("Thread ")), 0)
    state = [line for line in _text(pid, "status").splitlines()
             if line.split(":")[0] in ("State", "PPid", "SigPnd", "ShdPnd", "SigBlk", "SigCgt")]
    return [f"pid {pid}: {_text(pid, 'cmdline') or _text(pid, 'comm')}",
            "  " + "; ".join(" ".join(line.split()) for line in state),
            f"  waits in {_text(pid, 'wchan')}"] + ["  " + line for line in lines[first:LINES]]


def explain(folder):
    """Lines about all processes that work in the folder."""
    return "\n".join(line for pid in processes_in(folder) for line in where(pid))


def end(folder):
    """No process works there any more."""
    for _ in range(100):
        left = processes_in(folder)
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if not left:
            return
