/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/formats/netcdf_emit.h"

#include <errno.h>

/* A call while it lasts. */
struct call {
    struct format_frame *frame;
    const struct netcdf_library *netcdf;
    const struct netcdf_row *row;
    const netcdf_word *w;
};

/* ---- keys: files, the variables in them, and what goes on in the background ---- */

enum key_kind { KEY_FILE, KEY_VARIABLE, KEY_REQUEST };
enum { KIND_SHIFT = 60, PLACE_SHIFT = 32 };

static struct format_key key_of(const struct call *call, enum key_kind kind, int file, int what)
{
    return (struct format_key){call->frame->library,
                               (int64_t)kind << KIND_SHIFT |
                                   (int64_t)(file & 0x0fffffff) << PLACE_SHIFT | (uint32_t)what};
}

static int file_id(const struct call *call, netcdf_word id)
{
    return (int)id & ~call->netcdf->group_mask;
}

static const char *text_at(netcdf_word word)
{
    return (const char *)word; // NOLINT(performance-no-int-to-ptr)
}

static const int *int_at(netcdf_word word)
{
    return (const int *)word; // NOLINT(performance-no-int-to-ptr)
}

/* ---- files ---- */

static void opened(const struct call *call, int ret)
{
    enum { WRITE = 1, NOCLOBBER = 4 };
    struct format_frame *frame = call->frame;
    struct spur_above above = format_ran(frame);
    if (!frame->loc || ret != 0)
        return;
    const int mode = (int)call->w[call->row->mode], id = *int_at(call->w[call->row->id]);
    const bool is_new = call->row->is_new;
    const OTF2_IoHandleRef handle = spur_above_handle_of(&above);
    const struct format_object file = {.handle = handle,
                                       .file = handle,
                                       .io_file = above.file,
                                       .mode = is_new || mode & WRITE
                                                   ? OTF2_IO_ACCESS_MODE_READ_WRITE
                                                   : OTF2_IO_ACCESS_MODE_READ_ONLY};
    if (handle == OTF2_UNDEFINED_IO_HANDLE)
        return;
    format_keep(key_of(call, KEY_FILE, file_id(call, id), 0), &file, NULL);
    OTF2_IoCreationFlag creation =
        !is_new            ? OTF2_IO_CREATION_FLAG_NONE
        : mode & NOCLOBBER ? OTF2_IO_CREATION_FLAG_CREATE | OTF2_IO_CREATION_FLAG_EXCLUSIVE
                           : OTF2_IO_CREATION_FLAG_CREATE | OTF2_IO_CREATION_FLAG_TRUNCATE;
    spur_put_IoCreateHandle(frame->loc, handle, file.mode, creation, OTF2_IO_STATUS_FLAG_NONE);
}

/* One that was opened where nobody saw it gets a handle now. */
static struct format_object file_of(const struct call *call)
{
    const int id = file_id(call, call->w[0]);
    struct format_frame *frame = call->frame;
    struct format_object file = format_find(key_of(call, KEY_FILE, id, 0));
    char *path = NULL;
    if (!frame->loc || format_is_known(&file) || !(path = spur_mem_new(FORMAT_NAME_BYTES)))
        return file;
    if (netcdf_file_name(frame->library, call->netcdf->asked, id, path)) {
        file.io_file = spur_def_io_file(path);
        file.handle =
            spur_def_io_found(NULL, file.io_file, frame->interface->paradigm,
                              OTF2_UNDEFINED_IO_HANDLE, file.mode, OTF2_IO_STATUS_FLAG_NONE);
        file.file = file.handle;
        format_keep(key_of(call, KEY_FILE, id, 0), &file, NULL);
    }
    spur_mem_free(path, FORMAT_NAME_BYTES);
    return file;
}

static void closed(const struct call *call, int ret)
{
    struct format_frame *frame = call->frame;
    const struct format_key key = key_of(call, KEY_FILE, file_id(call, call->w[0]), 0);
    struct format_object file = format_find(key);
    struct format_key inner;
    uint64_t after = 0;
    (void)format_ran(frame);
    if (ret != 0 || !format_is_known(&file))
        return;
    while (format_next_in(frame->library, file.handle, &after, &inner)) {
        const struct format_object object = format_take(inner);
        if (frame->loc && inner.id >> KIND_SHIFT == KEY_REQUEST)
            spur_put_IoOperationCancelled(frame->loc, object.handle, object.operation);
        else if (frame->loc)
            spur_put_IoDestroyHandle(frame->loc, object.handle);
    }
    (void)format_take(key);
    if (frame->loc)
        spur_put_IoDestroyHandle(frame->loc, file.handle);
}

static void deleted(const struct call *call, int ret)
{
    struct format_frame *frame = call->frame;
    (void)format_ran(frame);
    if (!frame->loc || ret != 0)
        return;
    OTF2_IoFileRef file = spur_def_io_file(text_at(call->w[call->row->path]));
    if (file == OTF2_UNDEFINED_IO_FILE)
        return;
    spur_def_io_paradigm(frame->interface->paradigm);
    spur_put_IoDeleteFile(frame->loc, frame->interface->paradigm, file);
}

/* ---- operations ---- */

static struct format_object variable_of(const struct call *call)
{
    struct format_frame *frame = call->frame;
    const int group = (int)call->w[0], number = (int)call->w[1];
    const struct format_key key = key_of(call, KEY_VARIABLE, group, number);
    struct format_object variable = format_find(key);
    char *name = NULL;
    if (!frame->loc || format_is_known(&variable) || !(name = spur_mem_new(FORMAT_NAME_BYTES)))
        return variable;
    if (netcdf_variable_name(frame->library, call->netcdf->asked, group, number, name)) {
        variable = file_of(call);
        if (format_is_known(&variable))
            variable.handle =
                spur_def_io_handle(name, variable.io_file, frame->interface->paradigm,
                                   OTF2_IO_HANDLE_FLAG_NONE, OTF2_UNDEFINED_COMM, variable.file);
        if (format_is_known(&variable)) {
            format_keep(key, &variable, NULL);
            spur_put_IoCreateHandle(frame->loc, variable.handle, variable.mode,
                                    OTF2_IO_CREATION_FLAG_NONE, OTF2_IO_STATUS_FLAG_NONE);
        }
    }
    spur_mem_free(name, FORMAT_NAME_BYTES);
    return variable;
}

static void run_on(const struct call *call, OTF2_IoHandleRef handle)
{
    const struct spur_above above = format_above(call->frame, handle);
    format_run(call->frame, &above);
}

static void moves(const struct call *call)
{
    const struct format_object variable = variable_of(call);
    const bool is_background = call->row->what == NETCDF_STARTS;
    if (format_is_known(&variable))
        format_begin(call->frame, variable.handle, call->row->operation,
                     call->row->flags | (is_background ? OTF2_IO_OPERATION_FLAG_NON_BLOCKING
                                                       : OTF2_IO_OPERATION_FLAG_NONE),
                     netcdf_bytes(call->frame->library, call->netcdf->asked, call->row, call->w));
    run_on(call, variable.handle);
}

static void flushes(const struct call *call)
{
    const struct format_object file = file_of(call);
    format_begin(call->frame, file.handle, OTF2_IO_OPERATION_MODE_FLUSH,
                 OTF2_IO_OPERATION_FLAG_NONE, OTF2_UNDEFINED_UINT64);
    run_on(call, file.handle);
}

/* ---- in the background ---- */

static void started(const struct call *call, int ret)
{
    struct format_frame *frame = call->frame;
    (void)format_ran(frame);
    if (!frame->loc || frame->operation.handle == OTF2_UNDEFINED_IO_HANDLE)
        return;
    if (ret != 0) {
        spur_put_IoOperationCancelled(frame->loc, frame->operation.handle, frame->operation.id);
    } else {
        const struct format_object file = file_of(call);
        const struct format_object request = {.handle = frame->operation.handle,
                                              .file = file.handle,
                                              .io_file = file.io_file,
                                              .mode = file.mode,
                                              .operation = frame->operation.id,
                                              .bytes = frame->operation.bytes};
        spur_put_IoOperationIssued(frame->loc, frame->operation.handle, frame->operation.id);
        format_keep(key_of(call, KEY_REQUEST, file_id(call, call->w[0]),
                           *int_at(call->w[call->row->words - 1])),
                    &request, NULL);
    }
    frame->operation.handle = OTF2_UNDEFINED_IO_HANDLE;
}

/* The call forgets the numbers of what it waits for; NULL: all of the file, or nobody knows. */
static int *requests_of(const struct call *call, size_t *bytes)
{
    const int n = (int)call->w[1];
    *bytes = n > 0 ? (size_t)n * sizeof(int) : 0;
    int *requests = *bytes && call->frame->loc ? spur_mem_new(*bytes) : NULL;
    if (requests)
        memcpy(requests, int_at(call->w[2]), *bytes);
    return requests;
}

static void over(const struct call *call, struct format_key key)
{
    struct spur_loc *loc = call->frame->loc;
    const struct format_object request = format_take(key);
    if (!loc || !format_is_known(&request))
        return;
    if (call->row->what == NETCDF_CANCELS)
        spur_put_IoOperationCancelled(loc, request.handle, request.operation);
    else
        spur_put_IoOperationComplete(loc, request.handle, request.bytes, request.operation);
}

static void waited(const struct call *call, const int *requests, int ret)
{
    const int file = file_id(call, call->w[0]), n = (int)call->w[1];
    const struct format_object known = format_find(key_of(call, KEY_FILE, file, 0));
    struct format_key key;
    uint64_t after = 0;
    (void)format_ran(call->frame);
    if (ret != 0)
        return;
    for (int i = 0; requests && i < n; i++)
        over(call, key_of(call, KEY_REQUEST, file, requests[i]));
    while (n < 0 && format_is_known(&known) &&
           format_next_in(call->frame->library, known.handle, &after, &key))
        if (key.id >> KIND_SHIFT == KEY_REQUEST)
            over(call, key);
}

/* ---- a whole call ---- */

typedef int any_call(netcdf_word, netcdf_word, netcdf_word, netcdf_word, netcdf_word, netcdf_word,
                     netcdf_word, netcdf_word, netcdf_word, netcdf_word);

/* Words that a function does not have do no harm. */
static int run(const struct format_library *library, size_t index, const netcdf_word *w)
{
    enum { NO_SUCH_FUNCTION = -128 }; /* NC_ENOTBUILT */
    wrapper_any real = library ? library->function[index] : NULL;
    return real ? ((any_call *)real)(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9])
                : NO_SUCH_FUNCTION;
}

static void before(const struct call *call)
{
    const enum netcdf_what what = call->row->what;
    if (what == NETCDF_MOVES || what == NETCDF_STARTS) {
        moves(call);
    } else if (what == NETCDF_FLUSHES) {
        flushes(call);
    } else if (what == NETCDF_OPENS) {
        struct spur_above above = format_above_new(call->frame, text_at(call->w[call->row->path]));
        if (call->row->comm != NETCDF_ALONE && call->frame->loc)
            above.comm = spur_above_comm(call->w[call->row->comm]);
        format_run(call->frame, &above);
    } else {
        run_on(call, what == NETCDF_DELETES ? OTF2_UNDEFINED_IO_HANDLE : file_of(call).handle);
    }
}

static void behind(const struct call *call, const int *requests, int ret)
{
    switch ((enum netcdf_what)call->row->what) {
    case NETCDF_OPENS:
        opened(call, ret);
        break;
    case NETCDF_CLOSES:
        closed(call, ret);
        break;
    case NETCDF_DELETES:
        deleted(call, ret);
        break;
    case NETCDF_STARTS:
        started(call, ret);
        break;
    case NETCDF_COMPLETES:
    case NETCDF_CANCELS:
        waited(call, requests, ret);
        break;
    case NETCDF_MOVES:
    case NETCDF_FLUSHES:
    case NETCDF_WORKS:
        (void)format_ran(call->frame);
        format_complete(call->frame, ret == 0);
        break;
    }
}

int netcdf_call(const struct netcdf_library *netcdf, size_t index, struct spur_caller caller,
                const netcdf_word *w)
{
    const struct format_library *library = format_library_of(netcdf->format, index, caller.address);
    if (!netcdf->format->is_on || !library)
        return run(library, index, w);
    struct FORMAT_FRAME(frame) = {.library = library, .interface = netcdf->format};
    const struct call call = {&frame, netcdf, &netcdf->rows[index], w};
    const bool waits = call.row->what == NETCDF_COMPLETES || call.row->what == NETCDF_CANCELS;
    size_t bytes = 0;
    format_enter(&frame, index, caller);
    int *requests = waits ? requests_of(&call, &bytes) : NULL;
    before(&call);
    int ret = run(library, index, w);
    behind(&call, requests, ret);
    if (requests)
        spur_mem_free(requests, bytes);
    return ret;
}
