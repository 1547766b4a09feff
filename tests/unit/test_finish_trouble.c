/* SPDX-License-Identifier: BSD-3-Clause */
/* links: finish */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <criterion/redirect.h>
#include <errno.h>
#include <string.h>

#include "finish/state/finish_trouble.h"

/* What is said of a library error, for so many containers. */
static const char *said_of(unsigned container, OTF2_ErrorCode error)
{
    static char text[1024];
    struct finish f = {.dir = "/tmp", .container = container};
    int err = finish_check(&f, error, "traces/0.evt");
    cr_redirect_stderr();
    finish_say_trouble(&f, err);
    FILE *file = cr_get_redirected_stderr();
    size_t n = fread(text, 1, sizeof text - 1, file);
    text[n] = '\0';
    return text;
}

static const char *said(OTF2_ErrorCode error)
{
    return said_of(0, error);
}

static void expect(const char *text, const char *part)
{
    cr_expect(strstr(text, part), "%s in %s", part, text);
}

Test(trouble, quota_names_its_remedy)
{
    const char *text = said(OTF2_ERROR_EDQUOT);
    expect(text, "traces/0.evt: Disk quota exceeded; all that was recorded is kept");
    expect(text, "free some of the quota");
    expect(text, "then 'spur recover /tmp' makes the archive");
}

Test(trouble, disk_is_told_with_its_size)
{
    const char *text = said(OTF2_ERROR_ENOSPC);
    expect(text, "No space left on device (the file system has ");
    expect(text, "free some space, or move that directory");
    cr_expect_null(strstr(text, "--container"));
}

/* Where plain files are another way, and why. */
struct another_way {
    OTF2_ErrorCode error;
    char why[32];
};

ParameterizedTestParameters(trouble, plain_files_instead_of_containers)
{
    static struct another_way ways[] = {
        {OTF2_ERROR_EDQUOT, "for which less is needed"},
        {OTF2_ERROR_ENOSPC, "for which less is needed"},
        {OTF2_ERROR_EFBIG, "each of which is smaller"},
    };
    return cr_make_param_array(struct another_way, ways, sizeof ways / sizeof ways[0]);
}

ParameterizedTest(struct another_way *way, trouble, plain_files_instead_of_containers)
{
    const char *text = said_of(1, way->error);
    expect(text, "; 'spur recover --container none /tmp' makes plain files, ");
    expect(text, way->why);
}

Test(trouble, containers_and_another_fault)
{
    cr_expect_null(strstr(said_of(1, OTF2_ERROR_EIO), "--container"));
}

Test(trouble, memory)
{
    expect(said(OTF2_ERROR_MEM_ALLOC_FAILED), "with more memory, 'spur recover /tmp'");
}

Test(trouble, what_has_no_remedy_is_tried_again)
{
    const char *text = said(OTF2_ERROR_INVALID_SIZE_GIVEN);
    expect(text, "traces/0.evt (The given size cannot be used): Input/output error; all that was "
                 "recorded is kept: 'spur recover /tmp' tries again");
}

Test(trouble, errors_are_those_of_the_system)
{
    struct finish f = {.dir = "/tmp"};
    cr_expect_eq(finish_check(&f, OTF2_SUCCESS, "x"), 0);
    cr_expect_eq(finish_check(&f, OTF2_ERROR_EFBIG, "x"), -EFBIG);
    cr_expect_eq(finish_check(&f, OTF2_ERROR_EROFS, "y"), -EROFS);
    cr_expect_eq(finish_check(&f, OTF2_ERROR_INVALID, "z"), -EIO);
    cr_expect_str_eq(f.culprit, "x", "the first one counts");
}
