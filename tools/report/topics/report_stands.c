/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/topics/report_stands.h"

#include <string.h>

#include "format/names.h"
#include "tools/report/topics/report.h"

enum { NAMES_MAX = 8 };

/* ---- what the archive says ---- */

struct standing *stands_of(const struct report *r, uint32_t location)
{
    for (size_t i = r->stands.all.n; i-- > 0;)
        if (r->stands.all.at[i].location == location)
            return &r->stands.all.at[i];
    return NULL;
}

static void begin(struct report *r, const struct stream *s, uint64_t last)
{
    struct standing *at = LIST_ADD(&r->stands.all);
    const char *seen_by = defs_text(&r->defs, r->defs.processes.at[s->process].end_seen_by);
    const char *end = defs_text(&r->defs, r->defs.processes.at[s->process].end);
    const struct frame *top = profile_top(s);
    *at = (struct standing){.location = s->location,
                            .time = s->last,
                            .since = s->stack.n > 1 ? top->enter : last};
    at->region = r->profile.nodes.at[top->node].region;
    at->site = r->profile.nodes.at[top->node].site;
    at->is_lower_bound = !strcmp(seen_by, "nobody") && !strstr(end, "snapshot");
    at->path = "";
    for (size_t i = 1; i < s->stack.n; i++) {
        uint32_t region = r->profile.nodes.at[s->stack.at[i].node].region;
        at->path =
            make_text("%s%s%s", at->path, i > 1 ? " > " : "", defs_region_name(&r->defs, region));
    }
}

/* The last one of the location, which others may follow. */
static struct awaited *awaited_of(struct standing *at)
{
    if (!at->awaited.n)
        *LIST_ADD(&at->awaited) = (struct awaited){.peer = -1, .tag = -1};
    return &at->awaited.at[at->awaited.n - 1];
}

static void read_value(struct report *r, struct standing *at, enum stand what, int64_t value)
{
    switch (what) {
    case STAND_WAITS:
        at->kind =
            value > STAND_NOTHING && value <= STAND_THREAD ? (enum stand_kind)value : STAND_NOTHING;
        break;
    case STAND_POSTED:
        *LIST_ADD(&at->awaited) =
            (struct awaited){.request = (uint64_t)value, .is_request = true, .peer = -1, .tag = -1};
        break;
    case STAND_SENDS:
        awaited_of(at)->sends = value != 0;
        break;
    case STAND_COMM:
        awaited_of(at)->comm = defs_comm(&r->defs, (uint64_t)value);
        awaited_of(at)->has_comm = true;
        break;
    case STAND_PEER:
        awaited_of(at)->peer = value;
        break;
    case STAND_TAG:
        awaited_of(at)->tag = value;
        break;
    case STAND_OPEN:
    case STANDS:
        break;
    }
}

static OTF2_CallbackCode on_number(MERGED_EVENT, OTF2_ParameterRef parameter, int64_t value)
{
    struct report *r = user;
    const uint32_t index = defs_location(&r->defs, location);
    const uint64_t last = index == NIL ? time : r->profile.streams[index].last;
    const struct stream *s = profile_at(r, location, &time);
    unsigned what = 0;
    while (what < STANDS && r->defs.stands[what] != parameter)
        what++;
    if (what == STANDS || !report_has(r, s))
        return OTF2_CALLBACK_SUCCESS;
    if (what == STAND_OPEN)
        begin(r, s, last);
    struct standing *at = stands_of(r, s->location);
    if (at)
        read_value(r, at, (enum stand)what, value);
    return OTF2_CALLBACK_SUCCESS;
}

void stands_register(OTF2_GlobalEvtReaderCallbacks *c)
{
    OTF2_GlobalEvtReaderCallbacks_SetParameterIntCallback(c, on_number);
}

/* ---- who that is ---- */

const char *stands_name(const struct report *r, uint32_t location, uint32_t from)
{
    const struct location *l = &r->defs.locations.at[location];
    const struct process *p = &r->defs.processes.at[l->process];
    const char *name = defs_process_name(&r->defs, l->process);
    if (from != NIL && from != location && r->defs.locations.at[from].process == l->process) {
        const char *thread = defs_text(&r->defs, l->name);
        return strstr(thread, "thread") ? thread : make_text("thread %s", thread);
    }
    if (p->main == location)
        return name;
    return make_text("%s, %s", name, defs_text(&r->defs, l->name));
}

static void needs(struct standing *at, uint32_t location)
{
    for (size_t i = 0; i < at->for_whom.n; i++)
        if (at->for_whom.at[i] == location)
            return;
    if (location != NIL)
        *LIST_ADD(&at->for_whom) = location;
}

/* "rank 1, rank 2 and 5 more" */
static const char *list_text(const struct report *r, const struct standing *at)
{
    const char *text = "";
    size_t n = at->for_whom.n;
    for (size_t i = 0; i < n && i < NAMES_MAX; i++)
        text = make_text("%s%s%s", text, i ? ", " : "",
                         stands_name(r, at->for_whom.at[i], at->location));
    return n > NAMES_MAX ? make_text("%s and %zu more", text, n - NAMES_MAX) : text;
}

static uint32_t main_of(const struct report *r, uint32_t process)
{
    return process == NIL ? NIL : r->defs.processes.at[process].main;
}

/* ---- in words ---- */

static const char *message_text(struct report *r, struct standing *at, const struct awaited *m,
                                bool sends)
{
    uint32_t process = r->defs.locations.at[at->location].process;
    const char *comm = m->has_comm ? defs_comm_name(&r->defs, m->comm) : "a communicator";
    const char *tag = m->tag < 0 ? "any tag" : make_text("tag %lld", (long long)m->tag);
    if (m->peer < 0 || !m->has_comm) {
        at->needs_any = true;
        return make_text("a message from any rank (%s, %s)", tag, comm);
    }
    uint32_t peer = defs_peer(&r->defs, m->comm, process, (uint32_t)m->peer);
    needs(at, main_of(r, peer));
    return make_text("%s %s (%s, %s)", sends ? "a receive by" : "a message from",
                     peer == NIL ? make_text("rank %lld", (long long)m->peer)
                                 : defs_process_name(&r->defs, peer),
                     tag, comm);
}

/* Members that are not in the same operation, by how many they have been through. */
static const char *collective_text(struct report *r, struct standing *at, const struct awaited *m)
{
    uint32_t process = r->defs.locations.at[at->location].process;
    const char *op = otf2_enum_name(OTF2_ENUM_CollectiveOp, (uint32_t)m->tag);
    uint64_t order = (uint64_t)m->comm << 2 | COLLECTIVE_BLOCKING;
    uint32_t own = map_find(&r->collectives.count_of, order, process);
    own = own == NIL ? 0 : own;
    for (uint32_t rank = 0; m->has_comm && rank < defs_comm_size(&r->defs, m->comm); rank++) {
        uint32_t peer = defs_peer(&r->defs, m->comm, process, rank);
        uint32_t main = main_of(r, peer);
        const struct standing *other = main == NIL ? NULL : stands_of(r, main);
        uint32_t count = peer == NIL ? NIL : map_find(&r->collectives.count_of, order, peer);
        count = count == NIL ? 0 : count;
        bool is_there = other && other->kind == STAND_COLLECTIVE && other->awaited.n &&
                        other->awaited.at[0].has_comm && other->awaited.at[0].comm == m->comm;
        if (peer != process && count <= own && !(is_there && count == own))
            needs(at, main);
    }
    return make_text("%s in %s on %s", at->for_whom.n ? list_text(r, at) : "nobody that is missing",
                     op ? op : "an operation",
                     m->has_comm ? defs_comm_name(&r->defs, m->comm) : "a communicator");
}

static const char *lock_text(struct report *r, struct standing *at, const struct awaited *m)
{
    uint32_t process = r->defs.locations.at[at->location].process;
    const char *name = defs_lock_name(&r->defs, process, (uint32_t)m->peer);
    return make_text("lock %s%s%s", *name ? name : make_text("%lld", (long long)m->peer),
                     at->for_whom.n ? ", held by " : "", list_text(r, at));
}

static const char *thread_text(struct report *r, struct standing *at, const struct awaited *m)
{
    const struct location *l = &r->defs.locations.at[at->location];
    enum { PROCESS_SHIFT = 32 };
    needs(at, defs_location(&r->defs, l->id >> PROCESS_SHIFT << PROCESS_SHIFT | (uint64_t)m->peer));
    return make_text("the end of %s", at->for_whom.n ? list_text(r, at) : "a thread");
}

static const char *requests_text(struct report *r, struct standing *at)
{
    const char *text = "";
    for (size_t i = 0; i < at->awaited.n; i++) {
        const struct awaited *m = &at->awaited.at[i];
        const char *one = message_text(r, at, m, m->sends);
        if (i < NAMES_MAX)
            text = make_text("%s%s%s", text, i ? "; " : "", one);
    }
    at->needs_any |= at->kind == STAND_ANY;
    return at->awaited.n > NAMES_MAX ? make_text("%s and %zu more", text, at->awaited.n - NAMES_MAX)
                                     : text;
}

/* ---- while it is known what is not complete ---- */

/* A number is that of one lock of the process, whatever made it. */
static void find_holders(struct report *r, struct standing *at, const struct awaited *m)
{
    static const OTF2_Paradigm models[] = {OTF2_PARADIGM_PTHREAD, OTF2_PARADIGM_OPENMP};
    uint32_t process = r->defs.locations.at[at->location].process;
    for (size_t model = 0; model < sizeof models / sizeof *models; model++) {
        uint32_t lock =
            map_find(&r->locks.index_of, (uint64_t)process << 8 | models[model], (uint64_t)m->peer);
        for (uint32_t i = 0; lock != NIL && i < r->defs.locations.n; i++)
            if (map_find(&r->locks.holder_of, lock, i) != NIL)
                needs(at, i);
    }
}

/* Requests that are complete, which may be among those that were made last. */
static void drop_completed(const struct report *r, struct standing *at)
{
    uint32_t process = r->defs.locations.at[at->location].process;
    size_t kept = 0;
    for (size_t i = 0; i < at->awaited.n; i++)
        if (map_find(&r->messages.request_of, process, at->awaited.at[i].request) != NIL ||
            map_find(&r->messages.posts.index_of, process, at->awaited.at[i].request) != NIL)
            at->awaited.at[kept++] = at->awaited.at[i];
    at->awaited.n = kept;
}

static bool has_requests(const struct standing *at)
{
    return at->kind == STAND_REQUEST || at->kind == STAND_ALL || at->kind == STAND_ANY;
}

void stands_close(struct report *r)
{
    for (size_t i = 0; i < r->stands.all.n; i++) {
        struct standing *at = &r->stands.all.at[i];
        if (has_requests(at))
            drop_completed(r, at);
        else if (at->kind == STAND_LOCK && at->awaited.n)
            find_holders(r, at, &at->awaited.at[0]);
    }
}

/* ---- when all is known ---- */

static void explain(struct report *r, struct standing *at)
{
    const struct awaited *m = at->awaited.n ? &at->awaited.at[0] : NULL;
    if (has_requests(at)) {
        at->what = at->awaited.n ? requests_text(r, at) : NULL;
        return;
    }
    if (!m || at->kind == STAND_NOTHING)
        return;
    at->what = at->kind == STAND_COLLECTIVE ? collective_text(r, at, m)
               : at->kind == STAND_LOCK     ? lock_text(r, at, m)
               : at->kind == STAND_THREAD   ? thread_text(r, at, m)
                                            : message_text(r, at, m, at->kind == STAND_SEND);
}

void stands_finish(struct report *r)
{
    for (size_t i = 0; i < r->stands.all.n; i++)
        explain(r, &r->stands.all.at[i]);
    stands_find_circles(r);
}
