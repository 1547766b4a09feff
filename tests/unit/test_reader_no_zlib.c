/* SPDX-License-Identifier: BSD-3-Clause */
/* links: reader format */
/* Linked without the codec, the library says why it cannot read a compressed file. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "format/zblock.h"
#include "reader/chunk_window.h"

static OTF2_ErrorCode silent(void *user, const char *file, uint64_t line, const char *function,
                             OTF2_ErrorCode code, const char *format, va_list va)
{
    (void)user, (void)file, (void)line, (void)function, (void)format, (void)va;
    return code;
}

Test(reader_no_zlib, compressed_files_are_refused)
{
    char path[] = P_tmpdir "/spur-chunks-XXXXXX";
    uint8_t bytes[OTF2_ZBLOCK_HEADER_BYTES + 10] = {0};
    struct otf2_zblock block = {10, 10, 0};
    struct otf2_chunks f;
    otf2_zblock_put(bytes, &block);
    int fd = mkstemp(path);
    cr_assert_eq(write(fd, bytes, sizeof bytes), (ssize_t)sizeof bytes);
    close(fd);
    OTF2_Error_RegisterCallback(silent, NULL);
    cr_expect_eq(otf2_chunks_open(&f, path, OTF2_CHUNK_SIZE_MIN, OTF2_COMPRESSION_ZLIB),
                 OTF2_ERROR_FILE_COMPRESSION_NOT_SUPPORTED);
    remove(path);
}
