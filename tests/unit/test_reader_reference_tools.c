/* SPDX-License-Identifier: BSD-3-Clause */
/* links: reader writer format format-zlib */
/* What the reference's tools take from its library besides the API. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

#include <otf2/OTF2_ErrorCodes.h>

OTF2_ErrorCode OTF2_UTILS_Error_Handler(const char *srcdir, const char *fileName, uint64_t line,
                                        const char *functionName, OTF2_ErrorCode errorCode,
                                        const char *format, ...);
void OTF2_UTILS_Error_Abort(const char *srcdir, const char *fileName, uint64_t line,
                            const char *functionName, const char *format, ...);
OTF2_ErrorCode OTF2_UTILS_Error_FromPosix(int posixErrno);
const char *OTF2_UTILS_IO_GetWithoutPath(const char *path);

Test(reader_reference_tools, report_as_the_library_does, .init = cr_redirect_stderr)
{
    cr_expect_eq(OTF2_UTILS_Error_Handler("../", "../src/tool.c", 12, "main",
                                          OTF2_ERROR_INVALID_DATA, "found %d", 5),
                 OTF2_ERROR_INVALID_DATA);
    OTF2_UTILS_Error_Handler("/x/", "src/tool.c", 1, "main", OTF2_WARNING, "well");
    OTF2_UTILS_Error_Handler("", "tool.c", 2, "main", OTF2_ERROR_INVALID_DATA, NULL);
    fflush(stderr);
    cr_assert_stderr_eq_str(
        "[OTF2] src/tool.c:12: error: Invalid or inconsistent record data: found 5\n"
        "[OTF2] src/tool.c:1: warning: well\n"
        "[OTF2] tool.c:2: error: Invalid or inconsistent record data\n");
}

__attribute__((format(printf, 6, 0))) static OTF2_ErrorCode say(void *data, const char *file,
                                                                uint64_t line, const char *function,
                                                                OTF2_ErrorCode code,
                                                                const char *format, va_list va)
{
    char text[32];
    vsnprintf(text, sizeof text, format, va);
    snprintf(data, 64, "%s %d %s %d %s", file, (int)line, function, code, text);
    return OTF2_WARNING;
}

Test(reader_reference_tools, report_to_the_callback)
{
    char said[64];
    OTF2_Error_RegisterCallback(say, said);
    cr_expect_eq(OTF2_UTILS_Error_Handler("../", "../src/tool.c", 12, "main",
                                          OTF2_ERROR_INVALID_DATA, "found %d", 5),
                 OTF2_WARNING);
    cr_expect_str_eq(said, "src/tool.c 12 main 80 found 5");
}

Test(reader_reference_tools, abort_ends_the_process, .signal = SIGABRT)
{
    char said[64];
    OTF2_Error_RegisterCallback(say, said);
    OTF2_UTILS_Error_Abort("../", "../src/tool.c", 12, "main", "bye");
}

Test(reader_reference_tools, codes_and_names)
{
    cr_expect_eq(OTF2_UTILS_Error_FromPosix(0), OTF2_SUCCESS);
    cr_expect_eq(OTF2_UTILS_Error_FromPosix(ENOENT), OTF2_ERROR_ENOENT);
    cr_expect_eq(OTF2_UTILS_Error_FromPosix(12345), OTF2_ERROR_INVALID);
    cr_expect_str_eq(OTF2_UTILS_IO_GetWithoutPath("/a/b/c"), "c");
    cr_expect_str_eq(OTF2_UTILS_IO_GetWithoutPath("c"), "c");
    cr_expect_str_eq(OTF2_UTILS_IO_GetWithoutPath("a/"), "");
}
