/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of the C library that are wrapped for what they mean to the agent, and are no calls
 * that are recorded: PROCESS_FIND(name, type, parameters) makes find_name(), which gives the real
 * one, NULL where the C library has none. The first look-up takes the loader's lock: what signal
 * handlers may call is looked up by a constructor.
 */
#ifndef WRAPPERS_PROCESS_FIND_H
#define WRAPPERS_PROCESS_FIND_H

#include <stdatomic.h>
#include <string.h>

#include "agent/spur_agent.h"

#define PROCESS_FIND(name, type, parameters)                                                       \
    static _Atomic(void *) address_##name;                                                         \
    typedef type(*real_##name) parameters;                                                         \
    static real_##name find_##name(void)                                                           \
    {                                                                                              \
        void *found = atomic_load_explicit(&address_##name, memory_order_relaxed);                 \
        real_##name real;                                                                          \
        if (!found) {                                                                              \
            found = spur_real(#name, NULL);                                                        \
            atomic_store_explicit(&address_##name, found, memory_order_relaxed);                   \
        }                                                                                          \
        memcpy(&real, &found, sizeof real); /* ISO C knows no cast from data to function */        \
        return real;                                                                               \
    }

#endif
