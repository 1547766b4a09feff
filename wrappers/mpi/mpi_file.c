/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/mpi_file.h"

#include "wrappers/kit/wrapper_lock.h"
#include "wrappers/mpi/library/mpi_size.h"
#include "wrappers/mpi/mpi_layer.h"
#include "wrappers/mpi/mpi_request.h"

enum { BUCKETS = 256 };

struct file {
    struct file *next;
    mpi_word handle;
    OTF2_IoHandleRef id;
    bool has_split; /* a split collective operation is under way: one at a time */
    uint64_t split;
};

/* Open files by handle. */
static struct wrapper_lock lock;
static struct file *files[BUCKETS];

/* ---- handles ---- */

/* A pointer in all families: never masked, always of full size. */
static mpi_word handle_at(mpi_word address)
{
    mpi_word handle;
    memcpy(&handle, mpi_address(address), sizeof handle);
    return handle;
}

/* With the lock: the link to the file, or to the end of the list where it would be. */
static struct file **find(mpi_word handle)
{
    struct file **link =
        &files[((uint64_t)handle * 0x9e3779b97f4a7c15u) >> 56]; /* 8 bits: BUCKETS */
    while (*link && (*link)->handle != handle)
        link = &(*link)->next;
    return link;
}

OTF2_IoHandleRef mpi_file_id(mpi_word handle)
{
    wrapper_lock_take(&lock);
    const struct file *file = *find(handle);
    OTF2_IoHandleRef id = file ? file->id : OTF2_UNDEFINED_IO_HANDLE;
    wrapper_lock_give(&lock);
    return id;
}

/* A handle that is known already was closed out of sight: it is this file's now. */
static void bind(mpi_word handle, OTF2_IoHandleRef id)
{
    wrapper_lock_take(&lock);
    struct file **link = find(handle);
    if (!*link) {
        *link = spur_mem_new(sizeof **link);
        if (*link)
            (*link)->handle = handle;
    }
    if (*link) {
        (*link)->id = id;
        (*link)->has_split = false;
    }
    wrapper_lock_give(&lock);
}

/* ---- names and modes ---- */

/* MPI libraries accept a type of file system before the name: "ufs:/tmp/file". */
static const char *without_type(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789");
    return length > 1 && name[length] == ':' && name[length + 1] ? name + length + 1 : name;
}

static OTF2_IoFileRef file_of(mpi_word name)
{
    return spur_def_io_file(without_type(mpi_address(name)));
}

static OTF2_IoAccessMode access_of(const struct mpi_layout *layout, int amode)
{
    if (amode & layout->mode_rdwr)
        return OTF2_IO_ACCESS_MODE_READ_WRITE;
    return amode & layout->mode_wronly ? OTF2_IO_ACCESS_MODE_WRITE_ONLY
                                       : OTF2_IO_ACCESS_MODE_READ_ONLY;
}

static OTF2_IoCreationFlag creation_of(const struct mpi_layout *layout, int amode)
{
    OTF2_IoCreationFlag flags = OTF2_IO_CREATION_FLAG_NONE;
    if (amode & layout->mode_create)
        flags |= OTF2_IO_CREATION_FLAG_CREATE;
    if (amode & layout->mode_excl)
        flags |= OTF2_IO_CREATION_FLAG_EXCLUSIVE;
    if (amode & layout->mode_sequential)
        flags |= OTF2_IO_CREATION_FLAG_NO_SEEK;
    if (amode & layout->mode_unique)
        flags |= OTF2_IO_CREATION_FLAG_UNIQUE;
    return flags;
}

static OTF2_IoStatusFlag status_of(const struct mpi_layout *layout, int amode)
{
    OTF2_IoStatusFlag flags = OTF2_IO_STATUS_FLAG_NONE;
    if (amode & layout->mode_append)
        flags |= OTF2_IO_STATUS_FLAG_APPEND;
    if (amode & layout->mode_delete)
        flags |= OTF2_IO_STATUS_FLAG_DELETE_ON_CLOSE;
    return flags;
}

/* ---- opening, closing, deleting ---- */

OTF2_IoHandleRef mpi_file_opening(const struct spur_layer_file *file)
{
    const struct mpi_layer *layer = (const struct mpi_layer *)file; /* whose first member it is */
    return spur_def_io_handle(mpi_address(layer->name), file_of(layer->name), SPUR_IO_MPI,
                              OTF2_IO_HANDLE_FLAG_NONE, layer->comm, spur_above(layer->comm));
}

void mpi_file_opened(struct spur_loc *loc, OTF2_IoHandleRef id, int amode, mpi_word file_at)
{
    const struct mpi_layout *layout = &mpi_library()->layout;
    if (id == OTF2_UNDEFINED_IO_HANDLE)
        return;
    bind(handle_at(file_at), id);
    spur_put_IoCreateHandle(loc, id, access_of(layout, amode), creation_of(layout, amode),
                            status_of(layout, amode));
}

OTF2_IoHandleRef mpi_file_take(mpi_word file_at)
{
    wrapper_lock_take(&lock);
    struct file **link = find(handle_at(file_at));
    struct file *file = *link;
    if (file)
        *link = file->next;
    wrapper_lock_give(&lock);
    OTF2_IoHandleRef id = file ? file->id : OTF2_UNDEFINED_IO_HANDLE;
    if (file)
        spur_mem_free(file, sizeof *file);
    return id;
}

void mpi_file_closed(struct spur_loc *loc, mpi_word file_at, OTF2_IoHandleRef file, int ret)
{
    if (file == OTF2_UNDEFINED_IO_HANDLE)
        return;
    if (ret == 0)
        spur_put_IoDestroyHandle(loc, file);
    else
        bind(handle_at(file_at), file);
}

void mpi_file_deleted(struct spur_loc *loc, mpi_word name)
{
    OTF2_IoFileRef file = file_of(name);
    if (file == OTF2_UNDEFINED_IO_FILE)
        return;
    spur_def_io_paradigm(SPUR_IO_MPI);
    spur_put_IoDeleteFile(loc, SPUR_IO_MPI, file);
}

/* ---- operations ---- */

void mpi_file_began(struct spur_loc *loc, struct mpi_file_op *op)
{
    op->is_recorded = op->file != OTF2_UNDEFINED_IO_HANDLE && !spur_is_dropped(loc);
    if (!op->is_recorded)
        return;
    op->id = mpi_request_new_id();
    spur_put_IoOperationBegin(loc, op->file, op->mode, op->flags,
                              op->mode == OTF2_IO_OPERATION_MODE_FLUSH
                                  ? OTF2_UNDEFINED_UINT64
                                  : mpi_bytes(mpi_library(), op->count, op->type),
                              op->id);
}

void mpi_file_failed(struct spur_loc *loc, const struct mpi_file_op *op)
{
    if (op->is_recorded)
        spur_put_IoOperationCancelled(loc, op->file, op->id);
}

void mpi_file_requested(const struct mpi_file_op *op, mpi_word request_at)
{
    struct mpi_request request = {.kind = MPI_REQUEST_OTHER};
    if (op->is_recorded) {
        request.kind = MPI_REQUEST_IO;
        request.id = op->id;
        request.file = op->file;
    }
    mpi_request_put(&mpi_requests, mpi_handle_at(mpi_library(), request_at, 0), &request);
}

void mpi_file_split_begin(const struct mpi_file_op *op, mpi_word handle)
{
    wrapper_lock_take(&lock);
    struct file *file = op->is_recorded ? *find(handle) : NULL;
    if (file) {
        file->has_split = true;
        file->split = op->id;
    }
    wrapper_lock_give(&lock);
}

void mpi_file_issued(struct spur_loc *loc, const struct mpi_file_op *op, int ret)
{
    if (op->is_recorded && ret == 0)
        spur_put_IoOperationIssued(loc, op->file, op->id);
    else
        mpi_file_failed(loc, op);
}

void mpi_file_done(struct spur_loc *loc, OTF2_IoHandleRef file, uint64_t id, const void *status)
{
    uint64_t bytes = status ? mpi_status_bytes(mpi_library(), status) : OTF2_UNDEFINED_UINT64;
    spur_put_IoOperationComplete(loc, file, bytes, id);
}

void mpi_file_over(struct spur_loc *loc, const struct mpi_file_op *op, int ret, const void *status)
{
    if (op->is_recorded && ret == 0)
        mpi_file_done(loc, op->file, op->id, status);
    else
        mpi_file_failed(loc, op);
}

void mpi_file_split_end(struct spur_loc *loc, mpi_word handle, int ret, const void *status)
{
    wrapper_lock_take(&lock);
    struct file *file = *find(handle);
    bool is_open = file && file->has_split;
    OTF2_IoHandleRef id = is_open ? file->id : OTF2_UNDEFINED_IO_HANDLE;
    uint64_t operation = is_open ? file->split : 0;
    if (is_open)
        file->has_split = false;
    wrapper_lock_give(&lock);
    if (is_open && ret == 0)
        mpi_file_done(loc, id, operation, status);
    else if (is_open)
        spur_put_IoOperationCancelled(loc, id, operation);
}

/* ---- positions ---- */

static OTF2_IoSeekOption option_of(const struct mpi_layout *layout, int whence)
{
    if (whence == layout->seek_cur)
        return OTF2_IO_SEEK_FROM_CURRENT;
    return whence == layout->seek_end ? OTF2_IO_SEEK_FROM_END : OTF2_IO_SEEK_FROM_START;
}

void mpi_file_sought(struct spur_loc *loc, mpi_word handle, int64_t offset, int whence,
                     bool is_shared)
{
    const struct mpi_library *lib = mpi_library();
    OTF2_IoHandleRef id = mpi_file_id(handle);
    OTF2_IoSeekOption option = option_of(&lib->layout, whence);
    int64_t position = offset;
    if (id == OTF2_UNDEFINED_IO_HANDLE)
        return;
    bool is_known = option == OTF2_IO_SEEK_FROM_START;
    if (!is_known && !is_shared && lib->File_get_position)
        is_known = lib->File_get_position(handle, &position) == 0;
    spur_put_IoSeek(loc, id, offset, option, is_known ? (uint64_t)position : OTF2_UNDEFINED_UINT64);
}

void mpi_file_viewed(struct spur_loc *loc, mpi_word handle)
{
    OTF2_IoHandleRef id = mpi_file_id(handle);
    if (id != OTF2_UNDEFINED_IO_HANDLE)
        spur_put_IoSeek(loc, id, 0, OTF2_IO_SEEK_FROM_START, 0);
}
