/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers that a program writes behind its name of a range: "aten::mm, seq = 17, op_id = 4". The
 * numbers are not part of the name, or each range would be a region of its own.
 *
 *     NAME, KEY = VALUE, KEY = VALUE...
 *
 * A key is a name as in C. A value is a whole number, or a list in brackets, but lists are dropped.
 * If anything else follows, the whole text is the name.
 */
#include <errno.h>

#include "wrappers/nvtx/nvtx.h"

enum { KEYS = 16, KEY_BYTES = 32, NUMBERS = 2 };

/* ---- keys: an attribute each ---- */

struct nvtx_key {
    wrapper_id attribute;
    size_t length;
    char name[sizeof NVTX_NUMBER + KEY_BYTES]; /* of the attribute */
};

/* Keys fill the array from the front. */
static _Atomic(struct nvtx_key *) keys[KEYS];

static struct nvtx_key *new_key(const char *text, size_t length)
{
    struct nvtx_key *key = spur_mem_new(sizeof *key);
    if (!key)
        return NULL;
    key->length = length;
    memcpy(key->name, NVTX_NUMBER, sizeof NVTX_NUMBER);
    memcpy(key->name + sizeof NVTX_NUMBER - 1, text, length);
    return key;
}

static bool is_key(const struct nvtx_key *key, const char *text, size_t length)
{
    return key->length == length && memcmp(key->name + sizeof NVTX_NUMBER - 1, text, length) == 0;
}

/* NULL: there are too many keys, the key is too long, or there is no memory. */
static struct nvtx_key *key_of(const char *text, size_t length)
{
    for (size_t i = 0; length < KEY_BYTES && i < KEYS; i++) {
        struct nvtx_key *there = atomic_load_explicit(&keys[i], memory_order_acquire);
        if (!there) {
            struct nvtx_key *mine = new_key(text, length);
            if (!mine || atomic_compare_exchange_strong(&keys[i], &there, mine))
                return mine;
            spur_mem_free(mine, sizeof *mine);
        }
        if (is_key(there, text, length))
            return there;
    }
    return NULL;
}

struct number {
    const char *key;
    size_t length;
    int64_t value;
};

static void add(struct wrapper_opening *opening, const struct number *number)
{
    struct nvtx_key *key = key_of(number->key, number->length);
    uint32_t id = OTF2_UNDEFINED_ATTRIBUTE;
    if (key && !wrapper_id_is_known(&key->attribute, &id))
        id = wrapper_id_keep(&key->attribute,
                             spur_def_attribute(key->name, "number of the program's",
                                                OTF2_TYPE_INT64));
    wrapper_opening_add(opening, id, OTF2_TYPE_INT64,
                        (OTF2_AttributeValue){.int64 = number->value});
}

/* ---- the text ---- */

struct rest {
    const char *at, *end; /* of the text not yet read */
    uint32_t n;
    struct number number[NUMBERS];
};

static bool take(struct rest *rest, const char *wanted)
{
    const size_t n = strlen(wanted);
    if ((size_t)(rest->end - rest->at) < n || memcmp(rest->at, wanted, n) != 0)
        return false;
    rest->at += n;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static size_t take_key(struct rest *rest)
{
    const char *from = rest->at;
    while (rest->at < rest->end &&
           (is_letter(*rest->at) || (rest->at > from && is_digit(*rest->at))))
        rest->at++;
    return (size_t)(rest->at - from);
}

/* A text that was cut may end within the list. */
static bool take_list(struct rest *rest)
{
    size_t depth = 0;
    if (rest->at == rest->end || *rest->at != '[')
        return false;
    for (; rest->at < rest->end; rest->at++) {
        depth += *rest->at == '[';
        depth -= *rest->at == ']';
        if (depth == 0) {
            rest->at++;
            break;
        }
    }
    return true;
}

static bool take_number(struct rest *rest, int64_t *value)
{
    enum { DIGITS = 19, TEN = 10 };
    const bool is_negative = take(rest, "-");
    const char *from = rest->at;
    uint64_t sum = 0;
    for (; rest->at < rest->end && is_digit(*rest->at); rest->at++)
        sum = sum * TEN + (uint64_t)(*rest->at - '0');
    const ptrdiff_t n = rest->at - from;
    *value = (int64_t)(is_negative ? 0 - sum : sum);
    return n > 0 && n <= DIGITS && sum <= INT64_MAX;
}

/* Is the whole rest made of keys and values? */
static bool take_all(struct rest *rest)
{
    while (rest->at < rest->end) {
        struct number number;
        if (!take(rest, ", "))
            return false;
        number.key = rest->at;
        number.length = take_key(rest);
        if (number.length == 0 || !take(rest, " = "))
            return false;
        if (take_list(rest))
            continue;
        if (!take_number(rest, &number.value))
            return false;
        if (rest->n < NUMBERS)
            rest->number[rest->n++] = number;
    }
    return true;
}

/*
 * Text that was read up to a mistake is not read again from a comma within: a second reading comes
 * to the same mistake, or ends before the mistake, at the end of a list. So each byte is read at
 * most twice.
 */
size_t nvtx_read_numbers(const char *text, size_t length, struct wrapper_opening *opening)
{
    const char *end = text + length, *at = text;
    struct rest rest;
    while ((at = memchr(at, ',', (size_t)(end - at)))) {
        rest.at = at;
        rest.end = end;
        rest.n = 0;
        if (at > text && take_all(&rest))
            break;
        at = rest.at > at ? rest.at : at + 1;
    }
    if (!at)
        return length;
    int saved = errno;
    for (uint32_t i = 0; i < rest.n; i++)
        add(opening, &rest.number[i]);
    errno = saved;
    return (size_t)(at - text);
}
