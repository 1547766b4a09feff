/* SPDX-License-Identifier: BSD-3-Clause */
/* links: format-zlib format */
/* Compressed files as bytes: whole, cut, damaged, of both forms, and with sizes that lie. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "format/zblock.h"
#include "format/zcodec.h"

enum { CHUNK = 1024, FILE_MAX = 16 * CHUNK, HEADER = OTF2_ZBLOCK_HEADER_BYTES };

struct file {
    uint8_t bytes[FILE_MAX];
    size_t size;
    uint32_t previous;
};

static void fill(uint8_t *chunk, size_t size, unsigned seed)
{
    for (size_t i = 0; i < size; i++) {
        seed = seed * 1103515245u + 12345u;
        chunk[i] = (uint8_t)(i % 4 ? i / 16 : seed >> 16);
    }
}

/* One block at the end of the file; the old form is filled up to the uncompressed size. */
static void append(struct file *f, const uint8_t *data, size_t size, bool is_old)
{
    uint8_t *packed = malloc(otf2_zcodec.bound(size));
    size_t n = 0;
    cr_assert_eq(otf2_zcodec.pack(data, size, packed, &n), OTF2_SUCCESS);
    struct otf2_zblock block = {(uint32_t)n, (uint32_t)size, f->previous};
    size_t on_disk = is_old && size > n ? size : n;
    uint8_t *p = otf2_zblock_put(f->bytes + f->size, &block);
    memset(p, 0xa5, on_disk);
    memcpy(p, packed, n);
    f->size += HEADER + on_disk;
    f->previous = block.compressed;
    free(packed);
}

/* Unpacks into new memory of exactly the sizes that are told, so that a sanitizer sees a lie. */
static bool unpack(const uint8_t *bytes, size_t size, uint8_t *plain, size_t *n)
{
    struct otf2_zwalk walk = {.bytes = bytes, .size = size, .chunk_bytes = CHUNK};
    *n = 0;
    while (walk.next_at < walk.size) {
        struct otf2_zblock block;
        const uint8_t *data;
        if (otf2_zwalk_next(&walk, &block, &data))
            return false;
        cr_assert_leq(block.uncompressed, CHUNK + 1);
        cr_assert(data >= bytes && data + block.compressed <= bytes + size);
        uint8_t *out = malloc(block.uncompressed);
        bool is_good = !otf2_zcodec.unpack(data, block.compressed, out, block.uncompressed);
        if (is_good && *n + block.uncompressed <= FILE_MAX)
            memcpy(plain + *n, out, block.uncompressed);
        *n += block.uncompressed;
        free(out);
        if (!is_good)
            return false;
    }
    return true;
}

static struct file make(bool is_old, uint8_t *plain, size_t *n)
{
    struct file f = {.size = 0};
    *n = 3 * CHUNK + 100;
    fill(plain, *n, 7);
    for (size_t at = 0; at < *n; at += CHUNK)
        append(&f, plain + at, *n - at < CHUNK ? *n - at : CHUNK, is_old);
    return f;
}

Test(zblock, header_is_as_documented)
{
    const uint8_t is[HEADER] = {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 4, 3, 2, 1, 8, 7, 6, 5, 9};
    uint8_t p[HEADER];
    struct otf2_zblock block = {0x01020304, 0x05060708, 9};
    cr_assert_eq(otf2_zblock_put(p, &block), p + HEADER);
    cr_assert_arr_eq(p, is, HEADER);
    block = otf2_zblock_get(p);
    cr_assert(block.compressed == 0x01020304 && block.uncompressed == 0x05060708);
    cr_assert_eq(block.previous, 9);
    cr_assert(otf2_zblock_begins(p, HEADER) && !otf2_zblock_begins(p, 7));
    const uint8_t plain[] = {3, 0x42, 1, 0, 0, 0, 0, 0, 0, 0};
    cr_assert_not(otf2_zblock_begins(plain, sizeof plain));
}

Test(zblock, both_forms_are_read)
{
    static uint8_t plain[FILE_MAX], out[FILE_MAX];
    size_t n, m;
    for (int is_old = 0; is_old <= 1; is_old++) {
        struct file f = make(is_old, plain, &n);
        cr_assert(unpack(f.bytes, f.size, out, &m), "form %d", is_old);
        cr_assert_eq(n, m);
        cr_assert_arr_eq(plain, out, n);
    }
}

Test(zblock, cut_files_are_told)
{
    static uint8_t plain[FILE_MAX], out[FILE_MAX];
    size_t n, m;
    for (int is_old = 0; is_old <= 1; is_old++) {
        struct file f = make(is_old, plain, &n);
        for (size_t size = 0; size < f.size; size++) {
            uint8_t *cut = malloc(size + 1);
            memcpy(cut, f.bytes, size);
            /* Between blocks it is whole, but shorter. */
            if (unpack(cut, size, out, &m)) {
                cr_assert(m < n || is_old); /* which may lack rubbish at its end */
                cr_assert(m % CHUNK == 0 || m == n, "%zu", size);
                cr_assert_arr_eq(plain, out, m);
            }
            free(cut);
        }
    }
}

/* A bit of a literal byte cannot be noticed, without a checksum; all others are, and none harms. */
Test(zblock, flipped_bits_do_no_harm)
{
    static uint8_t plain[FILE_MAX], out[FILE_MAX];
    size_t n, m, unnoticed = 0;
    struct file f = make(false, plain, &n);
    for (size_t bit = 0; bit < 8 * f.size; bit++) {
        f.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (unpack(f.bytes, f.size, out, &m)) {
            cr_assert_eq(m, n, "bit %zu", bit);
            cr_assert(bit / 8 >= HEADER, "bit %zu of a header", bit);
            unnoticed++;
        }
        f.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    cr_assert_lt(unnoticed, 8 * f.size);
}

Test(zblock, sizes_that_lie)
{
    static uint8_t plain[FILE_MAX], out[FILE_MAX];
    size_t n, m;
    struct file whole = make(false, plain, &n);
    struct otf2_zblock first = otf2_zblock_get(whole.bytes);
    const uint32_t lies[] = {
        0,         1,         first.compressed - 1, first.compressed + 1, CHUNK - 1,
        CHUNK + 1, CHUNK + 2, 0x7fffffff,           0x80000000,           0xffffffff};
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        struct otf2_zblock lie = first;
        lie.compressed = lies[i];
        otf2_zblock_put(whole.bytes, &lie);
        cr_assert_not(unpack(whole.bytes, whole.size, out, &m), "compressed %u", lies[i]);
        lie = first;
        lie.uncompressed = lies[i];
        otf2_zblock_put(whole.bytes, &lie);
        cr_assert_not(unpack(whole.bytes, whole.size, out, &m), "uncompressed %u", lies[i]);
        lie = first;
        lie.previous = lies[i];
        otf2_zblock_put(whole.bytes, &lie);
        cr_assert_eq(unpack(whole.bytes, whole.size, out, &m), !lies[i], "previous %u", lies[i]);
    }
}

Test(zblock, more_than_zlib_can_make)
{
    uint8_t bytes[HEADER + 40] = {0};
    struct otf2_zblock block = {40, 16 << 20, 0};
    struct otf2_zwalk walk = {.bytes = bytes, .size = sizeof bytes, .chunk_bytes = 16 << 20};
    const uint8_t *data;
    otf2_zblock_put(bytes, &block);
    cr_assert(otf2_zwalk_next(&walk, &block, &data));
}

Test(zblock, every_chunk_packs_alone)
{
    static uint8_t chunk[CHUNK], out[CHUNK + 1];
    uint8_t *packed = malloc(otf2_zcodec.bound(CHUNK));
    for (size_t size = 1; size <= CHUNK; size++) {
        size_t n = 0;
        for (size_t i = 0; i < size; i++)
            chunk[i] = (uint8_t)(i * i * 31 ^ size * i >> 3);
        cr_assert_eq(otf2_zcodec.pack(chunk, size, packed, &n), OTF2_SUCCESS);
        cr_assert_arr_eq(packed + n - 4, "\0\0\377\377", 4);
        cr_assert_eq(otf2_zcodec.unpack(packed, n, out, size), OTF2_SUCCESS);
        cr_assert_arr_eq(chunk, out, size);
        cr_assert_eq(otf2_zcodec.unpack(packed, n, out, size + 1), OTF2_ERROR_INVALID_DATA);
        if (size > 1)
            cr_assert_eq(otf2_zcodec.unpack(packed, n, out, size - 1), OTF2_ERROR_INVALID_DATA);
        cr_assert_eq(otf2_zcodec.unpack(packed, n - 1, out, size), OTF2_ERROR_INVALID_DATA);
    }
    free(packed);
}
