/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/io/io_paths.h"

#include <stddef.h>
#include <string.h>

#include "agent/spur_agent.h"
#include "base/word_list.h"
#include "wrappers/kit/wrapper_complain.h"

enum { MOST = 64, SHOWN = 256 };

static const char *const standard[] = {
#define IO_PATH(path) path,
#include "wrappers/io/io_paths.def"
#undef IO_PATH
};

static struct {
    const char *path;
    size_t length;
    bool is_wanted;
} rows[MOST];
static size_t n_rows, longest_row;

static void add(const char *path, size_t length)
{
    bool is_wanted = length && path[0] == '+';
    path += is_wanted;
    length -= is_wanted;
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length == 0 || path[0] != '/') {
        wrapper_complain("SPUR_IO_PATHS: \"%.*s\" is no directory, which begins with / or +/",
                         length < SHOWN ? (int)length : SHOWN, path);
        return;
    }
    if (n_rows == MOST) {
        spur_complain("SPUR_IO_PATHS: too many directories, the last ones do not count");
        return;
    }
    if (length > longest_row)
        longest_row = length;
    rows[n_rows].path = path;
    rows[n_rows].length = length;
    rows[n_rows++].is_wanted = is_wanted;
}

void io_paths_start(const char *text)
{
    for (struct word_list list = {.rest = text ? text : "default"}; word_list_next(&list);) {
        if (word_list_is(&list, "default"))
            for (size_t i = 0; i < sizeof standard / sizeof standard[0]; i++)
                add(standard[i], strlen(standard[i]));
        else if (!word_list_is(&list, "none"))
            add(list.word, list.length);
    }
}

/* The directory itself, or what lies below it. What ends in a colon is no directory. */
static bool is_below(const char *path, size_t row)
{
    size_t length = rows[row].length;
    char last = rows[row].path[length - 1];
    return strncmp(path, rows[row].path, length) == 0 &&
           (path[length] == '/' || path[length] == '\0' || last == '/' || last == ':');
}

bool io_path_is_wanted(const char *path)
{
    size_t longest = 0;
    bool is_wanted = true;
    for (size_t i = 0; i < n_rows; i++)
        if (rows[i].length >= longest && is_below(path, i)) {
            longest = rows[i].length;
            is_wanted = rows[i].is_wanted;
        }
    return is_wanted;
}

bool io_path_may_be_wanted(const char *path)
{
    enum { PAGE = 4096 };
    if (!spur_is_readable(path))
        return false;
    if (path[0] != '/')
        return true;
    /* The comparison ends where the text differs from a row, so it reads no further than a row is
     * long; the next page is looked at where that may lie on it. */
    const char *end = path + longest_row;
    if (((uintptr_t)path ^ (uintptr_t)end) / PAGE != 0 &&
        memchr(path, '\0', PAGE - (uintptr_t)path % PAGE) == NULL && !spur_is_readable(end))
        return false;
    return io_path_is_wanted(path);
}
