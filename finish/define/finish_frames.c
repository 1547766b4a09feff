/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/define/finish_frames.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/helper.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/raw_file.h"
#include "base/system_words.h"
#include "code/code_state.h"
#include "session/paradigms.h"

enum { ANSWER_MAX = 1 << 30, FD_MIN = 3 };

static const uint64_t IN_SCRIPTS = (uint64_t)1 << 63;

/* ---- asking ---- */

static bool copy_space(const struct finish *f, enum spur_space space, struct spur_words *request)
{
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    for (uint32_t id = 0; id < spur_unify_count(f->unify, space); id++) {
        spur_unify_get(f->unify, space, id, &record, cells);
        uint64_t *at = spur_words_add(request, 1 + (size_t)record.words);
        if (!at)
            return false;
        struct spur_record_header *header = (struct spur_record_header *)(void *)at;
        header->kind = record.kind;
        header->bytes = record.words * (uint32_t)sizeof *at;
        memcpy(at + 1, record.word, record.words * sizeof *at);
    }
    return true;
}

/* The compilers of kernels give them names of the linker's, as they do in C++ and in Rust. */
static bool is_of_linker(const char *name)
{
    return strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0;
}

/* A region of a device has its name from there; those of functions come with their code. */
static bool ask_region(const struct finish *f, uint32_t id, struct spur_words *request)
{
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    spur_unify_get(f->unify, SPUR_SPACE_REGION, id, &record, cells);
    if (record.kind != SPUR_DEFINITION_Region ||
        !spur_paradigm_is_device(cells[SPUR_AT_Region_paradigm].number))
        return true;
    const char *name = finish_text(f, (uint32_t)cells[SPUR_AT_Region_name].number);
    const struct spur_cell asked[SPUR_AT_RegionName_END] = {
        [SPUR_AT_RegionName_region] = {id, NULL}, [SPUR_AT_RegionName_name] = {strlen(name), name}};
    return !is_of_linker(name) || spur_words_define(request, SPUR_DEFINITION_RegionName, asked);
}

static bool ask_regions(const struct finish *f, struct spur_words *request)
{
    uint32_t n = spur_unify_count(f->unify, SPUR_SPACE_REGION);
    bool is_asked = true;
    for (uint32_t id = 0; id < n && is_asked; id++)
        is_asked = ask_region(f, id, request);
    return is_asked;
}

/* A file without a name, not in the place of a standard descriptor that the host has closed. */
static int new_file(void)
{
    long low = syscall(SYS_memfd_create, "spur", MFD_CLOEXEC);
    if (low < 0)
        return -errno;
    int fd = fcntl((int)low, F_DUPFD_CLOEXEC, FD_MIN);
    int err = -errno;
    syscall(SYS_close, low);
    return fd < 0 ? err : fd;
}

static int write_request(int fd, const struct spur_words *request)
{
    const char *at = (const char *)request->at;
    for (uint64_t left = request->n * sizeof *request->at; left;) {
        long n = syscall(SYS_write, fd, at, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        at += n;
        left -= (uint64_t)n;
    }
    return lseek(fd, 0, SEEK_SET) < 0 ? -errno : 0;
}

static int read_answer(struct finish_frames *frames, int fd)
{
    struct stat info;
    if (fstat(fd, &info) < 0)
        return -errno;
    uint64_t size = (uint64_t)info.st_size < ANSWER_MAX ? (uint64_t)info.st_size : ANSWER_MAX;
    frames->room = size + 1;
    frames->answer = spur_mem_new(frames->room);
    int64_t n = frames->answer ? spur_file_read(fd, 0, frames->answer, size) : -ENOMEM;
    frames->bytes = n < 0 ? 0 : (uint64_t)n;
    return n < 0 ? (int)n : 0;
}

static int ask(struct finish_frames *frames, const struct spur_words *request)
{
    int in = new_file(), out = in < 0 ? in : new_file();
    int err = out < 0 ? out : write_request(in, request);
    int ran = err ? err : spur_helper_run("spur-code", in, out);
    if (!err)
        err = read_answer(frames, out); /* there may be one even if it has ended badly */
    if (in >= 0)
        spur_file_close(in);
    if (out >= 0)
        spur_file_close(out);
    return ran ? ran : err;
}

/* ---- the answer ---- */

static void say_state(const struct spur_cell *cells, bool *has_said)
{
    uint64_t state = cells[SPUR_AT_ModuleState_state].number;
    if (state == SPUR_CODE_CHANGED)
        spur_log("%s is not the file that was run: places in it have no names",
                 (const char *)cells[SPUR_AT_ModuleState_path].at);
    if (state == SPUR_CODE_SYMBOLS && !*has_said) {
        spur_log("libdw.so.1 (elfutils) cannot be used: code is named without file and line");
        *has_said = true;
    }
}

static bool has_room(struct spur_words *words, uint64_t n)
{
    return n == 0 || spur_words_add(words, n);
}

static int index_answer(const struct finish *f, struct finish_frames *frames)
{
    struct spur_counts counts = {{0}};
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    uint64_t at = 0, here = 0;
    bool has_said = false;
    counts.of[SPUR_SPACE_MODULE] = spur_unify_count(f->unify, SPUR_SPACE_MODULE);
    counts.of[SPUR_SPACE_CODE] = spur_unify_count(f->unify, SPUR_SPACE_CODE) +
                                 spur_unify_count(f->unify, SPUR_SPACE_CODE_CALL);
    counts.of[SPUR_SPACE_DATA] = spur_unify_count(f->unify, SPUR_SPACE_DATA);
    if (!has_room(&frames->first, counts.of[SPUR_SPACE_CODE]) ||
        !has_room(&frames->variable, counts.of[SPUR_SPACE_DATA]) ||
        !has_room(&frames->region, spur_unify_count(f->unify, SPUR_SPACE_REGION)))
        return -ENOMEM;
    for (; spur_journal_next(frames->answer, frames->bytes, &at, &record) &&
           spur_record_unpack(&record, &counts, cells);
         here = at) {
        uint64_t code = cells[SPUR_AT_CodeFrame_code].number;
        if (record.kind == SPUR_DEFINITION_ModuleState)
            say_state(cells, &has_said);
        if (record.kind == SPUR_DEFINITION_CodeFrame && code < frames->first.n &&
            !frames->first.at[code])
            frames->first.at[code] = here + 1;
        uint64_t data = cells[SPUR_AT_DataName_data].number;
        if (record.kind == SPUR_DEFINITION_DataName && data < frames->variable.n)
            frames->variable.at[data] = here + 1;
        uint64_t region = cells[SPUR_AT_RegionName_region].number;
        if (record.kind == SPUR_DEFINITION_RegionName && region < frames->region.n)
            frames->region.at[region] = here + 1;
    }
    return 0;
}

/* Lines of scripts need no names from files. */
static int index_scripts(const struct finish *f, struct finish_frames *frames)
{
    struct spur_record record;
    struct spur_cell script[SPUR_CELLS_MAX];
    for (uint32_t id = 0; id < spur_unify_count(f->unify, SPUR_SPACE_CODE); id++) {
        spur_unify_get(f->unify, SPUR_SPACE_CODE, id, &record, script);
        if (record.kind != SPUR_DEFINITION_ScriptCode)
            continue;
        const struct spur_cell file = script[SPUR_AT_ScriptCode_file];
        const struct spur_cell frame[SPUR_AT_CodeFrame_END] = {
            [SPUR_AT_CodeFrame_code] = {id, NULL},
            [SPUR_AT_CodeFrame_depth] = {0, NULL},
            [SPUR_AT_CodeFrame_function] = script[SPUR_AT_ScriptCode_function],
            [SPUR_AT_CodeFrame_file] = file,
            [SPUR_AT_CodeFrame_line] = script[SPUR_AT_ScriptCode_line],
            [SPUR_AT_CodeFrame_source] = file,
            [SPUR_AT_CodeFrame_begin] = script[SPUR_AT_ScriptCode_begin]};
        frames->first.at[id] = (frames->scripts.n * sizeof(uint64_t) + 1) | IN_SCRIPTS;
        if (!spur_words_define(&frames->scripts, SPUR_DEFINITION_CodeFrame, frame))
            return -ENOMEM;
    }
    return 0;
}

/* Nothing is asked of lines of scripts alone. */
static bool collect(const struct finish *f, struct spur_words *request)
{
    return spur_unify_count(f->unify, SPUR_SPACE_MODULE) == 0 ||
           (copy_space(f, SPUR_SPACE_MODULE, request) &&
            copy_space(f, SPUR_SPACE_MODULE_FILE, request) &&
            copy_space(f, SPUR_SPACE_CODE, request) && copy_space(f, SPUR_SPACE_DATA, request) &&
            copy_space(f, SPUR_SPACE_CODE_CALL, request));
}

static int ask_for_names(const struct finish *f, struct finish_frames *frames)
{
    struct spur_words request = {0};
    int err = collect(f, &request) && ask_regions(f, &request) ? 0 : -ENOMEM;
    int asked = err || !request.n ? err : ask(frames, &request);
    spur_words_free(&request);
    if (!err && asked)
        spur_log("libexec/spur/spur-code: %s: places in the code and kernels have no names",
                 spur_error_text(-asked));
    return err;
}

int finish_frames_find(struct finish *f, struct finish_frames *frames)
{
    int err = ask_for_names(f, frames);
    err = err ? err : index_answer(f, frames);
    return err ? err : index_scripts(f, frames);
}

bool finish_frames_get(const struct finish_frames *frames, uint32_t code, uint32_t depth,
                       struct finish_frame *frame)
{
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    if (code >= frames->first.n || !frames->first.at[code])
        return false;
    bool is_script = frames->first.at[code] & IN_SCRIPTS;
    const void *answer = is_script ? frames->scripts.at : frames->answer;
    uint64_t bytes = is_script ? frames->scripts.n * sizeof(uint64_t) : frames->bytes;
    uint64_t at = (frames->first.at[code] & ~IN_SCRIPTS) - 1;
    for (uint32_t i = 0; i <= depth; i++)
        if (!spur_journal_next(answer, bytes, &at, &record) ||
            !spur_record_unpack(&record, NULL, cells) || record.kind != SPUR_DEFINITION_CodeFrame ||
            cells[SPUR_AT_CodeFrame_code].number != code)
            return false;
    frame->function = cells[SPUR_AT_CodeFrame_function].at;
    frame->file = cells[SPUR_AT_CodeFrame_file].at;
    frame->line = (uint32_t)cells[SPUR_AT_CodeFrame_line].number;
    frame->source = cells[SPUR_AT_CodeFrame_source].at;
    frame->begin = (uint32_t)cells[SPUR_AT_CodeFrame_begin].number;
    frame->offset = cells[SPUR_AT_CodeFrame_offset].number;
    frame->is_script = is_script;
    return true;
}

const char *finish_frames_variable(const struct finish_frames *frames, uint32_t data,
                                   uint64_t *distance)
{
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    if (data >= frames->variable.n || !frames->variable.at[data])
        return NULL;
    uint64_t at = frames->variable.at[data] - 1;
    if (!spur_journal_next(frames->answer, frames->bytes, &at, &record) ||
        !spur_record_unpack(&record, NULL, cells))
        return NULL;
    *distance = cells[SPUR_AT_DataName_distance].number;
    return cells[SPUR_AT_DataName_name].at;
}

const char *finish_frames_region(const struct finish_frames *frames, uint32_t region)
{
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    if (region >= frames->region.n || !frames->region.at[region])
        return NULL;
    uint64_t at = frames->region.at[region] - 1;
    if (!spur_journal_next(frames->answer, frames->bytes, &at, &record) ||
        !spur_record_unpack(&record, NULL, cells))
        return NULL;
    return cells[SPUR_AT_RegionName_name].at;
}

void finish_frames_free(struct finish_frames *frames)
{
    spur_words_free(&frames->variable);
    spur_words_free(&frames->region);
    spur_words_free(&frames->scripts);
    spur_mem_free(frames->answer, frames->room);
    spur_words_free(&frames->first);
    *frames = (struct finish_frames){0};
}
