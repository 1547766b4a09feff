/* SPDX-License-Identifier: BSD-3-Clause */
/* The agent in the process's own environment, for libraries that look there for what to load. */
#include <string.h>
#include <unistd.h>

#include "agent/process/environment.h"
#include "agent/spur_agent.h"
#include "base/mem.h"

/* The place of a variable, or behind the last one; *value is its value, or NULL. */
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
 * A new variable stands at the end: who writes over the texts of the environment finds those of the
 * old one as they were.
 */
bool spur_environment_name(const char *variable)
{
    size_t length, n = 0;
    const char *list;
    const char *library = spur_environment_library(&length);
    if (!library)
        return false;
    size_t at = find(environ, variable, &list);
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
