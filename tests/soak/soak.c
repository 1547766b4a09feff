/* SPDX-License-Identifier: BSD-3-Clause */
/*
 *     soak SEED [FIRST LAST]   run the program of the seed, or only operations FIRST to LAST
 *     soak SEED NAME           run only the operation NAME
 *     soak --list SEED         print the script of the seed
 *     soak --names             print the names of all operations
 *
 * The result is in the file `result`. The arguments behind --image are for programs that soak
 * itself starts.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "soak.h"

enum { ROOT_LOG = 1 << 20, MAX_DEPTH = 3 };

static const struct soak_op ops[] = {
#define OP(name, weight, stack, flags) {#name, soak_op_##name, weight, stack, flags},
#include "soak_ops.def"
#undef OP
};
enum { N_OPS = sizeof ops / sizeof ops[0] };

__thread struct soak_actor *soak_self;
__thread sigjmp_buf *soak_fault;
char soak_program[PATH_MAX], soak_folder[PATH_MAX];
static unsigned first_op, last_op = UINT_MAX;
static const struct soak_op *only; /* in the first process */
static struct soak_actor root;

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

uint64_t soak_draw(struct soak_actor *actor, uint64_t below)
{
    actor->state += 0x9e3779b97f4a7c15;
    return mix(actor->state) % below;
}

static bool is_possible(const struct soak_actor *actor, const struct soak_op *op, bool ends)
{
    unsigned flags = op->flags;
    return ((flags & END) != 0) == ends && op->stack <= actor->stack &&
           !(actor->flags & IN_HANDLER && !(flags & SAFE)) &&
           !(actor->flags & (IN_CROWD | IS_THREAD) && flags & ALONE) &&
           !(actor->flags & IS_ROOT && flags & CHILD) &&
           !(actor->flags & (IN_FIBRE | IN_CROWD) && flags & CALM) &&
           !(actor->flags & (IN_CROWD | IS_THREAD | HAS_NOISE) && flags & STILL) &&
           !(actor->depth >= MAX_DEPTH && flags & SPAWNS);
}

/* Each operation has draws of its own, so that any operation can be left out. */
static const struct soak_op *draw_op(struct soak_actor *actor, unsigned number, bool ends)
{
    uint64_t total = 0;
    if (only && actor == &root && ends == ((only->flags & END) != 0))
        return only;
    actor->state = mix(actor->seed + (uint64_t)(number + 1) * 0x632be59bd9b4e019);
    for (unsigned i = 0; i < N_OPS; i++)
        total += is_possible(actor, &ops[i], ends) ? ops[i].weight : 0;
    uint64_t at = soak_draw(actor, total);
    for (unsigned i = 0; i < N_OPS; i++) {
        uint64_t weight = is_possible(actor, &ops[i], ends) ? ops[i].weight : 0;
        if (at < weight)
            return &ops[i];
        at -= weight;
    }
    abort();
}

void soak_script(struct soak_actor *actor, unsigned n_operations)
{
    struct soak_actor *outer = soak_self;
    soak_self = actor;
    for (unsigned i = 0; i < n_operations; i++) {
        const struct soak_op *op = draw_op(actor, i, false);
        if (actor == &root && actor->flags & IS_ROOT && (i < first_op || i > last_op))
            continue;
        soak_note_word(actor, op->name);
        op->run(actor);
    }
    soak_self = outer;
}

_Noreturn void soak_end(struct soak_actor *actor)
{
    soak_self = actor;
    const struct soak_op *op = draw_op(actor, UINT_MAX - 1, true);
    soak_note_word(actor, op->name);
    if (actor->flags & IS_ROOT)
        soak_finish();
    op->run(actor);
    _exit(122);
}

/* By a file, since the standard output may have been closed; nobody else runs any more. */
void soak_finish(void)
{
    char path[PATH_MAX + 16];
    while (wait(NULL) > 0 || errno == EINTR) {
    }
    snprintf(path, sizeof path, "%s/result", soak_folder);
    soak_note_left(&root);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    soak_note(&root, (int64_t)root.log->hash);
    if (fd < 0 || write(fd, root.log->text, root.log->used) != (ssize_t)root.log->used)
        abort();
    close(fd);
    unlink(soak_arena_path());
}

static unsigned n_root_operations(void)
{
    if (only)
        return !(only->flags & END);
    root.state = mix(root.seed);
    return 8 + (unsigned)soak_draw(&root, 10);
}

static int list(void)
{
    unsigned n = n_root_operations();
    for (unsigned i = 0; i < n; i++)
        printf("%u %s\n", i, draw_op(&root, i, false)->name);
    printf("end %s\n", draw_op(&root, UINT_MAX - 1, true)->name);
    return 0;
}

static void names(void)
{
    for (unsigned i = 0; i < N_OPS; i++)
        puts(ops[i].name);
}

static void choose(const char *name)
{
    for (unsigned i = 0; i < N_OPS; i++)
        if (strcmp(ops[i].name, name) == 0)
            only = &ops[i];
    if (!only)
        exit(2);
}

/* `program` is for places without /proc. */
static void get_places(const char *program)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    ssize_t n = readlink("/proc/self/exe", soak_program, sizeof soak_program - 1);
    if (n < 0)
        n = snprintf(soak_program, sizeof soak_program, "%s", program);
    if (!getcwd(soak_folder, sizeof soak_folder))
        abort();
    soak_program[n] = '\0';
}

/* soak --image ARENA LOG SEED FLAGS DEPTH: goes on with the log of the process before its exec. */
static _Noreturn void go_on(char **words)
{
    soak_arena_open(words[0]);
    root.log = soak_log_at(strtoull(words[1], NULL, 10));
    root.seed = strtoull(words[2], NULL, 10);
    root.flags = (unsigned)strtoul(words[3], NULL, 10);
    root.depth = (unsigned)strtoul(words[4], NULL, 10);
    snprintf(soak_folder, sizeof soak_folder, "%.*s", (int)(strlen(words[0]) - strlen("/arena")),
             words[0]);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    soak_handlers();
    unsigned n = 1 + (unsigned)(mix(root.seed) % 4);
    soak_script(&root, n);
    soak_end(&root);
}

int main(int argc, char **argv)
{
    get_places(argv[0]);
    root.stack = 1 << 20;
    root.signal = SIGRTMIN + 1;
    if (argc == 7 && strcmp(argv[1], "--image") == 0)
        go_on(argv + 2);
    if (argc == 3 && strcmp(argv[1], "--say") == 0) {
        soak_calls(10);
        return printf("said %s\n", argv[2]) > 0 ? (int)strtol(argv[2], NULL, 10) % 100 : 1;
    }
    if (argc == 2 && strcmp(argv[1], "--names") == 0) {
        names();
        return 0;
    }
    bool is_list = argc == 3 && strcmp(argv[1], "--list") == 0;
    if (argc < 2)
        return 2;
    root.flags = IS_ROOT;
    root.seed = mix(strtoull(argv[is_list ? 2 : 1], NULL, 10) + 1);
    if (is_list)
        return list();
    if (argc == 3)
        choose(argv[2]);
    if (argc == 4) {
        first_op = (unsigned)strtoul(argv[2], NULL, 10);
        last_op = (unsigned)strtoul(argv[3], NULL, 10);
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    soak_arena_make();
    root.log = soak_log_new(ROOT_LOG);
    soak_handlers();
    soak_script(&root, n_root_operations());
    soak_end(&root);
}
