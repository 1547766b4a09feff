/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/topics/report.h"

uint32_t files_find(struct report *r, uint64_t handle, struct birth born)
{
    struct files *f = &r->files;
    uint32_t defined = defs_handle(&r->defs, handle);
    uint64_t file = defined == NIL ? OTF2_UNDEFINED_IO_FILE : r->defs.handles.at[defined].file;
    bool is_unknown = file == OTF2_UNDEFINED_IO_FILE;
    uint32_t index = map_find(&f->index_of, is_unknown, is_unknown ? handle : file);
    if (index == NIL) {
        index = (uint32_t)f->all.n;
        *LIST_ADD(&f->all) = (struct file){.handle = handle, .born = born};
        map_set(&f->index_of, is_unknown, is_unknown ? handle : file, index);
    }
    return index;
}

static struct file *file_of(struct report *r, const struct stream *s, uint64_t handle)
{
    uint32_t index = files_find(r, handle, profile_born(s)); /* the list may move */
    return &r->files.all.at[index];
}

static uint64_t key_of(const struct stream *s, uint64_t handle)
{
    return (uint64_t)s->process << 32 | (uint32_t)handle;
}

static OTF2_CallbackCode on_begin(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                  OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
                                  OTF2_IoOperationMode mode, OTF2_IoOperationFlag flags,
                                  uint64_t bytes, uint64_t id)
{
    struct report *r = user;
    struct files *f = &r->files;
    const struct stream *s = profile_at(r, location, &time);
    uint32_t index = map_find(&f->open_of, key_of(s, handle), id);
    (void)attributes, (void)flags, (void)bytes;
    if (index == NIL && f->free) {
        index = f->free - 1;
        f->free = f->open.at[index].next_free;
    } else if (index == NIL) {
        index = (uint32_t)f->open.n;
        (void)LIST_ADD(&f->open);
    }
    f->open.at[index] = (struct operation){time, mode, 0};
    map_set(&f->open_of, key_of(s, handle), id, index);
    return OTF2_CALLBACK_SUCCESS;
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
static void end(struct report *r, const struct stream *s, uint64_t handle, uint64_t id,
                uint64_t bytes)
{
    struct files *f = &r->files;
    uint32_t index = map_find(&f->open_of, key_of(s, handle), id);
    if (index == NIL)
        return;
    struct operation *o = &f->open.at[index];
    if (report_has(r, s)) {
        struct file *file = file_of(r, s, handle);
        file->ticks += s->last - o->begin;
        place_add(&file->longest, o->begin, s->last, s->location, s->location);
        count(file, o->mode, bytes == OTF2_UNDEFINED_UINT64 ? 0 : bytes);
    }
    map_remove(&f->open_of, key_of(s, handle), id);
    o->next_free = f->free;
    f->free = index + 1;
}

static OTF2_CallbackCode on_complete(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                     OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
                                     uint64_t bytes, uint64_t id)
{
    (void)attributes;
    end(user, profile_at(user, location, &time), handle, id, bytes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_cancelled(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                      OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
                                      uint64_t id)
{
    (void)attributes;
    end(user, profile_at(user, location, &time), handle, id, 0);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_create(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                   OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
                                   OTF2_IoAccessMode mode, OTF2_IoCreationFlag creation,
                                   OTF2_IoStatusFlag status)
{
    (void)attributes, (void)mode, (void)creation, (void)status;
    const struct stream *s = profile_at(user, location, &time);
    if (report_has(user, s))
        file_of(user, s, handle)->opens++;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_seek(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                 OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
                                 int64_t request, OTF2_IoSeekOption whence, uint64_t result)
{
    (void)attributes, (void)request, (void)whence, (void)result;
    const struct stream *s = profile_at(user, location, &time);
    if (report_has(user, s))
        file_of(user, s, handle)->others++;
    return OTF2_CALLBACK_SUCCESS;
}

#define READ(Name, function) OTF2_GlobalEvtReaderCallbacks_Set##Name##Callback(c, function)

void files_register(OTF2_GlobalEvtReaderCallbacks *c)
{
    READ(IoCreateHandle, on_create);
    READ(IoSeek, on_seek);
    READ(IoOperationBegin, on_begin);
    READ(IoOperationComplete, on_complete);
    READ(IoOperationCancelled, on_cancelled);
}
