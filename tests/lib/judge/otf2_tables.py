# SPDX-License-Identifier: BSD-3-Clause
"""
The records of OTF2 3.2 as the judge knows them: on-disk order of the attributes, their encodings
and what they refer to. Kept apart from the project's own tables on purpose: a wrong row there must
not be able to hide itself here.

A row: id, "!" for a record without a length byte, name, attributes `name:encoding[@Space[?]]`.
"@Space" is a reference into that id space, "?" says that it may be undefined, "*( )" encloses the
members repeated as often as the attribute before them says, "|" separates what a later version of
the format added. Continuation lines begin with a blank.
"""

GLOBAL_DEFINITIONS = """
5 ClockProperties timerResolution:c64 globalOffset:c64 traceLength:c64 | realtimeTimestamp:c64
6 Paradigm paradigm:u8 name:c32@String paradigmClass:u8
7 ParadigmProperty paradigm:u8 property:u8 type:u8 value:value
8 IoParadigm self:u8@IoParadigm identification:c32@String name:c32@String ioParadigmClass:u8
   ioParadigmFlags:c32 numberOfProperties:u8 *( properties:u8 types:u8 values:value )
10 String self:c32@String string:string
11 Attribute self:c32@Attribute name:c32@String type:u8 | description:c32@String?
12 SystemTreeNode self:c32@SystemTreeNode name:c32@String className:c32@String
   parent:c32@SystemTreeNode?
13 LocationGroup self:c32@LocationGroup name:c32@String locationGroupType:u8
   systemTreeParent:c32@SystemTreeNode | creatingLocationGroup:c32@LocationGroup?
14 Location self:c64@Location name:c32@String locationType:u8 numberOfEvents:c64
   locationGroup:c32@LocationGroup
15 Region self:c32@Region name:c32@String description:c32@String? regionType:u8
   sourceFile:c32@String? beginLineNumber:c32 endLineNumber:c32 | canonicalName:c32@String
   regionRole:u8 paradigm:u8 regionFlags:c32
16 Callsite self:c32@Callsite sourceFile:c32@String lineNumber:c32 enteredRegion:c32@Region?
   leftRegion:c32@Region?
17 Callpath self:c32@Callpath parent:c32@Callpath? region:c32@Region
18 Group self:c32@Group name:c32@String? groupTypePre12:u8 numberOfMembers:c32 *( members:c64 ) |
   groupType:u8 paradigm:u8 groupFlags:c32
19 MetricMember self:c32@MetricMember name:c32@String description:c32@String? metricType:u8
   metricMode:u8 valueType:u8 base:u8 exponent:ci64 unit:c32@String?
20 MetricClass self:c32@Metric numberOfMetrics:u8 *( metricMembers:c32@MetricMember )
   metricOccurrence:u8 | recorderKind:u8
21 MetricInstance self:c32@Metric metricClass:c32@Metric recorder:c64@Location metricScope:u8
   scope:c64
22 Comm self:c32@Comm name:c32@String? group:c32@Group parent:c32@Comm? | flags:c32
23 Parameter self:c32@Parameter name:c32@String parameterType:u8
24 RmaWin self:c32@RmaWin name:c32@String? comm:c32@Comm | flags:c32
25 MetricClassRecorder metric:c32@Metric recorder:c64@Location
26 SystemTreeNodeProperty systemTreeNode:c32@SystemTreeNode name:c32@String
   stringValue:c32@String? | type:u8 value:value
27 SystemTreeNodeDomain systemTreeNode:c32@SystemTreeNode systemTreeDomain:u8
28 LocationGroupProperty locationGroup:c32@LocationGroup name:c32@String stringValue:c32@String? |
   type:u8 value:value
29 LocationProperty location:c64@Location name:c32@String stringValue:c32@String? | type:u8
   value:value
30 CartDimension self:c32@CartDimension name:c32@String? size:c32 cartPeriodicity:u8
31 CartTopology self:c32@CartTopology name:c32@String? communicator:c32@Comm numberOfDimensions:u8
   *( cartDimensions:c32@CartDimension )
32 CartCoordinate cartTopology:c32@CartTopology rank:c32 numberOfDimensions:u8 *( coordinates:c32
   )
33 SourceCodeLocation self:c32@SourceCodeLocation file:c32@String lineNumber:c32
34 CallingContext self:c32@CallingContext region:c32@Region
   sourceCodeLocation:c32@SourceCodeLocation? parent:c32@CallingContext?
35 CallingContextProperty callingContext:c32@CallingContext name:c32@String type:u8 value:value
36 InterruptGenerator self:c32@InterruptGenerator name:c32@String interruptGeneratorMode:u8
   base:u8 exponent:ci64 period:c64
37 IoFileProperty ioFile:c32@IoFile name:c32@String type:u8 value:value
38 IoRegularFile self:c32@IoFile name:c32@String scope:c32@SystemTreeNode?
39 IoDirectory self:c32@IoFile name:c32@String scope:c32@SystemTreeNode?
40 IoHandle self:c32@IoHandle name:c32@String file:c32@IoFile? ioParadigm:u8@IoParadigm
   ioHandleFlags:c32 comm:c32@Comm? parent:c32@IoHandle?
41 IoPreCreatedHandleState ioHandle:c32@IoHandle mode:u8 statusFlags:c32
42 CallpathParameter callpath:c32@Callpath parameter:c32@Parameter type:u8 value:value
43 InterComm self:c32@Comm name:c32@String? groupA:c32@Group groupB:c32@Group
   commonCommunicator:c32@Comm? flags:c32
"""

LOCAL_DEFINITIONS = """
5 MappingTable mappingType:u8 idMap:idmap
6 ClockOffset time:u64 offset:ci64 standardDeviation:f64
"""

MARKERS = """
5 DefMarker self:c32@Marker markerGroup:string markerCategory:string severity:u8
6 Marker timestamp:c64 duration:c64 marker:c32@Marker markerScope:u8 scope:c64 text:string
"""

THUMBNAILS = """
10 ThumbnailHeader name:string description:string type:u8 numberOfSamples:c32
   numberOfMetrics:c32 *( refsToDefs:c64 )
11 ThumbnailSample baseline:c64 numberOfMetrics:c32 *( metricSamples:c64 )
"""

# All of them with a length, and origEventTime first where they repeat an event.
SNAPSHOTS = """
10 SnapshotStart numberOfRecords:c64
11 SnapshotEnd contReadPos:c64
12 MeasurementOnOff origEventTime:u64 measurementMode:u8
13 Enter origEventTime:u64 region:c32@Region
14 MpiSend origEventTime:u64 receiver:c32 communicator:c32@Comm msgTag:c32 msgLength:c64
"""

EVENTS = """
10 BufferFlush stopTime:u64
11 MeasurementOnOff measurementMode:u8
12! Enter region:c32@Region
13! Leave region:c32@Region
14 MpiSend receiver:c32 communicator:c32@Comm msgTag:c32 msgLength:c64
15 MpiIsend receiver:c32 communicator:c32@Comm msgTag:c32 msgLength:c64 requestID:c64
16! MpiIsendComplete requestID:c64
17! MpiIrecvRequest requestID:c64
18 MpiRecv sender:c32 communicator:c32@Comm msgTag:c32 msgLength:c64
19 MpiIrecv sender:c32 communicator:c32@Comm msgTag:c32 msgLength:c64 requestID:c64
20! MpiRequestTest requestID:c64
21! MpiRequestCancelled requestID:c64
22 MpiCollectiveBegin
23 MpiCollectiveEnd collectiveOp:u8 communicator:c32@Comm root:c32 sizeSent:c64 sizeReceived:c64
24! OmpFork numberOfRequestedThreads:c32
25 OmpJoin
26 OmpAcquireLock lockID:c32 acquisitionOrder:c32
27 OmpReleaseLock lockID:c32 acquisitionOrder:c32
28! OmpTaskCreate taskID:c64
29! OmpTaskSwitch taskID:c64
30! OmpTaskComplete taskID:c64
31 Metric metric:c32@Metric numberOfMetrics:u8 *( typeIDs:u8 metricValues:c64 )
32 ParameterString parameter:c32@Parameter string:c32@String
33 ParameterInt parameter:c32@Parameter value:ci64
34 ParameterUnsignedInt parameter:c32@Parameter value:c64
35 RmaWinCreate win:c32@RmaWin
36 RmaWinDestroy win:c32@RmaWin
37 RmaCollectiveBegin
38 RmaCollectiveEnd collectiveOp:u8 syncLevel:c32 win:c32@RmaWin root:c32 bytesSent:c64
   bytesReceived:c64
39 RmaGroupSync syncLevel:c32 win:c32@RmaWin group:c32@Group
40 RmaRequestLock win:c32@RmaWin remote:c32 lockId:c64 lockType:u8
41 RmaAcquireLock win:c32@RmaWin remote:c32 lockId:c64 lockType:u8
42 RmaTryLock win:c32@RmaWin remote:c32 lockId:c64 lockType:u8
43 RmaReleaseLock win:c32@RmaWin remote:c32 lockId:c64
44 RmaSync win:c32@RmaWin remote:c32 syncType:u8
45 RmaWaitChange win:c32@RmaWin
46 RmaPut win:c32@RmaWin remote:c32 bytes:c64 matchingId:c64
47 RmaGet win:c32@RmaWin remote:c32 bytes:c64 matchingId:c64
48 RmaAtomic win:c32@RmaWin remote:c32 type:u8 bytesSent:c64 bytesReceived:c64 matchingId:c64
49 RmaOpCompleteBlocking win:c32@RmaWin matchingId:c64
50 RmaOpCompleteNonBlocking win:c32@RmaWin matchingId:c64
51 RmaOpTest win:c32@RmaWin matchingId:c64
52 RmaOpCompleteRemote win:c32@RmaWin matchingId:c64
53 ThreadFork model:u8 numberOfRequestedThreads:c32
54 ThreadJoin model:u8
55 ThreadTeamBegin threadTeam:c32@Comm
56 ThreadTeamEnd threadTeam:c32@Comm
57 ThreadAcquireLock model:u8 lockID:c32 acquisitionOrder:c32
58 ThreadReleaseLock model:u8 lockID:c32 acquisitionOrder:c32
59 ThreadTaskCreate threadTeam:c32@Comm creatingThread:c32 generationNumber:c32
60 ThreadTaskSwitch threadTeam:c32@Comm creatingThread:c32 generationNumber:c32
61 ThreadTaskComplete threadTeam:c32@Comm creatingThread:c32 generationNumber:c32
62 ThreadCreate threadContingent:c32@Comm sequenceCount:c64
63 ThreadBegin threadContingent:c32@Comm sequenceCount:c64
64 ThreadWait threadContingent:c32@Comm sequenceCount:c64
65 ThreadEnd threadContingent:c32@Comm sequenceCount:c64
66 CallingContextEnter callingContext:c32@CallingContext unwindDistance:c32
67 CallingContextLeave callingContext:c32@CallingContext
68 CallingContextSample callingContext:c32@CallingContext unwindDistance:c32
   interruptGenerator:c32@InterruptGenerator
69 IoCreateHandle handle:c32@IoHandle mode:u8 creationFlags:c32 statusFlags:c32
70 IoDestroyHandle handle:c32@IoHandle
71 IoDuplicateHandle oldHandle:c32@IoHandle newHandle:c32@IoHandle statusFlags:c32
72 IoSeek handle:c32@IoHandle offsetRequest:ci64 whence:u8 offsetResult:c64
73 IoChangeStatusFlags handle:c32@IoHandle statusFlags:c32
74 IoDeleteFile ioParadigm:u8@IoParadigm file:c32@IoFile
75 IoOperationBegin handle:c32@IoHandle mode:u8 operationFlags:c32 bytesRequest:c64 matchingId:c64
76 IoOperationTest handle:c32@IoHandle matchingId:c64
77 IoOperationIssued handle:c32@IoHandle matchingId:c64
78 IoOperationComplete handle:c32@IoHandle bytesResult:c64 matchingId:c64
79 IoOperationCancelled handle:c32@IoHandle matchingId:c64
80 IoAcquireLock handle:c32@IoHandle lockType:u8
81 IoReleaseLock handle:c32@IoHandle lockType:u8
82 IoTryLock handle:c32@IoHandle lockType:u8
83 ProgramBegin programName:c32@String numberOfArguments:c32 *( programArguments:c32@String )
84 ProgramEnd exitStatus:ci64
85 NonBlockingCollectiveRequest requestID:c64
86 NonBlockingCollectiveComplete collectiveOp:u8 communicator:c32@Comm root:c32 sizeSent:c64
   sizeReceived:c64 requestID:c64
87 CommCreate communicator:c32@Comm
88 CommDestroy communicator:c32@Comm
89 MpiProbe sender:c32 communicator:c32@Comm tag:c32 messageId:c64
90 MpiMrecv messageId:c64 msgLength:c64
91 MpiImrecvRequest messageId:c64 requestId:c64
92 MpiImrecv requestId:c64 msgLength:c64
"""

# Number of a mapping table -> id space that it translates.
MAPPINGS = ("String", "Attribute", "Location", "Region", "Group", "Metric", "Comm", "Parameter",
            "RmaWin", "SourceCodeLocation", "CallingContext", "InterruptGenerator", "IoFile",
            "IoHandle", "LocationGroup")

# Type of a typed value -> (encoding, id space or None). Types 11 to 25 are references.
VALUES = dict(enumerate((("c64", None), ("u8", None), ("u16", None), ("c32", None), ("c64", None),
                         ("i8", None), ("i16", None), ("ci32", None), ("ci64", None),
                         ("f32", None), ("f64", None))))
VALUES.update({11 + i: ("c64" if space == "Location" else "c32", space)
               for i, space in enumerate(MAPPINGS)})

COLLECTIVES = ("BARRIER", "BCAST", "GATHER", "GATHERV", "SCATTER", "SCATTERV", "ALLGATHER",
               "ALLGATHERV", "ALLTOALL", "ALLTOALLV", "ALLTOALLW", "ALLREDUCE", "REDUCE",
               "REDUCE_SCATTER", "SCAN", "EXSCAN", "REDUCE_SCATTER_BLOCK", "CREATE_HANDLE",
               "DESTROY_HANDLE", "ALLOCATE", "DEALLOCATE", "CREATE_HANDLE_AND_ALLOCATE",
               "DESTROY_HANDLE_AND_DEALLOCATE")
ROOTS = {0xffffffff: "none", 0xfffffffe: "self", 0xfffffffd: "this group"}

GROUP_COMM_LOCATIONS, GROUP_COMM_GROUP, GROUP_COMM_SELF = 4, 5, 6
GROUP_GLOBAL_MEMBERS = 1
COMM_CREATE_DESTROY_EVENTS = 1
PARADIGM_MPI, PARADIGM_PTHREAD = 4, 7
