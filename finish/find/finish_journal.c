/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/raw_file.h"
#include "finish/find/finish_find.h"

/* Limits: a longer journal, or a longer record of a journal, is not believed. */
enum { FIRST_BYTES = 16 << 10, JOURNAL_MAX = 1 << 30, RECORD_MAX = 1 << 26 };

/*
 * Is the journal complete, up to `at`? Bytes behind the bytes read so far cannot be a part of the
 * journal then.
 */
static bool has_ended(const void *bytes, uint64_t n, uint64_t at)
{
    struct spur_record_header header;
    if (n - at < sizeof header)
        return false;
    memcpy(&header, (const char *)bytes + at, sizeof header);
    return header.kind == SPUR_DEFINITION_END || header.bytes % sizeof(uint64_t) != 0 ||
           header.bytes > RECORD_MAX;
}

/*
 * Is the journal undamaged behind its last record? Zeros follow, the zero header as well, and
 * nothing else but the record that the process was writing when killed. The header of that record
 * has the record's size.
 */
static bool is_whole(const void *bytes, uint64_t room, uint64_t at, uint64_t size)
{
    const char *byte = bytes;
    struct spur_record_header header;
    if (size < at + sizeof header || room < at + sizeof header)
        return false;
    memcpy(&header, byte + at, sizeof header);
    if (header.kind != SPUR_DEFINITION_END || header.bytes % sizeof(uint64_t) != 0)
        return false;
    for (at += sizeof header + header.bytes; at < room; at++)
        if (byte[at])
            return false;
    return true;
}

static void give_back(struct finish_process *p)
{
    void *cut = p->journal_bytes < p->journal_room / 2 ? spur_mem_new(p->journal_bytes + 1) : NULL;
    if (!cut)
        return;
    memcpy(cut, p->journal, p->journal_bytes);
    spur_mem_free(p->journal, p->journal_room);
    p->journal = cut;
    p->journal_room = p->journal_bytes + 1;
}

/*
 * A journal file has the length of the process's mapping, or more if the file is damaged. The
 * journal is read up to its end, and bytes that were never written are not kept.
 */
int finish_journal_load(const struct finish *f, struct finish_process *p)
{
    char path[SPUR_FILE_PATH_BYTES];
    uint64_t size, limit = FIRST_BYTES;
    int fd = spur_file_open(finish_path(f, p, "journal", path), &size);
    p->is_damaged = fd < 0;
    if (fd < 0)
        return spur_file_is_none(fd) ? 0 : fd;
    for (;; limit *= 2) {
        p->journal_room = limit + sizeof(uint64_t);
        p->journal = spur_mem_new(p->journal_room);
        int64_t n = p->journal ? spur_file_read(fd, 0, p->journal, limit) : -ENOMEM;
        if (n < 0) {
            spur_file_close(fd);
            return (int)n;
        }
        uint64_t length = spur_journal_length(p->journal, (uint64_t)n);
        p->journal_bytes = length;
        if ((uint64_t)n < limit || limit >= JOURNAL_MAX ||
            has_ended(p->journal, (uint64_t)n, length))
            break;
        spur_mem_free(p->journal, p->journal_room);
    }
    spur_file_close(fd);
    p->is_damaged = p->journal_bytes < p->head.journal_bytes || !p->head.identity ||
                    !is_whole(p->journal, p->journal_room, p->journal_bytes, size);
    give_back(p);
    return 0;
}
