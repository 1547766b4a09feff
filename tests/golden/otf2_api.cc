// SPDX-License-Identifier: BSD-3-Clause
// What test_format_api.c asserts, in C++.
#include <otf2/otf2.h>

#include <otf2/OTF2_EventSizeEstimator.h>
#include <otf2/OTF2_Marker.h>
#include <otf2/OTF2_Pthread_Locks.h>

#include <cstddef>
#include <type_traits>

#define FUNCTION(result, name, parameters)                                                         \
    static_assert(std::is_same<decltype(name), result parameters>::value, #name);
#include "tests/golden/otf2_api_functions.inc"
#include "tests/golden/otf2_api_reading.inc"

#define CONSTANT(name, number) static_assert(static_cast<long long>(name) == (number), #name);
#include "tests/golden/otf2_api_constants.inc"

enum { SIGNED = 0, UNSIGNED = 1 };
#define TYPE(name, bytes, sign)                                                                    \
    static_assert(sizeof(name) == (bytes) && std::is_unsigned<name>::value == (sign), #name);
#define STRUCT(name, bytes) static_assert(sizeof(name) == (bytes), #name);
#define MEMBER(in, type, name, offset)                                                             \
    static_assert(offsetof(in, name) == (offset) && std::is_same<decltype(in::name), type>::value, \
                  #in "." #name);
#define CALLBACK(result, name, parameters)                                                         \
    static_assert(std::is_same<name, result(*) parameters>::value, #name);
#define HANDLE(name, tag) static_assert(std::is_same<name, tag>::value, #name);
#include "tests/golden/otf2_api_types.inc"

int main()
{
    return OTF2_SUCCESS;
}
