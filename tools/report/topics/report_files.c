/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "format/names.h"
#include "tools/report/topics/report.h"

/* A worker takes the notes of a process later than the events of a different process. */
static bool is_before(const struct report *r, const struct file *a, const struct file *b)
{
    const uint32_t *order = r->notes.order;
    if (a->born.time != b->born.time)
        return a->born.time < b->born.time;
    if (!order || a->born.location == b->born.location)
        return order && a->sequence < b->sequence;
    return order[a->born.location] < order[b->born.location];
}

uint32_t files_find(struct report *r, uint64_t handle, struct birth born, uint64_t sequence)
{
    struct files *f = &r->files;
    uint32_t defined = defs_handle(&r->defs, handle);
    uint64_t file = defined == NIL ? OTF2_UNDEFINED_IO_FILE : r->defs.handles.at[defined].file;
    bool is_unknown = file == OTF2_UNDEFINED_IO_FILE;
    /*
     * The interfaces' accesses to a file are not summed: one interface works by means of another
     * interface.
     */
    uint64_t layer = defined == NIL ? 0 : r->defs.handles.at[defined].paradigm;
    uint64_t kind = layer << 1 | is_unknown;
    uint32_t index = map_index(&f->index_of, kind, is_unknown ? handle : file, f->all.n);
    const struct file seen = {.handle = handle, .born = born, .sequence = sequence};
    if (index == f->all.n)
        *LIST_ADD(&f->all) = seen;
    struct file *found = &f->all.at[index];
    if (is_before(r, &seen, found)) {
        found->handle = handle;
        found->born = born;
        found->sequence = sequence;
    }
    return index;
}

/* ---- the shared part: by the worker of the process ---- */

/* An event of a location with a file. */
struct file_event {
    uint64_t time;
    uint64_t sequence; /* of the location's notes */
    uint64_t handle;
    uint64_t id;     /* of an operation */
    uint64_t bytes;  /* moved, mapped, or asked for */
    uint64_t offset; /* or where a seek has led */
    uint64_t call;   /* see struct frame */
    uint64_t old;    /* duplicated handle; or begin of the opening call */
    uint32_t location;
    uint32_t process;
    uint32_t site; /* of the call */
    enum { FILE_OPENS, FILE_COPIES, FILE_FLAGS, FILE_SEEKS, FILE_BEGINS, FILE_ENDS } what;
    OTF2_IoOperationMode mode;
    bool is_below; /* the call is inside a call of another interface */
    bool appends;
    bool is_outside; /* of the window */
};

/* The event as a row of accesses. A location that is not selected has no file. */
static struct access row_of(struct report *r, const struct file_event *e, enum access_kind kind)
{
    struct birth born = {e->time, e->location};
    bool is_selected = r->is_selected[e->location] && !e->is_outside;
    uint32_t file = is_selected ? files_find(r, e->handle, born, e->sequence) : NIL;
    return (struct access){.handle = is_selected ? r->files.all.at[file].handle : e->handle,
                           .file = file,
                           .process = e->process,
                           .site = e->site,
                           .kind = (uint8_t)kind,
                           .is_below = e->is_below,
                           .born = born};
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
    f->open.at[index] = (struct operation){.begin = e->time,
                                           .call = e->call,
                                           .asked = e->bytes,
                                           .offset = e->offset,
                                           .site = e->site,
                                           .mode = e->mode,
                                           .is_below = e->is_below};
    map_set(&f->open_of, key_of(e), e->id, index);
}

static enum access_kind kind_of(OTF2_IoOperationMode mode)
{
    if (mode == OTF2_IO_OPERATION_MODE_READ)
        return ACCESS_READ;
    return mode == OTF2_IO_OPERATION_MODE_WRITE ? ACCESS_WRITE : ACCESS_OTHER;
}

/* Tells the counted access to the listener, if the report has a listener for single accesses. */
static void tell_access(const struct report *r, const struct access *row,
                        const struct file_event *e, struct single_access a)
{
    if (!r->listener || row->file == NIL)
        return;
    a.end = e->time;
    a.handle = e->handle;
    a.bytes = e->bytes;
    a.location = e->location;
    a.is_below = row->is_below;
    r->listener->access(r, &a);
}

/*
 * Ends an operation. The mode is unknown if the begin was not recorded; the bytes are unknown if
 * nobody asked.
 */
static void end(struct report *r, const struct file_event *e)
{
    struct files *f = &r->files;
    uint32_t index = map_find(&f->open_of, key_of(e), e->id);
    if (index == NIL)
        return;
    struct operation *o = &f->open.at[index];
    struct access like = row_of(r, e, kind_of(o->mode));
    like.site = o->site;
    like.is_below = o->is_below;
    struct place taken = {0};
    place_add(&taken, o->begin, e->time, e->location, e->location);
    if (like.file != NIL)
        place_join(&f->all.at[like.file].longest, &taken, r->notes.order);
    uint64_t bytes = e->bytes == OTF2_UNDEFINED_UINT64 ? 0 : e->bytes;
    uint64_t at = accesses_moved(r, like, e->handle, bytes, o->offset, e->time - o->begin);
    tell_access(r, &like, e,
                (struct single_access){.begin = o->begin,
                                       .call = o->call,
                                       .asked = o->asked,
                                       .place = at,
                                       .kind = otf2_enum_name(OTF2_ENUM_IoOperationMode, o->mode)});
    map_remove(&f->open_of, key_of(e), e->id);
    o->next_free = f->free;
    f->free = index + 1;
}

/* Counts an event outside of operations. */
static void count(struct report *r, const struct file_event *e, enum access_kind kind,
                  uint64_t ticks)
{
    struct access row = row_of(r, e, kind);
    (void)accesses_moved(r, row, e->handle, e->bytes, ACCESS_NOWHERE, ticks);
    tell_access(r, &row, e,
                (struct single_access){.begin = e->time - ticks,
                                       .call = e->call,
                                       .asked = OTF2_UNDEFINED_UINT64,
                                       .place = kind == ACCESS_OTHER ? e->offset : ACCESS_NOWHERE,
                                       .kind = kind == ACCESS_OTHER ? "SEEK" : "OPEN"});
}

static inline void take(struct report *r, const struct file_event *e)
{
    switch (e->what) {
    case FILE_OPENS:
        accesses_created(r, e->process, e->handle, e->appends);
        count(r, e, ACCESS_OPEN, e->time - e->old);
        break;
    case FILE_COPIES:
        accesses_duplicated(r, e->process, e->old, e->handle, e->appends);
        break;
    case FILE_FLAGS:
        accesses_flags(r, e->process, e->handle, e->appends);
        break;
    case FILE_SEEKS:
        accesses_sought(r, e->process, e->handle, e->offset);
        count(r, e, ACCESS_OTHER, 0);
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
    e.is_outside = s->is_outside;
    if (notes_are_whole(&r->notes, s->process)) {
        e.sequence = s->n_notes++;
        take(r, &e);
    } else {
        struct engine_note note = notes_new(r, s, NOTE_FILE);
        e.sequence = note.sequence;
        notes_tell_process(r, s->process, note, &e, sizeof e);
    }
    return OTF2_CALLBACK_SUCCESS;
}

static bool is_of_files(const struct report *r, const struct frame *frame)
{
    uint32_t region = r->profile.nodes.at[frame->node].region;
    return region_is_of_files(&r->defs.regions.at[region]);
}

/* An event in a call, with the call's site in the program. The frame at the bottom is no call. */
static struct file_event in_call(const struct report *r, const struct stream *s)
{
    const struct frame *call = profile_top(s);
    return (struct file_event){
        .site = r->profile.nodes.at[call->node].site,
        .call = call->call,
        .old = s->stack.n > 1 ? call->enter : s->last,
        .is_below = s->stack.n > 2 && is_of_files(r, call) && is_of_files(r, call - 1),
    };
}

static OTF2_CallbackCode on_begin(MERGED_EVENT, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,
                                  OTF2_IoOperationFlag flags, uint64_t bytes, uint64_t id)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    struct file_event e = in_call(r, s);
    (void)flags;
    e.what = FILE_BEGINS;
    e.bytes = bytes;
    e.handle = handle;
    e.id = id;
    e.mode = mode;
    if (!defs_number_in(attributes, r->defs.offset, &e.offset))
        e.offset = ACCESS_NOWHERE;
    return tell(r, s, e);
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

enum { LEAST_PER_SECOND = 100000 }; /* openings shorter than a second divided by this are dropped */

static void keep_opening(struct report *r, const struct file_opening *one)
{
    const uint64_t ticks = one->end - one->begin;
    if (ticks && ticks >= r->defs.clock.ticks_per_second / LEAST_PER_SECOND)
        *LIST_ADD(&r->opens.all) = *one;
}

static OTF2_CallbackCode on_create(MERGED_EVENT, OTF2_IoHandleRef handle, OTF2_IoAccessMode mode,
                                   OTF2_IoCreationFlag creation, OTF2_IoStatusFlag status)
{
    struct stream *s = profile_at(user, location, &time);
    const struct report *r = user;
    struct file_event e = in_call(r, s);
    (void)mode;
    if (!defs_number_in(attributes, r->defs.mapped, &e.bytes)) {
        e.bytes = 0;
        const struct file_opening one = {.begin = e.old,
                                         .end = s->last,
                                         .handle = handle,
                                         .location = s->location,
                                         .site = e.site,
                                         .creates = creation & OTF2_IO_CREATION_FLAG_CREATE};
        keep_opening(user, &one);
    }
    e.what = FILE_OPENS;
    e.handle = handle;
    e.appends = status & OTF2_IO_STATUS_FLAG_APPEND;
    return tell(user, s, e);
}

static OTF2_CallbackCode on_duplicate(MERGED_EVENT, OTF2_IoHandleRef old, OTF2_IoHandleRef new,
                                      OTF2_IoStatusFlag status)
{
    return tell(user, profile_at(user, location, &time),
                (struct file_event){.what = FILE_COPIES,
                                    .handle = new,
                                    .old = old,
                                    .appends = status &OTF2_IO_STATUS_FLAG_APPEND});
}

static OTF2_CallbackCode on_flags(MERGED_EVENT, OTF2_IoHandleRef handle, OTF2_IoStatusFlag status)
{
    return tell(user, profile_at(user, location, &time),
                (struct file_event){.what = FILE_FLAGS,
                                    .handle = handle,
                                    .appends = status & OTF2_IO_STATUS_FLAG_APPEND});
}

static OTF2_CallbackCode on_seek(MERGED_EVENT, OTF2_IoHandleRef handle, int64_t request,
                                 OTF2_IoSeekOption whence, uint64_t result)
{
    struct stream *s = profile_at(user, location, &time);
    struct file_event e = in_call(user, s);
    (void)request, (void)whence;
    e.what = FILE_SEEKS;
    e.handle = handle;
    e.offset = result;
    return tell(user, s, e);
}

/* Metadata calls made inside a further call on files do not count, as in files_times(). */
void files_asked(struct report *r, const struct stream *s, const struct frame *call)
{
    if (!report_has(r, s))
        return;
    for (size_t i = 1; i < s->stack.n; i++)
        if (is_of_files(r, &s->stack.at[i]))
            return;
    storms_call(&r->storms, &r->defs, s->process, call->enter, s->last);
}

void files_register(OTF2_GlobalEvtReaderCallbacks *c)
{
    READ(IoCreateHandle, on_create);
    READ(IoDuplicateHandle, on_duplicate);
    READ(IoChangeStatusFlags, on_flags);
    READ(IoSeek, on_seek);
    READ(IoOperationBegin, on_begin);
    READ(IoOperationComplete, on_complete);
    READ(IoOperationCancelled, on_cancelled);
}

/* ---- sums ---- */

struct file_sum *files_sum(const struct report *r)
{
    struct map has_process = {0};
    size_t room = 0;
    struct file_sum *sums = list_grow(NULL, &room, r->files.all.n + 1, sizeof *sums);
    for (size_t i = 0; i < r->accesses.all.n; i++) {
        const struct access *a = &r->accesses.all.at[i];
        struct file_sum *sum = &sums[a->file];
        moves_add(&sum->of[a->kind], &a->moves);
        if (a->kind == ACCESS_READ || a->kind == ACCESS_WRITE)
            moves_add(&sum->accesses, &a->moves);
        sum->own_ticks += a->is_below || a->kind == ACCESS_OPEN ? 0 : a->moves.ticks;
        if (map_find(&has_process, a->file, a->process) == NIL) {
            map_set(&has_process, a->file, a->process, 1);
            sum->n_processes++;
        }
    }
    free(has_process.slots);
    return sums;
}

/* A process is a sharer if most of its writes to the file are small, and most are strided. */
static void note_sharer(struct file_sharers *to, const struct moves *m)
{
    const uint64_t judged = m->sequential + m->strided + m->random;
    if (2 * m->small <= m->moved || 2 * m->strided <= judged)
        return;
    to->n++;
    moves_add(&to->moves, m);
}

struct file_sharers *files_sharers(const struct report *r)
{
    struct accesses writers = {0};
    struct file_sharers *found = take_memory((r->files.all.n + 1) * sizeof *found);
    for (size_t i = 0; i < r->accesses.all.n; i++) {
        const struct access *a = &r->accesses.all.at[i];
        const struct access like = {.file = a->file, .process = a->process, .kind = ACCESS_WRITE};
        if (access_is_own(a) && a->kind == ACCESS_WRITE)
            moves_add(&accesses_row(&writers, &like)->moves, &a->moves);
    }
    for (size_t i = 0; i < writers.all.n; i++)
        note_sharer(&found[writers.all.at[i].file], &writers.all.at[i].moves);
    free(writers.all.at);
    free(writers.index_of.slots);
    return found;
}

struct file_times *files_times(const struct report *r)
{
    size_t n_nodes = 0;
    size_t n_times = 0;
    bool *is_in_call = list_grow(NULL, &n_nodes, r->profile.nodes.n + 1, sizeof *is_in_call);
    struct file_times *times = list_grow(NULL, &n_times, r->defs.processes.n + 1, sizeof *times);
    for (size_t i = 0; i < r->profile.nodes.n; i++) {
        const struct node *node = &r->profile.nodes.at[i];
        const struct region *region = &r->defs.regions.at[node->region];
        bool is_inside = node->parent != NIL && is_in_call[node->parent];
        bool is_of_files = region_is_of_files(region);
        is_in_call[i] = is_inside || is_of_files;
        if (is_inside || !is_of_files || !r->is_selected[node->location])
            continue;
        struct file_times *to = &times[r->defs.locations.at[node->location].process];
        bool is_metadata = region->role == OTF2_REGION_ROLE_FILE_IO_METADATA;
        to->calls += node->calls;
        to->ticks += node->total;
        to->metadata_calls += is_metadata ? node->calls : 0;
        to->metadata_ticks += is_metadata ? node->total : 0;
    }
    free(is_in_call);
    return times;
}
