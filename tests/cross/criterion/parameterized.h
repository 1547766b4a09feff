/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SPUR_TESTS_CROSS_PARAMETERIZED_H
#define SPUR_TESTS_CROSS_PARAMETERIZED_H

#include <criterion/criterion.h>

struct cross_array {
    size_t size; /* of an element */
    void *first;
    size_t length;
};

#define cr_make_param_array(Type, array, n) ((struct cross_array){sizeof(Type), array, n})

#define ParameterizedTestParameters(suite, name)                                                   \
    static struct cross_array suite##_##name##_parameters(void)

#define ParameterizedTest(parameter, suite, name)                                                  \
    static void suite##_##name##_each(parameter);                                                  \
    Test(suite, name)                                                                              \
    {                                                                                              \
        struct cross_array all = suite##_##name##_parameters();                                    \
        for (size_t i = 0; i < all.length; i++)                                                    \
            suite##_##name##_each((void *)((char *)all.first + i * all.size));                     \
    }                                                                                              \
    static void suite##_##name##_each(parameter)

#endif
