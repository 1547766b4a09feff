/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agent in the process's own environment, for libraries that look there for libraries to be
 * loaded. And the removal of the agent from the environment of programs that are not to be traced:
 * such programs would load the agent for nothing.
 */
#include <gnu/libc-version.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "agent/process/environment.h"
#include "agent/spur_agent.h"
#include "base/mem.h"

/* Variables that name the agent: literals, set in constructors. */
enum { NAMED_MAX = 4 };
static const char *named[NAMED_MAX];

/* ---- is it the agent of this process? ---- */

/* The objects to be looked for, and the first of both in the list. */
struct order {
    const char *agent, *libc;
    const char *first;
};

static bool has_address(const struct dl_phdr_info *object, const char *address)
{
    uintptr_t at = (uintptr_t)address;
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t begin = object->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && at >= begin && at - begin < part->p_memsz)
            return true;
    }
    return false;
}

static int look(struct dl_phdr_info *object, size_t size, void *data)
{
    struct order *order = data;
    (void)size;
    if (has_address(object, order->agent))
        order->first = order->agent;
    else if (has_address(object, order->libc))
        order->first = order->libc;
    return order->first != NULL;
}

/*
 * Preloaded libraries stand before the C library in the loader's list, and libraries opened by a
 * library stand behind the C library. LD_PRELOAD is no evidence: a program may have set LD_PRELOAD
 * for its children.
 */
static bool is_preloaded(void)
{
    static const char mark;
    const char *(*libc)(void) = gnu_get_libc_version;
    struct order order = {.agent = &mark};
    memcpy(&order.libc, &libc, sizeof libc);
    (void)dl_iterate_phdr(look, &order);
    return order.first == order.agent;
}

/* ---- the agent's name in a list ---- */

/* The place of a variable, or the place behind the last variable; *value is the value, or NULL. */
static size_t find(char *const *env, const char *variable, const char **value)
{
    const size_t length = strlen(variable);
    size_t at = 0;
    *value = NULL;
    for (; env && env[at]; at++)
        if (strncmp(env[at], variable, length) == 0 && env[at][length] == '=') {
            *value = env[at] + length + 1;
            break;
        }
    return at;
}

/* "VARIABLE=LIST:LIBRARY" */
static char *make_entry(const char *variable, const char *list, const char *library, size_t length)
{
    char *text = spur_mem_new(strlen(variable) + 1 + strlen(list) + 1 + length + 1);
    if (!text)
        return NULL;
    char *end = stpcpy(stpcpy(stpcpy(text, variable), "="), list);
    if (*list)
        *end++ = ':';
    memcpy(end, library, length);
    end[length] = '\0';
    return text;
}

/*
 * Adds the agent to a variable. The new entry stands at the end: a program that overwrites the
 * texts of the environment finds the texts of the old entry unchanged.
 */
static bool name_it(const char *variable, bool is_list)
{
    size_t length, n = 0;
    const char *list;
    const char *library = spur_environment_library(&length);
    if (!library || !is_preloaded())
        return false;
    size_t at = find(environ, variable, &list);
    if (!is_list && list && *list && !spur_environment_lists(list))
        return false;
    for (int i = 0; i < NAMED_MAX; i++)
        if (!named[i] || strcmp(named[i], variable) == 0) {
            named[i] = variable;
            break;
        }
    if (list && spur_environment_lists(list))
        return true;
    while (environ && environ[n])
        n++;
    char **made = spur_mem_new((n + 2) * sizeof *made);
    char *entry = made ? make_entry(variable, list ? list : "", library, length) : NULL;
    if (!entry)
        return false;
    if (n)
        memcpy(made, environ, n * sizeof *made);
    made[at] = entry;
    environ = made;
    return true;
}

bool spur_environment_name(const char *variable)
{
    return name_it(variable, true);
}

bool spur_environment_name_one(const char *variable)
{
    return name_it(variable, false);
}

/* ---- programs that are left alone ---- */

/*
 * LD_PRELOAD has blanks between libraries as well. In lists of other variables a blank may be part
 * of a name.
 */
static bool is_preload(const char *entry)
{
    static const char preload[] = "LD_PRELOAD=";
    return strncmp(entry, preload, sizeof preload - 1) == 0;
}

/* Does the entry name the agent, because a process of the session has put the agent there? */
static bool is_named(const char *entry, bool is_foreign)
{
    if (is_foreign && is_preload(entry))
        return spur_environment_lists_any(strchr(entry, '=') + 1);
    for (int i = 0; i < NAMED_MAX && named[i]; i++) {
        size_t length = strlen(named[i]);
        if (strncmp(entry, named[i], length) == 0 && entry[length] == '=')
            return spur_environment_lists(entry + length + 1);
    }
    return false;
}

size_t spur_environment_unnamed_room(char *const *envp, bool is_foreign)
{
    size_t n = 0, bytes = 0;
    for (; envp && envp[n]; n++)
        if (is_named(envp[n], is_foreign))
            bytes += strlen(envp[n]) + 1;
    return bytes ? (n + 1) * sizeof *envp + bytes : 0;
}

/*
 * Writes the entry without the agent to `to`; returns the end of the text. Returns `to` if the
 * agent was the only library.
 */
static char *put_others(char *to, const char *entry)
{
    const char *const separators = is_preload(entry) ? ": " : ":";
    const char *item = strchr(entry, '=') + 1;
    char *end = mempcpy(to, entry, (size_t)(item - entry));
    char *first = end;
    while (*item) {
        size_t length = strcspn(item, separators);
        char *behind = end;
        if (end > first)
            *end++ = ':';
        memcpy(end, item, length);
        end[length] = '\0';
        end = spur_environment_lists_any(end) ? behind : end + length;
        item += length;
        item += *item != '\0';
    }
    *end = '\0';
    return end == first ? to : end + 1;
}

char **spur_environment_unname(void *room, char *const *envp, bool is_foreign)
{
    char **out = room;
    size_t n = 0, kept = 0;
    while (envp && envp[n])
        n++;
    char *text = (char *)(out + n + 1);
    for (size_t i = 0; i < n; i++) {
        char *end = is_named(envp[i], is_foreign) ? put_others(text, envp[i]) : NULL;
        if (!end)
            out[kept++] = envp[i];
        else if (end > text)
            out[kept++] = text;
        text = end ? end : text;
    }
    out[kept] = NULL;
    return out;
}
