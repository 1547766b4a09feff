/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The meanings that a row of mpi_calls.def can name: a meaning x is
 *
 *   HOOKS_x   the remaining work when the call's group is switched off, or recording is paused; and
 *             the hooks of the meaning, BEFORE, ISSUED, AFTER in that order, _ for a missing hook
 *   BEFORE_x  before the real call, at the time of the Enter. May declare variables for later hooks
 *             and replace an argument.
 *   ISSUED_x  after the real call, still at the time of the Enter.
 *   AFTER_x   after ISSUED_x, at the time of the Leave. TICK_ reads the time and is the first
 *             statement.
 *
 * The remaining work: NOTHING; COUNTS: in a pause the hooks run, to count calls without records;
 * BOOKS: the hooks run, since later calls depend on the remembered state, and records of the hooks
 * are dropped; RECORDS: records of the hooks belong to requests of another group and are written,
 * outside of a region, unless recording is paused. ENDS: the same, and also within another recorded
 * call, in the region of that call: a callback in there may complete requests started outside.
 *
 * In scope are the parameters (machine words), `loc`, `large` (1 in a large-count function), and
 * after the call `ret`. An error (ret != 0) is no message.
 */
#ifndef MPI_MEANINGS_H
#define MPI_MEANINGS_H

#include "wrappers/mpi/mpi_emit.h"
#include "wrappers/mpi/mpi_meanings_io.h"
#include "wrappers/mpi/mpi_wait.h"
#include "wrappers/mpi/mpi_win.h"

/* The remaining work of a meaning, and each hook of the meaning: code, or nothing. */
#define MPI_KEEPS(MEANING) MPI_APPLY_(MPI_KEEPS_OF_, MEANING, HOOKS_##MEANING)
#define MPI_BEFORE(MEANING) MPI_APPLY_(MPI_BEFORE_OF_, MEANING, HOOKS_##MEANING)
#define MPI_ISSUED(MEANING) MPI_APPLY_(MPI_ISSUED_OF_, MEANING, HOOKS_##MEANING)
#define MPI_AFTER(MEANING) MPI_APPLY_(MPI_AFTER_OF_, MEANING, HOOKS_##MEANING)
#define MPI_APPLY_(macro, ...) macro(__VA_ARGS__)
#define MPI_KEEPS_OF_(MEANING, keeps, before, issued, after) OTF2_CAT_(MPI_KEEPS_, keeps)
#define MPI_BEFORE_OF_(MEANING, keeps, before, issued, after) MPI_HOOK_##before(MEANING)
#define MPI_ISSUED_OF_(MEANING, keeps, before, issued, after) MPI_HOOK_##issued(MEANING)
#define MPI_AFTER_OF_(MEANING, keeps, before, issued, after) MPI_HOOK_##after(MEANING)
#define MPI_HOOK_BEFORE(MEANING) BEFORE_##MEANING
#define MPI_HOOK_ISSUED(MEANING) ISSUED_##MEANING
#define MPI_HOOK_AFTER(MEANING) AFTER_##MEANING
#define MPI_HOOK__(MEANING)

/* clang-format off */
#define TICK_           mpi_frame_tick(&frame);
#define POLLED_(is_done) mpi_frame_polled(&frame, is_done);
#define INT_(word)      ((int)(word))
#define COUNT_(word)    (large ? (int64_t)(word) : (int64_t)(int)(word))
#define STATUS_IGNORE_  (mpi_library()->layout.status_ignore)
#define STATUSES_IGNORE_ (mpi_library()->layout.statuses_ignore)
#define IS_OFF_         (*frame.call->is_off)
#define IS_SET_(flag)   (ret == 0 && mpi_int_at(flag) != 0)
#define MESSAGE_(comm, dest, tag, count, type) \
    const struct mpi_message message_ = mpi_emit_message(comm, INT_(dest), INT_(tag), COUNT_(count), type);
#define OWN_STATUS_(status) \
    union mpi_status own_status_; \
    (status) = mpi_status_or(status, &own_status_);

#define HOOKS_PLAIN NOTHING, _, _, _

#define HOOKS_ABORT(...) BOOKS, BEFORE, _, _
#define BEFORE_ABORT(errorcode) spur_process_mpi_aborts(INT_(errorcode));

/* ---- blocking messages ---- */

#define HOOKS_SEND(...) COUNTS, BEFORE, ISSUED, _
#define BEFORE_SEND(comm, dest, tag, count, type) \
    MESSAGE_(comm, dest, tag, count, type) \
    mpi_emit_send(loc, &message_); \
    mpi_emit_waits_send(loc, &message_);
#define ISSUED_SEND(...) spur_waits_over(loc);

#define WAITS_RECV_(comm, source, tag) \
    spur_waits(loc, SPUR_WAIT_RECV, mpi_comm_id(comm), (uint32_t)INT_(source), (uint32_t)INT_(tag));

#define HOOKS_RECV(...) COUNTS, BEFORE, ISSUED, AFTER
#define BEFORE_RECV(comm, source, tag, status) \
    OWN_STATUS_(status) \
    WAITS_RECV_(comm, source, tag)
#define ISSUED_RECV(...) spur_waits_over(loc);
#define AFTER_RECV(comm, source, tag, status) TICK_ \
    if (ret == 0) \
        mpi_emit_recv(loc, comm, mpi_address(status)); \
    else \
        mpi_emit_recv_failed(loc, mpi_comm_id(comm), mpi_address(status), ret);

#define HOOKS_SENDRECV(...) COUNTS, BEFORE, ISSUED, AFTER
#define BEFORE_SENDRECV(comm, dest, tag, count, type, source, recvtag, status) \
    BEFORE_SEND(comm, dest, tag, count, type) \
    BEFORE_RECV(comm, source, recvtag, status)
#define ISSUED_SENDRECV(...) spur_waits_over(loc);
#define AFTER_SENDRECV(comm, dest, tag, count, type, source, recvtag, status) \
    AFTER_RECV(comm, source, recvtag, status)

#define HOOKS_PROBE(...) NOTHING, BEFORE, ISSUED, _
#define BEFORE_PROBE(comm, source, tag) WAITS_RECV_(comm, source, tag)
#define ISSUED_PROBE(...) spur_waits_over(loc);

#define HOOKS_IPROBE(...) NOTHING, _, _, AFTER
#define AFTER_IPROBE(flag) TICK_ POLLED_(ret != 0 || IS_SET_(flag))

#define HOOKS_MPROBE(...) BOOKS, BEFORE, ISSUED, AFTER
#define BEFORE_MPROBE(comm, source, tag, message) WAITS_RECV_(comm, source, tag)
#define ISSUED_MPROBE(...) spur_waits_over(loc);
#define AFTER_MPROBE(comm, source, tag, message) TICK_ \
    if (ret == 0) \
        mpi_emit_matched(comm, message);

#define HOOKS_IMPROBE(...) BOOKS, _, _, AFTER
#define AFTER_IMPROBE(comm, flag, message) TICK_ POLLED_(ret != 0 || IS_SET_(flag)) \
    if (IS_SET_(flag)) \
        mpi_emit_matched(comm, message);

#define HOOKS_MRECV(...) BOOKS, BEFORE, _, AFTER
#define BEFORE_MRECV(message, status) \
    const OTF2_CommRef matched_ = mpi_emit_take_matched(message); \
    OWN_STATUS_(status)
#define AFTER_MRECV(message, status) TICK_ \
    if (ret == 0) \
        mpi_emit_recv_on(loc, matched_, mpi_address(status)); \
    else \
        mpi_emit_recv_failed(loc, matched_, mpi_address(status), ret);

/* ---- requests are made ---- */

#define HOOKS_ISEND(...) BOOKS, BEFORE, ISSUED, _
#define BEFORE_ISEND(comm, dest, tag, count, type, request) MESSAGE_(comm, dest, tag, count, type)
#define ISSUED_ISEND(comm, dest, tag, count, type, request) \
    if (ret == 0) { \
        mpi_emit_isend(loc, frame.call, &message_, request); \
        mpi_frame_left(&frame); \
    }

#define HOOKS_IRECV(...) BOOKS, _, ISSUED, _
#define ISSUED_IRECV(comm, source, tag, request) \
    if (ret == 0) { \
        mpi_emit_irecv(loc, frame.call, mpi_comm_id(comm), INT_(source), INT_(tag), request); \
        mpi_frame_left(&frame); \
    }

#define HOOKS_IMRECV(...) BOOKS, BEFORE, ISSUED, _
#define BEFORE_IMRECV(message, request) const OTF2_CommRef matched_ = mpi_emit_take_matched(message);
#define ISSUED_IMRECV(message, request) \
    if (ret == 0) { \
        mpi_emit_irecv(loc, frame.call, matched_, 0, 0, request); \
        mpi_frame_left(&frame); \
    }

#define HOOKS_ISENDRECV(...) BOOKS, BEFORE, ISSUED, _
#define BEFORE_ISENDRECV(comm, dest, tag, n, type, source, recvtag, recvn, recvtype, request) \
    MESSAGE_(comm, dest, tag, n, type) \
    const struct mpi_message receive_ = \
        mpi_emit_message(comm, INT_(source), INT_(recvtag), COUNT_(recvn), recvtype);
#define ISSUED_ISENDRECV(comm, dest, tag, n, type, source, recvtag, recvn, recvtype, request) \
    if (ret == 0) \
        mpi_emit_isendrecv(loc, &message_, &receive_, mpi_comm_id(comm), INT_(source), request);

#define HOOKS_SEND_INIT(...) BOOKS, BEFORE, ISSUED, _
#define BEFORE_SEND_INIT(comm, dest, tag, count, type, request) MESSAGE_(comm, dest, tag, count, type)
#define ISSUED_SEND_INIT(comm, dest, tag, count, type, request) \
    if (ret == 0) \
        mpi_emit_send_init(&message_, 0, IS_OFF_, request);

#define HOOKS_PSEND_INIT(...) BOOKS, BEFORE, ISSUED, _
#define BEFORE_PSEND_INIT(comm, dest, tag, parts, count, type, request) \
    const struct mpi_message message_ = mpi_emit_message( \
        comm, INT_(dest), INT_(tag), (int64_t)INT_(parts) * (int64_t)(count), type);
#define ISSUED_PSEND_INIT(comm, dest, tag, parts, count, type, request) \
    if (ret == 0) \
        mpi_emit_send_init(&message_, INT_(parts), IS_OFF_, request);

#define HOOKS_RECV_INIT(...) BOOKS, _, ISSUED, _
#define ISSUED_RECV_INIT(comm, source, tag, request) \
    if (ret == 0) \
        mpi_emit_recv_init(comm, INT_(source), INT_(tag), 0, IS_OFF_, request);

#define HOOKS_PRECV_INIT(...) BOOKS, _, ISSUED, _
#define ISSUED_PRECV_INIT(comm, source, tag, parts, request) \
    if (ret == 0) \
        mpi_emit_recv_init(comm, INT_(source), INT_(tag), INT_(parts), IS_OFF_, request);

#define HOOKS_OTHER_REQUEST(...) BOOKS, _, ISSUED, _
#define ISSUED_OTHER_REQUEST(request) \
    if (ret == 0) \
        mpi_emit_other_request(request);

/* ---- requests are started and completed ---- */

#define HOOKS_START(...) RECORDS, _, ISSUED, _
#define ISSUED_START(n, requests) \
    if (ret == 0) \
        mpi_wait_start(loc, INT_(n), requests);

#define WAIT_(n, requests, statuses, ignore) \
    struct mpi_wait wait_; \
    (statuses) = mpi_wait_begin(&wait_, INT_(n), requests, statuses, ignore);

#define HOOKS_WAIT(...) ENDS, BEFORE, ISSUED, AFTER
#define BEFORE_WAIT(request, status) \
    WAIT_(1, request, status, STATUS_IGNORE_) \
    mpi_wait_says(&wait_, loc, SPUR_WAIT_ALL);
#define ISSUED_WAIT(...) spur_waits_over(loc);
#define AFTER_WAIT(...) TICK_ mpi_wait_all(&wait_, loc, ret);

#define HOOKS_WAITALL(...) ENDS, BEFORE, ISSUED, AFTER
#define BEFORE_WAITALL(n, requests, statuses) \
    WAIT_(n, requests, statuses, STATUSES_IGNORE_) \
    mpi_wait_says(&wait_, loc, SPUR_WAIT_ALL);
#define ISSUED_WAITALL(...) spur_waits_over(loc);
#define AFTER_WAITALL(...) TICK_ mpi_wait_all(&wait_, loc, ret);

#define HOOKS_WAITANY(...) ENDS, BEFORE, ISSUED, AFTER
#define BEFORE_WAITANY(n, requests, index, status) \
    WAIT_(n, requests, status, STATUS_IGNORE_) \
    mpi_wait_says(&wait_, loc, SPUR_WAIT_ANY);
#define ISSUED_WAITANY(...) spur_waits_over(loc);
#define AFTER_WAITANY(n, requests, index, status) TICK_ \
    mpi_wait_any(&wait_, loc, ret, true, mpi_int_at(index));

#define HOOKS_WAITSOME(...) ENDS, BEFORE, ISSUED, AFTER
#define BEFORE_WAITSOME(n, requests, done, indices, statuses) \
    WAIT_(n, requests, statuses, STATUSES_IGNORE_) \
    mpi_wait_says(&wait_, loc, SPUR_WAIT_ANY);
#define ISSUED_WAITSOME(...) spur_waits_over(loc);
#define AFTER_WAITSOME(n, requests, done, indices, statuses) TICK_ \
    mpi_wait_some(&wait_, loc, ret, mpi_int_at(done), mpi_address(indices));

#define HOOKS_TESTSOME(...) ENDS, BEFORE, _, AFTER
#define BEFORE_TESTSOME(n, requests, done, indices, statuses) \
    WAIT_(n, requests, statuses, STATUSES_IGNORE_)
#define AFTER_TESTSOME(n, requests, done, indices, statuses) TICK_ \
    POLLED_(ret != 0 || mpi_int_at(done) != 0) \
    mpi_wait_some(&wait_, loc, ret, mpi_int_at(done), mpi_address(indices));

#define HOOKS_TEST(...) ENDS, BEFORE, _, AFTER
#define BEFORE_TEST(request, flag, status) WAIT_(1, request, status, STATUS_IGNORE_)
#define AFTER_TEST(request, flag, status) TICK_ POLLED_(ret != 0 || IS_SET_(flag)) \
    mpi_wait_test_all(&wait_, loc, ret, IS_SET_(flag));

#define HOOKS_TESTALL(...) ENDS, BEFORE, _, AFTER
#define BEFORE_TESTALL(n, requests, flag, statuses) WAIT_(n, requests, statuses, STATUSES_IGNORE_)
#define AFTER_TESTALL(n, requests, flag, statuses) TICK_ POLLED_(ret != 0 || IS_SET_(flag)) \
    mpi_wait_test_all(&wait_, loc, ret, IS_SET_(flag));

#define HOOKS_TESTANY(...) ENDS, BEFORE, _, AFTER
#define BEFORE_TESTANY(n, requests, index, flag, status) WAIT_(n, requests, status, STATUS_IGNORE_)
#define AFTER_TESTANY(n, requests, index, flag, status) TICK_ POLLED_(ret != 0 || IS_SET_(flag)) \
    mpi_wait_any(&wait_, loc, ret, IS_SET_(flag), mpi_int_at(index));

#define HOOKS_CANCEL(...) BOOKS, BEFORE, _, _
#define BEFORE_CANCEL(request) mpi_wait_cancel(request);

#define HOOKS_REQUEST_FREE(...) ENDS, BEFORE, _, AFTER
#define BEFORE_REQUEST_FREE(request) \
    const mpi_word freed_ = mpi_handle_at(mpi_library(), request, 0);
#define AFTER_REQUEST_FREE(request) TICK_ \
    if (ret == 0) \
        mpi_wait_free(loc, freed_);

#define HOOKS_GET_STATUS(...) NOTHING, _, _, AFTER
#define AFTER_GET_STATUS(request, flag) TICK_ POLLED_(ret != 0 || mpi_int_at(flag) != 0) \
    if (ret == 0) \
        mpi_wait_status(loc, mpi_handle(mpi_library(), request), mpi_int_at(flag) != 0);

/* `done` is the flag, or the number of complete requests. */
#define HOOKS_GET_STATUSES(...) NOTHING, _, _, AFTER
#define AFTER_GET_STATUSES(n, requests, done) TICK_ \
    POLLED_(ret != 0 || mpi_int_at(done) != 0) \
    if (ret == 0) \
        mpi_wait_statuses(loc, INT_(n), requests, mpi_int_at(done) != 0);

/* ---- collective operations ---- */

#define BLOCK_NONE              ((struct mpi_block){.is_large = large})
#define BLOCK_ONE(at, n, t)     ((struct mpi_block){.buffer = at, .count = COUNT_(n), .type = t})
#define BLOCK_MANY(at, ns, t) \
    ((struct mpi_block){.buffer = at, .counts = ns, .type = t, .is_large = large})
#define BLOCK_MIXED(at, ns, ts) \
    ((struct mpi_block){.buffer = at, .counts = ns, .types = ts, .is_large = large})

#define MEASURE_ROOT(root)      mpi_coll_measure(MEASURE_ARGS_, INT_(root)
#define MEASURE_NO_ROOT         mpi_coll_measure(MEASURE_ARGS_, MPI_COLL_NO_ROOT
#define MEASURE_NEIGHBOURS      mpi_coll_measure_neighbours(MEASURE_ARGS_
#define MEASURE_ARGS_           comm, op_

#define COLL_(op, root, send, receive) \
    const OTF2_CollectiveOp op_ = OTF2_COLLECTIVE_OP_##op; \
    const struct mpi_coll coll_ = MEASURE_##root, &BLOCK_##send, &BLOCK_##receive);

#define HOOKS_COLL(...) COUNTS, BEFORE, ISSUED, AFTER
#define BEFORE_COLL(op, root, send, receive) \
    COLL_(op, root, send, receive) \
    mpi_emit_coll_begin(loc, coll_.comm); \
    mpi_emit_waits_coll(loc, &coll_);
#define ISSUED_COLL(...) spur_waits_over(loc);
#define AFTER_COLL(...) TICK_ mpi_emit_coll_end(loc, &coll_, ret);

#define HOOKS_ICOLL(...) BOOKS, BEFORE, ISSUED, _
#define BEFORE_ICOLL(op, root, send, receive) COLL_(op, root, send, receive)
#define ISSUED_ICOLL(...) \
    if (ret == 0) \
        mpi_emit_coll_request(loc, &coll_, request);

#define HOOKS_COLL_INIT(...) BOOKS, BEFORE, ISSUED, _
#define BEFORE_COLL_INIT(op, root, send, receive) COLL_(op, root, send, receive)
#define ISSUED_COLL_INIT(...) \
    if (ret == 0) \
        mpi_emit_coll_init(&coll_, IS_OFF_, request);

/* ---- communicators ---- */

/* Collective over `on`. */
#define HOOKS_COMM_CREATE(...) BOOKS, BEFORE, ISSUED, AFTER
#define BEFORE_COMM_CREATE(on, new) \
    const struct mpi_comm *const on_ = mpi_comm_of(on); \
    mpi_emit_coll_begin(loc, on_); \
    mpi_emit_waits_create(loc, on_);
#define ISSUED_COMM_CREATE(...) spur_waits_over(loc);
#define AFTER_COMM_CREATE(on, new) TICK_ \
    mpi_emit_comm_created(loc, on_, mpi_emit_comm_new(loc, on, new, ret), ret);

/* Both sides come from different communicators; only the leaders have a communicator in common. */
#define HOOKS_INTERCOMM_CREATE(...) BOOKS, BEFORE, ISSUED, AFTER
#define BEFORE_INTERCOMM_CREATE(on, new) BEFORE_COMM_CREATE(on, new)
#define ISSUED_INTERCOMM_CREATE(...) spur_waits_over(loc);
#define AFTER_INTERCOMM_CREATE(on, new) TICK_ \
    mpi_emit_comm_created(loc, on_, mpi_emit_comm_new(loc, 0, new, ret), ret);

/* Collective over the new communicator's processes only; the processes meet by the tag. */
#define HOOKS_COMM_CREATE_GROUP(...) BOOKS, _, ISSUED, AFTER
#define ISSUED_COMM_CREATE_GROUP(parent, new, tag, text) \
    const struct mpi_comm *const made_ = \
        mpi_emit_comm_tagged(loc, parent, new, INT_(tag), mpi_address(text), ret); \
    mpi_emit_coll_begin(loc, made_);
#define AFTER_COMM_CREATE_GROUP(...) TICK_ mpi_emit_comm_created(loc, made_, made_, ret);

#define HOOKS_COMM_ICREATE(...) BOOKS, _, ISSUED, _
#define ISSUED_COMM_ICREATE(parent, new, request) \
    if (ret == 0) \
        mpi_emit_comm_icreate(loc, parent, new, request);

#define HOOKS_COMM_FREE(...) BOOKS, BEFORE, _, AFTER
#define BEFORE_COMM_FREE(comm) \
    const mpi_word handle_ = mpi_handle_at(mpi_library(), comm, 0); \
    struct mpi_comm *const freed_ = mpi_comm_of(handle_); \
    mpi_emit_coll_begin(loc, freed_);
#define AFTER_COMM_FREE(...) TICK_ mpi_emit_comm_free(loc, handle_, freed_, ret);

#define HOOKS_COMM_NAME(...) BOOKS, _, _, AFTER
#define AFTER_COMM_NAME(comm, name) TICK_ \
    if (ret == 0) \
        mpi_emit_comm_name(comm, name);

/* ---- one-sided communication: successful operations are recorded ---- */

#define HOOKS_WIN_CREATE(...) BOOKS, _, ISSUED, AFTER
#define ISSUED_WIN_CREATE(comm, win, op) \
    const bool is_made_ = ret == 0 && mpi_comm_of(comm); \
    if (is_made_) \
        spur_put_RmaCollectiveBegin(loc);
#define AFTER_WIN_CREATE(comm, win, op) TICK_ \
    if (is_made_) \
        mpi_win_created(loc, comm, win, OTF2_COLLECTIVE_OP_##op);

#define HOOKS_WIN_FREE(...) BOOKS, BEFORE, ISSUED, AFTER
#define BEFORE_WIN_FREE(win) \
    struct mpi_win *const freed_ = mpi_win_of(mpi_handle_at(mpi_library(), win, 0));
#define ISSUED_WIN_FREE(...) \
    if (ret == 0 && freed_) \
        spur_put_RmaCollectiveBegin(loc);
#define AFTER_WIN_FREE(...) TICK_ \
    if (ret == 0) \
        mpi_win_freed(loc, freed_);

#define HOOKS_WIN_NAME(...) BOOKS, _, _, AFTER
#define AFTER_WIN_NAME(win, name) TICK_ \
    if (ret == 0) \
        mpi_win_name(win, name);

#define BYTES_(n, type) mpi_bytes(mpi_library(), n, type)
#define PUT_(n, type)           {MPI_WIN_PUT, 0, BYTES_(COUNT_(n), type), 0}
#define GET_(n, type)           {MPI_WIN_GET, 0, 0, BYTES_(COUNT_(n), type)}
#define ACCUMULATE_(n, type) \
    {MPI_WIN_ATOMIC, OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, BYTES_(COUNT_(n), type), 0}
#define GET_ACCUMULATE_(n, type, m, result) \
    {MPI_WIN_ATOMIC, OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE, BYTES_(COUNT_(n), type), \
     BYTES_(COUNT_(m), result)}
#define FETCH_(type) \
    {MPI_WIN_ATOMIC, OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE, BYTES_(1, type), BYTES_(1, type)}
#define SWAP_(type) \
    {MPI_WIN_ATOMIC, OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP, BYTES_(2, type), BYTES_(1, type)}

#define HOOKS_RMA(...) BOOKS, _, ISSUED, _
#define ISSUED_RMA(win, target, request, ...) \
    if (ret == 0) { \
        const struct mpi_win_op op_ = __VA_ARGS__; \
        mpi_win_started(loc, win, INT_(target), &op_, request); \
    }

#define WIN_NEXT_ const uint64_t next_ = mpi_win_next();

/* Complete the operations to `rank`. */
#define HOOKS_WIN_FLUSH(...) BOOKS, BEFORE, _, AFTER
#define BEFORE_WIN_FLUSH(...)   WIN_NEXT_
#define AFTER_WIN_FLUSH(win, rank, reach) TICK_ \
    if (ret == 0) \
        mpi_win_complete(loc, win, INT_(rank), MPI_WIN_##reach, next_);

#define HOOKS_WIN_FENCE(...) BOOKS, BEFORE, ISSUED, AFTER
#define BEFORE_WIN_FENCE(...)   WIN_NEXT_
#define ISSUED_WIN_FENCE(win) \
    if (ret == 0 && mpi_win_of(win)) \
        spur_put_RmaCollectiveBegin(loc);
#define AFTER_WIN_FENCE(win) TICK_ \
    if (ret == 0) \
        mpi_win_fenced(loc, win, next_);

#define HOOKS_WIN_LOCK(...) NOTHING, _, ISSUED, AFTER
#define ISSUED_WIN_LOCK(win, rank, type) \
    if (ret == 0) \
        mpi_win_lock(loc, win, INT_(rank), INT_(type), false);
#define AFTER_WIN_LOCK(win, rank, type) TICK_ \
    if (ret == 0) \
        mpi_win_lock(loc, win, INT_(rank), INT_(type), true);

#define HOOKS_WIN_UNLOCK(...) BOOKS, BEFORE, _, AFTER
#define BEFORE_WIN_UNLOCK(...)  WIN_NEXT_
#define AFTER_WIN_UNLOCK(win, rank) TICK_ \
    if (ret == 0) \
        mpi_win_unlocked(loc, win, INT_(rank), next_);

#define HOOKS_WIN_OPEN(...) BOOKS, _, _, AFTER
#define AFTER_WIN_OPEN(win, group, epoch) TICK_ \
    if (ret == 0) \
        mpi_win_opened(loc, win, group, MPI_WIN_##epoch);

#define HOOKS_WIN_CLOSE(...) BOOKS, BEFORE, _, AFTER
#define BEFORE_WIN_CLOSE(...)   WIN_NEXT_
#define AFTER_WIN_CLOSE(win, epoch) TICK_ \
    if (ret == 0) \
        mpi_win_closed(loc, win, MPI_WIN_##epoch, next_);

#define HOOKS_WIN_TEST(...) BOOKS, _, _, AFTER
#define AFTER_WIN_TEST(win, flag) TICK_ POLLED_(ret != 0 || IS_SET_(flag)) \
    if (IS_SET_(flag)) \
        mpi_win_closed(loc, win, MPI_WIN_EXPOSURE, 0);

#define HOOKS_WIN_SYNC(...) NOTHING, _, _, AFTER
#define AFTER_WIN_SYNC(win) TICK_ \
    if (ret == 0) \
        mpi_win_synchronised(loc, win);
/* clang-format on */

#endif
