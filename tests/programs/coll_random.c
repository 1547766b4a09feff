/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random collectives: coll_random SEED... Each seed calls every collective of the MPI library in
 * each form: blocking, non-blocking, persistent, with large counts. Calls are out of place and in
 * place, within a communicator and between two groups. Order, communicators, sizes, datatypes and
 * roots are random. All ranks draw the same numbers and so agree.
 *
 * Each rank describes its communicators and its calls in a file calls.RANK, a JSON object a line,
 * with the arguments and a checksum of the received bytes. The model in cases/coll_random.py
 * derives the bytes of each call from the file. Arguments insignificant to MPI are nonsense.
 */
#include <stdlib.h>

#include "coll_random_draw.h"

enum { OPEN = 4 /* non-blocking operations at a time */, WIDTH = 40 /* of a block, in extents */ };
enum { UNIT = 12 /* elements, which each shape divides */ };

static FILE *out;

/* ---- arguments ---- */

static void add_block(struct side *side, int units, int base, int shape)
{
    MPI_Aint lower, extent;
    int i = side->n++;
    MPI_Type_get_extent(types[base][shape], &lower, &extent);
    side->base = base;
    side->shape[i] = shape;
    side->types[i] = types[base][shape];
    side->counts[i] = units * UNIT / elements[shape];
    side->large_counts[i] = side->counts[i];
    side->displs[i] = i * WIDTH;
    side->large_displs[i] = side->displs[i];
    /* Types of one array differ in their extent. */
    side->byte_displs[i] = i * WIDTH * 144;
    side->large_byte_displs[i] = side->byte_displs[i];
    if (extent > 144)
        abort();
}

/* Units from member i of group g to member j of the remote group, or of the own group. */
static int flow(const struct call *call, int g, int i, int j)
{
    switch (call->op->by) {
    case ALL:
        return chance.all;
    case GROUP:
        return chance.group[g];
    case SENDER:
        return chance.member[g][i];
    case RECEIVER:
        return chance.member[g][j];
    case PAIR: /* in place, as much comes as goes */
        return call->in_place && j < i ? chance.pair[g][j][i] : chance.pair[g][i][j];
    default:
        return 0;
    }
}

/* In place, both partners have to use the same type. */
static int shape_of(const struct call *call, int is_send, int i)
{
    const struct place *p = call->place;
    if (call->in_place || needs_one_type(call->op))
        return chance.common_shape;
    return chance.shape[is_send][p->me][call->op->traits & MIXED ? i : 0];
}

static void fill_side(struct call *call, struct side *side, int is_send)
{
    const struct place *p = call->place;
    int traits = call->op->traits, is_near = traits & NEIGHBOURS;
    int is_many = traits & (is_send ? SEND_MANY : RECEIVE_MANY);
    int near = is_send ? p->destinations : p->sources;
    int from = p->is_inter ? !p->group : p->group;
    int n = is_many ? (is_near ? near : p->partners) : 1;
    side->types[0] = types[chance.base][0]; /* where there are no neighbours */
    for (int i = 0; i < n; i++) {
        int other = is_near && is_many ? (is_send ? p->destination : p->source)[i] : i;
        if (other == MPI_PROC_NULL)
            other = PARTNERS - 1; /* whatever the count, nothing moves */
        add_block(side,
                  is_send ? flow(call, p->group, p->me, other) : flow(call, from, other, p->me),
                  chance.base, shape_of(call, is_send, i));
    }
}

/* All members have the same type and, but for the parts of Reduce_scatter, the same count. */
static void fill_reduction(struct call *call)
{
    const struct place *p = call->place;
    int base = chance.reduction_base, shape = chance.common_shape % NO_GAPS;
    int traits = call->op->traits;
    /* Both groups of an intercommunicator scatter a vector of the same length. */
    int share = traits & SCATTERED && p->is_inter ? p->partners * chance.all : chance.all;
    int left = share * p->size;
    call->reduction = shape == 0 && base < 2 ? MPI_BXOR : xor_op;
    for (int i = 0; i < (traits & RECEIVE_MANY ? p->size : 1); i++) {
        int part = share;
        if (traits & RECEIVE_MANY) {
            part = chance.member[p->group][i];
            if (p->is_inter)
                part = i == p->size - 1 || part > left ? left : part;
            left -= part;
        }
        add_block(&call->r, part, base, shape);
    }
    if (!(traits & SCATTERED))
        call->s = call->r;
}

static void ignore_side(struct side *side)
{
    side->n = 0;
    side->counts[0] = 77;
    side->types[0] = MPI_BYTE;
}

static void choose_root(struct call *call)
{
    const struct place *p = call->place;
    int is_here = p->group == chance.root_group;
    if (!p->is_inter) {
        call->root = chance.root % p->size;
        return;
    }
    call->root = chance.root % (is_here ? p->size : p->partners);
    if (is_here)
        call->root = call->root == p->me ? MPI_ROOT : MPI_PROC_NULL;
}

/* The insignificant arguments of a rooted operation. */
static void ignore_sides(struct call *call, int is_root)
{
    const struct place *p = call->place;
    int is_idle = p->is_inter && call->root == MPI_PROC_NULL;
    int is_only_root = is_idle || (is_root && (p->is_inter || call->in_place));
    int to_root = call->op->traits & TO_ROOT;
    if (call->op->traits & (REDUCTION | ONE_BUFFER)) {
        if (is_idle) {
            ignore_side(&call->s);
            ignore_side(&call->r);
        }
        return;
    }
    if (to_root ? is_only_root : !is_root)
        ignore_side(&call->s);
    if (to_root ? !is_root : is_only_root)
        ignore_side(&call->r);
}

static void fill_buffers(struct call *call)
{
    for (int i = 0; i < BUFFER; i++) {
        call->send_buffer[i] = (unsigned char)(i * 7 + rank);
        call->receive_buffer[i] = (unsigned char)(i * 5 + rank);
    }
    call->send = call->send_buffer;
    call->receive = call->receive_buffer;
}

static void fill_call(struct call *call)
{
    int traits = call->op->traits, is_root = 0;
    fill_buffers(call);
    call->s.n = call->r.n = 0;
    if (traits & (TO_ROOT | FROM_ROOT)) {
        choose_root(call);
        is_root = call->root == (call->place->is_inter ? MPI_ROOT : call->place->me);
    }
    if (traits & REDUCTION) {
        fill_reduction(call);
    } else if (call->op->by != NOTHING) {
        fill_side(call, &call->s, 1);
        fill_side(call, &call->r, 0);
    }
    if (traits & (TO_ROOT | FROM_ROOT)) {
        if (call->in_place && is_root && traits & TO_ROOT)
            call->send = MPI_IN_PLACE;
        if (call->in_place && is_root && traits & FROM_ROOT)
            call->receive = MPI_IN_PLACE;
        ignore_sides(call, is_root);
    } else if (call->in_place) {
        call->send = MPI_IN_PLACE;
        if (!(traits & REDUCTION))
            ignore_side(&call->s);
    }
}

/* ---- the log ---- */

static void print_numbers(const char *name, int n, const int *numbers)
{
    fprintf(out, ", \"%s\": [", name);
    for (int i = 0; i < n; i++)
        fprintf(out, "%s%d", i ? ", " : "", numbers[i] == MPI_PROC_NULL ? -1 : numbers[i]);
    fprintf(out, "]");
}

static void print_members(const char *name, MPI_Group group)
{
    int n, all[PARTNERS], members[PARTNERS];
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_size(group, &n);
    for (int i = 0; i < n; i++)
        all[i] = i;
    MPI_Group_translate_ranks(group, n, all, world, members);
    print_numbers(name, n, members);
    MPI_Group_free(&world);
    MPI_Group_free(&group);
}

static void print_place(const struct place *p)
{
    MPI_Group group;
    fprintf(out, "{\"comm\": \"%s\", \"me\": %d", p->name, p->me);
    MPI_Comm_group(p->comm, &group);
    print_members("members", group);
    if (p->is_inter) {
        MPI_Comm_remote_group(p->comm, &group);
        print_members("remote", group);
    }
    if (p->has_topology) {
        print_numbers("sources", p->sources, p->source);
        print_numbers("destinations", p->destinations, p->destination);
    }
    fprintf(out, "}\n");
}

static void print_side(const char *name, const struct side *side)
{
    fprintf(out, ", \"%s\": [", name);
    for (int i = 0; i < side->n; i++)
        fprintf(out, "%s[%d, %d, \"%s\"]", i ? ", " : "", side->counts[i], elements[side->shape[i]],
                base_names[side->base]);
    fprintf(out, "]");
}

static void print_call(const struct call *call)
{
    static const char *const suffixes[FORMS] = {"", "", "_init"};
    char name[64];
    snprintf(name, sizeof name, "%s%s%s%s", call->form == STARTED ? "I" : "", call->op->name,
             suffixes[call->form], call->is_large ? "_c" : "");
    if (call->form == STARTED)
        name[1] = (char)(name[1] - 'A' + 'a');
    fprintf(out, "{\"call\": \"MPI_%s\", \"op\": \"%s\", \"on\": \"%s\", \"in_place\": %d", name,
            call->op->name, call->place->name, call->in_place);
    if (call->op->traits & (TO_ROOT | FROM_ROOT)) {
        if (call->place->is_inter && call->root < 0)
            fprintf(out, ", \"root\": \"%s\"", call->root == MPI_ROOT ? "self" : "group");
        else
            fprintf(out, ", \"root\": %d", call->root);
    }
    print_side("send", &call->s);
    print_side("receive", &call->r);
    if (call->form == PERSISTENT)
        fprintf(out, ", \"starts\": %d", call->starts);
    fprintf(out, "}\n");
}

static void print_checksum(const struct call *call)
{
    unsigned sum = 1;
    for (int i = 0; i < BUFFER; i++)
        sum = sum * 31 + call->receive_buffer[i];
    fprintf(out, "{\"received\": %u}\n", sum);
}

/* ---- running ---- */

static struct call open_calls[OPEN];
static MPI_Request requests[OPEN];
static int n_open;

static void complete_all(int how)
{
    int index, flag = 0, left = n_open, indices[OPEN];
    switch (how) {
    case 0:
        MPI_Waitall(n_open, requests, MPI_STATUSES_IGNORE);
        break;
    case 1:
        for (int i = 0; i < n_open; i++)
            MPI_Waitany(n_open, requests, &index, MPI_STATUS_IGNORE);
        break;
    case 2:
        while (left > 0) {
            MPI_Waitsome(n_open, requests, &index, indices, MPI_STATUSES_IGNORE);
            left -= index;
        }
        break;
    default:
        MPI_Testall(n_open, requests, &flag, MPI_STATUSES_IGNORE);
        if (!flag)
            MPI_Waitall(n_open, requests, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < n_open; i++)
        print_checksum(&open_calls[i]);
    n_open = 0;
}

static void run_persistent(struct call *call, MPI_Request *request)
{
    for (int i = 0; i < call->starts; i++) {
        MPI_Start(request);
        MPI_Wait(request, MPI_STATUS_IGNORE);
        print_checksum(call);
    }
    MPI_Request_free(request);
}

/* A thing to be done: an operation in a form at a kind of place. */
struct task {
    int op, form, is_large, in_place, is_inter;
};

static const struct place *choose_place(const struct task *task)
{
    for (;;) {
        const struct place *p = &places[draw(n_places)];
        /* Processes outside of a communicator do not know its kind. */
        int is_inter = p >= &places[5] && p < &places[7];
        if (is_inter == task->is_inter && (p->has_topology || !(ops[task->op].traits & NEIGHBOURS)))
            return p;
    }
}

static void run_task(const struct task *task)
{
    struct call *call = &open_calls[n_open];
    call->op = &ops[task->op];
    call->form = (enum form)task->form;
    call->is_large = task->is_large;
    call->in_place = task->in_place;
    call->place = choose_place(task);
    call->starts = draw(3);
    int how = draw(4), is_last = draw(3) == 0;
    draw_all();
    if (call->place->comm == MPI_COMM_NULL)
        return;
    fill_call(call);
    print_call(call);
    call->op->run(call, &requests[n_open]);
    if (task->form == PERSISTENT)
        run_persistent(call, &requests[n_open]);
    else if (task->form == BLOCKING)
        print_checksum(call);
    else if (++n_open == (IS_OPEN_MPI ? OPEN : 1) || is_last)
        complete_all(how);
}

static int is_possible(const struct task *t)
{
    int traits = ops[t->op].traits;
    return (HAS_MPI_4 || (t->form != PERSISTENT && !t->is_large)) &&
           !(t->is_large && traits & NOT_LARGE) && !(t->in_place && !(traits & IN_PLACE)) &&
           !(t->is_inter && (t->in_place || !(traits & INTER))) &&
           !is_broken(&ops[t->op], (enum form)t->form, t->is_inter);
}

static void run_seed(void)
{
    static struct task tasks[OPS * FORMS * 2 * 3];
    int n = 0;
    for (int i = 0; i < OPS * FORMS * 8; i++) {
        struct task task = {i / 8 / FORMS, i / 8 % FORMS, i & 1, i >> 1 & 1, i >> 2 & 1};
        if (is_possible(&task))
            tasks[n++] = task;
    }
    state = (uint64_t)seed;
    make_places();
    for (int i = 0; i < n_places; i++) {
        if (places[i].comm != MPI_COMM_NULL)
            print_place(&places[i]);
    }
    while (n > 0) {
        int next = draw(n);
        run_task(&tasks[next]);
        tasks[next] = tasks[--n];
    }
    if (n_open > 0)
        complete_all(0);
    free_places();
}

int main(int argc, char **argv)
{
    char name[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    snprintf(name, sizeof name, "calls.%d", rank);
    out = fopen(name, "w");
    if (!out || world_size > PARTNERS - 1 || world_size < 4)
        MPI_Abort(MPI_COMM_WORLD, 1);
    setvbuf(out, NULL, _IOLBF, 0);
    make_types();
    for (int i = 1; i < argc; i++) {
        seed = atoi(argv[i]);
        run_seed();
    }
    free_types();
    fclose(out);
    if (rank == 0)
        printf("%d seeds\n", argc - 1);
    MPI_Finalize();
    return 0;
}
