/* SPDX-License-Identifier: BSD-3-Clause */
/* links: finish */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <string.h>

#include "settings/config.h"
#include "settings/families.h"

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
    cr_expect_eq(spur_families_listed(config.wrap),
                 ((1u << SPUR_FAMILIES) - 1) ^ 1u << SPUR_FAMILY_PROCESS);
    cr_expect_eq(spur_families_listed("pthread,mpi"),
                 1u << SPUR_FAMILY_MPI | 1u << SPUR_FAMILY_PTHREAD);
    cr_expect_eq(spur_families_listed("default,process"), (1u << SPUR_FAMILIES) - 1);
    cr_expect_eq(spur_families_listed("pth"), 0);
    cr_expect_eq(spur_families_listed(NULL), 0);
    cr_expect_not(spur_families_are_good("mpi,,user"));
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

Test(config, times)
{
    static const struct {
        const char *entry;
        uint64_t ns; /* UINT64_MAX: malformed */
    } times[] = {
        {"SPUR_MIN_DURATION=10us", 10000},
        {"SPUR_MIN_DURATION=500ns", 500},
        {"SPUR_MIN_DURATION=1ms", 1000000},
        {"SPUR_MIN_DURATION=86400s", UINT64_C(86400000000000)},
        {"SPUR_MIN_DURATION=0", 0},
        {"SPUR_MIN_DURATION=0us", 0},
        {"SPUR_MIN_DURATION=86401s", UINT64_MAX},
        {"SPUR_MIN_DURATION=99999999999999999999ns", UINT64_MAX},
        {"SPUR_MIN_DURATION=10", UINT64_MAX},
        {"SPUR_MIN_DURATION=us", UINT64_MAX},
        {"SPUR_MIN_DURATION=", UINT64_MAX},
        {"SPUR_MIN_DURATION=-1us", UINT64_MAX},
        {"SPUR_MIN_DURATION=1.5us", UINT64_MAX},
        {"SPUR_MIN_DURATION=10 us", UINT64_MAX},
        {"SPUR_MIN_DURATION=10usec", UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        struct spur_config config;
        char *env[] = {(char *)(uintptr_t)times[i].entry, NULL};
        bool is_bad = times[i].ns == UINT64_MAX;
        cr_expect_eq(spur_config_read(&config, env, count), is_bad, "%s", times[i].entry);
        cr_expect_eq(config.min_duration, is_bad ? 0 : times[i].ns, "%s", times[i].entry);
    }
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
    cr_expect_str_eq(config.wrap, "default");
    cr_expect_eq(config.clock, SPUR_CLOCK_AUTO);
}
