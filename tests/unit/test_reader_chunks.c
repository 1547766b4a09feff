/* SPDX-License-Identifier: BSD-3-Clause */
/* links: reader format format-zlib */
/* Files are read through windows: plain and compressed ones, damaged ones, and those that change.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <otf2/OTF2_ErrorCodes.h>

#include "format/zblock.h"
#include "format/zcodec.h"
#include "reader/chunk_window.h"

enum { CHUNK = 262144, ALL = 3 * CHUNK + 1000 };

static char path[] = P_tmpdir "/spur-chunks-XXXXXX";
static uint8_t plain[ALL + CHUNK];
static char said[512];
static unsigned n_said;

__attribute__((format(printf, 6, 0))) static OTF2_ErrorCode
listen(void *user, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
       const char *format, va_list va)
{
    (void)user, (void)file, (void)line, (void)function;
    vsnprintf(said, sizeof said, format, va);
    n_said++;
    return code;
}

static void put(const uint8_t *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    cr_assert(f && fwrite(bytes, 1, n, f) == n && !fclose(f));
}

static void setup(void)
{
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    /* Compressible, and different at every place. */
    for (size_t i = 0; i < sizeof plain; i++)
        plain[i] = (uint8_t)(i % 251 + i / 4096);
    plain[0] = 3;
    OTF2_Error_RegisterCallback(listen, NULL);
}

static void teardown(void)
{
    remove(path);
}

/* Every byte, asked for in steps of `want`. */
static void expect_all(struct otf2_chunks *f, size_t size, uint64_t want)
{
    uint64_t total = 0;
    for (uint64_t k = 0; k < f->n_chunks; k++)
        for (uint64_t at = 0; at < otf2_chunks_size(f, k); at += want) {
            const uint8_t *bytes;
            uint64_t n;
            cr_assert_eq(otf2_chunks_get(f, k, at, want, &bytes, &n), OTF2_SUCCESS, "%s", said);
            uint64_t rest = otf2_chunks_size(f, k) - at;
            cr_assert_geq(n, want < rest ? want : rest);
            cr_assert_leq(n, rest);
            cr_assert(!memcmp(bytes, plain + k * CHUNK + at, n), "chunk %lu at %lu", k, at);
            total += want < rest ? want : rest;
        }
    cr_expect_eq(total, size);
}

Test(reader_chunks, plain_files_of_any_size, .init = setup, .fini = teardown)
{
    const size_t sizes[] = {1,     2,         17,    20,        65535,     65536,
                            65537, CHUNK - 1, CHUNK, CHUNK + 2, 2 * CHUNK, ALL};
    const uint64_t wants[] = {313, 65536, 70000, CHUNK, 2 * CHUNK};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t j = 0; j < sizeof wants / sizeof *wants; j++) {
            struct otf2_chunks f;
            put(plain, sizes[i]);
            cr_assert_eq(otf2_chunks_open(&f, path, CHUNK, OTF2_COMPRESSION_NONE), 0);
            cr_expect_eq(f.n_chunks, (sizes[i] + CHUNK - 1) / CHUNK);
            expect_all(&f, sizes[i], wants[j]);
            cr_expect_leq(f.window_room, sizes[i], "no more memory than the file has bytes");
            otf2_chunks_close(&f);
            otf2_chunks_close(&f);
        }
}

Test(reader_chunks, a_byte_behind_the_last_chunk_is_no_chunk, .init = setup, .fini = teardown)
{
    struct otf2_chunks f;
    put(plain, 2 * CHUNK + 1);
    cr_assert_eq(otf2_chunks_open(&f, path, CHUNK, OTF2_COMPRESSION_NONE), 0);
    cr_expect_eq(f.n_chunks, 2);
    cr_expect_eq(f.last_bytes, CHUNK);
    expect_all(&f, 2 * CHUNK, CHUNK);
    otf2_chunks_close(&f);
}

Test(reader_chunks, what_is_there_is_not_read_again, .init = setup, .fini = teardown)
{
    struct otf2_chunks f;
    const uint8_t *bytes;
    uint64_t n;
    put(plain, ALL);
    cr_assert_eq(otf2_chunks_open(&f, path, CHUNK, OTF2_COMPRESSION_NONE), 0);
    cr_expect_null(f.window, "opening takes no window");
    cr_assert_eq(otf2_chunks_get(&f, 0, 100, 10, &bytes, &n), 0);
    remove(path);
    cr_expect_eq(otf2_chunks_get(&f, 0, 4000, 10, &bytes, &n), 0);
    cr_expect_eq(otf2_chunks_get(&f, 0, 90, 10, &bytes, &n), OTF2_ERROR_ENOENT);
    otf2_chunks_close(&f);
}

static unsigned n_descriptors(void)
{
    unsigned n = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

Test(reader_chunks, no_descriptor_stays, .init = setup, .fini = teardown)
{
    struct otf2_chunks f;
    unsigned before = n_descriptors();
    put(plain, ALL);
    cr_assert_eq(otf2_chunks_open(&f, path, CHUNK, OTF2_COMPRESSION_NONE), 0);
    cr_expect_eq(n_descriptors(), before);
    expect_all(&f, ALL, 500);
    cr_expect_eq(n_descriptors(), before);
    otf2_chunks_close(&f);
}

Test(reader_chunks, a_file_that_is_cut_is_an_error, .init = setup, .fini = teardown)
{
    struct otf2_chunks f;
    const uint8_t *bytes;
    uint64_t n;
    put(plain, ALL);
    cr_assert_eq(otf2_chunks_open(&f, path, CHUNK, OTF2_COMPRESSION_NONE), 0);
    cr_assert_eq(otf2_chunks_get(&f, 0, 0, 10, &bytes, &n), 0);
    put(plain, CHUNK + 5);
    cr_expect_eq(otf2_chunks_get(&f, 1, 0, 10, &bytes, &n), OTF2_ERROR_INVALID_DATA);
    char where[64];
    snprintf(where, sizeof where, "offset %d", CHUNK + 5);
    cr_expect(strstr(said, path) && strstr(said, where), "%s", said);
    cr_expect_eq(n_said, 1);
    /* An error leaves nothing wrong behind. */
    cr_expect_eq(otf2_chunks_get(&f, 0, 0, 10, &bytes, &n), 0);
    cr_expect(!memcmp(bytes, plain, n));
    otf2_chunks_close(&f);
}

static void expect_refused(uint64_t chunk, OTF2_Compression compression, OTF2_ErrorCode code)
{
    struct otf2_chunks f;
    unsigned before = n_said;
    cr_expect_eq(otf2_chunks_open(&f, path, chunk, compression), code, "%s", said);
    cr_expect_eq(n_said, before + 1);
    cr_expect(strstr(said, path), "%s", said);
    otf2_chunks_close(&f);
}

Test(reader_chunks, what_cannot_be_opened, .init = setup, .fini = teardown)
{
    put(plain, 100);
    expect_refused(OTF2_CHUNK_SIZE_MIN - 1, OTF2_COMPRESSION_NONE, OTF2_ERROR_INVALID_SIZE_GIVEN);
    expect_refused(OTF2_CHUNK_SIZE_MAX + 1, OTF2_COMPRESSION_NONE, OTF2_ERROR_INVALID_SIZE_GIVEN);
    expect_refused(0, OTF2_COMPRESSION_NONE, OTF2_ERROR_INVALID_SIZE_GIVEN);
    put(plain, 0);
    expect_refused(CHUNK, OTF2_COMPRESSION_NONE, OTF2_ERROR_INVALID_DATA);
    remove(path);
    expect_refused(CHUNK, OTF2_COMPRESSION_NONE, OTF2_ERROR_ENOENT);
    cr_assert_eq(mkfifo(path, 0600), 0);
    expect_refused(CHUNK, OTF2_COMPRESSION_NONE, OTF2_ERROR_INVALID_DATA);
    remove(path);
    cr_assert_eq(mkdir(path, 0700), 0);
    expect_refused(CHUNK, OTF2_COMPRESSION_NONE, OTF2_ERROR_INVALID_DATA);
    rmdir(path);
    put(plain, 1);
    if (geteuid()) {
        chmod(path, 0);
        expect_refused(CHUNK, OTF2_COMPRESSION_NONE, OTF2_ERROR_EACCES);
    }
}

/* ---- compressed files ---- */

/* The plain bytes up to `size` as blocks; the last one may be a byte too long, as of old. */
static size_t pack(uint8_t *out, size_t size, bool is_old)
{
    uint8_t *p = out;
    uint32_t previous = 0;
    for (size_t at = 0; at < size;) {
        size_t bytes = size - at < CHUNK + (size_t)is_old ? size - at : CHUNK;
        if (is_old && size - at == CHUNK + 1)
            bytes = CHUNK + 1;
        size_t packed;
        uint8_t *data = p + OTF2_ZBLOCK_HEADER_BYTES;
        cr_assert_eq(otf2_zcodec.pack(plain + at, bytes, data, &packed), 0);
        uint8_t *packed_end = data + packed;
        struct otf2_zblock block = {(uint32_t)packed, (uint32_t)bytes, previous};
        otf2_zblock_put(p, &block);
        if (is_old && bytes > packed) {
            memset(data + packed, 0xa5, bytes - packed);
            packed_end = data + bytes;
        }
        p = packed_end;
        previous = (uint32_t)packed;
        at += bytes;
    }
    return (size_t)(p - out);
}

static uint8_t packed[2 * ALL + 2 * CHUNK];

Test(reader_chunks, compressed_files_of_any_size, .init = setup, .fini = teardown)
{
    const size_t sizes[] = {20, CHUNK - 1, CHUNK, CHUNK + 1, CHUNK + 300, 2 * CHUNK, ALL};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int is_old = 0; is_old < 2; is_old++) {
            struct otf2_chunks f;
            put(packed, pack(packed, sizes[i], is_old));
            cr_assert_eq(otf2_chunks_open(&f, path, CHUNK, OTF2_COMPRESSION_ZLIB), 0, "%s", said);
            size_t size = sizes[i] == CHUNK + 1 ? CHUNK : sizes[i];
            expect_all(&f, size, 5000);
            for (uint64_t k = f.n_chunks; k--;) {
                const uint8_t *bytes;
                uint64_t n;
                cr_assert_eq(otf2_chunks_get(&f, k, 7, 1 << 30, &bytes, &n), 0);
                cr_expect_eq(n, otf2_chunks_size(&f, k) - 7);
                cr_expect(!memcmp(bytes, plain + k * CHUNK + 7, n));
            }
            otf2_chunks_close(&f);
        }
}

Test(reader_chunks, a_compressed_archive_may_hold_plain_files, .init = setup, .fini = teardown)
{
    struct otf2_chunks f;
    put(plain, ALL);
    cr_assert_eq(otf2_chunks_open(&f, path, CHUNK, OTF2_COMPRESSION_ZLIB), 0);
    expect_all(&f, ALL, 5000);
    otf2_chunks_close(&f);
}

Test(reader_chunks, a_plain_archive_holds_no_compressed_files, .init = setup, .fini = teardown)
{
    struct otf2_chunks f;
    const uint8_t *bytes;
    uint64_t n;
    put(packed, pack(packed, ALL, false));
    cr_assert_eq(otf2_chunks_open(&f, path, CHUNK, OTF2_COMPRESSION_NONE), 0);
    cr_expect_eq(otf2_chunks_get(&f, 0, 0, 10, &bytes, &n), OTF2_ERROR_INVALID_DATA);
    cr_expect(strstr(said, "compressed"), "%s", said);
    otf2_chunks_close(&f);
}

Test(reader_chunks, a_damaged_block_harms_no_other_one, .init = setup, .fini = teardown)
{
    struct otf2_chunks f;
    const uint8_t *bytes;
    uint64_t n;
    size_t size = pack(packed, ALL, false);
    size_t first = OTF2_ZBLOCK_HEADER_BYTES + otf2_zblock_get(packed).compressed;
    memset(packed + first + OTF2_ZBLOCK_HEADER_BYTES + 50, 0xee, 40);
    put(packed, size);
    cr_assert_eq(otf2_chunks_open(&f, path, CHUNK, OTF2_COMPRESSION_ZLIB), 0);
    cr_expect_eq(otf2_chunks_get(&f, 1, 0, 10, &bytes, &n), OTF2_ERROR_INVALID_DATA);
    char where[64];
    snprintf(where, sizeof where, "offset %zu", first + OTF2_ZBLOCK_HEADER_BYTES);
    cr_expect(strstr(said, path) && strstr(said, where), "%s", said);
    const uint64_t others[] = {0, 2, 3};
    for (unsigned i = 0; i < 3; i++) {
        cr_assert_eq(otf2_chunks_get(&f, others[i], 0, 10, &bytes, &n), 0);
        cr_expect(!memcmp(bytes, plain + others[i] * CHUNK, n));
    }
    otf2_chunks_close(&f);
}

/* Cut anywhere, and with any byte of a header changed: an error, or a part that is right. */
Test(reader_chunks, damaged_headers, .init = setup, .fini = teardown)
{
    size_t size = pack(packed, CHUNK + 40, false);
    size_t second = OTF2_ZBLOCK_HEADER_BYTES + otf2_zblock_get(packed).compressed;
    for (size_t cut = 1; cut<size; cut += cut> 40 && cut + 100 < second ? 37 : 1) {
        put(packed, cut);
        if (cut == second || cut < 8)
            continue; /* good, and too short to be known as compressed */
        expect_refused(CHUNK, OTF2_COMPRESSION_ZLIB, OTF2_ERROR_INVALID_DATA);
    }
    for (size_t at = 0; at < OTF2_ZBLOCK_HEADER_BYTES; at++) {
        struct otf2_chunks f;
        const uint8_t *bytes;
        uint64_t n;
        packed[second + at] ^= 0x15;
        put(packed, size);
        packed[second + at] ^= 0x15;
        if (otf2_chunks_open(&f, path, CHUNK, OTF2_COMPRESSION_ZLIB))
            continue;
        cr_expect(otf2_chunks_get(&f, 1, 0, 10, &bytes, &n), "byte %zu", at);
        otf2_chunks_close(&f);
    }
}
