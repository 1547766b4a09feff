/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/stacks/stack.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/auxv.h>

#include "agent/record/location.h"
#include "agent/record/open.h"
#include "agent/stacks/binding.h"
#include "agent/stacks/cfi.h"
#include "agent/stacks/code_map.h"
#include "agent/stacks/context.h"
#include "agent/stacks/script.h"
#include "agent/stacks/script_walk.h"
#include "agent/stacks/stack_walk.h"
#include "base/mem.h"
#include "base/procfs.h"

enum { FIRST_FRAMES = 128, FRAMES_MAX = 1 << 12, FIRST_OPEN = 16, LINE_ROOM = 16 << 10 };

#define UNDEFINED OTF2_UNDEFINED_CALLING_CONTEXT

/* Addresses of code. */
struct range {
    uintptr_t start, end;
};

static struct {
    uint32_t limit;      /* 0: no stacks are taken */
    bool is_for_samples; /* and of regions that stay open */
    struct range own, libc, walker, entry;
} unwind;

struct frame {
    const void *address;
    uint32_t context; /* of the path up to here; of frames from `first` on */
};

/* A region open when the last stack was taken, or opened since then. */
struct open_region {
    uint32_t depth; /* of the region's word in the slot */
    uint32_t word;
    uint32_t below; /* number of frames below the region */
    uint32_t region;
    uint32_t parent;
    uint32_t context; /* at the entry of the region */
    uint32_t now;     /* the same, or after the entering frame has gone on */
};

struct spur_stack {
    struct frame *frame; /* the last stack, outermost first */
    const void **raw;    /* room for the raw frames of a new stack */
    struct open_region *open;
    uint32_t n, room;
    uint32_t n_open, open_room;
    uint32_t n_placed; /* open regions with a place; the rest has only `region` so far */
    uint32_t first;    /* first frame with a context; `parent` is the context above */
    uint32_t parent;
    uint32_t unloads; /* unloads for which the contexts hold */
    struct spur_script_walk script;
};

/* ---- the start ---- */

static bool is_in(struct range range, const void *address)
{
    return (uintptr_t)address >= range.start && (uintptr_t)address < range.end;
}

/* Each wanted range begins with an address inside of the range to be found. */
static bool find_range(void *data, const struct spur_procfs_mapping *mapping)
{
    struct range *const *wanted = data;
    for (; *wanted; wanted++)
        if (mapping->is_executable && (*wanted)->start >= mapping->start &&
            (*wanted)->start < mapping->end && !(*wanted)->end)
            **wanted = (struct range){mapping->start, mapping->end};
    return true;
}

void spur_stack_know_ranges(void)
{
    enum { ENTRY_BYTES = 64 }; /* length of the code of _start */
    if (unwind.own.start)
        return;
    struct range *wanted[] = {&unwind.own, &unwind.libc, &unwind.walker, NULL};
    char *line = spur_mem_new(LINE_ROOM);
    unwind.own.start = (uintptr_t)spur_stack_start;
    unwind.libc.start = (uintptr_t)dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
    unwind.walker.start = spur_walk_address();
    unwind.entry.start = getauxval(AT_ENTRY);
    unwind.entry.end = unwind.entry.start + ENTRY_BYTES;
    if (line)
        (void)spur_procfs_each_mapping(line, LINE_ROOM, wanted, find_range);
    spur_mem_free(line, LINE_ROOM);
}

bool spur_is_unwinder(const void *address)
{
    return is_in(unwind.walker, address);
}

/* ---- memory ---- */

/* Room for the frames of a stack, and as much room for the raw frames of a new stack. */
static bool make_room(struct spur_stack *stack, uint32_t more)
{
    uint32_t raw_room = stack->room;
    void *raw = spur_mem_resize(stack->raw, raw_room, &raw_room, more, sizeof *stack->raw);
    if (!raw)
        return false;
    stack->raw = raw;
    uint32_t room = stack->room;
    void *frame = spur_mem_resize(stack->frame, stack->n, &room, more, sizeof *stack->frame);
    if (!frame) {
        spur_mem_free(stack->raw, more * sizeof *stack->raw);
        stack->raw = NULL;
        spur_mem_free(stack->frame, stack->room * sizeof *stack->frame);
        stack->frame = NULL;
        stack->room = stack->n = stack->n_open = stack->n_placed = 0;
        return false;
    }
    stack->frame = frame;
    stack->room = room;
    return true;
}

static struct spur_stack *new_stack(void)
{
    struct spur_stack *stack = spur_mem_new(sizeof *stack);
    if (!stack || !make_room(stack, FIRST_FRAMES)) {
        spur_mem_free(stack, sizeof *stack);
        return NULL;
    }
    if (unwind.limit && !spur_self.is_sampling)
        (void)spur_walk(stack->raw, stack->room);
    return stack;
}

static void free_stack(struct spur_stack *stack)
{
    if (!stack)
        return;
    spur_mem_free(stack->raw, stack->room * sizeof *stack->raw);
    spur_mem_free(stack->frame, stack->room * sizeof *stack->frame);
    spur_mem_free(stack->open, stack->open_room * sizeof *stack->open);
    spur_script_walk_free(&stack->script);
    spur_mem_free(stack, sizeof *stack);
}

bool spur_stack_start(uint32_t limit, bool is_for_samples)
{
    if (limit == 0)
        return true;
    spur_inside_begin();
    bool is_there = is_for_samples ? spur_cfi_start() : spur_walk_open();
    unwind.is_for_samples = is_for_samples;
    if (is_there) {
        spur_stack_know_ranges();
        unwind.limit = limit < SPUR_UNWIND_MAX ? limit : SPUR_UNWIND_MAX;
        free_stack(new_stack());
    }
    spur_inside_end();
    return is_there;
}

void spur_stack_opened(struct spur_loc *loc)
{
    if (unwind.limit == 0)
        return;
    loc->stack = new_stack();
    if (!unwind.is_for_samples)
        atomic_fetch_or_explicit(&loc->gate, SPUR_GATE_STACKS, memory_order_relaxed);
}

void spur_stack_freed(struct spur_loc *loc)
{
    free_stack(loc->stack);
}

/* ---- the frames that count ---- */

static uint32_t without_start(const void *const *leaf_first, uint32_t n)
{
    while (n && !leaf_first[n - 1])
        n--; /* the end of the stack for some unwinders */
    if (n && is_in(unwind.entry, leaf_first[n - 1]))
        n--;
    while (n && (is_in(unwind.libc, leaf_first[n - 1]) || is_in(unwind.own, leaf_first[n - 1])))
        n--;
    return n;
}

uint32_t spur_stack_choose(const void **leaf_first, uint32_t n, bool is_whole)
{
    uint32_t kept = 0;
    bool is_below_own = false; /* frames since the agent's last frame are a binding's */
    n = is_whole ? without_start(leaf_first, n) : n;
    for (uint32_t i = 0; i < n; i++) {
        if (is_in(unwind.own, leaf_first[i])) {
            is_below_own = true;
            continue;
        }
        is_below_own = is_below_own && leaf_first[i] && spur_binding_has(leaf_first[i]);
        if (leaf_first[i] && !is_below_own)
            leaf_first[kept++] = leaf_first[i];
    }
    return kept;
}

/* The functions of a script are inserted into the raw stack. */
static uint32_t with_script(struct spur_stack *stack, uint32_t n, bool is_whole,
                            bool is_interrupted)
{
    uint32_t more = spur_script_walk(&stack->script, is_interrupted);
    if (!more)
        return n;
    uint32_t room = n + more < FRAMES_MAX ? n + more : FRAMES_MAX;
    if (room > stack->room && !make_room(stack, room))
        return 0;
    return spur_script_merge(&stack->script, stack->raw, n, stack->room, is_whole);
}

static uint32_t take(struct spur_stack *stack)
{
    uint32_t n = spur_walk(stack->raw, stack->room);
    while (n == stack->room && n < FRAMES_MAX && make_room(stack, 2 * n))
        n = spur_walk(stack->raw, stack->room);
    if (!stack->raw)
        return 0;
    bool is_whole = n < stack->room;
    n = with_script(stack, is_whole ? n : stack->room, is_whole, false);
    return spur_stack_choose(stack->raw, n, true);
}

/* ---- open regions ---- */

static void drop_closed(struct spur_stack *stack, const struct spur_loc *loc)
{
    while (stack->n_open) {
        const struct open_region *top = &stack->open[stack->n_open - 1];
        if (top->depth < loc->slot->depth && spur_open_word(loc, top->depth) == top->word)
            break;
        stack->n_open--;
    }
    if (stack->n_placed > stack->n_open)
        stack->n_placed = stack->n_open;
}

static void note_open(struct spur_stack *stack, const struct open_region *open)
{
    if (stack->n_open == stack->open_room) {
        uint32_t more = stack->open_room ? 2 * stack->open_room : FIRST_OPEN;
        struct open_region *new =
            spur_mem_resize(stack->open, stack->n_open, &stack->open_room, more, sizeof *new);
        if (!new)
            return; /* later frames are then not below this region */
        stack->open = new;
    }
    stack->open[stack->n_open++] = *open;
}

/* Notes a region after all open regions have got their places. */
static void note_placed(struct spur_stack *stack, const struct open_region *open)
{
    note_open(stack, open);
    stack->n_placed = stack->n_open;
}

/*
 * `same` frames from the bottom on are frames of the last stack. Among the frames below an open
 * region, the first different frame has gone on, and the frames above have returned: these were
 * frames of a runtime library that has opened the region.
 */
static void adjust_open(struct spur_stack *stack, uint32_t same, const void *next)
{
    for (uint32_t i = 0; i < stack->n_placed; i++) {
        struct open_region *open = &stack->open[i];
        if (open->below <= same)
            continue;
        open->below = same + (next != NULL);
        if (i + 1 < stack->n_placed)
            continue; /* the regions opened above stay in their places */
        uint32_t now = spur_context_region(open->parent, open->region, next);
        open->now = now == UNDEFINED ? open->context : now;
    }
}

/* ---- from frames to contexts ---- */

/* The i-th frame from the bottom. */
static const void *frame_of(const void *const *leaf_first, uint32_t n, uint32_t i)
{
    return leaf_first[n - 1 - i];
}

static uint32_t count_same(const struct spur_stack *stack, const void *const *leaf_first,
                           uint32_t n)
{
    uint32_t same = 0;
    while (same < n && same < stack->n &&
           stack->frame[same].address == frame_of(leaf_first, n, same))
        same++;
    return same;
}

/* The innermost region with a place; NULL: no region has a place. */
static const struct open_region *innermost_placed(const struct spur_stack *stack)
{
    return stack->n_placed ? &stack->open[stack->n_placed - 1] : NULL;
}

static uint32_t context_of_placed(const struct spur_stack *stack)
{
    const struct open_region *open = innermost_placed(stack);
    return open ? open->now : UNDEFINED;
}

/*
 * The frames above the innermost region are below the region in the path. `same`: as for
 * adjust_open().
 */
static uint32_t look_up(struct spur_stack *stack, const void *const *leaf_first, uint32_t n,
                        uint32_t same)
{
    uint32_t parent = context_of_placed(stack);
    uint32_t below = stack->n_placed ? innermost_placed(stack)->below : 0;
    uint32_t most = unwind.limit ? unwind.limit : SPUR_UNWIND_MAX;
    uint32_t first = n - below > most ? n - most : below;
    uint32_t unloads = spur_code_unloads();
    bool is_known = first == stack->first && parent == stack->parent && unloads == stack->unloads;
    uint32_t i = is_known && same > first ? same : first;
    uint32_t context = i > first ? stack->frame[i - 1].context : parent;
    for (uint32_t skipped = same; skipped < first && skipped < n; skipped++)
        (void)spur_context_code(frame_of(leaf_first, n, skipped)); /* for spur_code_has_lost() */
    for (; i < n; i++) {
        context = spur_context_frame(context, frame_of(leaf_first, n, i));
        stack->frame[i].context = context;
    }
    for (i = same; i < n; i++)
        stack->frame[i].address = frame_of(leaf_first, n, i);
    stack->n = n;
    stack->first = first;
    stack->parent = parent;
    stack->unloads = unloads;
    return context;
}

/*
 * Regions opened without a stack are functions of a script. Such a region stands behind the
 * innermost script function in the stack, or behind the innermost region with a place if the stack
 * has no script function.
 */
static void place_rest(struct spur_stack *stack, const void *const *leaf_first, uint32_t n)
{
    uint32_t below = stack->n_placed ? innermost_placed(stack)->below : 0;
    uint32_t inner = 0;
    while (inner < n - below && !spur_is_script(leaf_first[inner]))
        inner++;
    n -= inner;
    uint32_t parent =
        look_up(stack, leaf_first + inner, n, count_same(stack, leaf_first + inner, n));
    while (stack->n_placed < stack->n_open) {
        struct open_region *open = &stack->open[stack->n_placed++];
        open->below = n;
        open->parent = parent;
        open->context = open->now = spur_context_region(parent, open->region, NULL);
        parent = open->now;
    }
}

static uint32_t place(struct spur_stack *stack, const struct spur_loc *loc,
                      const void *const *leaf_first, uint32_t n)
{
    n = leaf_first && stack->frame ? n : 0;
    drop_closed(stack, loc);
    uint32_t same = count_same(stack, leaf_first, n);
    adjust_open(stack, same, same < n ? frame_of(leaf_first, n, same) : NULL);
    if (stack->n_placed < stack->n_open) {
        place_rest(stack, leaf_first, n);
        same = count_same(stack, leaf_first, n);
    }
    return look_up(stack, leaf_first, n, same);
}

const void **spur_stack_interrupted(struct spur_loc *loc, const void *const *leaf_first,
                                    uint32_t *n, bool is_whole)
{
    struct spur_stack *stack = loc->stack;
    uint32_t frames = *n < FRAMES_MAX ? *n : FRAMES_MAX;
    *n = 0;
    if (!stack || (frames > stack->room && !make_room(stack, frames)) || !stack->raw)
        return NULL;
    memcpy(stack->raw, leaf_first, frames * sizeof *leaf_first);
    *n = with_script(stack, frames, is_whole, true);
    return stack->raw;
}

/*
 * The innermost region, if the region has no place among the regions that stay open: a call at
 * work.
 */
static uint32_t call_at_work(const struct spur_loc *loc)
{
    const struct spur_stack *stack = loc->stack;
    uint32_t depth = loc->slot->depth;
    while (depth && !spur_open_is_region(spur_open_word(loc, depth - 1)))
        depth--;
    bool is_open = stack->n_open && stack->open[stack->n_open - 1].depth + 1 == depth;
    return depth && !is_open ? spur_open_word(loc, depth - 1) : UNDEFINED;
}

bool spur_stack_has_call(struct spur_loc *loc)
{
    if (!spur_loc_has_places(loc))
        return true;
    drop_closed(loc->stack, loc);
    return call_at_work(loc) != UNDEFINED;
}

uint32_t spur_stack_context(struct spur_loc *loc, const void **leaf_first, uint32_t n)
{
    struct spur_stack *stack = loc->stack;
    drop_closed(stack, loc);
    uint32_t call = spur_loc_has_places(loc) ? call_at_work(loc) : UNDEFINED;
    uint32_t inner = 0;
    while (call != UNDEFINED && inner < n && !is_in(unwind.own, leaf_first[inner]))
        inner++;
    inner = inner < n ? inner : 0; /* unknown place of the call */
    const void **outer = leaf_first + inner;
    uint32_t context = place(stack, loc, outer, spur_stack_choose(outer, n - inner, true));
    if (call == UNDEFINED)
        return context;
    return spur_context_path(spur_context_region(context, call, NULL), leaf_first, inner, false);
}

uint32_t spur_stack_open_context(struct spur_loc *loc)
{
    struct spur_stack *stack = loc->stack;
    drop_closed(stack, loc);
    uint32_t context = context_of_placed(stack);
    for (uint32_t i = stack->n_placed; i < stack->n_open; i++)
        context = spur_context_region(context, stack->open[i].region, NULL);
    uint32_t call = call_at_work(loc);
    return call == UNDEFINED ? context : spur_context_region(context, call, NULL);
}

/*
 * Without stacks a region is below the innermost open region. False: the call is libunwind's own.
 * libunwind frees the memory of a thread when the thread ends.
 */
static bool find_parent(struct spur_stack *stack, const struct spur_loc *loc, uint32_t *parent)
{
    uint32_t n = unwind.limit ? take(stack) : 0;
    if (n && stack->raw && is_in(unwind.walker, stack->raw[0]))
        return false;
    if (unwind.limit) {
        *parent = place(stack, loc, stack->raw, n);
        return true;
    }
    drop_closed(stack, loc);
    *parent = context_of_placed(stack);
    return true;
}

uint32_t spur_stack_enter(struct spur_loc *loc, OTF2_RegionRef region)
{
    struct spur_stack *stack = loc->stack;
    if (!stack || !stack->room)
        return spur_context_region(UNDEFINED, region, NULL);
    struct open_region open = {.depth = loc->slot->depth, .region = region};
    if (!find_parent(stack, loc, &open.parent))
        return UNDEFINED;
    open.below = unwind.limit ? stack->n : 0;
    open.context = open.now = spur_context_region(open.parent, region, NULL);
    open.word = SPUR_OPEN_CONTEXT | open.context;
    if (open.context != UNDEFINED)
        note_placed(stack, &open);
    return open.context;
}

void spur_stack_unplaced(struct spur_loc *loc, uint32_t depth)
{
    struct spur_stack *stack = loc->stack;
    while (stack->n_open && stack->open[stack->n_open - 1].depth >= depth)
        stack->n_open--;
    drop_closed(stack, loc);
}

void spur_stack_placed(struct spur_loc *loc, uint32_t depth, uint32_t word, bool is_later)
{
    struct spur_stack *stack = loc->stack;
    struct open_region open = {.depth = depth, .word = word, .region = word, .now = UNDEFINED};
    spur_stack_unplaced(loc, depth);
    if (is_later || !stack->room) {
        note_open(stack, &open);
        return;
    }
    if (!find_parent(stack, loc, &open.parent))
        return;
    open.below = stack->n;
    open.context = open.now = spur_context_region(open.parent, word, NULL);
    note_placed(stack, &open);
}
