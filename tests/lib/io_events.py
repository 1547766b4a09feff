# SPDX-License-Identifier: BSD-3-Clause
"""What the records of files in an archive say: sums of bytes by the name of the file."""

import os

READ, WRITE, FLUSH = 0, 1, 2


def names(archive):
    """{file: its path}."""
    return {values["self"]: archive.string(values["name"])
            for name, values in archive.definitions if name == "IoRegularFile"}


def files(archive):
    """{handle: path of its file, "" if it has none}."""
    paths = names(archive)
    return {values["self"]: paths.get(values["file"], "")
            for name, values in archive.definitions if name == "IoHandle"}


def operations(trace, location):
    """(handle, mode, asked, done, attributes of the begin) of each, in the order of their ends."""
    begun = {}
    for name, _, values, attributes in trace.events(location):
        if name == "IoOperationBegin":
            handle, mode, _, asked, number = values
            begun[handle, number] = (mode, asked, attributes)
        elif name == "IoOperationComplete":
            handle, done, number = values
            mode, asked, attributes = begun.pop((handle, number))
            yield handle, mode, asked, done, attributes


def sums(trace, layer=None, name_of=os.path.basename):
    """
    {name without directory: (bytes read, bytes written)} over all locations; by the handles of one
    layer, or of all. `name_of` makes another name of a path.
    """
    found, paths = {}, files(trace.archive)
    layers = {values["self"]: values["ioParadigm"]
              for name, values in trace.archive.definitions if name == "IoHandle"}
    for stream in trace.streams:
        for handle, mode, _, done, _ in operations(trace, stream.location):
            if layer not in (None, layers[handle]):
                continue
            name = name_of(paths[handle])
            read, written = found.get(name, (0, 0))
            found[name] = (read + (done if mode == READ else 0),
                           written + (done if mode == WRITE else 0))
    return found


def places(trace, name):
    """(mode, offset) of the operations on a file whose call says where it works."""
    found, paths = set(), files(trace.archive)
    offset = [values["self"] for kind, values in trace.archive.definitions if kind == "Attribute" and
              trace.archive.string(values["name"]) == "Offset"]
    for stream in trace.streams:
        for handle, mode, *_, attributes in operations(trace, stream.location):
            if os.path.basename(paths[handle]) == name:
                found.update((mode, value) for number, _, value in attributes or () if number in offset)
    return found


def within_regions(trace, location):
    """(region, event, values, attributes) of each event in a region, but for Enter and Leave."""
    inside = []
    for name, _, values, attributes in trace.events(location):
        if name == "Enter":
            inside.append(trace.archive.name_of("Region", values[0]))
        elif name == "Leave":
            inside.pop()
        elif inside:
            yield inside[-1], name, values, attributes


def by_region(trace):
    """{region: (bytes read, bytes written)} of the operations in each, over all locations."""
    found = {}
    for stream in trace.streams:
        modes = {}
        for region, name, values, _ in within_regions(trace, stream.location):
            if name == "IoOperationBegin":
                modes[values[0], values[4]] = values[1]
            elif name == "IoOperationComplete":
                mode = modes.pop((values[0], values[2]))
                read, written = found.get(region, (0, 0))
                found[region] = (read + (values[1] if mode == READ else 0),
                                 written + (values[1] if mode == WRITE else 0))
    return found


def counted(text):
    """{file: (read, written)} by a program's lines of three words."""
    lines = [line.split() for line in text.splitlines()]
    return {words[0]: (int(words[1]), int(words[2])) for words in lines
            if len(words) == 3 and not words[0].endswith(":")}
