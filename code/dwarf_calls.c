/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tail calls by means of the call sites that compilers describe in DWARF 5, and in GNU's older
 * form: a site tells the called function and whether the site jumps there for good. Starting at the
 * call to which a frame returns, all ways over tail calls to the function of the next frame are
 * tried.
 */
#include <stdlib.h>
#include <string.h>

#include "code/dwarf.h"

enum { NESTED_MAX = 64, WAY_MAX = 32, STEPS_MAX = 20000 };

/* ---- functions by name ---- */

struct spur_dwarf_function {
    const char *name; /* as the linker knows the name */
    struct dwarf_die die;
};

struct listing {
    struct spur_dwarf *d;
    size_t room;
};

static void add_function(struct listing *l, struct dwarf_die *die)
{
    enum { FIRST_ROOM = 256 };
    struct spur_dwarf *d = l->d;
    uint64_t begin;
    const char *name = spur_dwarf_name(die);
    if (!name[0] || spur_libdw.dwarf_lowpc(die, &begin) != 0)
        return;
    if (d->n_functions == l->room) {
        size_t room = l->room ? 2 * l->room : FIRST_ROOM;
        struct spur_dwarf_function *more = realloc(d->function, room * sizeof *more);
        if (!more)
            return;
        d->function = more;
        l->room = room;
    }
    d->function[d->n_functions++] = (struct spur_dwarf_function){name, *die};
}

static void list_children(struct listing *l, struct dwarf_die *parent, int nested)
{
    struct dwarf_die die;
    if (nested == NESTED_MAX || spur_libdw.dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = spur_libdw.dwarf_tag(&die);
        if (tag == TAG_SUBPROGRAM)
            add_function(l, &die);
        else if (tag == TAG_NAMESPACE)
            list_children(l, &die, nested + 1);
    } while (spur_libdw.dwarf_siblingof(&die, &die) == 0);
}

static int compare_functions(const void *a, const void *b)
{
    const struct spur_dwarf_function *left = a, *right = b;
    return strcmp(left->name, right->name);
}

static void list_functions(struct spur_dwarf *d)
{
    struct listing l = {.d = d};
    uint64_t bias;
    d->has_functions = true;
    for (struct dwarf_die *unit = NULL;
         (unit = spur_libdw.dwfl_module_nextcu(d->module, unit, &bias)) != NULL;)
        list_children(&l, unit, 0);
    if (d->n_functions)
        qsort(d->function, d->n_functions, sizeof *d->function, compare_functions);
}

/* The function with code for a name. A name shared by several functions leads nowhere. */
static struct dwarf_die *find_by_name(struct spur_dwarf *d, const char *name)
{
    const struct spur_dwarf_function key = {.name = name};
    if (!d->has_functions)
        list_functions(d);
    const struct spur_dwarf_function *end = d->function + d->n_functions;
    struct spur_dwarf_function *found =
        d->n_functions ? bsearch(&key, d->function, d->n_functions, sizeof key, compare_functions)
                       : NULL;
    if (!found || (found > d->function && compare_functions(found - 1, &key) == 0) ||
        (found + 1 < end && compare_functions(found + 1, &key) == 0))
        return NULL;
    return &found->die;
}

void spur_dwarf_free_functions(struct spur_dwarf *d)
{
    free(d->function);
}

/* ---- call sites ---- */

struct site {
    uint64_t at; /* an address in the instruction, in libdw's form */
    uint64_t returns_to;
    bool is_tail;
    struct dwarf_die target; /* a description of the function, or a declaration */
    bool has_target;
};

static uint64_t address_of(struct dwarf_die *die, unsigned name)
{
    return spur_dwarf_number(die, name, spur_libdw.dwarf_formaddr);
}

static bool flag_of(struct dwarf_die *die, unsigned name)
{
    struct dwarf_attribute attribute;
    bool flag = false;
    return spur_libdw.dwarf_attr(die, name, &attribute) &&
           spur_libdw.dwarf_formflag(&attribute, &flag) == 0 && flag;
}

static void read_site(struct dwarf_die *die, uint64_t bias, struct site *site)
{
    struct dwarf_attribute origin;
    uint64_t returns_to = address_of(die, AT_CALL_RETURN_PC);
    uint64_t call = address_of(die, AT_CALL_PC);
    if (!returns_to)
        returns_to = address_of(die, AT_LOW_PC);
    site->returns_to = returns_to ? returns_to + bias : 0;
    site->at = (call ? call : returns_to - 1) + bias;
    site->is_tail = flag_of(die, AT_CALL_TAIL_CALL) || flag_of(die, AT_GNU_TAIL_CALL);
    site->has_target = (spur_libdw.dwarf_attr(die, AT_CALL_ORIGIN, &origin) ||
                        spur_libdw.dwarf_attr(die, AT_ABSTRACT_ORIGIN, &origin)) &&
                       spur_libdw.dwarf_formref_die(&origin, &site->target);
}

/* False: enough. */
typedef bool each_site(void *data, struct site *site);

static bool visit_sites(struct dwarf_die *parent, uint64_t bias, int nested, each_site *each,
                        void *data)
{
    struct dwarf_die die;
    struct site site;
    bool goes_on = true;
    if (nested == NESTED_MAX || spur_libdw.dwarf_child(parent, &die) != 0)
        return true;
    do {
        int tag = spur_libdw.dwarf_tag(&die);
        if (tag == TAG_CALL_SITE || tag == TAG_GNU_CALL_SITE) {
            read_site(&die, bias, &site);
            goes_on = !site.has_target || each(data, &site);
        } else if (tag == TAG_LEXICAL_BLOCK || tag == TAG_INLINED_SUBROUTINE) {
            goes_on = visit_sites(&die, bias, nested + 1, each, data);
        }
    } while (goes_on && spur_libdw.dwarf_siblingof(&die, &die) == 0);
    return goes_on;
}

/* The function whose code holds the address, not a function inlined there. */
static bool function_at(struct spur_dwarf *d, uint64_t address, struct dwarf_die *function,
                        uint64_t *bias)
{
    struct dwarf_die *scope = NULL, *unit = spur_dwarf_unit(d, address, bias);
    int n = unit ? spur_libdw.dwarf_getscopes(unit, address - *bias, &scope) : 0;
    bool is_found = false;
    struct dwarf_die *physical = NULL;
    n = n > 0 ? spur_libdw.dwarf_getscopes_die(&scope[0], &physical) : 0;
    for (int i = 0; i < n && !is_found; i++)
        if (spur_libdw.dwarf_tag(&physical[i]) == TAG_SUBPROGRAM) {
            *function = physical[i];
            is_found = true;
        }
    free(scope);
    free(physical);
    return is_found;
}

/* ---- ways ---- */

struct search {
    struct spur_dwarf *d;
    const char *goal;
    uint64_t bias; /* from addresses of the debug information to libdw's, the same for all units */
    uint64_t
        way[WAY_MAX]; /* sites of tail calls, each in the function called by the preceding site */
    const char *over[WAY_MAX]; /* the name of the called function */
    uint32_t length;
    uint32_t steps; /* limits the work a file may cause */
    bool is_found;
    uint64_t best[WAY_MAX];
    uint32_t n_best, first, last; /* sites shared by all ways: at beginning and end */
};

static void keep_way(struct search *s)
{
    if (!s->is_found) {
        memcpy(s->best, s->way, s->length * sizeof *s->way);
        s->n_best = s->first = s->last = s->length;
        s->is_found = true;
        return;
    }
    uint32_t first = 0, last = 0;
    while (first < s->first && first < s->length && s->best[first] == s->way[first])
        first++;
    while (last < s->last && last < s->length &&
           s->best[s->n_best - 1 - last] == s->way[s->length - 1 - last])
        last++;
    s->first = first;
    s->last = last;
}

static bool is_on_way(const struct search *s, const char *name)
{
    for (uint32_t i = 0; i < s->length; i++)
        if (strcmp(s->over[i], name) == 0)
            return true;
    return false;
}

static bool follow_tail_call(void *data, struct site *site);

/* Continues the search from a called function. */
static void follow(struct search *s, struct dwarf_die *target)
{
    const char *name = spur_dwarf_name(target);
    if (!name[0] || ++s->steps > STEPS_MAX)
        return;
    if (strcmp(name, s->goal) == 0) {
        keep_way(s);
        return;
    }
    if (s->length == WAY_MAX || is_on_way(s, name))
        return;
    uint64_t begin;
    bool is_code = spur_libdw.dwarf_lowpc(target, &begin) == 0;
    struct dwarf_die *function = is_code ? target : find_by_name(s->d, name);
    if (!function)
        return;
    struct dwarf_die die = *function;
    s->over[s->length++] = name;
    (void)visit_sites(&die, s->bias, 0, follow_tail_call, s);
    s->length--;
}

static bool follow_tail_call(void *data, struct site *site)
{
    struct search *s = data;
    if (!site->is_tail)
        return true;
    s->way[s->length - 1] = site->at;
    follow(s, &site->target);
    return s->steps <= STEPS_MAX;
}

struct call {
    uint64_t returns_to;
    struct search *search;
};

static bool see_call(void *data, struct site *site)
{
    const struct call *call = data;
    if (site->returns_to != call->returns_to)
        return true;
    follow(call->search, &site->target);
    return false;
}

/* ---- frames ---- */

struct giving {
    spur_frame_each *each;
    void *data;
    uint32_t depth;
};

static void give_frame(void *data, uint32_t depth, const struct spur_frame *frame)
{
    struct giving *g = data;
    (void)depth;
    g->each(g->data, g->depth++, frame);
}

static void give(const struct search *s, spur_frame_each *each, void *data)
{
    struct giving giving = {each, data, 0};
    bool is_one_way = s->first == s->n_best && s->last == s->n_best;
    for (uint32_t i = s->n_best; i-- > 0;)
        if (is_one_way || i < s->first || i >= s->n_best - s->last)
            (void)spur_dwarf_find(s->d, s->best[i] - s->d->bias, give_frame, &giving);
}

void spur_dwarf_tail_calls(struct spur_dwarf *dwarf, uint64_t address, uint64_t callee,
                           const char *name, spur_frame_each *each, void *data)
{
    struct search search = {.d = dwarf, .goal = name};
    struct call call = {.returns_to = address + dwarf->bias + 1, .search = &search};
    struct dwarf_die caller, function;
    if (!name && function_at(dwarf, callee + dwarf->bias, &function, &search.bias))
        search.goal = spur_dwarf_name(&function);
    if (!search.goal || !search.goal[0] ||
        !function_at(dwarf, address + dwarf->bias, &caller, &search.bias))
        return;
    (void)visit_sites(&caller, search.bias, 0, see_call, &call);
    if (search.is_found && search.steps <= STEPS_MAX)
        give(&search, each, data);
}
