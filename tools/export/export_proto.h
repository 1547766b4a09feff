/* SPDX-License-Identifier: BSD-3-Clause */
/* The wire format of protocol buffers, as much of it as a trace of Perfetto needs. */
#ifndef TOOLS_EXPORT_PROTO_H
#define TOOLS_EXPORT_PROTO_H

#include <stdint.h>
#include <string.h>

#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/map.h"

struct proto {
    LIST(unsigned char) bytes;
};

enum { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2 };

/* Room for `n` more bytes at most; those that are used are counted by the caller. */
static inline unsigned char *proto_room(struct proto *p, size_t n)
{
    if (p->bytes.room - p->bytes.n < n)
        p->bytes.at = list_grow(p->bytes.at, &p->bytes.room, p->bytes.n + n, 1);
    return p->bytes.at + p->bytes.n;
}

static inline void proto_varint(struct proto *p, uint64_t value)
{
    enum { LONGEST = 10 };
    unsigned char *to = proto_room(p, LONGEST);
    for (; value >= 0x80; value >>= 7, p->bytes.n++)
        *to++ = (unsigned char)(value | 0x80);
    *to = (unsigned char)value;
    p->bytes.n++;
}

static inline void proto_number(struct proto *p, unsigned field, uint64_t value)
{
    proto_varint(p, field << 3 | PROTO_VARINT);
    proto_varint(p, value);
}

static inline void proto_fixed(struct proto *p, unsigned field, uint64_t value)
{
    proto_varint(p, field << 3 | PROTO_FIXED64);
    unsigned char *to = proto_room(p, sizeof value);
    for (unsigned i = 0; i < sizeof value; i++)
        to[i] = (unsigned char)(value >> 8 * i);
    p->bytes.n += sizeof value;
}

static inline void proto_double(struct proto *p, unsigned field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    proto_fixed(p, field, bits);
}

static inline void proto_bytes(struct proto *p, unsigned field, const void *from, size_t n)
{
    proto_varint(p, field << 3 | PROTO_BYTES);
    proto_varint(p, n);
    unsigned char *to = proto_room(p, n);
    if (n)
        memcpy(to, from, n);
    p->bytes.n += n;
}

static inline void proto_text(struct proto *p, unsigned field, const char *text)
{
    proto_bytes(p, field, text, strlen(text));
}

static inline void proto_message(struct proto *p, unsigned field, const struct proto *inner)
{
    proto_bytes(p, field, inner->bytes.at, inner->bytes.n);
}

static inline void proto_empty(struct proto *p)
{
    p->bytes.n = 0;
}

#endif
