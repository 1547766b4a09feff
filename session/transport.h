/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the processes of a job exchange bytes at the end. Both functions are called by one thread of
 * each process, block, and return 0 or -errno. What one rank sends to another arrives in order, and
 * each send meets one receive of the same number of bytes, however many these are.
 *   send     `bytes` are borrowed until it returns.
 *   receive  `bytes` NULL: they are taken from the sender and dropped.
 */
#ifndef SPUR_TRANSPORT_H
#define SPUR_TRANSPORT_H

#include <stdint.h>

struct spur_transport {
    uint32_t rank;
    uint32_t size;
    int (*send)(const struct spur_transport *t, uint32_t to, const void *bytes, uint64_t size);
    int (*receive)(const struct spur_transport *t, uint32_t from, void *bytes, uint64_t size);
    void *data; /* the implementation's own */
};

#endif
