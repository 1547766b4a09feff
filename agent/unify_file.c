/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/unify_file.h"

#include <errno.h>
#include <string.h>

#include "agent/finish_file.h"
#include "agent/mem.h"

enum { PROCESS_WORDS = sizeof(struct spur_unified_process) / sizeof(uint64_t) };

static const uint64_t magic = 0x31494e5552555053; /* "SPURUNI1" */

struct header {
    uint64_t magic;
    uint64_t words; /* of the whole file: one that was cut off is not used */
    uint64_t n;
    uint64_t journal_words;
};

enum { HEADER_WORDS = sizeof(struct header) / sizeof(uint64_t) };

static bool put(struct spur_words *words, const void *from, size_t n)
{
    uint64_t *at = n ? spur_words_add(words, n) : NULL;
    if (at)
        memcpy(at, from, n * sizeof *at);
    return at || n == 0;
}

static bool put_maps(struct spur_words *words, uint64_t n, const struct spur_map *maps)
{
    bool ok = true;
    for (uint64_t i = 0; i < n && ok; i++)
        for (int space = 0; space < SPUR_SPACES && ok; space++)
            ok = put(words, maps[i].of[space].at, maps[i].of[space].n);
    return ok;
}

int spur_unified_save(const char *path, const struct spur_unify *unify, uint64_t n,
                      struct spur_unified_process *process, const struct spur_map *maps)
{
    struct spur_words journal = {0}, file = {0};
    struct header header = {.magic = magic, .n = n};
    for (uint64_t i = 0; i < n; i++)
        for (int space = 0; space < SPUR_SPACES; space++)
            process[i].defined[space] = maps[i].of[space].n;
    int err = spur_unify_journal(unify, &journal);
    header.journal_words = journal.n;
    if (!err && !(put(&file, &header, HEADER_WORDS) && put(&file, process, n * PROCESS_WORDS) &&
                  put(&file, journal.at, journal.n) && put_maps(&file, n, maps)))
        err = -ENOMEM;
    if (!err) {
        header.words = file.n;
        memcpy(file.at, &header, sizeof header);
        err = spur_file_create(path, file.at, file.n * sizeof(uint64_t));
    }
    spur_words_free(&journal);
    spur_words_free(&file);
    return err;
}

/* Do the parts that the header claims fill the file exactly? */
static bool find_parts(const uint64_t *word, uint64_t words, struct spur_unified *unified)
{
    struct header header;
    if (words < HEADER_WORDS)
        return false;
    memcpy(&header, word, sizeof header);
    uint64_t left = words - HEADER_WORDS;
    if (header.magic != magic || header.words != words || header.n > left / PROCESS_WORDS)
        return false;
    left -= header.n * PROCESS_WORDS;
    if (header.journal_words > left)
        return false;
    left -= header.journal_words;
    unified->n = header.n;
    unified->process = (const struct spur_unified_process *)(const void *)(word + HEADER_WORDS);
    unified->journal = word + HEADER_WORDS + header.n * PROCESS_WORDS;
    unified->journal_bytes = header.journal_words * sizeof *word;
    unified->maps = unified->journal + header.journal_words;
    for (uint64_t i = 0; i < header.n; i++) {
        const struct spur_unified_process *p = &unified->process[i];
        if (!memchr(p->name, '\0', sizeof p->name))
            return false;
        for (int space = 0; space < SPUR_SPACES; space++) {
            if (p->defined[space] > left)
                return false;
            left -= p->defined[space];
        }
    }
    return left == 0;
}

int spur_unified_load(const char *path, struct spur_unified *unified)
{
    enum { FILE_MAX = 1 << 30 };
    uint64_t bytes;
    int err = spur_file_load(path, FILE_MAX, &unified->memory, &bytes, &unified->room);
    if (err)
        return err;
    if (!find_parts(unified->memory, bytes / sizeof(uint64_t), unified)) {
        spur_unified_free(unified);
        return -EINVAL;
    }
    return 0;
}

void spur_unified_free(struct spur_unified *unified)
{
    spur_mem_free(unified->memory, unified->room);
    *unified = (struct spur_unified){0};
}

bool spur_unified_covers(const struct spur_unified_process *process, const void *journal,
                         uint64_t bytes)
{
    struct spur_record record;
    uint64_t at = process->covered;
    if (at > bytes || at % sizeof(uint64_t) != 0)
        return false;
    while (spur_journal_next(journal, bytes, &at, &record))
        if (record.kind != SPUR_DEFINITION_Location &&
            record.kind != SPUR_DEFINITION_ProcessProperty)
            return false;
    return true;
}
