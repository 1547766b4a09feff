/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/system_words.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

static const char *const errors[] = {
#define ERROR_TEXT(name, text) [name] = (text),
#include "base/error_texts.def"
#undef ERROR_TEXT
};

static const char *const signals[] = {
#define SIGNAL_NAME(name) [SIG##name] = #name,
#include "base/signal_names.def"
#undef SIGNAL_NAME
};

static const char *at(const char *const *words, size_t n, int number)
{
    return number >= 0 && (size_t)number < n ? words[number] : NULL;
}

const char *spur_error_text(int error)
{
    return at(errors, sizeof errors / sizeof errors[0], error);
}

const char *spur_signal_name(int signal)
{
    return at(signals, sizeof signals / sizeof signals[0], signal);
}
