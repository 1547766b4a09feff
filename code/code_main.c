/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur-code: names for code. The program reads a journal (journal.h) from standard input: modules,
 * their files and addresses, and linker's names of regions. The program writes CodeFrame and
 * ModuleState records to standard output, module by module, and RegionName records. spur-code is a
 * process of its own, so neither the memory of a traced program nor finishing depends on the
 * behaviour of libraries for damaged files: all records written before a death of the process
 * count.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/elf_headers.h"
#include "code/code_lookup.h"
#include "code/code_state.h"
#include "session/journal.h"

enum { CPU_S = 60, TAIL_CALLS_CPU_S = 20, WALL_S = 120, FIRST_BYTES = 1 << 16 };

struct request {
    const void *bytes;
    uint64_t size;
};

struct answer {
    struct spur_words words;
    uint64_t code;
};

/* ---- input and output ---- */

static void *read_all(int fd, uint64_t *size)
{
    uint64_t room = FIRST_BYTES;
    char *bytes = malloc(room);
    *size = 0;
    while (bytes) {
        ssize_t n = read(fd, bytes + *size, room - *size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        *size += (uint64_t)n;
        if (*size < room)
            continue;
        char *more = realloc(bytes, 2 * room);
        if (!more)
            free(bytes);
        bytes = more;
        room *= 2;
    }
    return bytes;
}

static void flush(struct answer *answer)
{
    const char *at = (const char *)answer->words.at;
    uint64_t left = answer->words.n * sizeof(uint64_t);
    while (left) {
        ssize_t n = write(STDOUT_FILENO, at, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        at += n;
        left -= (uint64_t)n;
    }
    answer->words.n = 0;
}

/* ---- the file of a module ---- */

static bool is_what_ran(int fd, const struct stat *file, const char *identity,
                        const struct spur_cell *cells)
{
    struct spur_elf elf;
    uint64_t size = cells[SPUR_AT_ModuleFile_size].number;
    uint64_t changed = cells[SPUR_AT_ModuleFile_changed].number;
    if (!spur_elf_read_file(fd, 0, &elf))
        return false;
    if (identity[0] != '/')
        return strcmp(identity, elf.build_id) == 0;
    return size && size == (uint64_t)file->st_size &&
           changed ==
               (uint64_t)file->st_mtim.tv_sec * 1000000000u + (uint64_t)file->st_mtim.tv_nsec;
}

/*
 * "/tmp/perf-PID.map". Everybody can make such a file there, and the path comes from a file of the
 * session.
 */
static bool is_map_path(const char *path)
{
    static const char before[] = "/tmp/perf-", behind[] = ".map";
    if (strncmp(path, before, sizeof before - 1) != 0)
        return false;
    path += sizeof before - 1;
    size_t digits = strspn(path, "0123456789");
    return digits > 0 && strcmp(path + digits, behind) == 0;
}

/* Opens a map of the user, or of root: root can do anything the user can do. */
static enum spur_code_state open_map(const char *path, int *fd)
{
    struct stat file;
    if (!is_map_path(path))
        return SPUR_CODE_NONE;
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0)
        return SPUR_CODE_NONE;
    if (fstat(*fd, &file) == 0 && S_ISREG(file.st_mode) &&
        (file.st_uid == geteuid() || file.st_uid == 0))
        return SPUR_CODE_USED;
    close(*fd);
    *fd = -1;
    return SPUR_CODE_NONE;
}

static enum spur_code_state open_file(const char *identity, const struct spur_cell *cells, int *fd)
{
    const char *path = cells[SPUR_AT_ModuleFile_path].at;
    struct stat file;
    if (identity[0] == '[')
        return open_map(path, fd);
    if (path[0] != '/')
        return SPUR_CODE_NONE;
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0)
        return SPUR_CODE_GONE;
    if (fstat(*fd, &file) == 0 && S_ISREG(file.st_mode) && is_what_ran(*fd, &file, identity, cells))
        return SPUR_CODE_USED;
    close(*fd);
    *fd = -1;
    return SPUR_CODE_CHANGED;
}

/* ---- looking up ---- */

/* Sources for a module's addresses: `dwarf` or `symbols`, or neither. */
struct lookup {
    struct spur_dwarf *dwarf;
    struct spur_symbols *symbols;
    struct spur_symbols *variables; /* opened at the first use */
    bool has_variables;
    struct spur_extents *extents;
};

static struct spur_cell text_cell(const char *text)
{
    enum { TEXT_MAX = 1 << 14 };
    return (struct spur_cell){strnlen(text, TEXT_MAX), text};
}

static void add_frame(void *data, uint32_t depth, const struct spur_frame *frame)
{
    struct answer *answer = data;
    const struct spur_cell cells[] = {{answer->code, NULL},       {depth, NULL},
                                      text_cell(frame->function), text_cell(frame->file),
                                      {frame->line, NULL},        text_cell(frame->source),
                                      {frame->begin, NULL},       {frame->offset, NULL}};
    (void)spur_words_define(&answer->words, SPUR_DEFINITION_CodeFrame, cells);
}

static void find_frames(const struct lookup *lookup, uint64_t address, struct answer *answer)
{
    if (lookup->dwarf && spur_dwarf_find(lookup->dwarf, address, add_frame, answer))
        return;
    uint64_t distance, begin;
    const char *name =
        lookup->symbols ? spur_symbols_find(lookup->symbols, address, &distance) : NULL;
    if (name)
        add_frame(answer, 0, &(struct spur_frame){spur_demangle(name), "", 0, "", 0, 0});
    else if (lookup->extents && spur_extents_find(lookup->extents, address, &begin))
        add_frame(answer, 0, &(struct spur_frame){"", "", 0, "", 0, begin});
}

/* Calls `each` for the records of a kind; stops at a broken place of the journal. */
static void each_record(const struct request *request, uint32_t kind, void *data,
                        void (*each)(void *data, uint32_t id, const struct spur_cell *cells))
{
    struct spur_counts counts = {{0}};
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    uint64_t at = 0;
    while (spur_journal_next(request->bytes, request->size, &at, &record) &&
           spur_record_unpack(&record, &counts, cells)) {
        uint32_t space = spur_definitions[record.kind].space;
        uint32_t id = space < SPUR_SPACES ? counts.of[space]++ : 0;
        if (record.kind == kind)
            each(data, id, cells);
    }
}

/* The Code records of the request, by number. Lines of scripts are in no module. */
struct codes {
    uint32_t n;
    struct code {
        uint64_t module, offset;
    } * at;
};

static void count_record(void *data, uint32_t id, const struct spur_cell *cells)
{
    uint32_t *n = data;
    (void)cells;
    *n = id + 1;
}

static void note_code(void *data, uint32_t id, const struct spur_cell *cells)
{
    struct codes *codes = data;
    codes->at[id] =
        (struct code){cells[SPUR_AT_Code_module].number, cells[SPUR_AT_Code_offset].number};
}

static void list_codes(const struct request *request, struct codes *codes)
{
    uint32_t scripts = 0;
    each_record(request, SPUR_DEFINITION_Code, &codes->n, count_record);
    each_record(request, SPUR_DEFINITION_ScriptCode, &scripts, count_record);
    codes->n = codes->n > scripts ? codes->n : scripts;
    codes->at = calloc((size_t)codes->n + 1, sizeof *codes->at);
    if (!codes->at)
        _exit(1);
    for (uint32_t id = 0; id < codes->n; id++)
        codes->at[id].module = UINT64_MAX;
    each_record(request, SPUR_DEFINITION_Code, codes, note_code);
}

struct module {
    const struct request *request;
    struct answer *answer;
    uint32_t id;
    const char *identity;
    int fd; /* -1: no usable file */
    const char *path;
    enum spur_code_state state;
    struct lookup lookup;
    const struct codes *codes;
};

static void try_file(void *data, uint32_t id, const struct spur_cell *cells)
{
    struct module *module = data;
    (void)id;
    if (cells[SPUR_AT_ModuleFile_module].number != module->id || module->fd >= 0)
        return;
    enum spur_code_state state = open_file(module->identity, cells, &module->fd);
    if (state >= module->state) {
        module->state = state;
        module->path = cells[SPUR_AT_ModuleFile_path].at;
    }
}

static void find_code(void *data, uint32_t id, const struct spur_cell *cells)
{
    struct module *module = data;
    if (cells[SPUR_AT_Code_module].number != module->id)
        return;
    module->answer->code = id;
    find_frames(&module->lookup, cells[SPUR_AT_Code_offset].number, module->answer);
}

static const char *find_variable(struct module *module, uint64_t address, uint64_t *distance)
{
    struct lookup *lookup = &module->lookup;
    if (lookup->dwarf)
        return spur_dwarf_variable(lookup->dwarf, address, distance);
    if (!lookup->has_variables)
        lookup->variables = spur_symbols_open(module->fd, SPUR_VARIABLES);
    lookup->has_variables = true;
    return lookup->variables ? spur_symbols_find(lookup->variables, address, distance) : NULL;
}

static void find_data(void *data, uint32_t id, const struct spur_cell *cells)
{
    struct module *module = data;
    uint64_t distance;
    if (cells[SPUR_AT_Data_module].number != module->id)
        return;
    const char *name = find_variable(module, cells[SPUR_AT_Data_offset].number, &distance);
    if (!name)
        return;
    const struct spur_cell answer[] = {{id, NULL},
                                       text_cell(spur_demangle(name)),
                                       {distance, NULL}};
    (void)spur_words_define(&module->answer->words, SPUR_DEFINITION_DataName, answer);
}

/*
 * Finds tail calls. Both ends lie in the module, or the caller knows the callee in another module
 * by name. Names for code on stacks come first: the time for all other code is limited.
 */
static void find_tail_calls(void *data, uint32_t id, const struct spur_cell *cells)
{
    struct module *module = data;
    const struct codes *codes = module->codes;
    uint64_t caller = cells[SPUR_AT_CodeCall_caller].number;
    uint64_t callee = cells[SPUR_AT_CodeCall_callee].number;
    bool has_callee = callee < codes->n;
    if (caller >= codes->n || codes->at[caller].module != module->id ||
        clock() > (clock_t)TAIL_CALLS_CPU_S * CLOCKS_PER_SEC ||
        (has_callee && codes->at[callee].module != module->id))
        return;
    module->answer->code = (uint64_t)codes->n + id;
    spur_dwarf_tail_calls(module->lookup.dwarf, codes->at[caller].offset,
                          has_callee ? codes->at[callee].offset : 0,
                          has_callee ? NULL : cells[SPUR_AT_CodeCall_name].at, add_frame,
                          module->answer);
}

static void open_lookup(struct module *module)
{
    if (module->identity[0] == '[') {
        module->lookup.symbols = spur_symbols_open_perf(module->fd);
        return;
    }
    module->lookup.dwarf = spur_dwarf_open(module->path, module->fd);
    if (!module->lookup.dwarf)
        module->lookup.symbols = spur_symbols_open(module->fd, SPUR_FUNCTIONS);
    module->lookup.extents = spur_extents_open(module->fd);
    if (!spur_dwarf_is_there())
        module->state = SPUR_CODE_SYMBOLS;
}

static void close_lookup(struct module *module)
{
    if (module->lookup.dwarf)
        spur_dwarf_close(module->lookup.dwarf);
    if (module->lookup.symbols)
        spur_symbols_close(module->lookup.symbols);
    if (module->lookup.variables)
        spur_symbols_close(module->lookup.variables);
    if (module->lookup.extents)
        spur_extents_close(module->lookup.extents);
    close(module->fd);
}

static void answer_module(void *data, uint32_t id, const struct spur_cell *cells)
{
    const struct module *common = data;
    struct module module = {.request = common->request,
                            .answer = common->answer,
                            .codes = common->codes,
                            .id = id,
                            .identity = cells[SPUR_AT_Module_identity].at,
                            .fd = -1,
                            .path = ""};
    each_record(module.request, SPUR_DEFINITION_ModuleFile, &module, try_file);
    if (module.fd >= 0)
        open_lookup(&module);
    const struct spur_cell state[] = {{id, NULL}, {module.state, NULL}, text_cell(module.path)};
    (void)spur_words_define(&module.answer->words, SPUR_DEFINITION_ModuleState, state);
    flush(module.answer); /* the next steps may crash */
    if (module.fd >= 0) {
        each_record(module.request, SPUR_DEFINITION_Code, &module, find_code);
        each_record(module.request, SPUR_DEFINITION_Data, &module, find_data);
        if (module.lookup.dwarf) {
            flush(module.answer);
            each_record(module.request, SPUR_DEFINITION_CodeCall, &module, find_tail_calls);
        }
        close_lookup(&module);
    }
    flush(module.answer);
}

/* Answers with the name in the source, if the name differs. */
static void answer_region(void *data, uint32_t id, const struct spur_cell *cells)
{
    const struct module *common = data;
    const char *name = cells[SPUR_AT_RegionName_name].at, *demangled = spur_demangle(name);
    const struct spur_cell answer[] = {cells[SPUR_AT_RegionName_region], text_cell(demangled)};
    (void)id;
    if (demangled != name)
        (void)spur_words_define(&common->answer->words, SPUR_DEFINITION_RegionName, answer);
}

/* ---- the process ---- */

/* Started by a traced program that ends: the process's inherited settings are reset. */
static void settle(void)
{
    static const struct rlimit no_core = {0, 0}, cpu = {CPU_S, CPU_S};
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        (void)signal(i, SIG_DFL);
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_CPU, &cpu);
    alarm(WALL_S);
    (void)syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
    unsetenv("DEBUGINFOD_URLS"); // NOLINT(concurrency-mt-unsafe): one thread
}

int main(void)
{
    struct request request;
    struct answer answer = {.code = 0};
    settle();
    request.bytes = read_all(STDIN_FILENO, &request.size);
    if (!request.bytes)
        return 1;
    struct codes codes = {.n = 0};
    list_codes(&request, &codes);
    struct module common = {.request = &request, .answer = &answer, .codes = &codes};
    each_record(&request, SPUR_DEFINITION_RegionName, &common, answer_region);
    flush(&answer);
    each_record(&request, SPUR_DEFINITION_Module, &common, answer_module);
    _exit(0); /* nothing is left to be tidied up, and libraries need not try */
}
