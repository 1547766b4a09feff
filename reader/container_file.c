/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader/container_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/error.h"
#include "format/memory.h"

enum { WORD = OTF2_CONTAINER_WORD_BYTES };

/* ---- what is wrong ---- */

OTF2_ErrorCode otf2_fault_at(struct otf2_fault *fault, uint64_t at, const char *what)
{
    fault->code = OTF2_ERROR_INVALID_DATA;
    fault->what = what;
    fault->at = at;
    fault->has_at = true;
    return fault->code;
}

OTF2_ErrorCode otf2_fault_errno(struct otf2_fault *fault, const char *what)
{
    fault->code = otf2_error_from_errno(errno);
    fault->what = what;
    fault->has_at = false;
    return fault->code;
}

OTF2_ErrorCode otf2_fault_memory(struct otf2_fault *fault)
{
    fault->code = OTF2_ERROR_MEM_ALLOC_FAILED;
    fault->what = "no memory";
    fault->has_at = false;
    return fault->code;
}

OTF2_ErrorCode otf2_fault_report(const struct otf2_fault *fault)
{
    OTF2_ErrorCode answer = fault->has_at
                                ? OTF2_ERROR(fault->code, "%s: offset %llu: %s", fault->path,
                                             (unsigned long long)fault->at, fault->what)
                                : OTF2_ERROR(fault->code, "%s: %s", fault->path, fault->what);
    return answer ? answer : fault->code;
}

/* ---- files ---- */

int otf2_input_open(struct otf2_fault *fault, uint64_t *bytes)
{
    struct stat info;
    /* Not blocking: somebody may have put a pipe in a file's place. */
    int fd = open(fault->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        (void)otf2_fault_errno(fault, "cannot be opened");
        return -1;
    }
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
        *bytes = (uint64_t)info.st_size;
        return fd;
    }
    (void)otf2_fault_at(fault, 0, "this is no regular file");
    close(fd);
    return -1;
}

OTF2_ErrorCode otf2_input_read(int fd, uint64_t at, void *to, uint64_t bytes,
                               struct otf2_fault *fault)
{
    for (uint64_t done = 0; done < bytes;) {
        ssize_t n = pread(fd, (char *)to + done, bytes - done, (off_t)(at + done));
        if (n > 0)
            done += (uint64_t)n;
        else if (n == 0)
            return otf2_fault_at(fault, at + done, "the file ends here");
        else if (errno != EINTR)
            return otf2_fault_errno(fault, "cannot be read");
    }
    return OTF2_SUCCESS;
}

/* ---- the head ---- */

static const char never_closed[] = "the container was never closed: its content is lost";

/* The sizes of the blocks become the places of the first row. */
static OTF2_ErrorCode read_begins(struct otf2_container_file *f, int fd, struct otf2_fault *fault)
{
    const struct otf2_container *c = &f->head;
    uint64_t at = otf2_container_blocks_at(c);
    f->begins = otf2_mem_new(((size_t)c->tasks + 1) * sizeof *f->begins);
    if (!f->begins)
        return otf2_fault_memory(fault);
    OTF2_ErrorCode error = otf2_input_read(fd, otf2_container_sizes_at(c), f->begins,
                                           (uint64_t)WORD * c->tasks, fault);
    for (uint32_t t = 0; !error && t < c->tasks; t++) {
        uint64_t size = otf2_container_get(c, (const uint8_t *)&f->begins[t], WORD);
        f->begins[t] = at;
        if (!size || size > f->bytes || at > f->bytes - size)
            return otf2_fault_at(fault, otf2_container_sizes_at(c) + (uint64_t)WORD * t,
                                 "impossible size of a block");
        at += size;
    }
    f->begins[c->tasks] = at;
    return error;
}

/* Where the tail is, and whether all of it is there. */
static OTF2_ErrorCode read_end(struct otf2_container_file *f, int fd, struct otf2_fault *fault)
{
    uint8_t end[OTF2_CONTAINER_END_BYTES];
    const struct otf2_container *c = &f->head;
    uint64_t at = otf2_container_end_at(c);
    OTF2_ErrorCode error = otf2_input_read(fd, at, end, sizeof end, fault);
    if (error)
        return error;
    f->rows = otf2_container_get(c, end, sizeof(int32_t));
    f->tail_at = otf2_container_get(c, end + sizeof(int32_t), WORD);
    if (!f->tail_at)
        return otf2_fault_at(fault, at, never_closed);
    if (!f->rows || f->rows > INT32_MAX)
        return otf2_fault_at(fault, at, "impossible number of blocks");
    uint64_t row = (uint64_t)WORD * c->tasks; /* less than the file, which has the head */
    if (f->tail_at > f->bytes || (f->bytes - f->tail_at) / row < f->rows + 1)
        return otf2_fault_at(fault, at, "the table of blocks is not in the file");
    return OTF2_SUCCESS;
}

OTF2_ErrorCode otf2_container_file_read(struct otf2_container_file *f, int fd, uint64_t bytes,
                                        struct otf2_fault *fault)
{
    uint8_t head[OTF2_CONTAINER_HEAD_BYTES];
    *f = (struct otf2_container_file){.bytes = bytes};
    OTF2_ErrorCode error = otf2_input_read(fd, 0, head, sizeof head, fault);
    const char *wrong = error ? NULL : otf2_container_decode(head, &f->head);
    if (wrong && otf2_container_is_blank(head))
        wrong = never_closed;
    if (wrong)
        error = otf2_fault_at(fault, 0, wrong);
    /* All the memory that this takes is less than the file. */
    if (!error && otf2_container_blocks_at(&f->head) > bytes)
        error = otf2_fault_at(fault, bytes, "the file ends in the head of the container");
    if (!error)
        error = read_end(f, fd, fault);
    if (!error)
        error = read_begins(f, fd, fault);
    if (error)
        otf2_container_file_fini(f);
    return error;
}

void otf2_container_file_fini(struct otf2_container_file *f)
{
    otf2_mem_free(f->begins);
    f->begins = NULL;
}

/* ---- the stream of a task ---- */

static OTF2_ErrorCode read_word(const struct otf2_container_walk *w, uint64_t at, uint64_t *word)
{
    uint8_t bytes[WORD];
    OTF2_ErrorCode error = otf2_input_read(w->fd, at, bytes, sizeof bytes, w->fault);
    if (!error)
        *word = otf2_container_get(&w->file->head, bytes, sizeof bytes);
    return error;
}

OTF2_ErrorCode otf2_container_walk_begin(struct otf2_container_walk *w, uint64_t rank)
{
    const struct otf2_container_file *f = w->file;
    uint64_t is_of;
    uint64_t at = OTF2_CONTAINER_RANKS_AT + (uint64_t)WORD * w->task;
    if (w->task >= f->head.tasks)
        return otf2_fault_at(w->fault, 0, "it has fewer tasks than the rank map says");
    OTF2_ErrorCode error = read_word(w, at, &is_of);
    if (!error && is_of != rank)
        error = otf2_fault_at(w->fault, at, "a task is another rank's than the rank map says");
    if (error)
        return error;
    at = f->tail_at + (uint64_t)WORD * w->task;
    error = read_word(w, at, &w->blocks);
    if (!error && w->blocks > f->rows)
        error = otf2_fault_at(w->fault, at, "a task has more blocks than there are");
    return error;
}

bool otf2_container_walk_more(struct otf2_container_walk *w)
{
    const struct otf2_container_file *f = w->file;
    uint64_t begin = f->begins[w->task];
    uint64_t most = f->begins[w->task + 1] - begin;
    uint64_t row = f->begins[f->head.tasks] - f->begins[0];
    while (!w->left && w->next < w->blocks) {
        uint64_t cell = f->tail_at + WORD * (f->head.tasks * (w->next + 1) + w->task);
        if (read_word(w, cell, &w->left))
            return false;
        /* What follows an empty block would be found only by chance. */
        bool is_last = w->next + 1 == w->blocks;
        bool is_there = w->next <= (f->bytes - begin) / row;
        w->at = begin + (is_there ? w->next * row : 0);
        if (w->left > most || (!w->left && !is_last) || !is_there || w->left > f->bytes - w->at) {
            otf2_fault_at(w->fault, cell, "impossible number of used bytes of a block");
            return false;
        }
        w->next++;
    }
    return w->left;
}

OTF2_ErrorCode otf2_container_walk_pass(struct otf2_container_walk *w, uint64_t bytes,
                                        OTF2_ErrorCode (*take)(void *user, uint64_t at,
                                                               uint64_t bytes),
                                        void *user, const char *what)
{
    OTF2_ErrorCode error = OTF2_SUCCESS;
    while (!error && bytes) {
        if (!otf2_container_walk_more(w))
            return w->fault->code ? w->fault->code : otf2_fault_at(w->fault, w->at, what);
        uint64_t part = bytes < w->left ? bytes : w->left;
        error = take(user, w->at, part);
        w->at += part;
        w->left -= part;
        bytes -= part;
    }
    return error;
}

struct record_head {
    const struct otf2_container_walk *walk;
    uint8_t bytes[OTF2_CONTAINER_RECORD_BYTES];
    uint64_t n;
};

static OTF2_ErrorCode take_head(void *user, uint64_t at, uint64_t bytes)
{
    struct record_head *head = user;
    uint8_t *to = head->bytes + head->n;
    head->n += bytes;
    return otf2_input_read(head->walk->fd, at, to, bytes, head->walk->fault);
}

OTF2_ErrorCode otf2_container_walk_record(struct otf2_container_walk *w, uint64_t *location,
                                          uint64_t *bytes)
{
    struct record_head head = {.walk = w};
    OTF2_ErrorCode error = otf2_container_walk_pass(w, sizeof head.bytes, take_head, &head,
                                                    "a task ends in the head of a record");
    if (error)
        return error;
    *location = otf2_container_get(&w->file->head, head.bytes, WORD);
    *bytes = otf2_container_get(&w->file->head, head.bytes + WORD, WORD);
    return *bytes > INT64_MAX ? otf2_fault_at(w->fault, w->at, "impossible length of a record")
                              : OTF2_SUCCESS;
}
