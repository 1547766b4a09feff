/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/system_words.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

const char *spur_error_text(int error)
{
    switch (error) {
#define ERROR_TEXT(name, text)                                                                     \
    case name:                                                                                     \
        return text;
#include "base/error_texts.def"
#undef ERROR_TEXT
    default:
        return NULL;
    }
}

const char *spur_signal_name(int signal)
{
    switch (signal) {
#define SIGNAL_NAME(name)                                                                          \
    case SIG##name:                                                                                \
        return #name;
#include "base/signal_names.def"
#undef SIGNAL_NAME
    default:
        return NULL;
    }
}
