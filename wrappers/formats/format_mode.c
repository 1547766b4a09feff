/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/formats/format_mode.h"

#include "base/word_list.h"

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
    for (struct word_list list = {.rest = setting()}; word_list_next(&list);)
        is_named |= word_list_is(&list, interface->word) || word_list_is(&list, "all");
    return is_named && spur_wraps(interface->family);
}
