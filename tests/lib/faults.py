# SPDX-License-Identifier: BSD-3-Clause
"""
What can be wrong with an archive: one thing changed in one that breaks no rule, and the rules that
it breaks then. For check_faults.py.
"""

import os
import shutil

from judge.everything import (MAIN, NONE, NO_ROOT, P0, P1, ROOT_SELF, T,
                              TEXTS, THREAD, WORK, counted)

END = b"\x02\x01"
NONE64 = 0xffffffffffffffff


# ---- changes: functions of the arguments of write_archive ----

def event(location, old, *new):
    """Other events in the place of one."""
    def change(archive):
        stream = archive["events"][location]
        at = stream.index(old)
        stream[at:at + 1] = new
        archive["definitions"] = counted(archive["definitions"], archive["events"])
    return change


def definition(old, *new):
    def change(archive):
        made = archive["definitions"]
        whole = next(d for d in made if d[:len(old)] == old)
        at = made.index(whole)
        made[at:at + 1] = new
    return change


def added(old, *new):
    """Definitions behind another one."""
    def change(archive):
        made = archive["definitions"]
        at = next(i for i, d in enumerate(made) if d[:len(old)] == old)
        made[at + 1:at + 1] = new
    return change


def each(*changes):
    def change(archive):
        for one in changes:
            one(archive)
    return change


def moved(old, before):
    """One definition in front of another."""
    def change(archive):
        made = archive["definitions"]
        made.remove(old)
        made.insert(made.index(before), old)
    return change


def anchor(**fields):
    return lambda archive: archive.update(anchor={**archive.get("anchor", {}), **fields})


def put(**parts):
    return lambda archive: archive.update(parts)


def local(location, *records):
    return lambda archive: archive["local"].update({location: list(records)})


def snapshot(*records):
    return lambda archive: archive["snapshots"].update({P0: list(records)})


def memory(*values, of="Host Memory"):
    """Memory that the second thread says its process to hold: (held, peak, {attribute: number})."""
    def change(archive):
        names = (of, of + " Peak", "ALLOCATION_SIZE", "RESULT_ADDRESS",
                 "DEALLOCATION_SIZE", "ARGUMENT_ADDRESS")
        first = len(TEXTS)
        for old, *new in (
                (("String", first - 1), *(("String", first + i, name) for i, name in enumerate(names))),
                (("Attribute", 1), *(("Attribute", i, first + i, 4, NONE) for i in range(2, 6))),
                (("MetricMember", 1), *(("MetricMember", 2 + i, first + i, NONE, 3, 17, 4, 1, 0, NONE)
                                        for i in range(2))),
                (("MetricInstance", 2), ("MetricClass", 3, [(2,), (3,)], 2, 0))):
            added(old, *new)(archive)
        events = [e for held, peak, said in values for e in
                  (*([(1320, "Attributes", [(i, 4, n) for i, n in said.items()])] if said else []),
                   (1320, "Metric", 3, [(4, held), (4, peak)]))]
        event(THREAD, ON_THREAD, ON_THREAD, *events)(archive)
    return change


def long_stream(archive):
    """Thirty thousand visits more on the thread: more than a chunk of 256 KiB."""
    stream = archive["events"][THREAD]
    at = [name for _, name, *_ in stream].index("ThreadTeamBegin")
    stream[at:at] = [(1321 + i // 10000, name, WORK) for i in range(60000)
                     for name in ("Enter", "Leave")]
    archive["definitions"] = counted(archive["definitions"], archive["events"])
    archive["anchor"] = {"event_chunk": 262144, "definition_chunk": 262144}


# ---- damage: functions of (bytes of a file) ----

def at(offset, data):
    return lambda old: old[:offset] + data + old[offset + len(data):]


def cut(number):
    return lambda old: old[:number]


def inserted(before, data):
    def change(old):
        place = old.index(before)
        return old[:place] + data + old[place:]
    return change


def event_files(archive):
    return sorted(file.path for file in os.scandir(os.path.join(archive, "traces"))
                  if file.name.endswith(".evt"))


def shortened(archive):
    """A copy of the folder `archive` whose largest event file ends in its middle."""
    copy = archive + ".cut"
    shutil.copytree(archive, copy)
    largest = max(event_files(copy), key=os.path.getsize)
    os.truncate(largest, os.path.getsize(largest) // 2)
    return copy


def damaged(archive, copy, draw):
    """A copy of the folder `archive` with drawn bytes in some event files, which stay as long as they are."""
    shutil.copytree(archive, copy)
    for path in draw.sample(event_files(copy), draw.choice((1, 1, 2, 4))):
        with open(path, "r+b") as file:
            data = bytearray(file.read())
            for _ in range(draw.choice((1, 3))):
                data[draw.randrange(len(data))] = draw.choice((0, 5, 12, 13, 14, 255, draw.randrange(256)))
            file.seek(0)
            file.write(data)


CHUNK = 262144
EVT, DEF, ANCHOR, LOCAL = "traces/0.evt", "traces.def", "traces.otf2", "traces/1.def"
SEND = (5010, "MpiSend", 1, 0, 7, 400)
WAITED = (1600, "ThreadWait", 4, 1)
ON_THREAD = (1320, "Metric", 2, [(8, 1), (10, 0)])
BARRIER = (5110, "MpiCollectiveEnd", 0, 0, NO_ROOT, 0, 0)
BCAST = (5130, "MpiCollectiveEnd", 1, 0, 1, 0, 8)
LEAVE = (9000, "Leave", MAIN)
WORLD = ("Comm", 0, T("world"), 1, NONE, 1)

# (rule, change) of the archive with everything, judged as a foreign one
FAULTS = (
    ("anchor-locations", anchor(locations=4)),
    ("anchor-definitions", anchor(definitions=1)),
    ("anchor-trace-id", anchor(trace_id=0)),
    ("anchor-substrate", anchor(substrate=3)),
    ("anchor-chunks", anchor(event_chunk=4096)),
    ("anchor-end", anchor(end=b"\x02\x01\x00\x00")),
    ("anchor", anchor(properties=[("no name", "value")])),
    ("anchor", anchor(properties=[("A::B", "1"), ("a::b", "2")])),
    ("anchor", anchor(trace_format=9)),
    ("file-missing", anchor(thumbnails=2)),
    ("file-missing", put(snapshots=None, anchor={"snapshots": 1})),
    ("snapshot-count", anchor(snapshots=0)),

    ("id-dense", added(("Parameter", 2), ("Parameter", 7, T("value"), 2))),
    ("id-dense", added(("String", len(TEXTS) - 1), ("String", 1000000, "far"))),
    ("id-twice", added(("Comm", 4), ("Comm", 4, T("team"), 1, NONE, 0))),
    ("id-undefined", added(("Region", WORK), ("Region", NONE, T("argument"), NONE, 0, NONE, 1, 9,
                                              T("work"), 1, 3, 0))),
    ("reference", definition(("Callpath", 1), ("Callpath", 1, 0, 77))),
    ("reference", definition(("LocationProperty",),
                             ("LocationProperty", P0, T("property"), NONE, 11, 999))),
    ("reference-order", moved(("InterruptGenerator", 0, T("timer"), 0, 1, -9, 1000),
                              ("String", 0, ""))),
    ("reference-undefined", added(("Parameter", 2), ("Parameter", 3, NONE, 0))),
    ("parent-cycle", definition(("SystemTreeNode", 0),
                                ("SystemTreeNode", 0, T("machine"), T("machine"), 1))),
    ("parent-cycle", definition(("CallingContext", 0), ("CallingContext", 0, MAIN, NONE, 1))),
    ("enum-unknown", definition(("SystemTreeNodeDomain",), ("SystemTreeNodeDomain", 0, 99))),
    ("value-type", definition(("LocationProperty",),
                              ("LocationProperty", P0, T("property"), NONE, 99, 7))),
    ("not-unified", definition(("Parameter", 2), ("Parameter", 2, T("number parameter"), 2),
                               ("Parameter", 3, T("number parameter"), 2))),
    ("property-twice", definition(("LocationProperty",),
                                  ("LocationProperty", P0, T("property"), NONE, 4, 7),
                                  ("LocationProperty", P0, T("property"), NONE, 4, 8))),
    ("clock-properties", definition(("ClockProperties",), ("ClockProperties", 0, 0, 10000, 5))),
    ("clock-properties", definition(("ClockProperties",))),
    ("clock-realtime", definition(("ClockProperties",),
                                  ("ClockProperties", 1000, 0, 10000, 0xffffffffffffffff))),
    ("paradigm-missing", definition(("Paradigm", 7))),
    ("paradigm-twice", definition(("Paradigm", 7), ("Paradigm", 7, T("PTHREAD"), 2),
                                  ("Paradigm", 7, T("PTHREAD"), 2))),
    ("location-group-empty", definition(("LocationGroup", 1),
                                        ("LocationGroup", 1, T("process 1"), 1, 1, 0),
                                        ("LocationGroup", 2, T("process 1"), 1, 1, 0))),
    ("location-creator", definition(("LocationGroup", 1),
                                    ("LocationGroup", 1, T("process 1"), 1, 1, 0),
                                    ("LocationGroup", 2, T("process 1"), 2, 1, 0),
                                    ("LocationGroup", 3, T("process 1"), 2, 1, 2),
                                    ("Location", 7, T("thread"), 1, 0, 2),
                                    ("Location", 8, T("thread"), 1, 0, 3)),
     lambda a: a["events"].update({7: [], 8: []}), put(snapshots=None)),
    ("group-member", definition(("Group", 6),
                                ("Group", 6, T("main"), 2, [(MAIN,), (77,)], 2, 0, 0))),
    ("group-member", definition(("Group", 10),
                                ("Group", 10, T("threads"), 0, [(0,), (7,)], 5, 7, 0))),
    ("group-member-twice", definition(("Group", 6), ("Group", 6, T("main"), 2, [(1,), (1,)], 2, 0,
                                                     0))),
    ("group-locations", definition(("Group", 10),
                                   ("Group", 10, T("threads"), 0, [(0,), (1,)], 5, 7, 0),
                                   ("Group", 11, T("PTHREAD"), 0, [(P1,)], 4, 7, 0))),
    ("group-self", definition(("Group", 4), ("Group", 4, T("self"), 5, [(0,)], 6, 4, 0))),
    ("comm-group", definition(("Comm", 4), ("Comm", 4, T("threads"), 6, NONE, 0))),
    ("comm-groups-overlap", added(("Comm", 4), ("InterComm", 5, T("inter"), 7, 7, 0, 0))),
    ("topology", definition(("CartCoordinate", 0, 1), ("CartCoordinate", 0, 1, [(2,)]))),
    ("topology", definition(("CartCoordinate", 0, 1), ("CartCoordinate", 0, 2, [(1,)]))),
    ("topology", definition(("CartCoordinate", 0, 1), ("CartCoordinate", 0, 0, [(1,)]))),
    ("topology", definition(("CartCoordinate", 0, 1), ("CartCoordinate", 0, 1, [(1,), (0,)]))),
    ("metric-member", definition(("MetricClassRecorder",), ("MetricClassRecorder", 0, P0),
                                 ("MetricMember", 2, T("cycles"), NONE, 1, 0, 3, 1, 0, NONE))),
    ("metric-instance", definition(("MetricInstance",), ("MetricInstance", 2, 1, THREAD, 1, 7))),
    ("metric-instance", definition(("MetricClassRecorder",), ("MetricClassRecorder", 2, P0))),
    ("metric-class-empty", definition(("MetricInstance",), ("MetricInstance", 2, 1, THREAD, 1, 0),
                                      ("MetricClass", 3, [], 2, 1))),
    ("region-lines", definition(("Region", 2), ("Region", 2, T("MPI_Send"), NONE, 0, NONE, 9, 1,
                                                T("MPI_Send"), 1, 4, 0))),
    ("callpath-parameter", definition(("CallpathParameter",), ("CallpathParameter", 1, 1, 4, 5))),

    ("mapping-type", local(P1, ("MappingTable", 15, (0, [0, 1])))),
    ("mapping-twice", local(P1, ("MappingTable", 3, (0, [0, 1, 2])),
                            ("MappingTable", 3, (0, [0, 1, 2])))),
    ("mapping-empty", local(P1, ("MappingTable", 3, (0, [])))),
    ("mapping-order", local(P1, ("MappingTable", 3, (1, [(WORK, WORK), (MAIN, MAIN)])))),
    ("mapping-target", local(P1, ("MappingTable", 3, (0, [0, 1, 9])))),
    ("mapping-cover", local(P1, ("MappingTable", 6, (0, [0, 1, 2])))),
    ("clock-offset-order", local(P1, ("ClockOffset", 10, 0, 0.5), ("ClockOffset", 10, 0, 0.5),
                                 ("ClockOffset", 99, 0, 0.5))),
    ("clock-offset-single", local(P1, ("ClockOffset", 10, 0, 0.5))),

    ("event-count", definition(("Location", P1), ("Location", P1, T("main"), 1, 3, 1))),
    ("event-reference", event(P0, (4100, "Enter", WORK), (4100, "Enter", WORK),
                              (4100, "ParameterInt", 9, 0))),
    ("event-reference", event(P0, (4104, "Attributes", [(0, 3, 77), (1, 11, T("value"))]),
                              (4104, "Attributes", [(1, 11, 999)]))),
    ("time-back", event(P0, (4110, "Leave", WORK), (4099, "Leave", WORK))),
    ("time-range", event(P0, (9001, "ProgramEnd", 0), (10001, "ProgramEnd", 0))),
    ("time-range", local(P1, ("ClockOffset", 0, 0, 0.5), ("ClockOffset", 5500, 0, 0.5),
                         ("ClockOffset", 9000, 2000, 0.5))),
    ("attribute", event(P0, (4104, "Attributes", [(0, 3, 77), (1, 11, T("value"))]),
                        (4104, "Attributes", [(0, 1, 77)]))),
    ("attribute", event(P0, (4104, "Attributes", [(0, 3, 77), (1, 11, T("value"))]),
                        (4104, "Attributes", [(9, 3, 77)]))),
    ("attribute-twice", event(P0, (4104, "Attributes", [(0, 3, 77), (1, 11, T("value"))]),
                              (4104, "Attributes", [(0, 3, 77), (0, 3, 78)]))),
    ("attribute-lost", event(P0, (9001, "ProgramEnd", 0), (9001, "ProgramEnd", 0),
                             (9001, "Attributes", [(0, 3, 77)]))),
    ("nesting", event(P0, (4110, "Leave", WORK), (4110, "Leave", MAIN))),
    ("nesting", event(P0, (4010, "CallingContextLeave", 1), (4010, "CallingContextLeave", 0))),
    ("nesting-open", event(P0, LEAVE)),
    ("flush", event(P0, (4400, "BufferFlush", 4410), (4400, "BufferFlush", 4390))),
    ("measurement", event(P0, (4200, "MeasurementOnOff", 2), (4200, "MeasurementOnOff", 1),
                          (4210, "MeasurementOnOff", 2))),
    ("program", event(P0, (9001, "ProgramEnd", 0), (9001, "ProgramEnd", 0),
                      (9001, "ProgramEnd", 0))),
    ("parameter-type", event(P0, (4102, "ParameterInt", 1, -7), (4102, "ParameterInt", 2, -7))),
    ("metric-values", event(P0, (4100, "Metric", 0, [(8, 5)]), (4100, "Metric", 0, [(4, 5)]))),
    ("metric-values", event(P0, (4100, "Metric", 0, [(8, 5)]), (4100, "Metric", 0, []))),
    ("metric-recorder", event(P0, (4400, "BufferFlush", 4410),
                              (4400, "Metric", 2, [(8, 1), (10, 0)]))),
    ("metric-strict", event(P0, (4400, "BufferFlush", 4410), (4400, "Metric", 0, [(8, 9)]))),
    ("metric-strict", event(P0, (4400, "BufferFlush", 4410), (4400, "Metric", 0, [(8, 9)]),
                            (4405, "CallingContextSample", 1, 1, 0))),
    ("metric-monotone", event(P0, (4100, "Metric", 0, [(8, 5)]), (4100, "Metric", 0, [(8, 0)]))),
    ("metric-monotone", event(THREAD, (1320, "Metric", 2, [(8, 1), (10, 0)]),
                              (1320, "Metric", 2, [(8, 1), (10, 0x3ff0000000000000)]),
                              (1321, "Metric", 2, [(8, 2), (10, 0x3fe0000000000000)]))),
    ("memory-peak", memory((5, 5, {}), (7, 6, {}))),
    ("memory-peak", memory((5, 9, {}), (5, 8, {}))),
    ("memory-peak", memory((5, 5, {}), (7, 6, {}), of="Mapped Memory")),
    ("memory-peak", memory((5, 9, {}), (5, 8, {}), of="Mapped Memory")),
    ("memory-block", memory((5, 5, {2: 5, 3: 64}), (9, 9, {2: 4, 3: 64}))),
    ("memory-block", memory((5, 5, {2: 5, 3: 64}), (0, 5, {4: 5, 5: 80}))),
    ("memory-block", memory((5, 5, {2: 5, 3: 64}), (0, 5, {4: 4, 5: 64}))),
    ("memory-block", memory((5, 5, {2: 5, 3: 64}), (0, 5, {4: 5, 5: 64}), (0, 5, {4: 5, 5: 64}))),
    ("memory-block", memory((5, 5, {2: 5, 5: 64}))),
    ("memory-sum", memory((1 << 20, 1 << 20, {2: 1 << 20, 3: 64}), (5, 1 << 20, {}))),
    ("memory-sum", memory((5, 5, {2: 1 << 20, 3: 64}))),
    ("unwind-distance", event(P0, (4000, "CallingContextEnter", 1, 2),
                              (4000, "CallingContextEnter", 1, 4))),
    ("enum-unknown", event(P0, (3001, "IoSeek", 0, -5, 2, 10), (3001, "IoSeek", 0, -5, 77, 10))),

    ("comm-member", event(P0, (5063, "MpiRequestCancelled", 3), (5063, "MpiRequestCancelled", 3),
                          (5064, "MpiCollectiveBegin",),
                          (5065, "MpiCollectiveEnd", 0, 1, NO_ROOT, 0, 0))),
    ("comm-create", event(P1, (5000, "CommCreate", 0))),
    ("comm-create", event(P0, (5000, "CommCreate", 0), (5000, "CommCreate", 0),
                          (5001, "CommCreate", 0))),
    ("comm-create", event(P0, (5000, "CommCreate", 0), (5000, "CommCreate", 0),
                          (5001, "CommCreate", 2))),
    ("comm-use", event(P0, (5000, "CommCreate", 0), (5000, "MpiSend", 1, 0, 6, 1),
                       (5001, "CommCreate", 0)),
     event(P1, (5000, "CommCreate", 0), (5000, "CommCreate", 0), (5001, "MpiRecv", 0, 0, 6, 1))),
    ("comm-use", event(P0, (5300, "CommDestroy", 0), (5090, "CommDestroy", 0)),
     lambda a: a["events"][P0].sort(key=lambda e: e[0])),
    ("rank", event(P0, SEND, (5010, "MpiSend", 2, 0, 7, 400))),
    ("request-twice", event(P0, (5041, "MpiRequestTest", 1), (5041, "MpiIrecvRequest", 1))),
    ("request-unknown", event(P0, (5041, "MpiRequestTest", 1), (5041, "MpiRequestTest", 5))),
    ("request-unknown", event(P0, (5061, "MpiIsendComplete", 2), (5061, "MpiIsendComplete", 2),
                              (5061, "MpiIsendComplete", 2))),
    ("request-kind", event(P1, (5050, "MpiIrecv", 0, 0, 8, 200, 9), (5050, "MpiIsendComplete", 9))),
    ("request-thread",
     event(P0, WAITED, *(sends := [(1300, "MpiIsend", 0, 2, 9, 4, i) for i in range(100, 108)]),
           *((1500, "MpiIsendComplete", i) for i in range(200, 208)),
           *[(1510, "MpiRecv", 0, 2, 9, 4)] * 16, WAITED),
     event(THREAD, ON_THREAD, *((1320, *send[1:6], send[6] + 100) for send in sends),
           *((1320, "MpiIsendComplete", i) for i in range(100, 108)), ON_THREAD)),
    ("request-open", event(P0, (5061, "MpiIsendComplete", 2))),
    ("message-unmatched", event(P0, SEND)),
    ("message-left", event(P0, SEND, SEND, (5010, "MpiSend", 1, 0, 99, 400))),
    ("message-left", event(P1, (5015, "MpiRecv", 0, 0, 7, 400))),
    ("message-size", event(P0, SEND, (5010, "MpiSend", 1, 0, 7, 401))),
    ("message-size", event(P1, (5035, "MpiIrecvRequest", 8), (5035, "MpiIrecvRequest", 9)),
     event(P1, (5036, "MpiIrecvRequest", 9), (5036, "MpiIrecvRequest", 8))),
    ("message-time", event(P0, SEND, (5016, *SEND[1:]))),
    ("collective-nesting", event(P0, (5150, "MpiCollectiveBegin",))),
    ("collective-nesting", event(P0, (5300, "CommDestroy", 0), (5300, "CommDestroy", 0),
                                 (5301, "MpiCollectiveBegin",))),
    ("collective-order", event(P0, BARRIER, (5110, "MpiCollectiveEnd", 11, 0, NO_ROOT, 0, 0))),
    ("collective-order", event(P0, (5140, "NonBlockingCollectiveRequest", 20)),
     event(P0, (5170, "NonBlockingCollectiveComplete", 0, 0, NO_ROOT, 0, 0, 20),
           (5165, "NonBlockingCollectiveRequest", 20),
           (5170, "NonBlockingCollectiveComplete", 0, 0, NO_ROOT, 0, 0, 20))),
    ("collective-count", event(P0, (5190, "MpiCollectiveEnd", 1, 3, ROOT_SELF, 8, 0),
                               (5190, "MpiCollectiveEnd", 0, 2, NO_ROOT, 0, 0))),
    ("collective-root", event(P0, BCAST, (5130, "MpiCollectiveEnd", 1, 0, 0, 0, 8))),
    ("collective-root", event(P0, (5190, "MpiCollectiveEnd", 1, 3, ROOT_SELF, 8, 0),
                              (5190, "MpiCollectiveEnd", 1, 3, 0, 8, 0))),
    ("collective-size", event(P0, BCAST, (5130, "MpiCollectiveEnd", 1, 0, 1, 0, 9))),
    ("collective-time", event(P1, (5101, "MpiCollectiveBegin",), (5111, "MpiCollectiveBegin",)),
     event(P1, BARRIER, (5112, *BARRIER[1:]))),

    ("thread-pair", event(P0, (1200, "ThreadCreate", 4, 1))),
    ("thread-left", event(P0, (1200, "ThreadCreate", 4, 1), (1200, "ThreadCreate", 4, 1),
                          (1200, "ThreadCreate", 4, 2))),
    ("thread-pair", event(THREAD, (1500, "ThreadEnd", 4, 1))),
    ("thread-order", event(P0, (1200, "ThreadCreate", 4, 1), (1301, "ThreadCreate", 4, 1))),
    ("thread-member", event(P1, LEAVE, (8000, "ThreadTeamBegin", 1), (8001, "ThreadTeamEnd", 1),
                            LEAVE)),
    ("team-nesting", event(P0, (1100, "ThreadTeamEnd", 1))),
    ("team-nesting", event(P0, (1001, "ThreadTeamBegin", 1))),
    ("fork-nesting", event(P0, (1101, "ThreadJoin", 3), (1101, "ThreadJoin", 7))),
    ("fork-nesting", event(P0, (1120, "OmpJoin",))),
    ("task", event(P0, (1003, "ThreadTaskSwitch", 1, 0, 1), (1003, "ThreadTaskSwitch", 1, 0, 2))),
    ("task-left", event(P0, (1004, "ThreadTaskComplete", 1, 0, 1))),
    ("task", event(P0, (1112, "OmpTaskSwitch", 9), (1112, "OmpTaskCreate", 9))),
    ("lock-order", event(P0, (1020, "ThreadReleaseLock", 3, 5, 1),
                         (1020, "ThreadReleaseLock", 3, 5, 1), (1021, "ThreadAcquireLock", 3, 5, 3),
                         (1022, "ThreadReleaseLock", 3, 5, 3))),
    ("lock-owner", event(P0, (1020, "ThreadReleaseLock", 3, 5, 1),
                         (1020, "ThreadReleaseLock", 3, 5, 2))),
    ("lock-exclusion", event(P0, (1020, "ThreadReleaseLock", 3, 5, 1)),
     event(THREAD, (1340, "ThreadTeamEnd", 1), (1340, "ThreadTeamEnd", 1),
           (1341, "ThreadAcquireLock", 3, 5, 2), (1342, "ThreadReleaseLock", 3, 5, 2))),

    ("rma-window", event(P0, (2090, "RmaWinDestroy", 0), (2035, "RmaWinDestroy", 0)),
     lambda a: a["events"][P0].sort(key=lambda e: e[0])),
    ("rma-window", event(P0, (2011, "RmaWinCreate", 0), (2011, "RmaWinCreate", 0),
                         (2012, "RmaWinCreate", 0))),
    ("rma-rank", event(P0, (2081, "RmaSync", 0, 1, 1), (2081, "RmaSync", 0, 2, 1))),
    ("rma-operation", event(P0, (2041, "RmaOpTest", 0, 1), (2041, "RmaOpTest", 0, 9))),
    ("rma-operation", event(P0, (2061, "RmaOpCompleteBlocking", 0, 2),
                            (2061, "RmaOpCompleteBlocking", 0, 2),
                            (2062, "RmaOpCompleteBlocking", 0, 2))),
    ("rma-open", event(P0, (2061, "RmaOpCompleteBlocking", 0, 2))),
    ("rma-lock", event(P0, (2080, "RmaReleaseLock", 0, 1, 1), (2080, "RmaReleaseLock", 0, 1, 2))),
    ("rma-collective", event(P0, (2000, "RmaCollectiveBegin",))),

    ("snapshot-frame", snapshot((5005, "SnapshotStart", 2), (5005, "SnapshotEnd", 70))),
    ("snapshot-frame", snapshot((5005, "SnapshotStart", 0),)),
    ("snapshot-time", snapshot((5005, "SnapshotStart", 1), (5005, "Enter", 5006, MAIN),
                               (5005, "SnapshotEnd", 70))),
    ("snapshot-position", snapshot((5005, "SnapshotStart", 0), (5005, "SnapshotEnd", 999))),
    ("event-reference", snapshot((5005, "SnapshotStart", 1), (5005, "Enter", 200, 77),
                                 (5005, "SnapshotEnd", 70))),
    ("marker-reference", put(markers=[("Marker", 100, 50, 0, 0, 0, "not defined")])),
    ("marker-reference", put(markers=[("DefMarker", 0, "a", "b", 0),
                                      ("Marker", 100, 50, 0, 1, 77, "scope")])),
    ("marker-time", put(markers=[("DefMarker", 0, "a", "b", 0),
                                 ("Marker", 100, 10000, 0, 0, 0, "long")])),
    ("id-dense", put(markers=[("DefMarker", 1, "a", "b", 0)])),
    ("thumbnail", put(thumbnails=[[("ThumbnailHeader", "a", "b", 0, 2, [(MAIN,)]),
                                   ("ThumbnailSample", 10, [(4,)])]])),
    ("thumbnail", put(thumbnails=[[("ThumbnailHeader", "a", "b", 0, 1, [(MAIN,)]),
                                   ("ThumbnailSample", 10, [(4,), (5,)])]])),
    ("thumbnail-reference", put(thumbnails=[[("ThumbnailHeader", "a", "b", 0, 0, [(77,)])]])),
)

# (rule, file, damage, change) of the same archive
DAMAGES = (
    ("anchor", ANCHOR, cut(40)), ("anchor", ANCHOR, at(1, b"x")), ("anchor", ANCHOR, cut(0)),
    ("chunk-header", EVT, at(0, b"\x09")), ("chunk-header", DEF, at(1, b"\x09")),
    ("chunk-numbers", EVT, at(2, b"\x02")), ("chunk-numbers", EVT, at(10, b"\xff")),
    ("chunk-numbers", DEF, at(10, b"\x01")),
    ("file-cut", EVT, cut(200)), ("file-cut", DEF, cut(300)), ("file-cut", LOCAL, cut(22)),
    ("file-cut", EVT, cut(10)), ("file-cut", EVT, cut(0)),
    ("file-cut", EVT, lambda old: old[:-2]), ("file-end", EVT, lambda old: old[:-1]),
    ("file-end", EVT, lambda old: old + b"\0"), ("file-end", DEF, lambda old: old[:-1] + b"\x07"),
    ("record-unknown", EVT, inserted(b"\x0c\x01\x01\x05", b"\xee\x01\x00"),
     definition(("Location", P0), ("Location", P0, T("main"), 1, 0, 0))),
    ("record-unknown", DEF, lambda old: old[:-2] + b"\xee\x00" + END, anchor(definitions=-1)),
    ("record-bytes", DEF, lambda old: old[:-2] + b"\x0a\x01\x09" + END, anchor(definitions=-1)),
    ("record-length", DEF, lambda old: old[:-2] + b"\x17\x06\x01\x03\x01\x06\x02\x00" + END,
     anchor(definitions=-1)),
    ("timestamp-twice", EVT, lambda old: old[:18] + old[18:27] + old[18:]),
    ("timestamp-first", EVT, lambda old: old[:18] + old[27:]),
)

# The same for more than one chunk: rule, damage of the thread's events.
CHUNK_DAMAGES = (
    ("chunk-numbers", at(CHUNK + 2, b"\x01")), ("chunk-numbers", at(CHUNK + 10, b"\xff")),
    ("chunk-header", at(CHUNK, b"\x00")), ("chunk-fill", at(CHUNK - 1, b"\x01")),
    ("file-cut", cut(CHUNK)), ("file-cut", cut(CHUNK + 7)), ("file-cut", cut(CHUNK - 3)),
)
