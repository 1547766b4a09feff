# SPDX-License-Identifier: BSD-3-Clause
"""
The records of an archive in a form that two runs of one program share: no times, no ids, no program
names. Communicators are numbered in the order in which a location meets them and shown with their
name and members, requests likewise.
"""

from judge import otf2_tables as tables
from judge.communicators import Communicators
from judge.otf2_read import FIELDS
from judge.verdict import Verdict

# How often a pending request was tested is chance.
LEFT_OUT = {"MpiRequestTest", "BufferFlush"}


class _Names:
    """Numbers things in order of appearance."""

    def __init__(self):
        self.known = {}

    def of(self, thing):
        return self.known.setdefault(thing, len(self.known))


def _comm_text(archive, comms, order, comm):
    members = comms.members.get(comm)
    if members is None:
        return f"comm{order.of(comm)}"
    group_a, group_b = members
    text = "self" if group_a is None else ",".join(map(str, group_a))
    if group_b is not None:
        text += "|" + ",".join(map(str, group_b))
    name = archive.name_of("Comm", comm) or ""
    return f'comm{order.of(comm)}"{name}"[{text}]'


def sequence_lines(archive):
    """One line per record, "process.thread" first."""
    comms = Communicators(archive, Verdict())
    for location in archive.locations:
        yield from _location_lines(archive, comms, location)


def _location_lines(archive, comms, location):
    label = f"{location >> 32}.{location & 0xffffffff}"
    order, requests = _Names(), _Names()
    for name, _, values, _ in archive.events(location):
        if name in LEFT_OUT:
            continue
        if name in ("Enter", "Leave"):
            yield f"{label} {name} {archive.name_of('Region', values[0])}"
            continue
        words = [label, name]
        for field, value in zip(FIELDS[name], values if name != "ProgramBegin" else ()):
            if field in ("communicator", "threadContingent", "threadTeam"):
                text = _comm_text(archive, comms, order, value)
            elif field == "requestID":
                text = str(requests.of(value))
            elif field == "collectiveOp" and value < len(tables.COLLECTIVES):
                text = tables.COLLECTIVES[value]
            elif field == "root":
                text = tables.ROOTS.get(value, str(value))
            else:
                text = str(value)
            words.append(f"{field}={text}")
        yield " ".join(words)
