/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings: read once, at the start, from the environment. Read-only afterwards. */
#ifndef SPUR_CONFIG_H
#define SPUR_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "settings/sample_setting.h"

/* What is done when a thread's buffer is full. */
enum spur_flush { SPUR_FLUSH_WRITE, SPUR_FLUSH_RING, SPUR_FLUSH_STOP };

enum spur_clock_choice { SPUR_CLOCK_AUTO, SPUR_CLOCK_WANT_TSC, SPUR_CLOCK_WANT_MONOTONIC };

enum spur_start { SPUR_START_ON, SPUR_START_OFF };

typedef const char *spur_config_TEXT;     /* borrowed from the environment block of the start */
typedef const char *spur_config_FAMILIES; /* the same */
typedef const char *spur_config_WORDS;    /* the same */
typedef size_t spur_config_SIZE;
typedef enum spur_clock_choice spur_config_CLOCK;
typedef unsigned spur_config_LEVEL;
typedef unsigned spur_config_COUNT;
typedef struct spur_sample_setting spur_config_SAMPLE;
typedef int spur_config_SIGNAL;
typedef uint64_t spur_config_DURATION; /* ns */
typedef enum spur_start spur_config_SWITCH;
typedef enum spur_flush spur_config_FLUSH;

/* 0: no limit. */
typedef struct spur_limit {
    size_t process, all;
} spur_config_LIMIT;

#define SPUR_LIMIT_NONE                                                                            \
    {                                                                                              \
        0, 0                                                                                       \
    }

struct spur_config {
#define CONFIG(TYPE, name, NAME, default_, help) spur_config_##TYPE name;
#include "settings/config.def"
#undef CONFIG
};

/*
 * Defaults, then the environment `env` (as environ). Returns how many variables beginning with
 * SPUR_ were unknown or malformed; the latter keep their default, and `complain` (may be NULL) is
 * called with the variable's name, its value and what is wrong with it.
 */
int spur_config_read(struct spur_config *config, char *const *env,
                     void (*complain)(const char *variable, const char *value, const char *why));

/* Is `word` in the comma list `list`? */
bool spur_config_lists(const char *list, const char *word);

#endif
