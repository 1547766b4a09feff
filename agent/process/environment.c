/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The environment for programs started by the process. All work for a call of exec*() runs in
 * children of vfork() and in signal handlers as well: no memory of the heap, raw system calls only.
 */
#include "agent/process/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/process/left_out.h"
#include "agent/process/process.h"
#include "agent/process/target.h"
#include "agent/segment/buffer.h"
#include "agent/segment/look.h"
#include "agent/segment/moved.h"
#include "agent/spur_agent.h"
#include "agent/state/event_clock.h"
#include "agent/state/state.h"
#include "base/lock.h"
#include "base/mapping.h"
#include "base/mem.h"
#include "base/own_stack.h"

enum { KEPT_MAX = 64 };

static const char preload_is[] = "LD_PRELOAD=";
static const char library[] = "libspur.so";
static const char counter[] = "libspur-memory.so";
static const char ours_is[] = "SPUR_";
static const char creator_is[] = "SPUR_CREATOR=";
static const char dir_is[] = "SPUR_DIR=";
static const char left_out[] = SPUR_LEFT_OUT_IS "yes";

/*
 * The most entries added to a program's environment: LD_PRELOAD, `left_out`, SPUR_CREATOR, and the
 * end.
 */
enum { MORE_ENTRIES = 4 };

/* The environment at the start; never freed. */
static struct {
    const char *entry[KEPT_MAX]; /* SPUR_*, without SPUR_CREATOR */
    size_t n;
    const char *preload; /* the entry LD_PRELOAD, or NULL */
    const char *library; /* the agent's path in `preload`: not zero-terminated, with its length */
    size_t library_length;
    const char *counter; /* likewise of the memory library, which goes first; NULL: not there */
    size_t counter_length;
} kept;

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The item of a list of libraries (blanks or colons between them) with this file name, or NULL. */
static const char *find_library(const char *list, const char *name, size_t *length)
{
    const size_t name_length = strlen(name);
    for (const char *item = list; *item; item += strspn(item, ": ")) {
        *length = strcspn(item, ": ");
        size_t base = *length;
        while (base > 0 && item[base - 1] != '/')
            base--;
        if (*length - base == name_length && memcmp(item + base, name, name_length) == 0)
            return item;
        item += *length;
    }
    return NULL;
}

static const char *copy(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *mem = spur_mem_new(bytes);
    return mem ? memcpy(mem, text, bytes) : NULL;
}

void spur_environment_keep(char *const *env)
{
    for (; env && *env; env++) {
        bool is_preload = begins(*env, preload_is);
        bool is_ours = begins(*env, ours_is) && !begins(*env, creator_is) && kept.n < KEPT_MAX;
        const char *entry = is_preload || is_ours ? copy(*env) : NULL;
        if (entry && is_preload)
            kept.preload = entry;
        else if (entry)
            kept.entry[kept.n++] = entry;
    }
    if (!kept.preload)
        return;
    const char *list = kept.preload + sizeof preload_is - 1;
    kept.library = find_library(list, library, &kept.library_length);
    kept.counter = find_library(list, counter, &kept.counter_length);
}

void spur_environment_creators(const struct spur_process *process, char *list, size_t size)
{
    /*
     * The creators of a recording process need not be listed: the recording process notes them
     * itself.
     */
    const char *before = process->name[0] ? "" : process->parent;
    int n = snprintf(list, size, "%s%s%s", process->own_name, *before ? ":" : "", before);
    if (n < 0 || (size_t)n < size)
        return;
    char *last = memrchr(list, ':', size - 1);
    if (last)
        *last = '\0';
}

/* ---- the environment of a program ---- */

/* The contents of `envp`, as far as needed for the changes. */
struct survey {
    size_t entries;
    bool has_session;
    const char *preload; /* the value of LD_PRELOAD, or NULL */
};

static struct survey survey(char *const *envp)
{
    struct survey seen = {0};
    for (; envp && envp[seen.entries]; seen.entries++) {
        const char *entry = envp[seen.entries];
        seen.has_session |= begins(entry, ours_is) && !begins(entry, creator_is);
        if (begins(entry, preload_is))
            seen.preload = entry + sizeof preload_is - 1;
    }
    return seen;
}

/*
 * A program that removes LD_PRELOAD from the environment, and nothing else, does not want the new
 * program to be traced.
 */
static bool is_left_alone(const struct survey *seen)
{
    return seen->has_session && (!seen->preload || !*seen->preload);
}

const char *spur_environment_library(size_t *length)
{
    *length = kept.library_length;
    return kept.library;
}

bool spur_environment_lists(const char *list)
{
    size_t length;
    return find_library(list, library, &length) != NULL;
}

bool spur_environment_lists_any(const char *list)
{
    size_t length;
    return spur_environment_lists(list) || find_library(list, counter, &length) != NULL;
}

static bool hands_down(void)
{
    uint32_t state = spur_state_now();
    return kept.library && state != SPUR_UNBORN && !spur_process.is_launcher;
}

static size_t room_of(const struct survey *seen)
{
    size_t pointers = seen->entries + kept.n + MORE_ENTRIES;
    size_t preload = seen->preload ? strlen(seen->preload) : 0;
    return pointers * sizeof(char *) + sizeof preload_is + preload + 1 + kept.library_length + 1 +
           kept.counter_length + 1 + sizeof creator_is + SPUR_NAME_BYTES + sizeof dir_is +
           SPUR_PATH_BYTES;
}

static size_t room_for(char *const *envp, bool is_foreign)
{
    const struct survey seen = survey(envp);
    if (!hands_down())
        return 0;
    return is_foreign || is_left_alone(&seen) ? spur_environment_unnamed_room(envp, is_foreign)
                                              : room_of(&seen);
}

static bool has_name(char *const *envp, const char *entry)
{
    size_t length = strcspn(entry, "=") + 1;
    for (; envp && *envp; envp++)
        if (strncmp(*envp, entry, length) == 0)
            return true;
    return false;
}

static bool lacks_mark(char *const *envp)
{
    return spur_left_out_is_told() && !has_name(envp, left_out);
}

static bool names_old_place(char *const *envp)
{
    while (envp && *envp && !begins(*envp, dir_is))
        envp++;
    return envp && *envp && spur_moved_from(*envp + sizeof dir_is - 1);
}

bool spur_environment_is_bare(char *const *envp)
{
    const struct survey seen = survey(envp);
    return hands_down() && !is_left_alone(&seen) &&
           (!seen.has_session || lacks_mark(envp) || names_old_place(envp));
}

static char *put_item(char *at, const char *item, size_t length)
{
    memcpy(at, item, length);
    return at + length;
}

/*
 * Writes LD_PRELOAD: the agent goes behind the libraries of the program, and the memory library
 * before the libraries. Returns the end of the text.
 */
static char *put_preload(char *at, const struct survey *seen)
{
    at = stpcpy(at, preload_is);
    if (kept.counter) {
        at = put_item(at, kept.counter, kept.counter_length);
        *at++ = ':';
    }
    if (*seen->preload) {
        at = stpcpy(at, seen->preload);
        *at++ = ':';
    }
    at = put_item(at, kept.library, kept.library_length);
    *at++ = '\0';
    return at;
}

static char *put_creators(char *at)
{
    at = stpcpy(at, creator_is);
    spur_environment_creators(&spur_process, at, SPUR_NAME_BYTES);
    return at;
}

/*
 * Writes the place of the session, if the session directory has another name by now. Returns the
 * end of the text.
 */
static char *put_dir(char *at, char **entries, size_t n)
{
    const size_t length = sizeof dir_is - 1;
    if (!spur_process.name[0] || spur_moved_to(at + length) == SPUR_REMOVED)
        return at;
    memcpy(at, dir_is, length);
    for (size_t i = 0; i < n; i++)
        if (begins(entries[i], dir_is) && spur_moved_is_old(entries[i] + length, at + length))
            entries[i] = at;
    return at + strlen(at) + 1;
}

static char **make(void *room, char *const *envp, bool is_foreign)
{
    const struct survey seen = survey(envp);
    if (is_foreign || is_left_alone(&seen))
        return spur_environment_unname(room, envp, is_foreign);
    char **out = room;
    size_t n = 0;
    char *text = (char *)room + (seen.entries + kept.n + MORE_ENTRIES) * sizeof *out;
    bool needs_library = seen.preload && !spur_environment_lists(seen.preload);
    for (size_t i = 0; i < seen.entries; i++) {
        if (begins(envp[i], creator_is) || (needs_library && begins(envp[i], preload_is)))
            continue;
        out[n++] = envp[i];
    }
    for (size_t i = 0; i < kept.n && !seen.has_session; i++)
        if (!has_name(envp, kept.entry[i]))
            out[n++] =
                (char *)(uintptr_t)kept.entry[i]; /* execve() takes unchanged entries as writable */
    if (!seen.preload)
        out[n++] = (char *)(uintptr_t)kept.preload;
    if (needs_library) {
        out[n++] = text;
        text = put_preload(text, &seen);
    }
    if (lacks_mark(envp))
        out[n++] = (char *)(uintptr_t)left_out;
    text = put_dir(text, out, n);
    out[n++] = text;
    (void)put_creators(text);
    out[n] = NULL;
    return out;
}

/*
 * The environments are in mappings: the stack may be small, and the environment may be large. A
 * child of vfork() runs in its parent's memory, and leaves there the environment with which the
 * child has become another program. The thread, shared by child and parent, knows of the mapping.
 */
static _Thread_local struct {
    struct spur_lent lent;
    long pid; /* of the borrower; 0: nobody */
} last;

void spur_environment_reclaim(void)
{
    if (!last.pid || last.pid == syscall(SYS_getpid) || spur_is_sharer())
        return;
    spur_unmap(last.lent.room, last.lent.bytes);
    last.pid = 0;
}

static char *const *spur_environment_lend_here(struct spur_lent *lent, char *const *envp,
                                               bool is_foreign)
{
    int saved = errno;
    size_t bytes = spur_process_is_sealed() ? 0 : room_for(envp, is_foreign);
    *lent = (struct spur_lent){NULL, bytes};
    if (bytes) {
        spur_environment_reclaim();
        lent->room = spur_map_anonymous(bytes);
    }
    if (lent->room) {
        if (!last.pid && !spur_is_sharer()) {
            last.lent = *lent;
            last.pid = syscall(SYS_getpid);
        }
        envp = make(lent->room, envp, is_foreign);
    }
    errno = saved;
    return envp;
}
SPUR_DOOR(char *const *, spur_environment_lend, (struct spur_lent *, lent), (char *const *, envp),
          (bool, is_foreign))

void spur_environment_give_back(const struct spur_lent *lent)
{
    int saved = errno;
    if (lent->room) {
        if (last.lent.room == lent->room)
            last.pid = 0;
        spur_unmap(lent->room, lent->bytes);
    }
    errno = saved;
}

/*
 * Threads may read the process's environment, and keep pointers into the environment, at any time.
 * So a replaced environment stays for a good while. A program that lends the same environment again
 * and again, as a rule an empty environment, gets the same mapping.
 */
static char **spur_environment_for_good_here(char *const *envp)
{
    enum { KEPT_LONG = 16 };
    static struct spur_lock lock;
    static struct {
        char *const *envp; /* source of the copy */
        char *first;
        struct spur_lent lent;
    } kept_long[KEPT_LONG];
    static unsigned next;
    int saved = errno;
    char **made = NULL;
    size_t bytes = room_for(envp, false);
    spur_lock_take(&lock);
    for (int i = 0; i < KEPT_LONG && !made; i++)
        if (kept_long[i].lent.room && kept_long[i].envp == envp && (!envp || !*envp) &&
            !kept_long[i].first)
            made = kept_long[i].lent.room;
    void *room = made || !bytes ? NULL : spur_map_anonymous(bytes);
    if (room) {
        made = make(room, envp, false);
        unsigned at = next++ % KEPT_LONG;
        if (kept_long[at].lent.room)
            spur_unmap(kept_long[at].lent.room, kept_long[at].lent.bytes);
        kept_long[at].envp = envp;
        kept_long[at].first = envp ? *envp : NULL;
        kept_long[at].lent = (struct spur_lent){room, bytes};
    }
    spur_lock_give(&lock);
    errno = saved;
    return made;
}
SPUR_DOOR(char **, spur_environment_for_good, (char *const *, envp))

/* ---- the call ---- */

/*
 * The counter of untraced programs. The segment is mapped in children of fork() and vfork() as
 * well, so programs started by the children are counted in the parent process.
 */
static _Atomic uint32_t *count_of_untraced(void)
{
    struct spur_segment *segment = spur_buffer_segment();
    return segment && spur_state_now() != SPUR_OFF ? &segment->untraced : NULL;
}

static bool is_this_process(void)
{
    return spur_is_open() && syscall(SYS_getpid) == spur_process.pid;
}

static bool spur_exec_begin_here(struct spur_exec *exec, bool is_self, int dir, const char *path,
                                 char *const *envp)
{
    int saved = errno;
    const struct survey seen = survey(envp);
    enum spur_target target = hands_down() && path ? spur_target(dir, path) : TARGET_UNKNOWN;
    bool is_untraced = target >= TARGET_UNTRACED;
    *exec = (struct spur_exec){.is_self = is_self && is_this_process(),
                               .is_foreign = target == TARGET_FOREIGN};
    exec->untraced = is_untraced && !is_left_alone(&seen) ? count_of_untraced() : NULL;
    if (exec->untraced)
        atomic_fetch_add_explicit(exec->untraced, 1, memory_order_relaxed);
    if (hands_down() && !is_untraced && !is_left_alone(&seen))
        exec->left_out = spur_left_out_program(path);
    if (exec->is_self) {
        spur_inside_begin();
        spur_process_parts(true);
        spur_inside_end();
        spur_usage_look();
        spur_clock_look(0, 0);
        atomic_store_explicit(&spur_buffer_segment()->exec_ticks, spur_time(),
                              memory_order_relaxed);
    }
    errno = saved;
    return !is_untraced;
}
SPUR_DOOR(bool, spur_exec_begin, (struct spur_exec *, exec), (bool, is_self), (int, dir),
          (const char *, path), (char *const *, envp))

void spur_exec_failed(const struct spur_exec *exec)
{
    if (exec->untraced)
        atomic_fetch_sub_explicit(exec->untraced, 1, memory_order_relaxed);
    if (exec->left_out)
        atomic_fetch_sub_explicit(exec->left_out, 1, memory_order_relaxed);
    if (exec->is_self)
        atomic_store_explicit(&spur_buffer_segment()->exec_ticks, 0, memory_order_relaxed);
}
