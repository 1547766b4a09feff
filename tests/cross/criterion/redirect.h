/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SPUR_TESTS_CROSS_REDIRECT_H
#define SPUR_TESTS_CROSS_REDIRECT_H

#include <criterion/criterion.h>

void cr_redirect_stderr(void);
FILE *cr_get_redirected_stderr(void); /* reads it from its beginning */

#endif
