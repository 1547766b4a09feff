/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests of what headers define: SAME(result, name, (parameters)) compiles only if `name` has
 * the signature that tests/golden/otf2_api_header_only.inc gives it, OTHER leaves a row out.
 */
#ifndef UNIT_HEADER_ONLY_H
#define UNIT_HEADER_ONLY_H

#ifdef __cplusplus
#include <type_traits>
#define SAME(result, name, parameters)                                                             \
    static_assert(std::is_same<decltype(name), result parameters>::value, #name);
#else
#define SAME(result, name, parameters)                                                             \
    _Static_assert(__builtin_types_compatible_p(__typeof__(name), result parameters), #name);
#endif
#define OTHER(result, name, parameters)

#endif
