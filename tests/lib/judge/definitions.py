# SPDX-License-Identifier: BSD-3-Clause
"""Rules about the anchor, the files and the definitions of an archive."""

import math
import os

from judge import otf2_tables as tables
from judge.otf2_read import RECORDS, UNDEFINED

# Equal content under two ids means that unification missed something. Two communicators may be
# equal in all they tell, and so may processes, threads and handles.
UNIFIED = ("String", "Attribute", "Region", "Group", "Parameter", "SourceCodeLocation",
           "SystemTreeNode", "MetricMember", "IoRegularFile", "IoDirectory", "CallingContext")


# Paradigms that make no parallelism: USER, COMPILER, MEASUREMENT_SYSTEM, SAMPLING, NONE.
ACCELERATOR = 2  # type of a location group
SEQUENTIAL = {1, 2, 6, 21, 22}


def check_definitions(archive, verdict):
    _check_counts(archive, verdict)
    _check_files(archive, verdict)
    _check_ids(archive, verdict)
    _check_references(archive, verdict)
    _check_unified(archive, verdict)
    _check_locations(archive, verdict)
    _check_groups(archive, verdict)
    _check_topologies(archive, verdict)
    _check_clock(archive, verdict)
    _check_paradigms(archive, verdict)


def _check_counts(archive, verdict):
    anchor = archive.anchor
    found = sum(name == "Location" for name, _ in archive.definitions)
    if anchor.locations != found:
        verdict.fault("anchor", f"announces {anchor.locations} locations, {found} are defined")
    if anchor.definitions != len(archive.definitions):
        verdict.fault("anchor", f"announces {anchor.definitions} definitions,"
                                f" {len(archive.definitions)} are there")
    if anchor.substrate != 1 or anchor.compression != 1:
        verdict.fault("anchor", f"substrate {anchor.substrate}, compression {anchor.compression}")
    if not anchor.trace_id:
        verdict.fault("anchor", "trace id 0")


def _check_files(archive, verdict):
    folder = os.path.join(archive.folder, archive.name)
    wanted = {f"{location}.{kind}" for location in archive.locations for kind in ("evt", "def")}
    found = set(os.listdir(folder)) if os.path.isdir(folder) else set()
    for name in sorted(wanted - found):
        verdict.fault("files", f"{archive.name}/{name} is missing")
    for name in sorted(found - wanted):
        verdict.fault("files", f"{archive.name}/{name} belongs to no location")


def _check_ids(archive, verdict):
    """0, 1, 2, ... in order of appearance; locations have a rule of their own."""
    following = {}
    for name, values in archive.definitions:
        space = RECORDS[name].space
        if space is None or space == "Location":
            continue
        want = following.get(space, 0)
        if values["self"] != want:
            verdict.fault("dense ids", f"{name} has id {values['self']}, want {want}")
        following[space] = values["self"] + 1


def _typed_references(values):
    types = values.get("types", [values["type"]] if "value" in values else [])
    typed = values.get("values", [values["value"]] if "value" in values else [])
    for kind, value in zip(types, typed):
        encoding, space = tables.VALUES.get(kind, ("c64", None))
        if space:
            yield space, value, encoding


def _references(record, values):
    """(attribute, id space, id, is it undefined and may be)."""
    for field in record.fields[1 if record.space else 0:]:
        members = [(m, values.get(m.name, [])) for m in field.members or ()]
        for part, numbers in [(field, [values.get(field.name)])] + members:
            if part.space is None:
                continue
            for number in numbers:
                if number is not None:
                    free = part.optional and number == UNDEFINED[part.encoding]
                    yield part.name, part.space, number, free
    for space, number, _ in _typed_references(values):
        yield "value", space, number, False


def _check_references(archive, verdict):
    """Every reference leads to an earlier definition, as the Python reader wants it."""
    known = {space: set() for space in archive.spaces}
    for name, values in archive.definitions:
        record = RECORDS[name]
        for attribute, space, number, is_free in _references(record, values):
            if not is_free and number not in known[space]:
                verdict.fault("references", f"{name} {values.get('self', '')} has {attribute}"
                                            f" {number}, no earlier {space}")
        if record.space:
            if values["self"] in known[record.space]:
                verdict.fault("double definition", f"{name} {values['self']}")
            known[record.space].add(values["self"])


def _check_unified(archive, verdict):
    seen = {}
    for name, values in archive.definitions:
        if name in UNIFIED:
            content = (name, repr([(k, v) for k, v in values.items() if k != "self"]))
            if content in seen:
                verdict.fault("not unified", f"{name} {seen[content]} and {values['self']} are"
                                             f" equal: {_describe(archive, name, values)}")
            seen.setdefault(content, values["self"])


def _describe(archive, name, values):
    return values["string"] if name == "String" else archive.string(values.get("name"))


def _process_group(archive, group):
    """That of the process which has made a device's group, else the group itself."""
    values = archive.spaces["LocationGroup"][group][1]
    is_device = values["locationGroupType"] == ACCELERATOR
    return values["creatingLocationGroup"] if is_device else group


def _check_locations(archive, verdict):
    """Ids are process number << 32 | thread: processes from 0 without holes, each with a thread 0."""
    threads = {}
    groups = {}
    for location in archive.locations:
        threads.setdefault(location >> 32, []).append(location & 0xffffffff)
        groups.setdefault(location >> 32, set()).add(
            _process_group(archive, archive.spaces["Location"][location][1]["locationGroup"]))
    if sorted(threads) != list(range(len(threads))):
        verdict.fault("location ids", f"process numbers are {sorted(threads)[:20]}")
    for process, numbers in threads.items():
        if 0 not in numbers:
            verdict.fault("location ids", f"process {process} has threads {numbers[:20]}")
        if len(groups[process]) != 1:
            verdict.fault("location ids", f"process {process} is in groups {groups[process]}")
    if len(set().union(*groups.values())) != len(groups) if groups else False:
        verdict.fault("location ids", "two processes share a location group")
    made = {group for group in archive.spaces["LocationGroup"] if _process_group(archive, group) == group}
    if len(made) != len(threads):
        verdict.fault("location groups", f"{len(made)} are defined for {len(threads)} processes")


def _check_topologies(archive, verdict):
    """Each rank of a grid has a place of its own in it, as row-major order wants it."""
    grids = {}
    for name, values in archive.definitions:
        if name == "CartTopology":
            sizes = [archive.spaces["CartDimension"][d][1]["size"]
                     for d in values["cartDimensions"] if d in archive.spaces["CartDimension"]]
            grids[values["self"]] = (values["communicator"], sizes, {})
        elif name == "CartCoordinate" and values["cartTopology"] in grids:
            _, sizes, places = grids[values["cartTopology"]]
            place, rank = values["coordinates"], values["rank"]
            if len(place) != len(sizes) or any(at >= n for at, n in zip(place, sizes)):
                verdict.fault("topologies", f"rank {rank} at {place} of {sizes}")
            if rank in places:
                verdict.fault("topologies", f"rank {rank} has two places")
            if sum(at * math.prod(sizes[i + 1:]) for i, at in enumerate(place)) != rank:
                verdict.fault("topologies", f"rank {rank} at {place} of {sizes} is out of order")
            places[rank] = place
    if len({comm for comm, _, _ in grids.values()}) != len(grids):
        verdict.fault("topologies", "a communicator has two")


def _check_groups(archive, verdict):
    locations = {}  # paradigm -> members of its COMM_LOCATIONS group
    for name, values in archive.definitions:
        if name != "Group":
            continue
        kind, members, me = values["groupType"], values["members"], values["self"]
        if len(set(members)) != len(members):
            verdict.fault("groups", f"group {me} has a member twice")
        if kind == tables.GROUP_COMM_LOCATIONS:
            if values["paradigm"] in locations:
                verdict.fault("groups", f"group {me}: a second COMM_LOCATIONS of its paradigm")
            locations[values["paradigm"]] = members
            for member in set(members) - set(archive.locations):
                verdict.fault("groups", f"group {me}: member {member} is no location")
        elif kind == tables.GROUP_COMM_GROUP:
            if values["paradigm"] not in locations:
                verdict.fault("groups", f"group {me} comes before its COMM_LOCATIONS")
            size = len(locations.get(values["paradigm"], ()))
            if not values["groupFlags"] & tables.GROUP_GLOBAL_MEMBERS:
                for member in members:
                    if member >= size:
                        verdict.fault("groups", f"group {me}: member {member} of {size}")
        elif kind == tables.GROUP_COMM_SELF and members:
            verdict.fault("groups", f"group {me}: COMM_SELF with members")


def _check_clock(archive, verdict):
    clocks = [values for name, values in archive.definitions if name == "ClockProperties"]
    if len(clocks) != 1:
        verdict.fault("clock", f"{len(clocks)} ClockProperties")
    elif not clocks[0]["timerResolution"]:
        verdict.fault("clock", "timer resolution 0")
    elif clocks[0].get("realtimeTimestamp", UNDEFINED["c64"]) == UNDEFINED["c64"]:
        verdict.fault("clock", "no realtime timestamp")


def _check_paradigms(archive, verdict):
    defined = [values["paradigm"] for name, values in archive.definitions if name == "Paradigm"]
    if len(set(defined)) != len(defined):
        verdict.fault("paradigms", f"defined twice: {defined}")
    used = {values["paradigm"] for name, values in archive.definitions
            if name in ("Region", "Group")}
    for paradigm in sorted(used - set(defined) - SEQUENTIAL):
        verdict.fault("paradigms", f"paradigm {paradigm} is used and not defined")
