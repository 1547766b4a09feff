# SPDX-License-Identifier: BSD-3-Clause
"""
An archive that uses every record of OTF2 3.0 as it is meant: two processes, one with a second
thread, that breaks no rule. For the tests of `spur check`, which change one thing at a time.
"""

NONE, NONE64 = 0xffffffff, 0xffffffffffffffff
NO_ROOT, ROOT_SELF, ROOT_GROUP = 0xffffffff, 0xfffffffe, 0xfffffffd
TEXTS = ("", "MPI", "OPENMP", "PTHREAD", "world", "team", "self", "inter", "threads", "process 0",
         "process 1", "thread", "node", "machine", "main", "work", "MPI_Send", "POSIX I/O", "POSIX",
         "1.0", "attribute", "text attribute", "cycles", "file.c", "/tmp/file", "/tmp", "argument",
         "timer", "dimension", "topology", "window", "property", "value", "string parameter",
         "integer parameter", "number parameter")
T = TEXTS.index
MAIN, WORK, SEND = 0, 1, 2
P0, P1, THREAD = 0, 1, 2


def definitions():
    text = 11  # the type of a reference to a string
    made = [("ClockProperties", 1000000000, 0, 10000, 5)]
    made += [("String", i, s) for i, s in enumerate(TEXTS)]
    made += [("Paradigm", 3, T("OPENMP"), 1), ("Paradigm", 4, T("MPI"), 0),
             ("Paradigm", 7, T("PTHREAD"), 2), ("ParadigmProperty", 4, 0, text, T("world")),
             ("IoParadigm", 0, T("POSIX"), T("POSIX I/O"), 0, 1, [(0, text, T("1.0"))]),
             ("Attribute", 0, T("attribute"), 3, NONE),
             ("Attribute", 1, T("text attribute"), text, T("value")),
             ("SystemTreeNode", 0, T("machine"), T("machine"), NONE),
             ("SystemTreeNode", 1, T("node"), T("node"), 0),
             ("LocationGroup", 0, T("process 0"), 1, 1, NONE),
             ("LocationGroup", 1, T("process 1"), 1, 1, 0),
             ("Location", P0, T("main"), 1, 0, 0), ("Location", P1, T("main"), 1, 0, 1),
             ("Location", THREAD, T("thread"), 1, 0, 0)]
    made += [("Region", i, T(name), NONE, 0, T("file.c"), 1, 9, T(name), 1, paradigm, 0)
             for i, (name, paradigm) in enumerate((("main", 3), ("work", 3), ("MPI_Send", 4)))]
    made += [("Callsite", 0, T("file.c"), 3, MAIN, WORK), ("Callpath", 0, NONE, MAIN),
             ("Callpath", 1, 0, WORK)]
    made += [("Group", 0, T("MPI"), 6, [(P0,), (P1,)], 4, 4, 0),
             ("Group", 1, T("world"), 4, [(0,), (1,)], 5, 4, 0),
             ("Group", 2, T("OPENMP"), 0, [(P0,), (THREAD,)], 4, 3, 0),
             ("Group", 3, T("team"), 0, [(0,), (1,)], 5, 3, 0),
             ("Group", 4, T("self"), 5, [], 6, 4, 0),
             ("Group", 5, T("thread"), 1, [(P0,), (P1,), (THREAD,)], 1, 0, 0),
             ("Group", 6, T("main"), 2, [(MAIN,), (WORK,)], 2, 0, 0),
             ("Group", 7, T("process 0"), 4, [(0,)], 5, 4, 0),
             ("Group", 8, T("process 1"), 4, [(1,)], 5, 4, 0),
             ("Group", 9, T("PTHREAD"), 0, [(P0,), (THREAD,)], 4, 7, 0),
             ("Group", 10, T("threads"), 0, [(0,), (1,)], 5, 7, 0),
             ("MetricMember", 0, T("cycles"), NONE, 1, 0, 8, 1, 0, NONE),
             ("MetricMember", 1, T("timer"), NONE, 0, 0, 10, 1, -9, NONE),
             ("MetricClass", 0, [(0,)], 0, 2), ("MetricClass", 1, [(0,), (1,)], 2, 1),
             ("MetricInstance", 2, 1, THREAD, 1, 0),
             ("Comm", 0, T("world"), 1, NONE, 1), ("Comm", 1, T("team"), 3, NONE, 0),
             ("Comm", 2, T("self"), 4, NONE, 0), ("InterComm", 3, T("inter"), 7, 8, 0, 0),
             ("Comm", 4, T("threads"), 10, NONE, 0),
             ("Parameter", 0, T("string parameter"), 0),
             ("Parameter", 1, T("integer parameter"), 1),
             ("Parameter", 2, T("number parameter"), 2), ("RmaWin", 0, T("window"), 0, 1),
             ("MetricClassRecorder", 0, P0),
             ("SystemTreeNodeProperty", 1, T("property"), T("value"), text, T("value")),
             ("SystemTreeNodeDomain", 0, 0),
             ("LocationGroupProperty", 0, T("property"), NONE, 4, 7),
             ("LocationProperty", P0, T("property"), NONE, 4, 7),
             ("CartDimension", 0, T("dimension"), 2, 0),
             ("CartTopology", 0, T("topology"), 0, [(0,)]),
             ("CartCoordinate", 0, 0, [(0,)]), ("CartCoordinate", 0, 1, [(1,)]),
             ("SourceCodeLocation", 0, T("file.c"), 3), ("CallingContext", 0, MAIN, NONE, NONE),
             ("CallingContext", 1, WORK, 0, 0),
             ("CallingContextProperty", 1, T("property"), text, T("value")),
             ("InterruptGenerator", 0, T("timer"), 0, 1, -9, 1000),
             ("IoRegularFile", 0, T("/tmp/file"), 1), ("IoDirectory", 1, T("/tmp"), 1),
             ("IoFileProperty", 0, T("property"), text, T("value")),
             ("IoHandle", 0, T("/tmp/file"), 0, 0, 0, NONE, NONE),
             ("IoHandle", 1, T("/tmp/file"), 0, 0, 1, NONE, NONE),
             ("IoHandle", 2, T("/tmp/file"), 0, 0, 0, NONE, 0),
             ("IoHandle", 3, T("/tmp/file"), 0, 0, 0, 0, NONE),
             ("IoPreCreatedHandleState", 1, 2, 0),
             ("CallpathParameter", 1, 1, 8, -5)]
    return made


def _shared_memory():
    """Teams, tasks and locks of the first process's first thread."""
    made = [(1000, "ThreadFork", 3, 2), (1001, "ThreadTeamBegin", 1),
            (1002, "ThreadTaskCreate", 1, 0, 1), (1003, "ThreadTaskSwitch", 1, 0, 1),
            (1004, "ThreadTaskComplete", 1, 0, 1), (1005, "ThreadTaskSwitch", 1, 0, 0),
            (1010, "ThreadAcquireLock", 3, 5, 1), (1020, "ThreadReleaseLock", 3, 5, 1),
            (1100, "ThreadTeamEnd", 1), (1101, "ThreadJoin", 3), (1110, "OmpFork", 2),
            (1111, "OmpTaskCreate", 9), (1112, "OmpTaskSwitch", 9), (1113, "OmpTaskComplete", 9),
            (1114, "OmpAcquireLock", 6, 0), (1115, "OmpReleaseLock", 6, 0), (1120, "OmpJoin",),
            (1200, "ThreadCreate", 4, 1), (1600, "ThreadWait", 4, 1)]
    return made


def _one_sided(peer):
    made = [(2000, "RmaCollectiveBegin",), (2010, "RmaCollectiveEnd", 17, 3, 0, NO_ROOT, 0, 0),
            (2011, "RmaWinCreate", 0), (2020, "RmaGroupSync", 1, 0, 1),
            (2030, "RmaRequestLock", 0, peer, 1, 0), (2031, "RmaAcquireLock", 0, peer, 1, 0),
            (2032, "RmaTryLock", 0, peer, 2, 0), (2040, "RmaPut", 0, peer, 100, 1),
            (2041, "RmaOpTest", 0, 1), (2050, "RmaOpCompleteNonBlocking", 0, 1),
            (2051, "RmaOpCompleteRemote", 0, 1), (2060, "RmaGet", 0, peer, 100, 2),
            (2061, "RmaOpCompleteBlocking", 0, 2), (2070, "RmaAtomic", 0, peer, 1, 8, 8, 3),
            (2071, "RmaOpCompleteBlocking", 0, 3), (2080, "RmaReleaseLock", 0, peer, 1),
            (2081, "RmaSync", 0, peer, 1), (2082, "RmaWaitChange", 0), (2090, "RmaWinDestroy", 0)]
    return made


def _input_output():
    return [(3000, "IoCreateHandle", 0, 2, 1, 0), (3001, "IoSeek", 0, -5, 2, 10),
            (3002, "IoChangeStatusFlags", 0, 2), (3003, "IoAcquireLock", 0, 0),
            (3004, "IoTryLock", 0, 1), (3005, "IoReleaseLock", 0, 0),
            (3010, "IoOperationBegin", 0, 0, 1, 100, 1), (3011, "IoOperationIssued", 0, 1),
            (3012, "IoOperationTest", 0, 1), (3020, "IoOperationComplete", 0, 100, 1),
            (3030, "IoOperationBegin", 1, 1, 1, 100, 1), (3031, "IoOperationIssued", 1, 1),
            (3040, "IoOperationCancelled", 1, 1),
            (3050, "IoDuplicateHandle", 0, 2, 0), (3060, "IoDestroyHandle", 2),
            (3061, "IoDestroyHandle", 0), (3070, "IoDeleteFile", 0, 0)]


def _together():
    """A handle that both processes open."""
    return [(5220, "IoCreateHandle", 3, 1, 0, 0), (5221, "IoOperationBegin", 3, 1, 2, 10, 9),
            (5222, "IoOperationComplete", 3, 10, 9), (5223, "IoOperationBegin", 3, 2, 2, NONE64, 9),
            (5224, "IoOperationComplete", 3, NONE64, 9), (5225, "IoDestroyHandle", 3)]


def _contexts():
    """Calling contexts, metrics, parameters."""
    return [(4000, "CallingContextEnter", 1, 2), (4005, "CallingContextSample", 1, 1, 0),
            (4010, "CallingContextLeave", 1), (4100, "Metric", 0, [(8, 5)]), (4100, "Enter", WORK),
            (4101, "ParameterString", 0, T("argument")), (4102, "ParameterInt", 1, -7),
            (4103, "ParameterUnsignedInt", 2, 7),
            (4104, "Attributes", [(0, 3, 77), (1, 11, T("value"))]),
            (4110, "Leave", WORK), (4200, "MeasurementOnOff", 2), (4300, "MeasurementOnOff", 1),
            (4400, "BufferFlush", 4410)]


def _messages(rank):
    """Both ranks send to each other, the first one first."""
    made = [(5000, "CommCreate", 0)]
    if rank == 0:
        made += [(5010, "MpiSend", 1, 0, 7, 400), (5030, "MpiRecv", 1, 0, 7, 400),
                 (5040, "MpiIsend", 1, 0, 8, 100, 1), (5041, "MpiRequestTest", 1),
                 (5042, "MpiIsend", 1, 0, 8, 200, 2), (5060, "MpiIsendComplete", 1),
                 (5061, "MpiIsendComplete", 2), (5062, "MpiIsend", 1, 0, 9, 300, 3),
                 (5063, "MpiRequestCancelled", 3), (5070, "MpiSend", 0, 3, 1, 5)]
    else:
        # Posted in the order 8, 9, and complete in the other one.
        made += [(5015, "MpiRecv", 0, 0, 7, 400), (5020, "MpiSend", 0, 0, 7, 400),
                 (5035, "MpiIrecvRequest", 8), (5036, "MpiIrecvRequest", 9),
                 (5050, "MpiIrecv", 0, 0, 8, 200, 9), (5051, "MpiIrecv", 0, 0, 8, 100, 8),
                 (5080, "MpiRecv", 0, 3, 1, 5)]
    return made


def _collectives(rank):
    made = [(5100 + rank, "MpiCollectiveBegin",), (5110, "MpiCollectiveEnd", 0, 0, NO_ROOT, 0, 0),
            (5120, "MpiCollectiveBegin",),
            (5130, "MpiCollectiveEnd", 1, 0, 1, 8 * rank, 8 - 8 * rank),
            (5140, "NonBlockingCollectiveRequest", 20), (5150, "MpiCollectiveBegin",),
            (5160, "MpiCollectiveEnd", 11, 0, NO_ROOT, 8, 8),
            (5170, "NonBlockingCollectiveComplete", 0, 0, NO_ROOT, 0, 0, 20),
            (5180, "MpiCollectiveBegin",),
            (5190, "MpiCollectiveEnd", 1, 3, 0 if rank else ROOT_SELF, 8 - 8 * rank, 8 * rank),
            (5200, "MpiCollectiveBegin",), (5210, "MpiCollectiveEnd", 0, 2, NO_ROOT, 0, 0)]
    return made + _together() + [(5300, "CommDestroy", 0)]


def events():
    begin = [(100, "ProgramBegin", T("main"), [(T("argument"),), (T("value"),)])]
    end = [(9000, "Leave", MAIN), (9001, "ProgramEnd", 0)]
    enter = [(200, "Metric", 0, [(8, 1)]), (200, "Enter", MAIN)]
    first = begin + enter + _shared_memory() + _one_sided(1) + _input_output() + _contexts() \
        + _messages(0) + _collectives(0) + end
    second = begin + enter + _one_sided(0) + _messages(1) + _collectives(1) + end
    thread = [(1300, "ThreadBegin", 4, 1), (1310, "Enter", WORK),
              (1320, "Metric", 2, [(8, 1), (10, 0)]),
              (1330, "ThreadTeamBegin", 1), (1340, "ThreadTeamEnd", 1), (1400, "Leave", WORK),
              (1500, "ThreadEnd", 4, 1)]
    return {P0: first, P1: second, THREAD: thread}


def local():
    """Locations 0 and 2 keep the ids; location 1 has them translated to themselves."""
    return {P1: [("MappingTable", 3, (1, [(WORK, WORK), (SEND, SEND)])),
                 ("MappingTable", 6, (0, [0, 1, 2, 3, 4])), ("ClockOffset", 0, 0, 0.5),
                 ("ClockOffset", 9999, 0, 0.5)]}


def snapshots():
    empty = [(5005, "SnapshotStart", 0), (5005, "SnapshotEnd", 1)]
    return {P0: [(5005, "SnapshotStart", 2), (5005, "Enter", 200, MAIN),
                 (5005, "MeasurementOnOff", 4300, 1), (5005, "SnapshotEnd", 70)],
            P1: empty, THREAD: empty}


def markers():
    return [("DefMarker", 0, "group", "category", 1), ("DefMarker", 1, "group", "other", 3),
            ("Marker", 100, 50, 0, 0, NONE64, "global"), ("Marker", 100, 50, 1, 1, 2, "a location"),
            ("Marker", 200, 0, 1, 5, 3, "a communicator")]


def thumbnails():
    return [[("ThumbnailHeader", "thumb", "regions", 0, 2, [(MAIN,), (WORK,)]),
             ("ThumbnailSample", 10, [(4,), (6,)]), ("ThumbnailSample", 10, [(3,), (7,)])]]


def counted(made, streams):
    """The same definitions with the true numbers of events."""
    count = {location: sum(name != "Attributes" for _, name, *_ in stream)
             for location, stream in streams.items()}
    return [(*d[:4], count[d[1]], d[5]) if d[0] == "Location" and d[1] in count else d
            for d in made]


def everything():
    """Arguments of write_archive."""
    streams = events()
    return {"definitions": counted(definitions(), streams), "events": streams, "local": local(),
            "snapshots": snapshots(), "markers": markers(), "thumbnails": thumbnails()}
