/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings: read once, at the start, from the environment. Read-only afterwards. */
#ifndef SPUR_CONFIG_H
#define SPUR_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "settings/memory_setting.h"
#include "settings/sample_setting.h"

/* What is done when a thread's buffer is full. */
enum spur_flush { SPUR_FLUSH_WRITE, SPUR_FLUSH_RING, SPUR_FLUSH_STOP };

enum spur_clock_choice { SPUR_CLOCK_AUTO, SPUR_CLOCK_WANT_TSC, SPUR_CLOCK_WANT_MONOTONIC };

enum spur_start { SPUR_START_ON, SPUR_START_OFF };

enum spur_polls_choice { SPUR_POLLS_AUTO, SPUR_POLLS_ALL };

/* 0: no limit. One that is given takes the place of the share of the disk that stays free. */
struct spur_limit {
    size_t process, all;
    bool is_given;
};

#define SPUR_LIMIT_NONE                                                                            \
    {                                                                                              \
        0, 0, false                                                                                \
    }

/* How many containers of each kind there are in the archive. */
#define SPUR_CONTAINER_NONE 0           /* its files are plain */
#define SPUR_CONTAINER_HOSTS UINT32_MAX /* one for each host */

/* NULL, or what is wrong with such a value: "none", "sion", "sion:N". */
const char *spur_container_parse(const char *s, unsigned *out);

#define CONFIG_TYPE(NAME, c_type, KIND, text) typedef c_type spur_config_##NAME;
#include "settings/config_types.def"
#undef CONFIG_TYPE

/* By the help of a row: spur itself sets the variable, for the processes of a session. */
static inline bool spur_config_is_internal(const char *help)
{
    static const char by_spur[] = "set by ";
    return strncmp(help, by_spur, sizeof by_spur - 1) == 0;
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

/* Replace each text by what `keep` makes of it, which may be NULL as the text may. */
void spur_config_keep(struct spur_config *config, const char *(*keep)(const char *text));

/* The value of SPUR_<name>, a comma list that a family reads; NULL: there is no such setting. */
const char *spur_config_words(const struct spur_config *config, const char *name);

/* Behind the size (a number, perhaps with K, M or G) that `s` begins with; NULL: none, or too large
 * a one. */
const char *spur_size_take(const char *s, size_t *out);

#endif
