/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of a call whose records go with its Leave: cheaper than a call for each. Included by
 * agent/spur_agent.h, whose promises hold here too.
 */
#ifndef SPUR_LEAVES_H
#define SPUR_LEAVES_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2.h>
#include <otf2/otf2_foreach.h>

struct spur_attribute;
struct spur_call;
struct spur_loc;

#define SPUR_PUT_PARAM_(Row, kind, name) , otf2_t_##kind name

/*
 * spur_leave_after_MpiIsend(loc, call, receiver, communicator, ...): the record, which waited for
 * the call's success, at the location's time, then spur_leave_now().
 */
#define SPUR_LEAVES_AFTER(ROW)                                                                     \
    ROW(MpiIsend, (U32, receiver), (COMM, communicator), (U32, msgTag), (U64, msgLength),          \
        (U64, requestID))                                                                          \
    ROW(MpiIrecvRequest, (U64, requestID))
#define SPUR_LEAVE_AFTER_(Name, ...)                                                               \
    void spur_leave_after_##Name(struct spur_loc *loc,                                             \
                                 struct spur_call *call OTF2_SEQ(SPUR_PUT_PARAM_, Name, "",        \
                                                                 __VA_ARGS__));
SPUR_LEAVES_AFTER(SPUR_LEAVE_AFTER_)

/*
 * spur_leave_with_IoSeek(loc, call, handle, ...): spur_tick(), the record, which says what the call
 * has done, and spur_leave().
 */
#define SPUR_LEAVES_WITH(ROW)                                                                      \
    ROW(IoSeek, (IO_HANDLE, handle), (I64, offsetRequest), (IO_SEEK_OPTION, whence),               \
        (U64, offsetResult))
#define SPUR_LEAVE_WITH_(Name, ...)                                                                \
    void spur_leave_with_##Name(struct spur_loc *loc,                                              \
                                struct spur_call *call OTF2_SEQ(SPUR_PUT_PARAM_, Name, "",         \
                                                                __VA_ARGS__));
SPUR_LEAVES_WITH(SPUR_LEAVE_WITH_)

/* A blocking operation on an I/O handle that has succeeded. */
struct spur_operation {
    OTF2_IoHandleRef handle;
    OTF2_IoOperationMode mode;
    uint64_t asked;                     /* bytes; OTF2_UNDEFINED_UINT64: not known */
    uint64_t moved;                     /* bytes */
    uint64_t id;                        /* matchingId of both records */
    const struct spur_attribute *where; /* of its begin, of type OTF2_TYPE_UINT64; NULL: none */
};

/*
 * IoOperationBegin at the location's time, which is that of the Enter; spur_tick();
 * IoOperationComplete, and spur_leave().
 */
void spur_leave_operation(struct spur_loc *loc, struct spur_call *call,
                          const struct spur_operation *operation);

/*
 * The call of the thread is left by unwinding, with the guard up, maybe from a signal handler that
 * has interrupted the agent. True: leave the call in order. False: the region has ended, and
 * the guard is lowered.
 */
bool spur_unwinds(struct spur_loc *loc, struct spur_call *call);

#endif
