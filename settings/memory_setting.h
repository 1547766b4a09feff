/* SPDX-License-Identifier: BSD-3-Clause */
/* The setting SPUR_MEMORY: what of memory is recorded. */
#ifndef SPUR_MEMORY_SETTING_H
#define SPUR_MEMORY_SETTING_H

#include <stdbool.h>
#include <stddef.h>

enum { SPUR_MEMORY_FRAMES = 16 }; /* unless said */

struct spur_memory_setting {
    bool is_on;
    size_t step;   /* record a change of so many bytes; 0: not said */
    size_t from;   /* record calls for so many bytes or more, and samples of the rest; 0: none */
    size_t seed;   /* of the samples; 0: not said */
    size_t frames; /* of the stacks of recorded blocks, from 1 on */
};

#define SPUR_MEMORY_OFF                                                                            \
    {                                                                                              \
        false, 0, 0, 0, SPUR_MEMORY_FRAMES                                                         \
    }

/* NULL when `text` is well-formed, else what was expected; *out is then kept. */
const char *spur_memory_parse(const char *text, struct spur_memory_setting *out);

#endif
