/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/stacks/code_map.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/definitions/definitions.h"
#include "base/bisect.h"
#include "base/elf_headers.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/now.h"
#include "base/own_stack.h"
#include "base/procfs.h"
#include "base/raw_file.h"
#include "base/readable.h"
#include "session/segment.h"

enum {
    LINE_ROOM = 16 << 10,
    IDENTITY_BYTES = SPUR_NAME_BYTES + 16,
    FIRST_RANGES = 64,
    FIRST_TEXT = 8 << 10,
    PAUSE_MS = 100, /* between two tries that may be in vain */
};

/* A mapping with code. */
struct range {
    uintptr_t start, end;
    uint64_t offset;          /* of `start` in the file */
    uint64_t inode;           /* 0: there is no file */
    uintptr_t head, head_end; /* the mapping of the file's beginning; 0: no such mapping */
    uint32_t path;            /* in the text */
    bool was_known;           /* in this table or an earlier one */
    bool is_known;            /* `module` and `shift` are set */
    uint32_t module;
    uint64_t shift; /* from the offset in the file to the address as linked */
};

/* A mapping without code. */
struct area {
    uint64_t start, end;
    uint64_t inode;
    uintptr_t head, head_end; /* the beginning of the file whose data this is; 0: no file */
    uint32_t path;            /* of the same file */
    bool is_known;            /* `module`, `data` and `data_end` are set */
    uint32_t module;
    uint64_t data, data_end; /* address range of the variables */
    uint64_t shift;          /* from `data` to the address as linked */
};

static struct {
    struct spur_lock lock;
    struct range *range; /* by address */
    uint32_t n, room;
    struct area *area; /* likewise */
    uint32_t n_areas, area_room;
    char *text; /* the paths */
    uint32_t used, text_room;
    uint32_t unloads; /* the count before the table was made */
    bool is_made;
    bool has_lost; /* a known range is not there any more */
    struct {
        uintptr_t start, end;
        uint64_t inode;
        uint32_t path;
    } head;             /* while the table is made: the last beginning of a file, */
    uintptr_t data_end; /* and the end of the last mapping of the same file */
    char line[LINE_ROOM];
} map;

static _Atomic uint32_t unloads;

uint32_t spur_code_unloads(void)
{
    return atomic_load_explicit(&unloads, memory_order_acquire);
}

const _Atomic uint32_t *spur_code_unload_count(void)
{
    return &unloads;
}

void spur_code_unloaded(void)
{
    atomic_fetch_add_explicit(&unloads, 1, memory_order_acq_rel);
}

/* ---- making the table ---- */

static void *grown(void *items, uint32_t used, uint32_t *room, uint32_t first, size_t item)
{
    return spur_mem_resize(items, used, room, *room ? 2 * *room : first, item);
}

/* Adds a path without the kernel's mark for the name of a removed file. */
static bool add_path(const char *path)
{
    static const char gone[] = " (deleted)";
    size_t length = strlen(path);
    if (length >= sizeof gone && strcmp(path + length - (sizeof gone - 1), gone) == 0)
        length -= sizeof gone - 1;
    while (map.text_room - map.used < length + 1) {
        char *text = grown(map.text, map.used, &map.text_room, FIRST_TEXT, 1);
        if (!text)
            return false;
        map.text = text;
    }
    memcpy(map.text + map.used, path, length);
    map.text[map.used + length] = '\0';
    map.used += (uint32_t)length + 1;
    return true;
}

static bool add_range(const struct spur_procfs_mapping *mapping, bool has_head)
{
    uint32_t path = map.used;
    if (!add_path(mapping->path))
        return false;
    if (map.n == map.room) {
        struct range *range = grown(map.range, map.n, &map.room, FIRST_RANGES, sizeof *range);
        if (!range)
            return false;
        map.range = range;
    }
    map.range[map.n++] = (struct range){.start = mapping->start,
                                        .end = mapping->end,
                                        .offset = mapping->offset,
                                        .inode = mapping->inode,
                                        .head = has_head ? map.head.start : 0,
                                        .head_end = has_head ? map.head.end : 0,
                                        .path = path};
    return true;
}

static bool add_area(const struct spur_procfs_mapping *mapping, bool has_head)
{
    if (map.n_areas == map.area_room) {
        struct area *area =
            grown(map.area, map.n_areas, &map.area_room, FIRST_RANGES, sizeof *area);
        if (!area)
            return false;
        map.area = area;
    }
    map.area[map.n_areas++] = (struct area){.start = mapping->start,
                                            .end = mapping->end,
                                            .inode = map.head.inode,
                                            .head = has_head ? map.head.start : 0,
                                            .head_end = has_head ? map.head.end : 0,
                                            .path = map.head.path};
    return true;
}

/*
 * Adds a mapping. Variables that are 0 at first have no place in the file: their mapping follows
 * the mapping of the file's variables.
 */
static bool add_mapping(void *data, const struct spur_procfs_mapping *mapping)
{
    (void)data;
    bool is_head =
        mapping->offset == 0 && mapping->is_readable && (mapping->inode || mapping->is_executable);
    if (is_head) {
        map.head.start = mapping->start;
        map.head.end = mapping->end;
        map.head.inode = mapping->inode;
        map.head.path = map.used;
        if (!add_path(mapping->path))
            return false;
    }
    bool is_of_file = is_head || (mapping->inode && mapping->inode == map.head.inode);
    bool follows = !mapping->inode && !mapping->path[0] && mapping->start == map.data_end;
    if (is_of_file)
        map.data_end = mapping->end;
    return mapping->is_executable ? add_range(mapping, is_of_file)
                                  : add_area(mapping, is_of_file || follows);
}

static struct range *find(uintptr_t address);

/* Are all known ranges of the old table in the new table? Both tables are sorted by address. */
static void note_losses(const struct range *old, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct range *now = old[i].was_known ? find(old[i].start) : NULL;
        bool is_there = now && now->start == old[i].start && now->inode == old[i].inode;
        if (is_there)
            now->was_known = true;
        else
            map.has_lost |= old[i].was_known && old[i].inode;
    }
}

/*
 * Makes the table. If /proc is not there, a new try for each address would take longer than the
 * program.
 */
static void make_table(void)
{
    static uint64_t next_ms;
    if (!map.is_made && spur_now_ms() < next_ms)
        return;
    map.n = map.n_areas = map.used = 0;
    map.head.start = map.head.end = map.head.inode = map.head.path = 0;
    map.data_end = 0;
    map.unloads = spur_code_unloads();
    map.is_made = spur_procfs_each_mapping(map.line, sizeof map.line, NULL, add_mapping);
    next_ms = map.is_made ? 0 : spur_now_ms() + PAUSE_MS;
}

static void make(void)
{
    uint32_t n = map.n, room = map.room;
    struct range *old = map.range;
    map.range = NULL;
    map.room = 0;
    make_table();
    if (map.is_made)
        note_losses(old, n);
    spur_mem_free(old, room * sizeof *old);
}

static struct range *find(uintptr_t address)
{
    uint32_t low = 0, high = map.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (map.range[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < map.n && map.range[low].start <= address ? &map.range[low] : NULL;
}

/* ---- headers of objects ---- */

/* Copies bytes of the process's own memory that may be gone. Returns the number of bytes copied. */
static size_t copy(uintptr_t from, uintptr_t end, void *to, size_t bytes)
{
    if (from >= end)
        return 0;
    bytes = bytes < end - from ? bytes : end - from;
    return spur_read_memory((const void *)from, to, bytes); // NOLINT(performance-no-int-to-ptr)
}

struct object {
    struct spur_elf_source source;
    uintptr_t head, end;
};

static size_t read_object(const struct spur_elf_source *source, uint64_t offset, void *to,
                          size_t bytes)
{
    const struct object *object = (const struct object *)(const void *)source;
    uint64_t size = object->end - object->head;
    return offset < size ? copy(object->head + offset, object->end, to, bytes) : 0;
}

/*
 * Reads the headers of the object that begins at `head`, if the file is mapped from its beginning
 * on.
 */
static bool read_headers(uintptr_t head, uintptr_t head_end, uint64_t code, struct spur_elf *elf)
{
    const struct object object = {{read_object}, head, head_end};
    return head && spur_elf_read(&object.source, code, elf);
}

/* Reads the same from the mapped file, if a sandbox forbids reading memory by a system call. */
static bool read_file_headers(const char *path, uint64_t inode, uint64_t code, struct spur_elf *elf)
{
    char from = 1, to;
    uint64_t size;
    struct stat info;
    if (!inode || spur_read_memory(&from, &to, 1))
        return false;
    int fd = spur_file_open(path, &size);
    if (fd < 0)
        return false;
    bool is_read =
        fstat(fd, &info) == 0 && info.st_ino == inode && spur_elf_read_file(fd, code, elf);
    spur_file_close(fd);
    return is_read;
}

/* Is the code not loaded from a file? */
static bool is_anonymous(const char *path)
{
    return !path[0] || (path[0] == '[' && strcmp(path, "[vdso]") != 0);
}

/*
 * Code made by the program belongs to the program: if the program writes a map of the code, the map
 * has perf's name.
 */
static void define_made(struct range *range)
{
    char identity[IDENTITY_BYTES], path[64];
    snprintf(identity, sizeof identity, "[jit] %s", spur_process_name());
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    range->module = spur_def_module(identity, path, 0, 0);
    range->shift = range->start - range->offset;
}

/* `elf` NULL: the headers cannot be read. */
static uint32_t module_of(const char *path, uint64_t inode, const struct spur_elf *elf)
{
    struct stat file;
    uint64_t size = 0, changed = 0;
    bool has_id = elf && elf->build_id[0];
    if (!has_id && elf && inode && stat(path, &file) == 0 && file.st_ino == inode) {
        size = (uint64_t)file.st_size;
        changed = (uint64_t)file.st_mtim.tv_sec * 1000000000u + (uint64_t)file.st_mtim.tv_nsec;
    }
    return spur_def_module(has_id ? elf->build_id : path, path, size, changed);
}

static void define_module(struct range *range)
{
    const char *path = map.text + range->path;
    struct spur_elf elf;
    range->is_known = range->was_known = true;
    range->shift = 0;
    if (is_anonymous(path)) {
        define_made(range);
        return;
    }
    bool is_read = (read_headers(range->head, range->head_end, range->offset, &elf) ||
                    read_file_headers(path, range->inode, range->offset, &elf)) &&
                   elf.has_code;
    if (is_read)
        range->shift = elf.shift;
    range->module = module_of(path, range->inode, is_read ? &elf : NULL);
}

/* Finds the variables of an object. A mapping of another file has no variables. */
static void define_data(struct area *area)
{
    struct spur_elf elf;
    area->data = area->data_end = 0;
    area->is_known = true;
    if (!read_headers(area->head, area->head_end, 0, &elf) || elf.data == elf.data_end)
        return;
    area->module = module_of(map.text + area->path, area->inode, &elf);
    area->is_known = area->module != OTF2_UNDEFINED_UINT32;
    area->shift = elf.base - area->head;
    area->data = elf.data - area->shift;
    area->data_end = elf.data_end - area->shift;
}

/* Call with the lock. */
static struct range *look_up(uintptr_t address)
{
    bool is_new = !map.is_made || map.unloads != spur_code_unloads();
    if (is_new)
        make();
    struct range *range = find(address);
    if (range || is_new)
        return range;
    make();
    return find(address);
}

/* Call with the lock. */
static uint32_t define(uintptr_t address)
{
    struct range *range = look_up(address);
    if (!range)
        return OTF2_UNDEFINED_UINT32;
    if (!range->is_known)
        define_module(range);
    if (range->module == OTF2_UNDEFINED_UINT32) {
        range->is_known = false;
        return OTF2_UNDEFINED_UINT32;
    }
    return spur_def_code(range->module, address - range->start + range->offset + range->shift);
}

static struct area *find_area(uintptr_t address)
{
    size_t n = spur_bisect(map.area, map.n_areas, sizeof *map.area, address);
    struct area *area = n ? &map.area[n - 1] : NULL;
    return area && address < area->end ? area : NULL;
}

/*
 * May a new table know the address of data? Most locks are in memory that was there before. A
 * growing heap is no module: locks in the heap must not cause a new table each.
 */
static bool is_worth_making(uintptr_t address)
{
    static uint64_t next_ms;
    if (!map.is_made || map.unloads != spur_code_unloads())
        return true;
    if (find_area(address) || find(address) || spur_now_ms() < next_ms)
        return false;
    next_ms = spur_now_ms() + PAUSE_MS;
    return true;
}

/* Call with the lock. */
static uint32_t find_data(uintptr_t address)
{
    if (is_worth_making(address))
        make();
    struct area *area = find_area(address);
    if (!area || !area->head)
        return OTF2_UNDEFINED_UINT32;
    if (!area->is_known)
        define_data(area);
    if (!area->is_known || address < area->data || address >= area->data_end)
        return OTF2_UNDEFINED_UINT32;
    return spur_def_data(area->module, address + area->shift);
}

static uint32_t ask(uint32_t (*find_in)(uintptr_t address), const void *address)
{
    int saved = errno;
    spur_lock_take(&map.lock);
    uint32_t found = find_in((uintptr_t)address);
    spur_lock_give(&map.lock);
    errno = saved;
    return found;
}

static uint32_t spur_data_at_here(const void *address)
{
    return ask(find_data, address);
}
SPUR_DOOR(uint32_t, spur_data_at, (const void *, address))

static uint32_t spur_code_at_here(const void *address)
{
    return ask(define, address);
}
SPUR_DOOR(uint32_t, spur_code_at, (const void *, address))

static bool spur_code_has_lost_here(void)
{
    int saved = errno;
    spur_lock_take(&map.lock);
    if (map.is_made && map.unloads != spur_code_unloads())
        make();
    bool has_lost = map.has_lost;
    spur_lock_give(&map.lock);
    errno = saved;
    return has_lost;
}
SPUR_DOOR_ALONE(bool, spur_code_has_lost)

static uintptr_t spur_code_head_here(const void *address)
{
    int saved = errno;
    spur_lock_take(&map.lock);
    const struct range *range = look_up((uintptr_t)address);
    uintptr_t head = range ? range->head : 0;
    spur_lock_give(&map.lock);
    errno = saved;
    return head;
}
SPUR_DOOR(uintptr_t, spur_code_head, (const void *, address))

bool spur_code_file(const void *address, char *name, size_t size)
{
    int saved = errno;
    spur_lock_take(&map.lock);
    const struct range *range = look_up((uintptr_t)address);
    const char *path = range ? map.text + range->path : "";
    const char *slash = strrchr(path, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : "");
    spur_lock_give(&map.lock);
    errno = saved;
    return name[0] != '\0';
}

void spur_code_map_after_fork(void)
{
    /* The parent's other threads may have been at work: their table is not to be trusted. */
    map.range = NULL;
    map.area = NULL;
    map.text = NULL;
    map.n = map.room = map.used = map.text_room = 0;
    map.n_areas = map.area_room = 0;
    map.is_made = false;
    spur_lock_reset(&map.lock);
}
