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

/* The act when a thread's buffer is full. */
enum spur_flush { SPUR_FLUSH_WRITE, SPUR_FLUSH_RING, SPUR_FLUSH_STOP };

enum spur_clock_choice { SPUR_CLOCK_AUTO, SPUR_CLOCK_WANT_TSC, SPUR_CLOCK_WANT_MONOTONIC };

enum spur_start { SPUR_START_ON, SPUR_START_OFF };

enum spur_polls_choice { SPUR_POLLS_AUTO, SPUR_POLLS_ALL };

/* 0: no limit. A given limit takes the place of the share of the disk that stays free. */
struct spur_limit {
    size_t process, all;
    bool is_given;
};

#define SPUR_LIMIT_NONE                                                                            \
    {                                                                                              \
        0, 0, false                                                                                \
    }

/* The number of containers of each kind in the archive. */
#define SPUR_CONTAINER_NONE 0           /* the files are plain */
#define SPUR_CONTAINER_HOSTS UINT32_MAX /* one for each host */

/* NULL, or the fault of a value; valid: "none", "sion", "sion:N". */
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
 * SPUR_ were unknown or malformed. Malformed variables keep their default, and `complain` (may be
 * NULL) is called with the variable's name, its value and the fault of the value.
 */
int spur_config_read(struct spur_config *config, char *const *env,
                     void (*complain)(const char *variable, const char *value, const char *why));

/* Replace each text by the result of `keep`; the text and the result may be NULL. */
void spur_config_keep(struct spur_config *config, const char *(*keep)(const char *text));

/* The value of SPUR_<name>, a comma list that a family reads; NULL: no setting has the name. */
const char *spur_config_words(const struct spur_config *config, const char *name);

/* Behind the size (a number, perhaps with K, M or G) at the beginning of `s`; NULL: no size, or too
 * large. */
const char *spur_size_take(const char *s, size_t *out);

#endif
