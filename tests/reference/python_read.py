# SPDX-License-Identifier: BSD-3-Clause
"""
Print an archive by the Python module's high level, then by its low level, with callbacks for
everything.

    python_read.py ANCHOR_FILE [low]
"""
import ctypes
import re
import sys

import _otf2
import otf2
from _otf2 import Config


# What the low level passes on as pointers, and unions, of which only a part has a meaning.
OPAQUE = (ctypes._Pointer, ctypes.Union, ctypes.Array)


def show(value):
    """Definitions by their place in the archive, lists by their elements."""
    if isinstance(value, (list, tuple)):
        return [show(part) for part in value]
    if hasattr(value, "_ref"):
        return f"{type(value).__name__} {value._ref}"
    # A set of flags has no name for each of its values.
    if isinstance(value, Config.EnumBase):
        return value.value
    return value if isinstance(value, (int, float, str)) else type(value).__name__


def fields_of(thing):
    """Definitions name their fields as attributes are named, events as the library does."""
    names = (getattr(field, "name", None) or
             re.sub("([A-Z]+)", lambda match: "_" + match[1].lower(), field[0])
             for field in thing._fields)
    return {name: show(getattr(thing, name, None)) for name in names}


def high_level(path):
    with otf2.reader.open(path) as trace:
        print(trace.timer_resolution, len(trace.definitions.locations), len(trace.events))
        for kind in ("strings", "attributes", "system_tree_nodes", "location_groups", "locations",
                     "regions", "callpaths", "groups", "metrics", "comms", "parameters",
                     "rma_wins", "cart_dimensions", "cart_topologys", "source_code_locations",
                     "calling_contexts", "interrupt_generators", "io_files", "io_handles"):
            for definition in getattr(trace.definitions, kind, ()):
                print(kind, definition._ref, fields_of(definition))
        for location, event in trace.events:
            attributes = {a._ref: show(v) for a, v in (event.attributes or {}).items()}
            print(location._ref, type(event).__name__, event.time, attributes, fields_of(event))


def callback(name, has_list):
    def print_it(*arguments):
        arguments = list(arguments)
        if has_list:
            # location, time, user data, attribute list, the rest
            del arguments[2]
            number = _otf2.AttributeList_GetNumberOfElements(arguments[2])
            arguments[2] = [_otf2.AttributeList_GetAttributeByIndex(arguments[2], i)[:2]
                            for i in range(number)]
        else:
            del arguments[0]
        print(name, *(type(a).__name__ if isinstance(a, OPAQUE) else show(a) for a in arguments))
        return _otf2.CALLBACK_SUCCESS
    return print_it


KEPT = []  # what C calls and Python would take for unused


def all_callbacks(kind, has_list):
    """An object with a callback for each record that the kind of reader knows."""
    made = getattr(_otf2, f"{kind}Callbacks_New")()
    prefix = f"{kind}Callbacks_Set"
    for name in sorted(dir(_otf2)):
        if name.startswith(prefix):
            KEPT.append(callback(name[len(prefix):-len("Callback")], has_list))
            getattr(_otf2, name)(made, KEPT[-1])
    return made


def low_level(path):
    reader = _otf2.Reader_Open(path)
    _otf2.Reader_SetSerialCollectiveCallbacks(reader)
    print(_otf2.Reader_GetVersion(reader), _otf2.Reader_GetChunkSize(reader),
          _otf2.Reader_GetNumberOfLocations(reader), _otf2.Reader_GetMachineName(reader),
          _otf2.Reader_GetCreator(reader), _otf2.Reader_GetDescription(reader),
          _otf2.Reader_GetNumberOfSnapshots(reader), _otf2.Reader_GetTraceId(reader))
    print([(name, _otf2.Reader_GetProperty(reader, name))
           for name in _otf2.Reader_GetPropertyNames(reader)])
    definitions = _otf2.Reader_GetGlobalDefReader(reader)
    locations = []
    made = all_callbacks("GlobalDefReader", False)

    def on_location(_user, location, *rest):
        locations.append(location)
        print("Location", location, *rest)
        return _otf2.CALLBACK_SUCCESS
    _otf2.GlobalDefReaderCallbacks_SetLocationCallback(made, on_location)
    _otf2.Reader_RegisterGlobalDefCallbacks(reader, definitions, made, None)
    print(_otf2.Reader_ReadAllGlobalDefinitions(reader, definitions))
    for location in locations:
        _otf2.Reader_SelectLocation(reader, location)
    _otf2.Reader_OpenDefFiles(reader)
    _otf2.Reader_OpenEvtFiles(reader)
    local = all_callbacks("DefReader", False)
    for location in locations:
        local_reader = _otf2.Reader_GetDefReader(reader, location)
        _otf2.Reader_RegisterDefCallbacks(reader, local_reader, local, None)
        print(_otf2.Reader_ReadAllLocalDefinitions(reader, local_reader))
        _otf2.Reader_CloseDefReader(reader, local_reader)
        _otf2.Reader_GetEvtReader(reader, location)
    _otf2.Reader_CloseDefFiles(reader)
    events = _otf2.Reader_GetGlobalEvtReader(reader)
    merged = all_callbacks("GlobalEvtReader", True)
    _otf2.Reader_RegisterGlobalEvtCallbacks(reader, events, merged, None)
    while True:
        number = _otf2.Reader_ReadGlobalEvents(reader, events, 100)
        if number != 100:
            break
    print(number)
    _otf2.Reader_CloseGlobalEvtReader(reader, events)
    _otf2.Reader_CloseEvtFiles(reader)
    _otf2.Reader_Close(reader)


(low_level if sys.argv[2:] == ["low"] else high_level)(sys.argv[1])
