/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/topics/report.h"

uint32_t files_find(struct report *r, uint64_t handle, struct birth born)
{
    struct files *f = &r->files;
    uint32_t defined = defs_handle(&r->defs, handle);
    uint64_t file = defined == NIL ? OTF2_UNDEFINED_IO_FILE : r->defs.handles.at[defined].file;
    bool is_unknown = file == OTF2_UNDEFINED_IO_FILE;
    /* What the interfaces do with a file is no sum: the one works by the other. */
    uint64_t layer = defined == NIL ? 0 : r->defs.handles.at[defined].paradigm;
    uint64_t kind = layer << 1 | is_unknown;
    uint32_t index = map_index(&f->index_of, kind, is_unknown ? handle : file, f->all.n);
    if (index == f->all.n)
        *LIST_ADD(&f->all) = (struct file){.handle = handle, .born = born};
    return index;
}

/* ---- the shared part: by the worker of the process ---- */

/* What a location does with a file. */
struct file_event {
    uint64_t time;
    uint64_t handle;
    uint64_t id; /* of an operation */
    uint64_t bytes;
    uint32_t location;
    uint32_t process;
    enum { FILE_OPENS, FILE_SEEKS, FILE_BEGINS, FILE_ENDS } what;
    OTF2_IoOperationMode mode;
};

static struct file *file_of(struct report *r, const struct file_event *e)
{
    uint32_t index = files_find(r, e->handle, (struct birth){e->time, e->location});
    return &r->files.all.at[index]; /* the list may move */
}

static uint64_t key_of(const struct file_event *e)
{
    return (uint64_t)e->process << 32 | (uint32_t)e->handle;
}

static void begin(struct files *f, const struct file_event *e)
{
    uint32_t index = map_find(&f->open_of, key_of(e), e->id);
    if (index == NIL && f->free) {
        index = f->free - 1;
        f->free = f->open.at[index].next_free;
    } else if (index == NIL) {
        index = (uint32_t)f->open.n;
        (void)LIST_ADD(&f->open);
    }
    f->open.at[index] = (struct operation){e->time, e->mode, 0};
    map_set(&f->open_of, key_of(e), e->id, index);
}

static void count(struct file *file, OTF2_IoOperationMode mode, uint64_t bytes)
{
    if (mode == OTF2_IO_OPERATION_MODE_READ) {
        file->reads++;
        file->bytes_read += bytes;
    } else if (mode == OTF2_IO_OPERATION_MODE_WRITE) {
        file->writes++;
        file->bytes_written += bytes;
    } else {
        file->others++;
    }
}

/* Ends an operation. Its mode is not known when the begin was not recorded, and the bytes are not
 * when nobody asked. */
static void end(struct report *r, const struct file_event *e)
{
    struct files *f = &r->files;
    uint32_t index = map_find(&f->open_of, key_of(e), e->id);
    if (index == NIL)
        return;
    struct operation *o = &f->open.at[index];
    if (r->is_selected[e->location]) {
        struct file *file = file_of(r, e);
        file->ticks += e->time - o->begin;
        place_add(&file->longest, o->begin, e->time, e->location, e->location);
        count(file, o->mode, e->bytes == OTF2_UNDEFINED_UINT64 ? 0 : e->bytes);
    }
    map_remove(&f->open_of, key_of(e), e->id);
    o->next_free = f->free;
    f->free = index + 1;
}

static inline void take(struct report *r, const struct file_event *e)
{
    bool is_selected = r->is_selected[e->location];
    switch (e->what) {
    case FILE_OPENS:
        if (is_selected)
            file_of(r, e)->opens++;
        break;
    case FILE_SEEKS:
        if (is_selected)
            file_of(r, e)->others++;
        break;
    case FILE_BEGINS:
        begin(&r->files, e);
        break;
    case FILE_ENDS:
        end(r, e);
        break;
    }
}

void files_take(struct report *r, const void *data)
{
    take(r, data);
}

/* ---- the local part ---- */

/* Of the stream's last event. */
static inline OTF2_CallbackCode tell(struct report *r, struct stream *s, struct file_event e)
{
    e.time = s->last;
    e.location = s->location;
    e.process = s->process;
    if (notes_are_whole(&r->notes, s->process))
        take(r, &e);
    else
        notes_tell_process(r, s->process, notes_new(r, s, NOTE_FILE), &e, sizeof e);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_begin(MERGED_EVENT, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,
                                  OTF2_IoOperationFlag flags, uint64_t bytes, uint64_t id)
{
    (void)flags, (void)bytes;
    return tell(user, profile_at(user, location, &time),
                (struct file_event){.what = FILE_BEGINS, .handle = handle, .id = id, .mode = mode});
}

static OTF2_CallbackCode on_complete(MERGED_EVENT, OTF2_IoHandleRef handle, uint64_t bytes,
                                     uint64_t id)
{
    return tell(user, profile_at(user, location, &time),
                (struct file_event){.what = FILE_ENDS, .handle = handle, .id = id, .bytes = bytes});
}

static OTF2_CallbackCode on_cancelled(MERGED_EVENT, OTF2_IoHandleRef handle, uint64_t id)
{
    return tell(user, profile_at(user, location, &time),
                (struct file_event){.what = FILE_ENDS, .handle = handle, .id = id});
}

static OTF2_CallbackCode on_create(MERGED_EVENT, OTF2_IoHandleRef handle, OTF2_IoAccessMode mode,
                                   OTF2_IoCreationFlag creation, OTF2_IoStatusFlag status)
{
    (void)mode, (void)creation, (void)status;
    return tell(user, profile_at(user, location, &time),
                (struct file_event){.what = FILE_OPENS, .handle = handle});
}

static OTF2_CallbackCode on_seek(MERGED_EVENT, OTF2_IoHandleRef handle, int64_t request,
                                 OTF2_IoSeekOption whence, uint64_t result)
{
    (void)request, (void)whence, (void)result;
    return tell(user, profile_at(user, location, &time),
                (struct file_event){.what = FILE_SEEKS, .handle = handle});
}

void files_register(OTF2_GlobalEvtReaderCallbacks *c)
{
    READ(IoCreateHandle, on_create);
    READ(IoSeek, on_seek);
    READ(IoOperationBegin, on_begin);
    READ(IoOperationComplete, on_complete);
    READ(IoOperationCancelled, on_cancelled);
}
