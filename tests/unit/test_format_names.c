/* SPDX-License-Identifier: BSD-3-Clause */
/* links: format format-mem-libc */
/* Names of enumerations and errors, and the way of an error to the program. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "format/error.h"
#include "format/names.h"

#include <otf2/otf2.h>

Test(format_names, enumerations_have_names)
{
    cr_assert_str_eq(otf2_enum_name(OTF2_ENUM_Type, OTF2_TYPE_UINT8), "UINT8");
    cr_assert_str_eq(otf2_enum_name(OTF2_ENUM_LocationType, OTF2_LOCATION_TYPE_GPU),
                     "ACCELERATOR_STREAM");
    cr_assert_str_eq(otf2_enum_name(OTF2_ENUM_CollectiveRoot, OTF2_COLLECTIVE_ROOT_SELF), "SELF");
    cr_assert_null(otf2_enum_name(OTF2_ENUM_Type, 200));
    cr_assert(otf2_enums[OTF2_ENUM_RegionFlag].is_flags && !otf2_enums[OTF2_ENUM_Type].is_flags);
    for (int e = 0; e < OTF2_ENUMS; e++) {
        for (size_t i = 0; i < otf2_enums[e].nvalues; i++) {
            const struct otf2_enum_value *v = &otf2_enums[e].values[i];
            const char *end =
                v->printed ? v->constant + strlen(v->constant) - strlen(v->printed) : "";
            cr_assert(!v->printed || strcmp(end, v->printed) == 0, "%s", v->constant);
        }
    }
}

Test(format_names, errors_have_names)
{
    cr_assert_str_eq(OTF2_Error_GetName(OTF2_SUCCESS), "SUCCESS");
    cr_assert_str_eq(OTF2_Error_GetName(OTF2_ERROR_HINT_LOCKED), "HINT_LOCKED");
    cr_assert_str_eq(OTF2_Error_GetName(OTF2_ERROR_EACCES), "EACCES");
    cr_assert_str_eq(OTF2_Error_GetName((OTF2_ErrorCode)12345), "INVALID");
    cr_assert_str_eq(OTF2_Error_GetDescription(OTF2_ERROR_INVALID_ARGUMENT),
                     "Parameter value out of range");
    cr_assert_str_eq(OTF2_Error_GetDescription((OTF2_ErrorCode)12345), "Unknown error code");
}

Test(format_names, errno_becomes_a_code)
{
    cr_assert_eq(otf2_error_from_errno(ENOENT), OTF2_ERROR_ENOENT);
    cr_assert_eq(otf2_error_from_errno(EXDEV), OTF2_ERROR_EXDEV);
    cr_assert_eq(otf2_error_from_errno(123456), OTF2_ERROR_INVALID);
}

struct heard {
    OTF2_ErrorCode code;
    char text[64];
    char function[64];
};

__attribute__((format(printf, 6, 0))) static OTF2_ErrorCode
hear(void *user, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
     const char *format, va_list va)
{
    struct heard *heard = user;
    cr_assert(strcmp(file, "test_format_names.c") == 0 && line > 0);
    heard->code = code;
    vsnprintf(heard->text, sizeof heard->text, format, va);
    snprintf(heard->function, sizeof heard->function, "%s", function);
    errno = EIO;
    return OTF2_ERROR_EINTR;
}

static OTF2_ErrorCode fail(void)
{
    return OTF2_ERROR(OTF2_ERROR_INVALID_SIZE_GIVEN, "%d bytes", 17);
}

Test(format_names, callbacks_hear_of_errors_and_answer)
{
    struct heard heard = {OTF2_SUCCESS, "", ""};
    errno = EPERM;
    cr_assert_null(OTF2_Error_RegisterCallback(hear, &heard));
    cr_assert_eq(fail(), OTF2_ERROR_EINTR);
    cr_assert_eq(errno, EPERM);
    cr_assert_eq(heard.code, OTF2_ERROR_INVALID_SIZE_GIVEN);
    cr_assert_str_eq(heard.text, "17 bytes");
    cr_assert_str_eq(heard.function, "fail");
    cr_assert_eq(OTF2_Error_RegisterCallback(NULL, NULL), hear);
}

Test(format_names, without_one_a_line_is_printed, .init = cr_redirect_stderr)
{
    char expected[128];
    int line = __LINE__ + 1;
    OTF2_ErrorCode err = OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no %s", "archive");
    snprintf(expected, sizeof expected,
             "[OTF2] test_format_names.c:%d: error: Parameter value out of range: no archive\n",
             line);
    cr_assert_eq(err, OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_stderr_eq_str(expected);
}
