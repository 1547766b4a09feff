/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The output of text: a large buffer for each thread, in front of standard output or of the
 * thread's redirection; filled without printf. A write error (a full disk) is remembered until
 * output_close().
 */
#ifndef PRINT_OUTPUT_H
#define PRINT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A text that is printed again and again; at least TEXT_STEP bytes can be read at its start. */
struct text {
    const char *bytes;
    size_t length;
};

enum { TEXT_STEP = 32, OUTPUT_SLACK = 128, OUTPUT_ALONE = 1 << 18 /* bytes of a buffer */ };

struct output {
    char *next;
    char *end; /* OUTPUT_SLACK bytes before the buffer's end */
};

extern _Thread_local struct output output;

/* The target of text. No function: standard output. */
struct output_way {
    void (*take)(void *context, const char *bytes, size_t n);
    void *context;
};

/* Gives this thread a buffer, or a buffer of another size. False without memory. */
bool output_open(size_t size);
void output_flush(void);
/*
 * To a file in place of standard output; NULL: to nowhere, since another process writes the output.
 */
void output_to(const char *path);
/* The end of the file so far, including the buffer's contents; and the position to go on from. */
uint64_t output_position(void);
void output_go_to(uint64_t position);
/* Gives away the buffer with its contents: *n bytes. Takes an allocated buffer of the same size. */
char *output_exchange(char *other, size_t *n);
/* The redirection of this thread, from now on. */
void output_redirect(struct output_way to);
/* To standard output, in front of the buffer's contents. One thread at a time. */
void output_write(const char *p, size_t n);
/* The end of a thread that has redirected its text. */
void output_drop(void);
/* False: a part was not written; errno tells the reason. */
bool output_close(void);

/* For texts that may be longer than the slack. */
void put_bytes(const char *bytes, size_t length);
/* For rare texts. */
__attribute__((format(printf, 1, 2))) void put_format(const char *format, ...);

/* A copy that lives until the end, padded for struct text. Of the first thread. */
struct text text_copy(const char *bytes, size_t length);

static inline void put_string(const char *s)
{
    put_bytes(s, strlen(s));
}

static inline void put_char(char c)
{
    *output.next++ = c;
    if (output.next >= output.end)
        output_flush();
}

/* Short texts are copied as a whole step: a copy of known length is a few instructions. */
static inline void put_text(struct text text)
{
    if (text.length > TEXT_STEP) {
        put_bytes(text.bytes, text.length);
        return;
    }
    memcpy(output.next, text.bytes, TEXT_STEP);
    output.next += text.length;
    if (output.next >= output.end)
        output_flush();
}

void put_unsigned(uint64_t value);
void put_signed(int64_t value);
/* Aligned to the right in `width` columns, at most 20; longer numbers take more. */
void put_padded(uint64_t value, unsigned width);
void put_blanks(size_t n);
/* In the form of %g. */
void put_real(double value);

#endif
