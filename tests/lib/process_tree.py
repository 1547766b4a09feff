# SPDX-License-Identifier: BSD-3-Clause
"""The processes of an archive, and those that strace sees of the same program without the agent."""

import collections
import os
import re

Group = collections.namedtuple("Group", "pid creator name properties")


def groups(trace):
    """The location groups in order; `creator` is the pid of the creating one, or None."""
    archive, of = trace.archive, {}
    for kind, values in archive.definitions:
        if kind == "LocationGroupProperty":
            value = values["value"]
            value = value if isinstance(value, int) else value[1]
            of.setdefault(values["locationGroup"], {})[archive.string(values["name"])] = \
                archive.string(value)
    found = []
    for number, (_, values) in sorted(archive.spaces["LocationGroup"].items()):
        creator = of.get(values["creatingLocationGroup"], {}).get("PID")
        found.append(Group(of[number]["PID"], creator, archive.string(values["name"]), of[number]))
    return found


def images(trace):
    """How often each program is there, by the name of its file."""
    return collections.Counter(os.path.basename(group.properties["EXECUTABLE"])
                               for group in groups(trace))


def truth(run, words, folder, env=None):
    """
    Run it under strace, without the agent: (number of processes, how often each program was started,
    by the name of its file). Processes that execute another program count for that one only.
    """
    log = os.path.join(run.scratch, folder + ".strace")
    watched = "execve,execveat,fork,vfork,clone,clone3"
    result = run.execute(["strace", "-f", "-qq", "-s", "0", "-e", "signal=none", "-e",
                          f"trace={watched}", "-o", log] + words, folder, env)
    run.equal(result.status, 0, f"status under strace {result.stderr}")
    with open(log, encoding="utf-8", errors="replace") as file:
        text = file.read()
    pids = {line.split(None, 1)[0] for line in text.splitlines()}
    made = re.findall(r"(?:clone3?|fork)(?:\(| resumed).*= (\d+)$", text, re.MULTILINE)
    return len((pids | set(made)) - threads(text)), starts(text)


def starts(text):
    """
    How often each program was started. Where a call is told of in two lines, only the second one says
    that it has failed; one that worked in another thread than the first has no second one.
    """
    started, begun = collections.Counter(), {}
    for line in text.splitlines():
        pid, rest = line.split(None, 1)
        failed = re.search(r"= -1 |= \?", rest)
        call = re.match(r'execve\("([^"]*)"', rest)
        if call and (not failed or "<unfinished" in rest):
            begun[pid] = os.path.basename(os.path.realpath(shell_of(call.group(1))))
            started[begun[pid]] += 1
        elif "execve resumed" in rest and "= -1 " in rest:
            started[begun.pop(pid)] -= 1
    return +started


def shell_of(path):
    """A script is started as what its first line names."""
    try:
        with open(path, "rb") as file:
            head = file.read(128)
    except OSError:
        return path
    return head[2:].split()[0].decode() if head[:2] == b"#!" else path


def threads(text):
    """Numbers of threads, which strace lists like processes. A call may be told of in two lines."""
    found, makes_thread = set(), {}
    for line in text.splitlines():
        pid, rest = line.split(None, 1)
        if re.match(r"clone3?\(", rest):
            makes_thread[pid] = "CLONE_THREAD" in rest
        made = re.search(r"= (\d+)$", rest)
        if made and re.match(r"(<\.\.\. )?clone", rest) and makes_thread.get(pid):
            found.add(made.group(1))
    return found


def expect_all(run, trace, words, folder="strace", env=None):
    """Each process that strace sees is in the archive, and each program as often as it was started."""
    count, started = truth(run, words, folder, env)
    seen = images(trace)
    missing = {name: (n, seen[name]) for name, n in started.items() if seen[name] < n}
    run.equal(missing, {}, f"programs (started, recorded) of {dict(started)}")
    run.equal(len({group.pid for group in groups(trace)}), count, "processes")
    alone = [group.name for group in groups(trace)[1:] if group.creator is None]
    run.equal(alone, [], "processes without a creator")
