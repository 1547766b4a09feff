/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/raw_file.h"
#include "finish/find/finish_find.h"
#include "finish/find/finish_gathered.h"
#include "finish/find/finish_settled.h"
#include "finish/state/finish_trouble.h"
#include "format/frame.h"

enum { HOLES_MAX = 1 << 16, HOLES_ALWAYS = 1 << 10, HOLES_PER_THREAD = 8, GATHERED_WORDS = 3 };

/* The evidence for threads. A slot is two words: the thread's number and the place of the slot. */
struct seen {
    struct finish *f;
    struct finish_process *p;
    struct spur_words files, slots, numbers;
    struct spur_words gathered; /* three words: thread, place, bytes */
};

static int note(struct spur_words *list, uint64_t word)
{
    uint64_t *at = spur_words_add(list, 1);
    if (!at)
        return -ENOMEM;
    *at = word;
    return 0;
}

/* "12.evt" */
static int see_file(void *data, const char *name)
{
    struct seen *seen = data;
    char *end;
    if (name[0] < '0' || name[0] > '9')
        return 0;
    unsigned long number = strtoul(name, &end, 10);
    if (strcmp(end, ".evt") != 0 || number > UINT32_MAX)
        return 0;
    return note(&seen->files, number);
}

/* Has the thread recorded? For a process of another boot, the slot may be older than the chunks. */
static bool has_recorded(const struct seen *seen, const struct spur_slot *slot)
{
    const struct otf2_evt_cursor *cursor = &slot->cursor;
    uint64_t used = (uintptr_t)cursor->pos - (uintptr_t)cursor->chunk;
    bool is_here = strcmp(seen->p->head.boot_id, seen->f->boot_id) == 0;
    return slot->chunks && (!is_here || cursor->events || used > OTF2_FRAME_HEADER_BYTES);
}

static int see_slots(struct seen *seen, const char *block, uint64_t bytes, uint64_t from,
                     uint64_t at)
{
    int err = 0;
    for (; from + sizeof(struct spur_slot) <= bytes && !err; from += sizeof(struct spur_slot)) {
        const struct spur_slot *slot = (const struct spur_slot *)(const void *)(block + from);
        if (slot->state != SPUR_SLOT_LIVE)
            continue;
        if (has_recorded(seen, slot))
            err = note(&seen->numbers, slot->thread);
        if (!err)
            err = note(&seen->slots, slot->thread);
        if (!err)
            err = note(&seen->slots, at + from);
    }
    return err;
}

static int see_gathered(void *data, uint32_t thread, uint64_t at, uint64_t bytes)
{
    struct seen *seen = data;
    const uint64_t words[] = {thread, at, bytes};
    uint64_t *to = spur_words_add(&seen->gathered, GATHERED_WORDS);
    if (!to)
        return -ENOMEM;
    memcpy(to, words, sizeof words);
    return note(&seen->numbers, thread);
}

/* Block 0 begins with the header; the header names further blocks of slots. */
static int see_all_slots(struct seen *seen)
{
    const struct spur_segment *head = &seen->p->head;
    char path[SPUR_FILE_PATH_BYTES];
    uint64_t size;
    int fd = spur_file_open(finish_path(seen->f, seen->p, "segment", path), &size);
    if (fd < 0)
        return fd;
    char *block = spur_mem_new(head->block_bytes);
    int err = block ? 0 : -ENOMEM;
    for (uint32_t i = 0; i <= head->slot_blocks && i <= SPUR_SLOT_BLOCKS && !err; i++) {
        uint64_t at = i ? head->slot_block[i - 1] * head->block_bytes : 0;
        int64_t n = spur_file_read(fd, at, block, head->block_bytes);
        err = n < 0 ? (int)n : see_slots(seen, block, (uint64_t)n, i ? 0 : SPUR_SLOTS_OFFSET, at);
    }
    spur_mem_free(block, head->block_bytes);
    spur_file_close(fd);
    return err;
}

/* Call `each` for every update of the journal. */
static int each_update(struct finish_process *p, void *data,
                       int (*each)(void *data, uint32_t kind, const struct spur_cell *cells))
{
    struct spur_counts counts = {{0}};
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    uint64_t at = 0;
    int err = 0;
    while (!err && spur_journal_next(p->journal, p->journal_bytes, &at, &record)) {
        if (!spur_record_unpack(&record, &counts, cells)) {
            p->is_damaged = true;
            break;
        }
        uint32_t space = spur_definitions[record.kind].space;
        if (space < SPUR_SPACES)
            counts.of[space]++;
        else
            err = each(data, record.kind, cells);
    }
    return err;
}

/*
 * Other processes know a location that is no thread of the process by its number, even without
 * events.
 */
static int see_update(void *data, uint32_t kind, const struct spur_cell *cells)
{
    struct seen *seen = data;
    bool is_needed = kind == SPUR_DEFINITION_Location &&
                     (cells[SPUR_AT_Location_numberOfEvents].number ||
                      cells[SPUR_AT_Location_locationType].number != OTF2_LOCATION_TYPE_CPU_THREAD);
    return is_needed ? note(&seen->numbers, cells[SPUR_AT_Location_thread].number) : 0;
}

uint64_t finish_thread_place(const struct finish_process *p, uint64_t number)
{
    uint64_t low = 0, high = p->n_threads;
    while (low + 1 < high) {
        uint64_t middle = low + (high - low) / 2;
        if (p->threads[middle].number <= number)
            low = middle;
        else
            high = middle;
    }
    return low < p->n_threads && p->threads[low].number == number ? low : p->n_threads;
}

/* NULL: there is no thread of this number. */
static struct finish_thread *thread_of(const struct finish_process *p, uint64_t number)
{
    uint64_t place = finish_thread_place(p, number);
    return place < p->n_threads ? &p->threads[place] : NULL;
}

static void take_reading(struct finish_process *p, const struct spur_cell *cells)
{
    const struct finish_reading reading = {cells[SPUR_AT_ClockReading_clock].number,
                                           {cells[SPUR_AT_ClockReading_ticks].number,
                                            cells[SPUR_AT_ClockReading_clockTicks].number,
                                            cells[SPUR_AT_ClockReading_roundTrip].number}};
    if (p->n_readings < FINISH_READINGS)
        p->n_readings++;
    p->reading[p->n_readings - 1] = reading;
}

/*
 * Takes a lock's count. The process writes the counts of all locks anew if the process goes on
 * after its end.
 */
static int take_count(struct finish_process *p, const struct spur_cell *cells)
{
    int err = 0;
    if (cells[SPUR_AT_LockCount_lock].number == UINT32_MAX)
        p->lock_counts.n = 0;
    else
        for (int i = 0; i <= SPUR_AT_LockCount_kind && !err; i++)
            err = note(&p->lock_counts, cells[i].number);
    return err;
}

static int take_member(struct finish_process *p, const struct spur_cell *cells)
{
    int err = note(&p->members, cells[SPUR_AT_TeamMember_team].number << 32 |
                                    cells[SPUR_AT_TeamMember_position].number);
    return err ? err : note(&p->members, cells[SPUR_AT_TeamMember_thread].number);
}

static int take_arguments(struct finish_process *p, const struct spur_cell *cell)
{
    p->arguments.n = 0;
    uint64_t *to = cell->number ? spur_words_add(&p->arguments, cell->number) : NULL;
    if (to)
        memcpy(to, cell->at, cell->number * sizeof *to);
    return to || !cell->number ? 0 : -ENOMEM;
}

static int take_update(void *data, uint32_t kind, const struct spur_cell *cells)
{
    struct finish_process *p = data;
    if (kind == SPUR_DEFINITION_Location) {
        struct finish_thread *t = thread_of(p, cells[SPUR_AT_Location_thread].number);
        if (!t)
            return 0;
        t->name = (uint32_t)cells[SPUR_AT_Location_name].number;
        t->type = (uint8_t)cells[SPUR_AT_Location_locationType].number;
    } else if (kind == SPUR_DEFINITION_ProcessProperty) {
        const struct finish_property property = {
            (uint32_t)cells[SPUR_AT_ProcessProperty_name].number,
            (uint32_t)cells[SPUR_AT_ProcessProperty_value].number};
        uint32_t i = 0;
        while (i < p->n_properties && p->property[i].name != property.name)
            i++;
        if (i < FINISH_PROPERTIES)
            p->property[i] = property;
        if (i == p->n_properties && i < FINISH_PROPERTIES)
            p->n_properties++;
    } else if (kind == SPUR_DEFINITION_ClockReading) {
        take_reading(p, cells);
    } else if (kind == SPUR_DEFINITION_Program) {
        p->program = (uint32_t)cells[SPUR_AT_Program_name].number;
        return take_arguments(p, &cells[SPUR_AT_Program_arguments]);
    } else if (kind == SPUR_DEFINITION_TeamMember) {
        return take_member(p, cells);
    } else if (kind == SPUR_DEFINITION_Device) {
        return cells[SPUR_AT_Device_device].number == p->devices.n
                   ? note(&p->devices, cells[SPUR_AT_Device_name].number)
                   : 0;
    } else if (kind == SPUR_DEFINITION_Stream) {
        struct finish_thread *t = thread_of(p, cells[SPUR_AT_Stream_thread].number);
        if (t && cells[SPUR_AT_Stream_device].number < p->devices.n)
            t->device = (uint32_t)cells[SPUR_AT_Stream_device].number + 1;
    } else if (kind == SPUR_DEFINITION_LockCount) {
        return take_count(p, cells);
    } else if (kind == SPUR_DEFINITION_LockAt) {
        int err = note(&p->locks, cells[SPUR_AT_LockAt_lock].number);
        return err ? err : note(&p->locks, cells[SPUR_AT_LockAt_data].number);
    }
    return 0;
}

static bool less(const void *context, uint64_t a, uint64_t b)
{
    (void)context;
    return a < b;
}

/*
 * The number of believed thread numbers, in order. Threads without any record leave holes, for
 * example threads that were created and had not begun. A number far beyond all other numbers is
 * damage.
 */
static uint64_t count_believed(const struct spur_words *numbers)
{
    uint64_t n = 0;
    for (; n < numbers->n; n++) {
        uint64_t holes = numbers->at[n] - n, most = HOLES_ALWAYS + HOLES_PER_THREAD * n;
        if (holes > (most < HOLES_MAX ? most : HOLES_MAX))
            break;
    }
    return n;
}

static int make_threads(struct finish_process *p, struct spur_words *numbers)
{
    uint64_t n = 0;
    finish_sort(numbers->at, numbers->n, less, NULL);
    for (uint64_t i = 0; i < numbers->n; i++)
        if (i == 0 || numbers->at[i] != numbers->at[i - 1])
            numbers->at[n++] = numbers->at[i];
    numbers->n = n;
    n = count_believed(numbers);
    p->threads = spur_mem_new(n * sizeof *p->threads);
    if (!p->threads)
        return -ENOMEM;
    p->n_threads = n;
    for (uint64_t i = 0; i < n; i++)
        p->threads[i] = (struct finish_thread){.number = (uint32_t)numbers->at[i],
                                               .type = OTF2_LOCATION_TYPE_CPU_THREAD,
                                               .name = OTF2_UNDEFINED_STRING,
                                               .first = UINT64_MAX};
    return 0;
}

static bool less_member(const void *context, uint64_t a, uint64_t b)
{
    const uint64_t *members = context;
    return members[2 * a] < members[2 * b];
}

static int order_members(struct finish_process *p)
{
    int err = 0;
    for (uint64_t i = 0; i < p->members.n / 2 && !err; i++)
        err = note(&p->members_order, i);
    finish_sort(p->members_order.at, p->members_order.n, less_member, p->members.at);
    return err;
}

uint64_t finish_team(const struct finish_process *p, uint64_t team, uint64_t *members,
                     uint64_t room)
{
    const uint64_t *pair = p->members.at;
    uint64_t low = 0, high = p->members_order.n, n = 0;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (pair[2 * p->members_order.at[middle]] >> 32 < team)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < p->members_order.n && n < room; low++) {
        const uint64_t *member = &pair[2 * p->members_order.at[low]];
        if (member[0] >> 32 != team)
            break;
        uint64_t place = finish_thread_place(p, member[1]);
        if (place < p->n_threads)
            members[n++] = p->first_thread + place;
    }
    return n;
}

/* Takes the gathered events. The thread had ended, so a slot that is still in use is ignored. */
static void take_gathered(const struct seen *seen)
{
    for (uint64_t i = 0; i < seen->gathered.n; i += GATHERED_WORDS) {
        const uint64_t *words = &seen->gathered.at[i];
        struct finish_thread *t = thread_of(seen->p, words[0]);
        if (!t || t->gathered_bytes)
            continue;
        t->gathered_at = words[1];
        t->gathered_bytes = (uint32_t)words[2];
        t->is_live = false;
    }
}

static int put_together(struct seen *seen)
{
    struct finish_process *p = seen->p;
    /* Every process has a main thread, even without any record. */
    int err = note(&seen->numbers, 0);
    for (uint64_t i = 0; i < seen->files.n && !err; i++)
        err = note(&seen->numbers, seen->files.at[i]);
    if (!err)
        err = make_threads(p, &seen->numbers);
    for (uint64_t i = 0; i < seen->files.n && !err; i++) {
        struct finish_thread *t = thread_of(p, seen->files.at[i]);
        if (t)
            t->has_file = true;
    }
    for (uint64_t i = 0; i < seen->slots.n && !err; i += 2) {
        struct finish_thread *t = thread_of(p, seen->slots.at[i]);
        if (!t)
            continue;
        t->is_live = true;
        t->slot_at = seen->slots.at[i + 1];
    }
    take_gathered(seen);
    if (!err)
        err = each_update(p, p, take_update);
    if (!err)
        err = finish_counts_load(seen->f, p);
    return err ? err : order_members(p);
}

/* A settled process has told everything: see finish_settled_load(). */
static int see_settled(struct seen *seen)
{
    const struct spur_words *told = &seen->p->told;
    int err = 0;
    for (uint64_t i = 0; i < told->n && !err; i += FINISH_TOLD)
        err = note(&seen->numbers, told->at[i + FINISH_TOLD_NUMBER]);
    return err;
}

static void take_told(const struct finish_process *p)
{
    for (uint64_t i = 0; i < p->n_threads; i++) {
        struct finish_thread *t = &p->threads[i];
        const uint64_t *told = finish_settled_of(p, t);
        if (!told)
            continue;
        t->events = told[FINISH_TOLD_EVENTS];
        t->first = told[FINISH_TOLD_FIRST];
        t->last = told[FINISH_TOLD_LAST];
    }
}

static int see_process(struct seen *seen)
{
    struct finish *f = seen->f;
    struct finish_process *p = seen->p;
    char path[SPUR_FILE_PATH_BYTES];
    int err = finish_journal_load(f, p);
    if (!err)
        err = spur_file_list(finish_path(f, p, "traces", path), see_file, seen);
    if (err && !spur_file_is_none(err))
        return err;
    err = finish_gathered_each(f, p, seen, see_gathered);
    if (err)
        return err;
    if (p->state != FINISH_ENDED || p->head.has_kept)
        err = see_all_slots(seen);
    else
        err = 0;
    return err ? err : each_update(p, seen, see_update);
}

int finish_threads(struct finish *f, struct finish_process *p)
{
    struct seen seen = {.f = f, .p = p};
    int err = p->state == FINISH_MISSING ? 0
              : p->is_settled            ? see_settled(&seen)
                                         : see_process(&seen);
    if (!err)
        err = put_together(&seen);
    if (!err)
        take_told(p);
    spur_words_free(&seen.files);
    spur_words_free(&seen.slots);
    spur_words_free(&seen.numbers);
    spur_words_free(&seen.gathered);
    return finish_blame(f, err, "%s/.spur/%s", f->dir, p->name);
}
