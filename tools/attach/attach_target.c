/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/attach/attach_target.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "tools/attach/cpu.h"
#include "tools/attach/refusals.h"
#include "tools/base/elf_file.h"

/* ---- the memory of the process ---- */

const struct target_mapping *target_mapping_of(const struct target *target, uint64_t address)
{
    for (unsigned i = 0; i < target->n_mappings; i++)
        if (address >= target->mapping[i].start && address < target->mapping[i].end)
            return &target->mapping[i];
    return NULL;
}

bool target_read(const struct target *target, uint64_t at, void *data, size_t bytes)
{
    return pread(target->memory, data, bytes, (off_t)at) == (ssize_t)bytes;
}

bool target_write(const struct target *target, uint64_t at, const void *data, size_t bytes)
{
    return pwrite(target->memory, data, bytes, (off_t)at) == (ssize_t)bytes;
}

/* ---- the files of the process ---- */

/* The path as seen by the process: the process may have a different root. */
static void path_of(const struct target *target, const char *path, char *out, size_t size)
{
    snprintf(out, size, "/proc/%d/root%s", target->pid, path);
}

static bool is_named(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    return slash && strncmp(slash + 1, name, strlen(name)) == 0;
}

/*
 * The exports that matter here: functions of the C library, the loader's data, and signs of an
 * agent or a sanitizer.
 */
enum {
    OPEN,
    SYMBOL,
    ERROR,
    SELF,
    DETACH,
    CREATE,
    FUNCTIONS,
    DEBUG = FUNCTIONS,
    MALLOC,
    SANITIZERS
};
static const char *const exports[] = {
    [OPEN] = "dlopen",
    [SYMBOL] = "dlsym",
    [ERROR] = "dlerror",
    [SELF] = "pthread_self",
    [DETACH] = "pthread_detach",
    [CREATE] = "pthread_create",
    [DEBUG] = "_r_debug",
    [MALLOC] = "malloc",
    [SANITIZERS] = "__asan_init",
    "__tsan_init",
    "__msan_init",
};
enum { EXPORTS = sizeof exports / sizeof exports[0] };

/* `moved`: distance of the library from the addresses in the file. */
static bool keep_functions(struct target *target, const uint64_t values[EXPORTS], uint64_t moved)
{
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (!values[i])
            return false;
    if (target->n_c_libraries == C_LIBRARIES)
        return true; /* if the library is the program's own, then no library is found */
    target->c_library[target->n_c_libraries++] =
        (struct target_c_library){moved,
                                  {values[OPEN] + moved, values[SYMBOL] + moved,
                                   values[ERROR] + moved, values[SELF] + moved,
                                   values[DETACH] + moved, values[CREATE] + moved}};
    return true;
}

/* Is the library with this distance in the loader's list of the program itself? */
static bool is_in_program(const struct target *target, uint64_t moved)
{
    enum { LIST_AT = 8, MOST = 10000 }; /* struct r_debug; no list is so long */
    struct {
        uint64_t moved, name, dynamic, next;
    } object = {0}; /* struct link_map */
    uint64_t at = 0;
    if (!target->debug || !target_read(target, target->debug + LIST_AT, &at, sizeof at))
        return false;
    for (int i = 0; at && i < MOST && target_read(target, at, &object, sizeof object); i++) {
        if (object.moved == moved)
            return true;
        at = object.next;
    }
    return false;
}

/*
 * The program's own C library: a library of another namespace would start threads unknown to the
 * program's own C library.
 */
static bool choose_functions(struct target *target)
{
    for (unsigned i = 0; i < target->n_c_libraries; i++)
        if (target->n_c_libraries == 1 || is_in_program(target, target->c_library[i].moved)) {
            target->functions = target->c_library[i].functions;
            return true;
        }
    return false;
}

/* The address of a piece of code in the C library. 0: not found. */
static uint64_t find_code(const struct target *target, const struct target_mapping *code,
                          const unsigned char *wanted, size_t bytes)
{
    enum { PIECE = 64 << 10, OVERLAP = 16 };
    static unsigned char piece[PIECE];
    for (uint64_t at = code->start; at < code->end; at += PIECE - OVERLAP) {
        size_t n = code->end - at < PIECE ? code->end - at : PIECE;
        const unsigned char *found =
            target_read(target, at, piece, n) ? memmem(piece, n, wanted, bytes) : NULL;
        if (found)
            return at + (uint64_t)(found - piece);
    }
    return 0;
}

struct line {
    uint64_t start, end, offset;
    bool is_executable;
    const char *path;
};

/*
 * Opens the file even if the file was removed since, as in an upgrade: by the kernel's own link to
 * the mapped file, with a privilege that few users have.
 */
static int open_file(const struct target *target, const struct line *line, bool is_program,
                     struct elf_file *file)
{
    char path[PATH_MAX + 64];
    path_of(target, line->path, path, sizeof path);
    int err = elf_open(file, path);
    if (err == 0 || err == -ENOEXEC)
        return err;
    if (is_program)
        snprintf(path, sizeof path, "/proc/%d/exe", target->pid);
    else
        snprintf(path, sizeof path, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, target->pid,
                 line->start, line->end);
    return elf_open(file, path);
}

/* The kind of code in a mapped file; false: the program must be refused. */
static bool look_at_file(struct target *target, const struct line *line, bool is_program,
                         enum target_code *code)
{
    struct elf_file file;
    uint64_t values[EXPORTS] = {0}, address = 0;
    int err = open_file(target, line, is_program, &file);
    bool is_file = err == 0;
    if (is_file && file.is_native) {
        elf_exports(&file, exports, EXPORTS, values);
        address = elf_address(&file, line->offset);
    }
    if (is_file)
        elf_close(&file);
    /* libc-2.31.so: before glibc 2.34 */
    bool is_c_library = is_named(line->path, "libc.so.6") || is_named(line->path, "libc-2.");
    *code = CODE_OTHER;
    if (is_named(line->path, "ld-linux") || is_named(line->path, "ld-2.")) {
        *code = CODE_LOADER;
        target->debug = values[DEBUG] ? values[DEBUG] + line->start - address : 0;
    } else if (is_c_library || is_named(line->path, "libpthread"))
        *code = CODE_C_LIBRARY;
    else if (values[MALLOC] || (!is_file && err != -ENOEXEC)) { /* the code may be anything */
        *code = CODE_MEMORY;
        target->has_own_memory |= is_program;
    }
    for (size_t i = SANITIZERS; i < EXPORTS; i++)
        target->is_sanitized |= values[i] != 0;
    target->is_replaced |= is_c_library && !is_file;
    return !is_file || !is_c_library || keep_functions(target, values, line->start - address);
}

/* A hexadecimal number and the character behind it. */
static uint64_t take_number(char **at)
{
    char *end;
    uint64_t number = strtoull(*at, &end, 16);
    *at = *end ? end + 1 : end;
    return number;
}

/* START-END MODE OFFSET DEVICE INODE PATH */
static bool parse(struct line *line, char *text)
{
    enum { MODE_BYTES = 5, EXECUTES = 2 };
    char *at = text;
    line->start = take_number(&at);
    line->end = take_number(&at);
    if (strlen(at) < MODE_BYTES)
        return false;
    line->is_executable = at[EXECUTES] == 'x';
    at += MODE_BYTES;
    line->offset = take_number(&at);
    for (int word = 0; word < 2; word++) { /* the device and the inode */
        at += strcspn(at, " \n");
        at += strspn(at, " ");
    }
    at[strcspn(at, "\n")] = '\0';
    line->path = at;
    return line->end > line->start;
}

static bool take_line(struct target *target, const struct line *line, const char *program)
{
    enum target_code code = CODE_NONE;
    target->has_agent |= is_named(line->path, "libspur.so");
    target->is_attached |= is_named(line->path, ATTACH_LIBRARY);
    if (line->is_executable && line->path[0] == '/' &&
        !look_at_file(target, line, strcmp(line->path, program) == 0, &code))
        return false;
    if (line->is_executable && line->path[0] != '/')
        code = CODE_OTHER;
    if (target->n_mappings == MAPPINGS)
        return false;
    struct target_mapping *mapping = &target->mapping[target->n_mappings++];
    *mapping =
        (struct target_mapping){line->start, line->end, code, strcmp(line->path, "[stack]") == 0};
    /* UCX makes pages writable for a moment, and so cuts a mapping in pieces. */
    if (code != CODE_C_LIBRARY || !is_named(line->path, "libc.so.6"))
        return true;
    if (!target->system_call)
        target->system_call =
            find_code(target, mapping, cpu_call_and_return, sizeof cpu_call_and_return);
    if (!target->signal_return)
        target->signal_return =
            find_code(target, mapping, cpu_signal_return, sizeof cpu_signal_return);
    return true;
}

static const char *read_mappings(struct target *target)
{
    char text[PATH_MAX + 128], program[PATH_MAX] = "";
    struct line line;
    bool is_right = true;
    snprintf(text, sizeof text, "/proc/%d/exe", target->pid);
    if (readlink(text, program, sizeof program - 1) < 0)
        return refusal_of_errno(target->pid, errno);
    snprintf(text, sizeof text, "/proc/%d/maps", target->pid);
    FILE *maps = fopen(text, "re");
    if (!maps)
        return refusal_of_errno(target->pid, errno);
    while (is_right && fgets(text, sizeof text, maps))
        if (parse(&line, text))
            is_right = take_line(target, &line, program);
    fclose(maps);
    if (!is_right)
        return target->n_mappings == MAPPINGS ? REFUSAL_MAPPINGS : REFUSAL_OLD;
    if (target->is_replaced)
        return REFUSAL_REPLACED;
    if (!target->n_mappings)
        return REFUSAL_ENDING; /* its memory is gone, and the process will soon be gone */
    if (!target->n_c_libraries)
        return REFUSAL_STATIC;
    if (!choose_functions(target))
        return REFUSAL_SPACES;
    if (target->is_sanitized)
        return REFUSAL_SANITIZER;
    return target->system_call && target->signal_return ? NULL : REFUSAL_OLD;
}

/*
 * The process must see the very same file: a different file of the same name would be of a
 * different version.
 */
static bool sees(const struct target *target, const char *library)
{
    char path[PATH_MAX + 64];
    struct stat here, there;
    path_of(target, library, path, sizeof path);
    return stat(library, &here) == 0 && stat(path, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

static const char *refusal_of_recording(const struct target *target, bool is_detach)
{
    if (target->is_attached)
        return NULL;
    if (target->has_agent)
        return is_detach ? REFUSAL_STARTED : REFUSAL_RECORDED;
    return is_detach ? REFUSAL_UNRECORDED : NULL;
}

bool target_find(struct target *target, int pid, const char *library, bool is_detach)
{
    char path[64];
    *target = (struct target){.pid = pid, .memory = -1};
    const char *refusal = refusal_of_process(pid);
    if (!refusal) {
        snprintf(path, sizeof path, "/proc/%d/mem", pid);
        target->memory = open(path, O_RDWR | O_CLOEXEC);
        if (target->memory < 0)
            refusal = refusal_of_errno(pid, errno);
    }
    /*
     * Comes before the files of the process are read: in a different root the files have different
     * names.
     */
    if (!refusal && !sees(target, library))
        refusal = REFUSAL_ROOT;
    if (!refusal)
        refusal = read_mappings(target);
    if (!refusal)
        refusal = refusal_of_recording(target, is_detach);
    if (refusal)
        spur_log("process %d: %s", pid, refusal);
    return !refusal;
}

void target_close(struct target *target)
{
    if (target->memory >= 0)
        close(target->memory);
    target->memory = -1;
}
