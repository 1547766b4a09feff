/* SPDX-License-Identifier: BSD-3-Clause */
/* A number for bytes, by which they are known again (FNV-1a); it keeps no secret. */
#ifndef TOOLS_BASE_DIGEST_H
#define TOOLS_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define DIGEST_BEGIN UINT64_C(0xcbf29ce484222325) /* of no bytes */

static inline uint64_t digest_add(uint64_t digest, const void *bytes, size_t n)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < n; i++)
        digest = (digest ^ at[i]) * UINT64_C(0x100000001b3);
    return digest;
}

#endif
