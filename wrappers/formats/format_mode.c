/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/formats/format_mode.h"

#include <string.h>

static bool is_word(const char *word, size_t length, const char *wanted)
{
    return strlen(wanted) == length && strncmp(word, wanted, length) == 0;
}

/* Asked for once: that takes system calls. Constructors run one after the other. */
static const char *setting(void)
{
    static const char *list;
    static bool is_asked;
    if (!is_asked)
        list = spur_setting("IO");
    is_asked = true;
    return list;
}

/* Words that mean nothing are the business of wrappers/io/io_mode.c. */
bool format_mode_of(const struct format_interface *interface)
{
    bool is_named = false;
    for (const char *word = setting(); word && *word;) {
        size_t length = strcspn(word, ",");
        is_named |= is_word(word, length, interface->word) || is_word(word, length, "all");
        word += length;
        word += *word == ',';
    }
    return is_named && spur_wraps(interface->family);
}
