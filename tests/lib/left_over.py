# SPDX-License-Identifier: BSD-3-Clause
"""
What killed runs leave behind, as data: kept in memory, put back anywhere and changed on the way, so
that finishing can be shown every state that files can be in. Used by cases of tests/cases.
"""

import os
import signal
import socket
import subprocess

MEBIBYTE = 1 << 20


class LeftOver:
    """The directory of a session: its files by path, its folders, its links."""

    def __init__(self, session):
        self.files, self.folders, self.links = {}, [], {}
        for folder, folders, names in os.walk(session):
            here = os.path.relpath(folder, session)
            self.folders.append(here)
            for name in names + folders:
                path = os.path.normpath(os.path.join(here, name))
                if os.path.islink(os.path.join(folder, name)):
                    self.links[path] = os.readlink(os.path.join(folder, name))
                elif name in names:
                    with open(os.path.join(folder, name), "rb") as file:
                        self.files[path] = file.read()

    def copy(self):
        other = LeftOver.__new__(LeftOver)
        other.files, other.folders = dict(self.files), list(self.folders)
        other.links = dict(self.links)
        return other

    def processes(self):
        """The folders of the processes."""
        return sorted(os.path.dirname(path) for path in self.files
                      if os.path.basename(path) == "segment")

    def put(self, session):
        """Write it all to a new directory; of two things of one name the first one counts."""
        for folder in sorted(self.folders):
            os.makedirs(os.path.join(session, folder), exist_ok=True)
        for path, data in self.files.items():
            path = os.path.join(session, path)
            if os.path.isdir(os.path.dirname(path)) and not os.path.isdir(path):
                with open(path, "wb") as file:
                    file.write(data)
        for path, target in self.links.items():
            path = os.path.join(session, path)
            if os.path.isdir(os.path.dirname(path)) and not os.path.lexists(path):
                os.symlink(target, path)


def leave(run, words, folder, env=None, launcher=()):
    """Run a program that gets itself killed, without who would finish its session; LeftOver."""
    session = os.path.join(run.scratch, folder)
    command = list(launcher) + ["env", f"LD_PRELOAD={run.library}", f"SPUR_DIR={session}"]
    run.execute(command + run.command(words), folder + ".run", env)
    run.expect(os.path.isdir(os.path.join(session, ".spur")), f"something left in {session}")
    left = LeftOver(session)
    run.expect(left.processes(), "processes that left something")
    return left


# ---- what may lie in the place of a file ----

def make_fifo(path):
    os.mkfifo(path, 0o600)


def make_socket(path):
    here = os.getcwd()
    os.chdir(os.path.dirname(path))  # names of sockets are short
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(os.path.basename(path))
    os.chdir(here)


def make_folder(path):
    os.makedirs(os.path.join(path, "inside"))


def make_huge(path):
    """A terabyte of nothing."""
    with open(path, "wb") as file:
        file.truncate(1 << 40)


def make_loop(path):
    os.symlink(os.path.basename(path), path)


PLACEHOLDERS = (make_fifo, make_socket, make_folder, make_huge, make_loop)


# ---- judging ----

class Ended:
    """How a command ended: `line` is all that it said."""

    def __init__(self, status, line):
        self.status, self.line = status, line


def execute(words, timeout, limits, env):
    """Run a command within limits; the text of what went wrong, or how it ended."""
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, preexec_fn=limits, env=env)
    try:
        out, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None, f"not done after {timeout} s"
    text = out.decode(errors="replace")
    if process.returncode < 0:
        name = signal.Signals(-process.returncode).name
        return None, f"ended by {name}: {text[-2000:]}"
    return Ended(process.returncode, text), None
