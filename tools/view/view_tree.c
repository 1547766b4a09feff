/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_tree.h"

#include <stdlib.h>
#include <string.h>

#include "tools/view/view_pyramid.h"

/* Lists of what stands below something, in its order. */
struct below {
    uint32_t *first; /* NIL: nothing */
    uint32_t *next;
};

struct tree {
    struct view *v;
    struct below locations; /* of processes */
    struct below children;  /* processes of processes on the same host */
    bool *is_seen;
};

static uint32_t *numbers(size_t n, uint32_t value)
{
    size_t room = 0;
    uint32_t *list = list_grow(NULL, &room, n ? n : 1, sizeof *list);
    for (size_t i = 0; i < n; i++)
        list[i] = value;
    return list;
}

static struct below below_of(size_t above, size_t n)
{
    return (struct below){numbers(above, NIL), numbers(n, NIL)};
}

static void put_below(struct below *b, uint32_t above, uint32_t what)
{
    b->next[what] = b->first[above];
    b->first[above] = what;
}

static void free_below(struct below *b)
{
    free(b->first);
    free(b->next);
}

/* ---- hosts ---- */

static void find_hosts(struct view *v)
{
    struct map known = {0};
    v->host_of = numbers(v->defs.processes.n, NIL);
    for (size_t i = 0; i < v->defs.processes.n; i++) {
        OTF2_StringRef node = v->defs.processes.at[i].node;
        if (node == OTF2_UNDEFINED_STRING)
            continue;
        uint32_t host = map_index(&known, node, 0, v->hosts.n);
        if (host == v->hosts.n)
            *LIST_ADD(&v->hosts) = defs_text(&v->defs, node);
        v->host_of[i] = host;
    }
    free(known.slots);
}

/* ---- processes ---- */

/* The process under which another one stands; NIL: none. */
static uint32_t above(const struct view *v, uint32_t process)
{
    uint32_t creator = v->defs.processes.at[process].creator;
    if (creator == NIL || creator == process || v->host_of[creator] != v->host_of[process])
        return NIL;
    return creator;
}

static uint32_t open_group(struct view *v, struct view_group group)
{
    group.first = (uint32_t)v->rows.n;
    group.cells_at = NIL;
    *LIST_ADD(&v->groups) = group;
    return (uint32_t)v->groups.n - 1;
}

static void close_group(struct view *v, uint32_t group)
{
    v->groups.at[group].n = (uint32_t)v->rows.n - v->groups.at[group].first;
    if (v->groups.at[group].n > 1)
        v->groups.at[group].cells_at = v->n_group_cells++;
}

static void add_rows(struct tree *t, uint32_t process, uint32_t group)
{
    struct view *v = t->v;
    for (uint32_t i = t->locations.first[process]; i != NIL; i = t->locations.next[i]) {
        if (!v->is_chosen[i])
            continue;
        v->row_of[i] = (uint32_t)v->rows.n;
        *LIST_ADD(&v->rows) = (struct view_row){.location = i, .group = group};
    }
}

struct step {
    uint32_t process;
    uint32_t group;
    uint32_t next; /* child */
};

static void enter_process(struct tree *t, struct step *step, uint32_t process, uint32_t parent)
{
    struct view *v = t->v;
    t->is_seen[process] = true;
    *step = (struct step){process, 0, t->children.first[process]};
    step->group = open_group(v, (struct view_group){.name = defs_process_name(&v->defs, process),
                                                    .of = process,
                                                    .parent = parent});
    add_rows(t, process, step->group);
}

/* A process and all below it, without recursion: chains of processes can be long. */
static void add_process(struct tree *t, uint32_t process, uint32_t parent)
{
    LIST(struct step) path = {0};
    enter_process(t, LIST_ADD(&path), process, parent);
    while (path.n) {
        struct step *last = &path.at[path.n - 1];
        uint32_t child = last->next;
        uint32_t group = last->group;
        if (child == NIL) {
            close_group(t->v, group);
            path.n--;
            continue;
        }
        last->next = t->children.next[child];
        if (!t->is_seen[child])
            enter_process(t, LIST_ADD(&path), child, group);
    }
    free(path.at);
}

static void add_host(struct tree *t, uint32_t host)
{
    struct view *v = t->v;
    uint32_t group = NIL;
    if (v->hosts.n > 1 && host != NIL)
        group = open_group(v, (struct view_group){.name = v->hosts.at[host],
                                                  .is_host = true,
                                                  .of = host,
                                                  .parent = NIL});
    for (uint32_t i = 0; i < v->defs.processes.n; i++)
        if (v->host_of[i] == host && above(v, i) == NIL && !t->is_seen[i])
            add_process(t, i, group);
    /* Those that have started each other, which no process can. */
    for (uint32_t i = 0; i < v->defs.processes.n; i++)
        if (v->host_of[i] == host && !t->is_seen[i])
            add_process(t, i, group);
    if (group != NIL)
        close_group(v, group);
}

void view_tree_make(struct view *v)
{
    size_t n = v->defs.processes.n;
    size_t room = 0;
    struct tree t = {v, below_of(n, v->defs.locations.n), below_of(n, n), NULL};
    t.is_seen = list_grow(NULL, &room, n ? n : 1, sizeof *t.is_seen);
    find_hosts(v);
    for (uint32_t i = (uint32_t)v->defs.locations.n; i-- > 0;)
        put_below(&t.locations, v->defs.locations.at[i].process, i);
    for (uint32_t i = (uint32_t)n; i-- > 0;)
        if (above(v, i) != NIL)
            put_below(&t.children, above(v, i), i);
    v->row_of = numbers(v->defs.locations.n, NIL);
    for (uint32_t host = 0; host < v->hosts.n; host++)
        add_host(&t, host);
    add_host(&t, NIL);
    free_below(&t.locations);
    free_below(&t.children);
    free(t.is_seen);
}

/* ---- cells ---- */

void view_tree_sum(struct view *v)
{
    size_t n = view_pyramid_cells(&v->shape);
    for (size_t i = 0; i < v->groups.n; i++) {
        struct view_group *group = &v->groups.at[i];
        size_t room = 0;
        if (group->cells_at == NIL)
            continue;
        group->cells = list_grow(NULL, &room, n, sizeof *group->cells);
        view_pyramid_mean(v, group->cells, group->first, group->n);
    }
}
