/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "session/glibc.h"
#include "tools/base/elf_file.h"

/* The directories where execvp() looks without PATH. */
static const char *standard_path(char text[PROGRAM_PATH_BYTES])
{
    size_t length = confstr(_CS_PATH, text, PROGRAM_PATH_BYTES);

    return length > 0 && length <= PROGRAM_PATH_BYTES ? text : "/bin:/usr/bin";
}

bool program_find(const char *name, char path[PROGRAM_PATH_BYTES])
{
    char standard[PROGRAM_PATH_BYTES];
    const char *list = getenv("PATH");

    if (strchr(name, '/')) {
        snprintf(path, PROGRAM_PATH_BYTES, "%s", name);
        return access(path, F_OK) == 0;
    }
    if (!*name)
        return false;
    for (list = list ? list : standard_path(standard);; list++) {
        size_t length = strcspn(list, ":");
        struct stat status;
        /* An empty name between two colons, or behind the last colon, is the working directory. */
        int n = snprintf(path, PROGRAM_PATH_BYTES, "%.*s/%s", length ? (int)length : 1,
                         length ? list : ".", name);

        if (n > 0 && n < PROGRAM_PATH_BYTES && access(path, X_OK) == 0 &&
            stat(path, &status) == 0 && S_ISREG(status.st_mode))
            return true;
        list += length;
        if (!*list)
            return false;
    }
}

/* Opens a file of any kind; never waits for the other end of a pipe. */
static FILE *open_regular(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    FILE *file = NULL;

    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        file = fdopen(fd, "r");
    if (!file && fd >= 0)
        close(fd);
    return file;
}

int program_follow_script(char path[PROGRAM_PATH_BYTES], char interpreter[PROGRAM_PATH_BYTES])
{
    char line[PROGRAM_PATH_BYTES];
    char *save = NULL;
    char *word;
    bool is_searched = false;
    FILE *file = open_regular(path);
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
        is_searched = true;
    }
    snprintf(interpreter, PROGRAM_PATH_BYTES, "%s", word ? word : "(none)");
    if (is_searched)
        return word && program_find(word, path) ? 1 : -1;
    /* The kernel does not search: a name without a slash is a file in the working directory. */
    snprintf(path, PROGRAM_PATH_BYTES, "%s%s", strchr(interpreter, '/') ? "" : "./", interpreter);
    return word && access(path, F_OK) == 0 ? 1 : -1;
}

bool program_is_one(const char *path)
{
    char script[PROGRAM_PATH_BYTES], interpreter[PROGRAM_PATH_BYTES];
    struct elf_file file;
    int error = elf_open(&file, path);

    if (error == 0)
        elf_close(&file);
    snprintf(script, sizeof script, "%s", path);
    return error != -ENOEXEC || program_follow_script(script, interpreter) != 0;
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

/* Kinds of loaders of a program's libraries. */
enum loader { LOADER_UNKNOWN, LOADER_NONE, LOADER_OF_OTHERS, LOADER_NAMED };

/* Finds the loader of a program. If the file itself is a loader: the file. */
static enum loader loader_of(const char *path, char loader[PROGRAM_PATH_BYTES])
{
    struct elf_file elf;
    enum loader kind = LOADER_NAMED;

    if (elf_open(&elf, path) != 0)
        return LOADER_UNKNOWN;
    bool is_named = elf.is_native && elf_interpreter(&elf, loader, PROGRAM_PATH_BYTES);
    if (!elf.is_native)
        kind = LOADER_OF_OTHERS;
    else if (!is_named && spur_is_loader(path))
        snprintf(loader, PROGRAM_PATH_BYTES, "%s", path);
    else if (!is_named)
        kind = LOADER_NONE;
    elf_close(&elf);
    return kind;
}

/* The file that a command runs in the end: for a script, its interpreter. */
static bool find_file(const char *command, char path[PROGRAM_PATH_BYTES])
{
    char interpreter[PROGRAM_PATH_BYTES];
    int more = program_find(command, path) ? 1 : -1;

    for (int i = 0; i < PROGRAM_SCRIPT_DEPTH && more == 1; i++)
        more = program_follow_script(path, interpreter);
    return more == 0;
}

const char *program_loader_is_foreign(const char *loader, const char *library)
{
    static char text[256];
    char version[SPUR_GLIBC_VERSION_BYTES];

    if (spur_is_loader_of_musl(loader))
        return "is for musl libc, this spur for glibc; build either for the other";
    if (!library || !elf_newest_glibc(library, version) || !spur_glibc_lacks(loader, version))
        return NULL;
    snprintf(text, sizeof(text),
             "has a C library without %s, which this spur needs; take the tarball of "
             "scripts/portable, or build spur with -DSPUR_GLIBC",
             version);
    return text;
}

const char *program_is_foreign(const char *command, const char *library,
                               char path[PROGRAM_PATH_BYTES])
{
    char loader[PROGRAM_PATH_BYTES];

    if (!find_file(command, path) || loader_of(path, loader) != LOADER_NAMED)
        return NULL;
    return program_loader_is_foreign(loader, library);
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
    char loader[PROGRAM_PATH_BYTES];

    if (!find_file(command, path))
        return NULL;
    enum loader kind = loader_of(path, loader);
    if (kind == LOADER_OF_OTHERS)
        return "is for another processor, or of 32 bits; build spur for it too";
    if (kind == LOADER_NONE) /* without a loader nothing is preloaded */
        return "is statically linked, so no library can be loaded into it; link it without -static";
    enum program_rights of = program_rights(path);
    return of < PROGRAM_SET_NOT_FOR_US ? rights[of] : NULL;
}

/* Runtimes of both compilers, as shared libraries; and the sanitizer of each runtime. */
static const char *const runtimes[] = {"libasan.so", "libclang_rt.asan", "libtsan.so",
                                       "libclang_rt.tsan", "liblsan.so"};
static const char *const sanitizers[] = {PROGRAM_ASAN,      PROGRAM_ASAN,    "ThreadSanitizer",
                                         "ThreadSanitizer", "LeakSanitizer", NULL};
enum { RUNTIMES = sizeof(runtimes) / sizeof(runtimes[0]) };

/* The sanitizer of a library that a script preloads. */
static const char *sanitizer_named(const char *path)
{
    static char text[64 << 10];
    FILE *file = open_regular(path);
    size_t bytes = file ? fread(text, 1, sizeof(text), file) : 0;

    if (file)
        fclose(file);
    for (size_t i = 0; i < RUNTIMES; i++)
        if (memmem(text, bytes, runtimes[i], strlen(runtimes[i])))
            return sanitizers[i];
    return NULL;
}

const char *program_sanitizer(const char *command)
{
    char path[PROGRAM_PATH_BYTES];
    char interpreter[PROGRAM_PATH_BYTES];
    int more = program_find(command, path) ? 1 : -1;

    for (int i = 0; i < PROGRAM_SCRIPT_DEPTH && more == 1; i++) {
        const char *name;
        struct elf_file elf;

        if (elf_open(&elf, path) == 0) {
            name = sanitizers[elf.is_native ? elf_needs(&elf, runtimes, RUNTIMES) : RUNTIMES];
            elf_close(&elf);
            return name;
        }
        name = sanitizer_named(path);
        if (name)
            return name;
        more = program_follow_script(path, interpreter);
    }
    return NULL;
}
