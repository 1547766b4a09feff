/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Do the arguments of MPI functions pass through the agent unchanged? The file makes two libraries.
 * The first library is preloaded before the agent and remembers the words of a call. The second
 * library, compiled with -DBEHIND, stands between the agent and MPI and compares. A status is the
 * exception: the agent puts its own status in place of an ignored status.
 *
 * $ARGUMENTS_LOG.PID gets a line a fault and, when the process ends, "N calls". The functions are
 * the functions of the agent's tables, by the MPI_ as by the PMPI_ name. Init and its like are not
 * tested: the rows do not have them, and a library that has PMPI_Init would be taken for MPI
 * itself.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <otf2/otf2_foreach.h>

typedef uintptr_t word_t;

enum { WORDS = 16 };

/* A call while it lasts. */
struct call {
    const char *name;
    struct call *outer;
    bool has_arrived; /* behind the agent, with the same words */
    size_t n;
    word_t word[WORDS];
    word_t behind[WORDS]; /* the last words, if they differ */
};

#define PARAM(Row, kind, name) word_t name
#define ARGUMENT(Row, kind, name) name
#define KIND(Row, kind, name) #kind
#define EXPORT __attribute__((visibility("default")))

static void *next_of(_Atomic(void *) *cache, const char *name)
{
    void *next = atomic_load(cache);
    if (!next) {
        next = dlsym(RTLD_NEXT, name);
        atomic_store(cache, next);
    }
    return next;
}

#ifdef BEHIND

static struct call *innermost(void)
{
    static _Atomic(void *) cache;
    void *function = atomic_load(&cache);
    if (!function) {
        function = dlsym(RTLD_DEFAULT, "arguments_innermost");
        atomic_store(&cache, function);
    }
    return function ? ((struct call * (*)(void)) function)() : NULL;
}

static bool may_differ(const char *kind)
{
    return strcmp(kind, "STATUS") == 0 || strcmp(kind, "STATUSES") == 0 ||
           strcmp(kind, "NOTHING") == 0;
}

static void see(const char *name, const word_t *words, const char *const *kinds, size_t n)
{
    struct call *call = innermost();
    if (!call || call->has_arrived || strcmp(call->name, name) != 0)
        return;
    bool is_same = true;
    for (size_t i = 0; i < n; i++)
        is_same = is_same && (words[i] == call->word[i] || may_differ(kinds[i]));
    call->has_arrived = is_same;
    memcpy(call->behind, words, n * sizeof *words);
}

#define BODY(Symbol, ...)                                                                          \
    const word_t words[] = {OTF2_LIST(ARGUMENT, Symbol, "", __VA_ARGS__)};                         \
    const char *const kinds[] = {OTF2_LIST(KIND, Symbol, "", __VA_ARGS__)};                        \
    see(#Symbol, words, kinds, sizeof words / sizeof words[0]);                                    \
    return next(OTF2_LIST(ARGUMENT, Symbol, "", __VA_ARGS__));

#else

static __thread struct call *current;
static _Atomic(unsigned long) calls;

EXPORT struct call *arguments_innermost(void);
struct call *arguments_innermost(void)
{
    return current;
}

static void note(const char *text, size_t n)
{
    char path[4096];
    const char *prefix = getenv("ARGUMENTS_LOG");
    snprintf(path, sizeof path, "%s.%d", prefix ? prefix : "arguments", (int)getpid());
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file >= 0) {
        (void)!write(file, text, n);
        close(file);
    }
}

static void leave(struct call *call)
{
    char line[1024];
    current = call->outer;
    atomic_fetch_add(&calls, 1);
    if (call->has_arrived)
        return;
    int at = snprintf(line, sizeof line, "fault: %s:", call->name);
    for (size_t i = 0; i < call->n && at < (int)sizeof line - 64; i++)
        at += snprintf(line + at, sizeof line - (size_t)at, " %#lx/%#lx",
                       (unsigned long)call->word[i], (unsigned long)call->behind[i]);
    line[at++] = '\n';
    note(line, (size_t)at);
}

__attribute__((destructor)) static void end(void)
{
    char line[64];
    int n = snprintf(line, sizeof line, "%lu calls\n", atomic_load(&calls));
    note(line, (size_t)n);
}

#define BODY(Symbol, ...)                                                                          \
    struct call call = {.name = #Symbol,                                                           \
                        .outer = current,                                                          \
                        .word = {OTF2_LIST(ARGUMENT, Symbol, "", __VA_ARGS__)}};                   \
    call.n = sizeof(word_t[]){OTF2_LIST(ARGUMENT, Symbol, "", __VA_ARGS__)} / sizeof(word_t);      \
    current = &call;                                                                               \
    int ret = next(OTF2_LIST(ARGUMENT, Symbol, "", __VA_ARGS__));                                  \
    leave(&call);                                                                                  \
    return ret;

#endif

#define STAND_IN(Symbol, ...)                                                                      \
    EXPORT int Symbol(OTF2_LIST(PARAM, Symbol, "", __VA_ARGS__));                                  \
    int Symbol(OTF2_LIST(PARAM, Symbol, "", __VA_ARGS__))                                          \
    {                                                                                              \
        static _Atomic(void *) cache;                                                              \
        int (*const next)(OTF2_LIST(PARAM, Symbol, "", __VA_ARGS__)) =                             \
            (int (*)(OTF2_LIST(PARAM, Symbol, "", __VA_ARGS__)))next_of(&cache, #Symbol);          \
        BODY(Symbol, __VA_ARGS__)                                                                  \
    }

#define BOTH(Name, ...)                                                                            \
    STAND_IN(MPI_##Name, __VA_ARGS__)                                                              \
    STAND_IN(PMPI_##Name, __VA_ARGS__)
#define MPI_CALL(Name, group, ROLE, MEANING, ...) BOTH(Name, __VA_ARGS__)
#define MPI_CALL_C(Name, group, ROLE, MEANING, ...)                                                \
    BOTH(Name, __VA_ARGS__)                                                                        \
    BOTH(Name##_c, __VA_ARGS__)
#define MPI_QUERY(Name, group, ...) BOTH(Name, __VA_ARGS__)
#define ALL_FORMS(Name, Iname, Init, ...)                                                          \
    BOTH(Name, __VA_ARGS__)                                                                        \
    BOTH(Iname, __VA_ARGS__, (REQUEST_OUT, request))                                               \
    BOTH(Init, __VA_ARGS__, (INFO, info), (REQUEST_OUT, request))
#define MPI_COLL(Name, name, ROLE, OP, root, send, receive, ...)                                   \
    ALL_FORMS(Name, I##name, Name##_init, __VA_ARGS__)
#define MPI_COLL_C(Name, name, ROLE, OP, root, send, receive, ...)                                 \
    ALL_FORMS(Name, I##name, Name##_init, __VA_ARGS__)                                             \
    ALL_FORMS(Name##_c, I##name##_c, Name##_init_c, __VA_ARGS__)

#include "wrappers/mpi/tables/mpi_calls.def"
