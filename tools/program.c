/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/program.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tools/elf_file.h"

bool program_find(const char *name, char path[PROGRAM_PATH_BYTES])
{
    const char *list = getenv("PATH");

    if (strchr(name, '/')) {
        snprintf(path, PROGRAM_PATH_BYTES, "%s", name);
        return access(path, F_OK) == 0;
    }
    for (list = list ? list : "/usr/local/bin:/usr/bin:/bin"; *list;) {
        size_t length = strcspn(list, ":");
        struct stat status;
        int n =
            snprintf(path, PROGRAM_PATH_BYTES, "%.*s/%s", (int)length, length ? list : ".", name);

        if (n > 0 && n < PROGRAM_PATH_BYTES && access(path, X_OK) == 0 &&
            stat(path, &status) == 0 && S_ISREG(status.st_mode))
            return true;
        list += length + (list[length] == ':');
    }
    return false;
}

int program_follow_script(char path[PROGRAM_PATH_BYTES], char interpreter[PROGRAM_PATH_BYTES])
{
    char line[PROGRAM_PATH_BYTES];
    char *save = NULL;
    char *word;
    FILE *file = fopen(path, "re");
    bool is_script = file && fgets(line, sizeof(line), file) && strncmp(line, "#!", 2) == 0;

    if (file)
        fclose(file);
    if (!is_script)
        return 0;
    word = strtok_r(line + 2, " \t\n", &save);
    if (word && strlen(word) >= 4 && strcmp(word + strlen(word) - 4, "/env") == 0) {
        do {
            word = strtok_r(NULL, " \t\n", &save);
        } while (word && (word[0] == '-' || strchr(word, '=')));
    }
    snprintf(interpreter, PROGRAM_PATH_BYTES, "%s", word ? word : "(none)");
    return word && program_find(word, path) ? 1 : -1;
}

enum program_rights program_rights(const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0)
        return PROGRAM_ORDINARY;
    if ((status.st_mode & S_ISUID) && status.st_uid != getuid())
        return PROGRAM_SETUID;
    if ((status.st_mode & S_ISGID) && status.st_gid != getgid())
        return PROGRAM_SETGID;
    if (getxattr(path, "security.capability", NULL, 0) > 0)
        return getuid() != 0 ? PROGRAM_CAPABLE : PROGRAM_CAPABLE_NOT_FOR_US;
    return status.st_mode & (S_ISUID | S_ISGID) ? PROGRAM_SET_NOT_FOR_US : PROGRAM_ORDINARY;
}

/* Nothing is preloaded without a loader. */
static bool is_static(const char *path)
{
    char interpreter[PROGRAM_PATH_BYTES];
    struct elf_file elf;

    if (elf_open(&elf, path) != 0)
        return false;
    bool found = elf.is_native && !elf_interpreter(&elf, interpreter, sizeof(interpreter));
    elf_close(&elf);
    return found;
}

const char *program_is_out_of_reach(const char *command, char path[PROGRAM_PATH_BYTES])
{
    static const char *const rights[] = {
        [PROGRAM_SETUID] = "is setuid, so the loader ignores preloaded libraries; trace a copy "
                           "without that right",
        [PROGRAM_SETGID] = "is setgid, so the loader ignores preloaded libraries; trace a copy "
                           "without that right",
        [PROGRAM_CAPABLE] = "has file capabilities, so the loader ignores preloaded libraries; "
                            "trace a copy without them",
    };
    char interpreter[PROGRAM_PATH_BYTES];
    int more = program_find(command, path) ? 1 : -1;

    for (int i = 0; i < PROGRAM_SCRIPT_DEPTH && more == 1; i++)
        more = program_follow_script(path, interpreter);
    if (more != 0)
        return NULL;
    if (is_static(path))
        return "is statically linked, so no library can be loaded into it; link it without -static";
    enum program_rights of = program_rights(path);
    return of < PROGRAM_SET_NOT_FOR_US ? rights[of] : NULL;
}
