/* SPDX-License-Identifier: BSD-3-Clause */
/* What a command line is about. */
#include "tools/launch/launch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/base/program.h"

#define LENGTH(list) (sizeof(list) / sizeof((list)[0]))

enum role { STARTER, FAMILY, PART };

static const struct {
    const char *name;
    enum role role;
} mpi_launchers[] = {
#define LAUNCHER(name, role) {name, role},
#include "session/launchers.def"
#undef LAUNCHER
};

/* Others whose purpose is to start a program. */
static const char *const launchers[] = {"spur",    "env",     "nice",    "ionice", "nohup",  "time",
                                        "timeout", "numactl", "taskset", "stdbuf", "setarch"};

/* How many words options of launchers take, where these could be taken for commands. */
static const struct {
    const char *name;
    int words;
} launcher_options[] = {
    {"-env", 3},       {"-genv", 3},          {"-mca", 3},   {"--mca", 3},
    {"-gmca", 3},      {"--gmca", 3},         {"-x", 2},     {"-H", 2},
    {"-host", 2},      {"--host", 2},         {"-hosts", 2}, {"--hosts", 2},
    {"-wdir", 2},      {"--wdir", 2},         {"-f", 2},     {"-launcher", 2},
    {"-bootstrap", 2}, {"-launcher-exec", 2}, {"-rmk", 2},   {"-bootstrap-exec", 2},
    {"-iface", 2},
};

/* With one of these the ranks of a job run different programs, or may do so. */
static const char *const mixing[] = {":",    "-configfile", "--configfile",
                                     "-app", "--app",       "--multi-prog"};

static const char *const rank_variables[] = {
#define RANK_VARIABLE(name, ...) name,
#include "session/rank_variables.def"
#undef RANK_VARIABLE
};

static bool is_one_of(const char *word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(word, list[i]) == 0)
            return true;
    return false;
}

static const char *base_of(const char *word)
{
    const char *slash = strrchr(word, '/');

    return slash ? slash + 1 : word;
}

bool launch_is_mpi_starter(const char *word)
{
    const char *name = base_of(word);

    for (size_t i = 0; i < LENGTH(mpi_launchers); i++) {
        const char *known = mpi_launchers[i].name;

        if (mpi_launchers[i].role == FAMILY
                ? strncmp(name, known, strlen(known)) == 0
                : mpi_launchers[i].role == STARTER && strcmp(name, known) == 0)
            return true;
    }
    return false;
}

bool launch_starts_ranks(const char *name)
{
    enum { KERNEL_KEEPS = 15 };

    for (size_t i = 0; i < LENGTH(mpi_launchers); i++)
        if (strncmp(name, mpi_launchers[i].name, KERNEL_KEEPS) == 0)
            return true;
    return false;
}

static bool is_launcher(const char *word)
{
    return launch_is_mpi_starter(word) || is_one_of(base_of(word), launchers, LENGTH(launchers));
}

/*
 * Can it be the program, in a launcher's arguments? Arguments of options ("4", "core") need no
 * table of all launchers' options: they are not commands.
 */
static bool is_program(const char *word)
{
    char path[PROGRAM_PATH_BYTES];
    struct stat info;

    return word[0] != '-' && !strchr(word, '=') && program_find(word, path) &&
           stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

static int words_of(const char *option)
{
    for (size_t i = 0; i < LENGTH(launcher_options); i++)
        if (strcmp(option, launcher_options[i].name) == 0)
            return launcher_options[i].words;
    return 1;
}

const char *launch_program_of(char *const *words)
{
    while (is_launcher(*words)) {
        const char *launcher = *words++;

        while (*words && !is_program(*words))
            for (int n = words_of(*words); n > 0 && *words; n--)
                words++;
        if (!*words)
            return launcher;
    }
    return *words;
}

bool launch_drops_preload(char *const *words)
{
    static const char *const forms[] = {"-uLD_PRELOAD", "--unset=LD_PRELOAD"};
    const char *program = launch_program_of(words);

    for (; *words && *words != program; words++)
        if (is_one_of(*words, forms, LENGTH(forms)) ||
            (strcmp(*words, "-u") == 0 && words[1] && strcmp(words[1], "LD_PRELOAD") == 0))
            return true;
    return false;
}

const char *launch_session_of(char *const *words)
{
    if (!launch_is_mpi_starter(*words))
        return "mixed";
    for (; *words; words++)
        if (is_one_of(*words, mixing, LENGTH(mixing)))
            return "mixed";
    return "launched";
}

const char *launch_rank(void)
{
    for (size_t i = 0; i < LENGTH(rank_variables); i++) {
        const char *rank = getenv(rank_variables[i]);

        if (rank && *rank)
            return rank;
    }
    return NULL;
}
