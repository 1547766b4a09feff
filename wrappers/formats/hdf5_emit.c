/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/formats/hdf5_emit.h"

#include <errno.h>

/* H5F_ACC_*, as in all versions. */
enum { RDWR = 1, TRUNC = 2, EXCL = 4, CREAT = 0x10 };

static struct format_key key_of(const struct format_frame *frame, hdf5_id id)
{
    return (struct format_key){frame->library, id};
}

static char *new_name(void)
{
    return spur_mem_new(FORMAT_NAME_BYTES);
}

static void free_name(struct hdf5_opening *opening)
{
    if (opening->name)
        spur_mem_free(opening->name, FORMAT_NAME_BYTES);
    opening->name = NULL;
}

/* ---- files ---- */

static void keep_file(struct format_frame *frame, hdf5_id id, const char *path,
                      struct spur_above *above, OTF2_IoAccessMode mode,
                      OTF2_IoCreationFlag creation)
{
    OTF2_IoHandleRef handle =
        id >= 0 && frame->loc ? spur_above_handle_of(above) : OTF2_UNDEFINED_IO_HANDLE;
    if (handle == OTF2_UNDEFINED_IO_HANDLE)
        return;
    const struct format_object file = {.handle = handle,
                                       .file = handle,
                                       .io_file = above->file,
                                       .mode = mode};
    format_keep(key_of(frame, id), &file, path);
    spur_put_IoCreateHandle(frame->loc, handle, mode, creation, OTF2_IO_STATUS_FLAG_NONE);
}

void hdf5_opens(struct format_frame *frame, const char *path)
{
    const struct spur_above above = format_above_new(frame, path);
    format_run(frame, &above);
}

void hdf5_opened(struct format_frame *frame, hdf5_id id, const char *path, unsigned flags,
                 bool is_new)
{
    OTF2_IoCreationFlag creation = OTF2_IO_CREATION_FLAG_NONE;
    struct spur_above above = format_ran(frame);
    bool writes = is_new || flags & (RDWR | TRUNC | EXCL);
    if (is_new || flags & CREAT)
        creation |= OTF2_IO_CREATION_FLAG_CREATE;
    if (flags & EXCL)
        creation |= OTF2_IO_CREATION_FLAG_EXCLUSIVE;
    if (flags & TRUNC)
        creation |= OTF2_IO_CREATION_FLAG_TRUNCATE;
    keep_file(frame, id, path, &above,
              writes ? OTF2_IO_ACCESS_MODE_READ_WRITE : OTF2_IO_ACCESS_MODE_READ_ONLY, creation);
}

/* The file of an object; a file that was opened unseen gets a handle now. */
static struct format_object file_of(struct format_frame *frame, hdf5_id object, char *path)
{
    struct format_object file = format_find(key_of(frame, object));
    file.handle = file.file; /* of a dataset: the file's */
    if (format_is_known(&file))
        return file;
    if (!hdf5_file_name(frame, object, path, FORMAT_NAME_BYTES))
        return format_nothing();
    file = format_find_named(frame->library, path);
    if (format_is_known(&file))
        return file;
    file.io_file = spur_def_io_file(path);
    file.handle = spur_def_io_found(NULL, file.io_file, frame->interface->paradigm,
                                    OTF2_UNDEFINED_IO_HANDLE, file.mode, OTF2_IO_STATUS_FLAG_NONE);
    file.file = file.handle;
    /* The file's own id may not be known. A negative id is never the id of an object within. */
    format_keep(key_of(frame, -1 - object), &file, path);
    return file;
}

struct hdf5_opening hdf5_reopens(struct format_frame *frame, hdf5_id file)
{
    struct hdf5_opening opening = {.file = format_nothing(), .name = NULL};
    if (frame->loc)
        opening.name = new_name();
    if (opening.name && !hdf5_file_name(frame, file, opening.name, FORMAT_NAME_BYTES))
        free_name(&opening);
    opening.file = format_find(key_of(frame, file));
    hdf5_opens(frame, opening.name);
    return opening;
}

void hdf5_reopened(struct format_frame *frame, struct hdf5_opening *opening, hdf5_id id)
{
    struct spur_above above = format_ran(frame);
    keep_file(frame, id, opening->name, &above, opening->file.mode, OTF2_IO_CREATION_FLAG_NONE);
    free_name(opening);
}

void hdf5_deleted(struct format_frame *frame, const char *path, int ret)
{
    (void)format_ran(frame);
    if (!frame->loc || ret < 0)
        return;
    OTF2_IoFileRef file = spur_def_io_file(path);
    if (file == OTF2_UNDEFINED_IO_FILE)
        return;
    spur_def_io_paradigm(frame->interface->paradigm);
    spur_put_IoDeleteFile(frame->loc, frame->interface->paradigm, file);
}

/* ---- datasets ---- */

/* The name of an object from the root of the file; a relative name begins at `loc`. */
static bool full_name(const struct format_frame *frame, hdf5_id loc, const char *name, char *room)
{
    size_t length = 0;
    if (!name)
        return false;
    if (name[0] != '/') {
        const struct format_object at = format_find(key_of(frame, loc));
        if (format_is_known(&at) && at.handle == at.file)
            room[0] = '\0'; /* a file: its root, without a question */
        else if (!hdf5_name(frame, loc, room, FORMAT_NAME_BYTES))
            return false;
        length = strnlen(room, FORMAT_NAME_BYTES - 2);
        if (length == 0 || room[length - 1] != '/')
            room[length++] = '/';
    }
    strncpy(room + length, name, FORMAT_NAME_BYTES - 1 - length);
    room[FORMAT_NAME_BYTES - 1] = '\0';
    return true;
}

struct hdf5_opening hdf5_opens_set(struct format_frame *frame, hdf5_id loc, const char *name)
{
    struct hdf5_opening opening = {.file = format_nothing(), .name = NULL};
    if (frame->loc)
        opening.name = new_name();
    if (opening.name) {
        opening.file = file_of(frame, loc, opening.name);
        if (!full_name(frame, loc, name, opening.name))
            free_name(&opening);
    }
    const struct spur_above above = format_above(frame, opening.file.handle);
    format_run(frame, &above);
    return opening;
}

/* The kind is a part of the id; H5Iget_type() would say the same. */
static bool is_set(hdf5_id id)
{
    enum { KIND_SHIFT = 56 };
    return id >= 0 && id >> KIND_SHIFT == HDF5_DATASET;
}

void hdf5_set_opened(struct format_frame *frame, struct hdf5_opening *opening, hdf5_id id,
                     bool is_new)
{
    (void)format_ran(frame);
    if (frame->loc && is_set(id) && format_is_known(&opening->file)) {
        struct format_object set = opening->file;
        set.handle = spur_def_io_handle(opening->name, set.io_file, frame->interface->paradigm,
                                        OTF2_IO_HANDLE_FLAG_NONE, OTF2_UNDEFINED_COMM, set.file);
        if (format_is_known(&set)) {
            format_keep(key_of(frame, id), &set, NULL);
            spur_put_IoCreateHandle(frame->loc, set.handle, set.mode,
                                    is_new ? OTF2_IO_CREATION_FLAG_CREATE
                                           : OTF2_IO_CREATION_FLAG_NONE,
                                    OTF2_IO_STATUS_FLAG_NONE);
        }
    }
    free_name(opening);
}

/* Finds a dataset, also a dataset that was opened unseen. */
static struct format_object find_set(struct format_frame *frame, hdf5_id id)
{
    struct format_object set = format_find(key_of(frame, id));
    char *name = NULL;
    if (format_is_known(&set) && set.handle == set.file)
        return format_nothing(); /* a file: the real call will refuse the file */
    if (format_is_known(&set) || !hdf5_is(frame->library, id, HDF5_DATASET) || !(name = new_name()))
        return set;
    set = file_of(frame, id, name);
    if (format_is_known(&set)) {
        bool has_name = hdf5_name(frame, id, name, FORMAT_NAME_BYTES);
        set.handle =
            spur_def_io_found(has_name ? name : NULL, set.io_file, frame->interface->paradigm,
                              set.file, set.mode, OTF2_IO_STATUS_FLAG_NONE);
        format_keep(key_of(frame, id), &set, NULL);
    }
    spur_mem_free(name, FORMAT_NAME_BYTES);
    return set;
}

/* ---- the end ---- */

bool hdf5_closes(struct format_frame *frame, hdf5_id id)
{
    struct format_object object = format_find(key_of(frame, id));
    bool is_last = format_is_known(&object) && hdf5_is_last(frame->library, id);
    const struct spur_above above = format_above(frame, object.handle);
    format_run(frame, &above);
    return is_last;
}

/* A closing in the background comes after the operations in the background. */
static void destroy(struct format_frame *frame, struct format_key key)
{
    const struct format_object object = format_take(key);
    if (!frame->loc || !format_is_known(&object))
        return;
    if (hdf5_goes_on(frame))
        hdf5_keep_going(frame, HDF5_CLOSES, object.handle, OTF2_UNDEFINED_UINT64);
    else
        spur_put_IoDestroyHandle(frame->loc, object.handle);
}

/* The end of a file may have ended the objects within. */
void hdf5_closed(struct format_frame *frame, hdf5_id id, bool is_gone)
{
    (void)format_ran(frame);
    struct format_object object = format_find(key_of(frame, id));
    struct format_key inner;
    uint64_t after = 0;
    if (!is_gone || !format_is_known(&object))
        return;
    while (object.file == object.handle &&
           format_next_in(frame->library, object.handle, &after, &inner))
        if (!hdf5_is_valid(frame->library, inner.id))
            destroy(frame, inner);
    destroy(frame, key_of(frame, id));
}

/* ---- operations ---- */

void hdf5_works(struct format_frame *frame, hdf5_id object)
{
    const struct format_object known = format_find(key_of(frame, object));
    const struct spur_above above = format_above(frame, known.handle);
    format_run(frame, &above);
}

static void begin(struct format_frame *frame, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,
                  OTF2_IoOperationFlag flags, uint64_t bytes)
{
    if (frame->set)
        flags |= OTF2_IO_OPERATION_FLAG_NON_BLOCKING;
    format_begin(frame, handle, mode, flags, bytes);
}

static void begin_move(struct format_frame *frame, OTF2_IoOperationMode mode, hdf5_id set,
                       uint64_t bytes, hdf5_id transfer)
{
    const struct format_object known = find_set(frame, set);
    begin(frame, known.handle, mode,
          hdf5_is_collective(frame->library, transfer) ? OTF2_IO_OPERATION_FLAG_COLLECTIVE
                                                       : OTF2_IO_OPERATION_FLAG_NONE,
          bytes);
}

static void run(struct format_frame *frame, OTF2_IoHandleRef handle)
{
    const struct spur_above above = format_above(frame, handle);
    format_run(frame, &above);
}

void hdf5_moves(struct format_frame *frame, OTF2_IoOperationMode mode, hdf5_id set, uint64_t bytes,
                hdf5_id transfer)
{
    if (frame->loc)
        begin_move(frame, mode, set, bytes, transfer);
    run(frame, frame->operation.handle);
}

struct hdf5_many hdf5_moves_many(struct format_frame *frame, OTF2_IoOperationMode mode,
                                 const struct hdf5_transfers *all)
{
    struct hdf5_many many = {0};
    if (frame->loc && all->n && all->sets && all->types && all->memories && all->spaces)
        many.of = spur_mem_new(all->n * sizeof *many.of);
    for (; many.of && many.n < all->n; many.n++) {
        const size_t i = many.n;
        begin_move(frame, mode, all->sets[i],
                   hdf5_bytes(frame, all->sets[i], all->types[i], all->memories[i], all->spaces[i]),
                   all->transfer);
        many.of[i] = frame->operation;
    }
    run(frame, many.n ? many.of[0].handle : OTF2_UNDEFINED_IO_HANDLE);
    return many;
}

void hdf5_flushes(struct format_frame *frame, hdf5_id object)
{
    struct format_object known = format_find(key_of(frame, object));
    char *path = frame->loc && !format_is_known(&known) ? new_name() : NULL;
    if (path) {
        known = file_of(frame, object, path);
        spur_mem_free(path, FORMAT_NAME_BYTES);
    }
    begin(frame, known.handle, OTF2_IO_OPERATION_MODE_FLUSH, OTF2_IO_OPERATION_FLAG_NONE,
          OTF2_UNDEFINED_UINT64);
    run(frame, known.handle);
}

static void end_move(struct format_frame *frame, bool is_done, bool goes_on)
{
    const struct format_operation operation = frame->operation;
    if (is_done && frame->set && frame->loc && operation.handle != OTF2_UNDEFINED_IO_HANDLE)
        spur_put_IoOperationIssued(frame->loc, operation.handle, operation.id);
    if (goes_on)
        hdf5_keep_going(frame, operation.id, operation.handle, operation.bytes);
    else
        format_complete(frame, is_done);
}

void hdf5_moved(struct format_frame *frame, int ret)
{
    (void)format_ran(frame);
    end_move(frame, ret >= 0, ret >= 0 && hdf5_goes_on(frame));
}

void hdf5_moved_many(struct format_frame *frame, struct hdf5_many *many, int ret)
{
    (void)format_ran(frame);
    const bool goes_on = ret >= 0 && hdf5_goes_on(frame);
    for (size_t i = 0; i < many->n; i++) {
        frame->operation = many->of[i];
        end_move(frame, ret >= 0, goes_on);
    }
    if (many->of)
        spur_mem_free(many->of, many->n * sizeof *many->of);
}
