/* SPDX-License-Identifier: BSD-3-Clause */
/* links: agent-finish */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <string.h>

#include "agent/config.h"

static int complaints;
static char last_variable[64];

static void count(const char *variable, const char *value, const char *why)
{
    cr_assert(value && why && *why);
    strncpy(last_variable, variable, sizeof last_variable - 1);
    complaints++;
}

Test(config, defaults_hold_without_variables)
{
    struct spur_config config;
    char *env[] = {"PATH=/bin", "SPURIOUS=1", NULL};
    cr_expect_eq(spur_config_read(&config, env, count), 0);
    cr_expect_eq(complaints, 0);
    cr_expect_null(config.dir);
    cr_expect_eq(config.buffer, (size_t)4 << 20);
    cr_expect_eq(config.verbose, 1);
    cr_expect(spur_config_lists(config.wrap, "mpi"));
    cr_expect(spur_config_lists(config.wrap, "pthread"));
    cr_expect_not(spur_config_lists(config.wrap, "pth"));
    cr_expect_not(spur_config_lists(NULL, "mpi"));
}

Test(config, an_unknown_variable_is_named)
{
    struct spur_config config;
    char *env[] = {"SPUR_BUFER=1M", "SPUR_BUFFER=1M", NULL};
    cr_expect_eq(spur_config_read(&config, env, count), 1);
    cr_expect_eq(complaints, 1);
    cr_expect_str_eq(last_variable, "SPUR_BUFER");
    cr_expect_eq(config.buffer, (size_t)1 << 20);
}

struct setting {
    char entry[48];
    size_t buffer; /* 0: malformed */
};

ParameterizedTestParameters(config, sizes)
{
    static struct setting params[] = {
        {"SPUR_BUFFER=4096", 4096},
        {"SPUR_BUFFER=8K", 8192},
        {"SPUR_BUFFER=2G", 2ull << 30},
        {"SPUR_BUFFER=8KB", 0},
        {"SPUR_BUFFER=K", 0},
        {"SPUR_BUFFER=", 0},
        {"SPUR_BUFFER=-1", 0},
        {"SPUR_BUFFER=99999999999999999999", 0},
        {"SPUR_BUFFER=17179869184G", 0},
        {"SPUR_BUFFER= 1M", 0},
    };
    return cr_make_param_array(struct setting, params, sizeof params / sizeof params[0]);
}

ParameterizedTest(struct setting *setting, config, sizes)
{
    struct spur_config config;
    char *env[] = {setting->entry, NULL};
    cr_expect_eq(spur_config_read(&config, env, count), setting->buffer == 0, "%s", setting->entry);
    cr_expect_eq(config.buffer, setting->buffer ? setting->buffer : (size_t)4 << 20);
}

Test(config, words_are_checked)
{
    struct spur_config config;
    char *good[] = {"SPUR_CLOCK=monotonic", "SPUR_VERBOSE=0", NULL};
    cr_expect_eq(spur_config_read(&config, good, count), 0);
    cr_expect_eq(config.clock, SPUR_CLOCK_WANT_MONOTONIC);
    cr_expect_eq(config.verbose, 0);
    char *bad[] = {"SPUR_CLOCK=sundial", "SPUR_VERBOSE=10", "SPUR_DIR=", "SPUR_WRAP=mpi,gpu", NULL};
    cr_expect_eq(spur_config_read(&config, bad, count), 4);
    cr_expect_str_eq(config.wrap, "mpi,pthread,openmp,user,compiler");
    cr_expect_eq(config.clock, SPUR_CLOCK_AUTO);
}
