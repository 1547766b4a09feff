/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests that read: files of records made byte by byte, and errors that are only counted. */
#ifndef UNIT_RECORDS_BUILD_H
#define UNIT_RECORDS_BUILD_H

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/record.h"

enum { BUILD_CHUNK_BYTES = 256 * 1024 };

/* The bytes of a file. */
struct build {
    uint8_t *bytes;
    size_t n;
    size_t room;
    bool is_big; /* numbers are written in this order from now on */
};

static inline void build_bytes(struct build *b, const void *bytes, size_t n)
{
    if (b->n + n > b->room) {
        b->room = 2 * (b->n + n);
        b->bytes = realloc(b->bytes, b->room);
        cr_assert_not_null(b->bytes);
    }
    memcpy(b->bytes + b->n, bytes, n);
    b->n += n;
}

#define BUILD(b, ...)                                                                              \
    build_bytes(b, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* A number of `width` bytes. */
static inline void build_number(struct build *b, uint64_t number, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        BUILD(b, (uint8_t)(number >> 8 * (b->is_big ? width - 1 - i : i)));
}

static inline void build_header(struct build *b)
{
    BUILD(b, 3, b->is_big ? 0x23 : 0x42);
    build_number(b, 1, 8);
    build_number(b, 0, 8);
}

/* Fills the chunk up and begins the next one. */
static inline void build_next_chunk(struct build *b)
{
    while (b->n % BUILD_CHUNK_BYTES)
        BUILD(b, 0);
    build_header(b);
}

/* A record with its length in the short or the long form. */
static inline void build_frame(struct build *b, uint8_t id, uint64_t length, bool is_long)
{
    BUILD(b, id);
    if (!is_long) {
        BUILD(b, (uint8_t)length);
        return;
    }
    BUILD(b, 0xff);
    build_number(b, length, 8);
}

static inline void build_end(struct build *b)
{
    BUILD(b, 2, 1);
}

static inline void build_free(struct build *b)
{
    free(b->bytes);
    *b = (struct build){0};
}

/* The first n bytes as a file. */
static inline void build_save(const struct build *b, size_t n, const char *path)
{
    FILE *out = fopen(path, "wb");
    cr_assert_not_null(out, "%s", path);
    cr_assert_eq(fwrite(b->bytes, 1, n, out), n);
    cr_assert_eq(fclose(out), 0);
}

/* The last error that was reported, and how many there were. */
static struct {
    unsigned n;
    OTF2_ErrorCode code;
    char text[512];
} reported;

__attribute__((format(printf, 6, 0))) static inline OTF2_ErrorCode
on_error(void *data, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
         const char *format, va_list va)
{
    (void)data, (void)file, (void)line, (void)function;
    reported.n++;
    reported.code = code;
    vsnprintf(reported.text, sizeof reported.text, format, va);
    return code;
}

static inline void count_errors(void)
{
    reported.n = 0;
    OTF2_Error_RegisterCallback(on_error, NULL);
}

#endif
