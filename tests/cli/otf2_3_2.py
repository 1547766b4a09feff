# SPDX-License-Identifier: BSD-3-Clause
"""
Holds an archive against its copy and the events that the public reader has told.

    otf2_3_2.py ANCHORFILE COPY TOLD
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))

from judge import otf2_read  # noqa: E402


def files_of(top):
    found = {}
    for folder, _, names in os.walk(top):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                data = file.read()
            # The anchor ends with the trace id, two counts and three bytes.
            found[os.path.relpath(path, top)] = data[:-19] + data[-11:] if name.endswith(".otf2") else data
    return found


def events_of(anchor):
    """The lines that tests/fixtures/again.c prints, by a reader that knows nothing of the library."""
    archive = otf2_read.Archive(anchor)
    lines = []
    for location in archive.locations:
        for name, time, values, attributes in archive.events(location):
            numbers = [str(value) for value in values if not isinstance(value, tuple)]
            listed = [":".join(map(str, entry)) for entry in attributes or ()]
            lines.append(" ".join([str(location), str(time), name] + numbers + listed))
    return sorted(lines)


def main():
    anchor, copy, told = sys.argv[1:]
    ours, theirs = files_of(copy), files_of(os.path.dirname(anchor))
    if ours != theirs:
        sys.exit(f"{[name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name)]} differ")
    if not any(os.sep in name and name.endswith(".def") for name in theirs):
        return  # the strict reader wants local definitions of each location
    with open(told, encoding="ascii") as file:
        lines = sorted(file.read().splitlines())
    if lines != events_of(anchor):
        for our, their in zip(lines, events_of(anchor)):
            if our != their:
                sys.exit(f"told: {our}\nread: {their}")
        sys.exit("not as many events")


main()
