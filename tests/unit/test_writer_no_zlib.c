/* SPDX-License-Identifier: BSD-3-Clause */
/* links: writer format */
/* A writer that is linked without zlib, as the agent's. */
#include <criterion/criterion.h>
#include <stdarg.h>

#include <otf2/otf2.h>

static OTF2_ErrorCode heard;

__attribute__((format(printf, 6, 0))) static OTF2_ErrorCode
listen(void *user, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
       const char *format, va_list va)
{
    (void)user, (void)file, (void)line, (void)function, (void)format, (void)va;
    heard = code;
    return code;
}

Test(no_zlib, compression_is_refused)
{
    OTF2_Error_RegisterCallback(listen, NULL);
    cr_assert_null(OTF2_Archive_Open("/nowhere", "traces", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 20,
                                     OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_ZLIB));
    cr_assert_eq(heard, OTF2_ERROR_FILE_COMPRESSION_NOT_SUPPORTED);
}
