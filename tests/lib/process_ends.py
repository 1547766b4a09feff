# SPDX-License-Identifier: BSD-3-Clause
"""
How the processes of tests/programs/exits.cpp and of programs with kill_counts.h end, what an archive
says of it, and the counts of their own calls that they keep.
"""

import os
import signal
import struct

COUNTS, PAIR = 4096, struct.Struct("<4Q")

# Beyond "exit status N" and "killed by SIGNAL": what the process itself says before.
SAYS_ABORT = {"abort", "abort_ignored", "assert", "terminate", "uncaught", "uncaught_thread",
              "uncaught_destructor", "quick_exit_aborts", "abort_in_call", "abort_in_once",
              "thread_abort", "atexit_abort", "static_abort"}
DIES = "died, cause unknown"

# What the agent notes itself, but of a stack that is full.
NOTED = ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT")


def modes(run, program):
    """(mode, status, places) of all the ways to end that a program knows."""
    listed = run.execute(run.command([program, "--list"]), "list")
    rows = [line.split() for line in listed.stdout.splitlines()]
    run.expect(len(rows) > 70, "a table of modes")
    return [(row[0], row[1], row[2:]) for row in rows]


def status_of(word):
    """By the conventions of subprocess."""
    return int(word) if word.isdigit() else -getattr(signal, word)


def expected_end(mode, word, is_seen):
    """The property END of a process, without what is said of a core file."""
    if word.isdigit():
        return DIES if mode == "raw_exit" and not is_seen else f"exit status {word}"
    seen = f"killed by {word}" if is_seen or (word in NOTED and mode != "overflow") else None
    return ", ".join(filter(None, ["abort" if mode in SAYS_ABORT else None, seen])) or DIES


def ends_of(trace):
    """For each process its END and the like, in the order of the location groups."""
    archive, ends = trace.archive, {}
    for name, values in archive.definitions:
        if name == "LocationGroupProperty":
            group = ends.setdefault(values["locationGroup"], {})
            group[archive.string(values["name"])] = archive.string(values["value"])
    return [ends[group] for group in sorted(ends)]


def read_counts(path):
    """(begun, done, pid) of each thread, or rank."""
    if not os.path.exists(path) or os.path.getsize(path) < COUNTS * PAIR.size:
        return []
    with open(path, "rb") as file:
        return [values[:3] for values in PAIR.iter_unpack(file.read())]


def leaves(trace, location, regions):
    """Leaves of the regions: those that the process recorded, those that were added for it."""
    done = added = 0
    for name, _, values, attributes in trace.events(location):
        if name == "Leave" and trace.archive.name_of("Region", values[0]) in regions:
            done += attributes is None
            added += attributes is not None
    return done, added
