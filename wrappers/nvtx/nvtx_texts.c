/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of the program: domains, and messages in domains. A message may be registered. */
#include <errno.h>

#include "wrappers/nvtx/nvtx.h"

enum { DOMAINS = 256, MESSAGES = 16384, CHAINS = 8192 };

/* ---- UTF-8 ---- */

static size_t encode(char *to, uint32_t c)
{
    enum { BITS = 6, MASK = 0x3f, MORE = 0x80 };
    static const uint32_t last[] = {0x7f, 0x7ff, 0xffff};
    static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
    size_t more = 0;
    while (more < sizeof last / sizeof last[0] && c > last[more])
        more++;
    for (size_t i = more; i > 0; i--, c >>= BITS)
        to[i] = (char)(MORE | (c & MASK));
    to[0] = (char)(first[more] | c);
    return more + 1;
}

static size_t from_wide(char *to, size_t room, const wchar_t *text)
{
    enum { MOST = 4, LAST = 0x10ffff, REPLACEMENT = 0xfffd, HIGH = 0xd800, LOW_END = 0xdfff };
    size_t n = 0;
    for (; *text && n + MOST < room; text++) {
        uint32_t c = (uint32_t)*text;
        bool is_none = c > LAST || (c >= HIGH && c <= LOW_END);
        n += encode(to + n, is_none ? REPLACEMENT : c);
    }
    return n;
}

/* The number of bytes of the text, at most `length`, so that no character is cut. */
static size_t whole(const char *text, size_t length)
{
    enum { CONTINUES = 0x80, MASK = 0xc0 };
    while (length > 0 && ((uint8_t)text[length] & MASK) == CONTINUES)
        length--;
    return length;
}

static size_t length_of(const char *text, size_t room)
{
    size_t length = strnlen(text, room);
    return length < room ? length : whole(text, room - 1);
}

size_t nvtx_utf8(char *to, size_t room, const struct nvtx_text *text)
{
    size_t n = 0;
    if (text->at && text->type == NVTX_TEXT_UNICODE) {
        n = from_wide(to, room, text->at);
    } else if (text->at && text->type == NVTX_TEXT_ASCII) {
        n = length_of(text->at, room);
        memcpy(to, text->at, n);
    }
    to[n] = '\0';
    return n;
}

/* ---- domains ---- */

struct domain {
    uint32_t length;
    char name[];
};

/* By handle; the handle of the default domain is NULL. Domains fill the array from the front. */
static _Atomic(struct domain *) domains[DOMAINS];

uint32_t nvtx_domain_of(const void *handle)
{
    uintptr_t number = (uintptr_t)handle;
    return number < DOMAINS && atomic_load_explicit(&domains[number], memory_order_acquire)
               ? (uint32_t)number
               : 0;
}

static struct domain *new_domain(const char *name, size_t length)
{
    struct domain *domain = spur_mem_new(sizeof *domain + length + 1);
    if (domain) {
        domain->length = (uint32_t)length;
        memcpy(domain->name, name, length);
    }
    return domain;
}

/*
 * The same name gives the same domain. When the array is full, new names give the default domain.
 */
static const void *domain_named(const struct nvtx_text *text)
{
    char name[NVTX_WIDE_BYTES];
    const size_t length = nvtx_utf8(name, sizeof name, text);
    struct domain *mine = NULL;
    for (uintptr_t i = 1; i < DOMAINS; i++) {
        struct domain *there = atomic_load_explicit(&domains[i], memory_order_acquire);
        if (!there && !mine)
            mine = new_domain(name, length);
        if (!there && !mine)
            return NULL;
        if (!there && atomic_compare_exchange_strong(&domains[i], &there, mine))
            return (const void *)i;
        if (there->length != length || memcmp(there->name, name, length) != 0)
            continue;
        if (mine)
            spur_mem_free(mine, sizeof *mine + length + 1);
        return (const void *)i;
    }
    return NULL;
}

const void *nvtx_DomainCreateA(const char *name)
{
    int saved = errno;
    const void *handle = domain_named(&NVTX_ASCII(name));
    errno = saved;
    return handle;
}

const void *nvtx_DomainCreateW(const wchar_t *name)
{
    int saved = errno;
    const void *handle = domain_named(&NVTX_UNICODE(name));
    errno = saved;
    return handle;
}

/* ---- messages ---- */

struct nvtx_message {
    struct wrapper_name name; /* the key: the domain */
    _Atomic uint32_t id;      /* 0: not registered */
    wrapper_id region[NVTX_KINDS];
    char whole[]; /* the name of the domain, then the text */
};

static _Atomic(struct wrapper_name *) chains[CHAINS];
static struct wrapper_names messages = {.chain = chains, .chains = CHAINS};

static struct nvtx_message *put(const struct wrapper_name *like)
{
    const struct domain *domain = atomic_load(&domains[like->key]);
    const size_t before = domain ? domain->length + 1 : 0;
    const size_t bytes = sizeof(struct nvtx_message) + before + like->length + 1;
    struct nvtx_message *mine = spur_mem_new(bytes);
    if (!mine)
        return NULL;
    mine->name = *like;
    if (before) {
        memcpy(mine->whole, domain->name, before - 1);
        mine->whole[before - 1] = ':';
    }
    mine->name.text = memcpy(mine->whole + before, like->text, like->length);
    struct nvtx_message *m = (struct nvtx_message *)wrapper_names_add(&messages, &mine->name);
    if (m != mine)
        spur_mem_free(mine, bytes);
    return m;
}

/* Programs may put numbers into texts: then the number of texts has no limit. */
static struct nvtx_message *message_with(uint32_t domain, const char *text, size_t length)
{
    static const char others[] = "(other texts)";
    struct wrapper_name like = wrapper_name_of(domain, text, length);
    struct wrapper_name *known = wrapper_names_find(&messages, &like);
    if (!known && atomic_load(&messages.n) >= MESSAGES) {
        like = wrapper_name_of(domain, others, sizeof others - 1);
        known = wrapper_names_find(&messages, &like);
    }
    if (known)
        return (struct nvtx_message *)known;
    int saved = errno;
    struct nvtx_message *m = put(&like);
    errno = saved;
    return m;
}

static __attribute__((noinline)) struct nvtx_message *
message_of_wide(uint32_t domain, const struct nvtx_text *text, struct wrapper_opening *opening)
{
    char utf8[NVTX_WIDE_BYTES];
    size_t length = nvtx_utf8(utf8, sizeof utf8, text);
    return message_with(domain, utf8, opening ? nvtx_read_numbers(utf8, length, opening) : length);
}

static struct nvtx_message *message_of_ascii(uint32_t domain, const char *text,
                                             struct wrapper_opening *opening)
{
    size_t length = strnlen(text, NVTX_READ_BYTES);
    if (opening)
        length = nvtx_read_numbers(text, length, opening);
    if (length >= NVTX_TEXT_BYTES)
        length = whole(text, NVTX_TEXT_BYTES - 1);
    return message_with(domain, text, length);
}

/* ---- registered messages ---- */

enum { REGISTERED = MESSAGES + DOMAINS };
static _Atomic(struct nvtx_message *) registered[REGISTERED]; /* by id - 1 */
static _Atomic uint32_t ids;

static struct nvtx_message *message_registered(const void *handle)
{
    uintptr_t id = (uintptr_t)handle;
    return id > 0 && id <= REGISTERED ? atomic_load(&registered[id - 1]) : NULL;
}

static const void *give_id(struct nvtx_message *m)
{
    uint32_t id = m ? atomic_load(&m->id) : 0, none = 0;
    if (!m || id)
        return (const void *)(uintptr_t)id;
    id = atomic_fetch_add(&ids, 1) + 1;
    if (id > REGISTERED)
        return NULL;
    atomic_store(&registered[id - 1], m);
    return (const void *)(uintptr_t)(atomic_compare_exchange_strong(&m->id, &none, id) ? id : none);
}

struct nvtx_message *nvtx_message_of(uint32_t domain, const struct nvtx_text *text,
                                     struct wrapper_opening *opening)
{
    static const char none[] = "(no text)";
    struct nvtx_message *m = NULL;
    if (text->at && text->type == NVTX_TEXT_ASCII)
        return message_of_ascii(domain, text->at, opening);
    if (text->at && text->type == NVTX_TEXT_UNICODE)
        return message_of_wide(domain, text, opening);
    if (text->type == NVTX_TEXT_REGISTERED)
        m = message_registered(text->at);
    return m ? m : message_with(domain, none, sizeof none - 1);
}

const void *nvtx_DomainRegisterStringA(const void *domain, const char *text)
{
    return give_id(nvtx_message_of(nvtx_domain_of(domain), &NVTX_ASCII(text), NULL));
}

const void *nvtx_DomainRegisterStringW(const void *domain, const wchar_t *text)
{
    return give_id(nvtx_message_of(nvtx_domain_of(domain), &NVTX_UNICODE(text), NULL));
}

/* ---- regions ---- */

OTF2_RegionRef nvtx_region_of(struct nvtx_message *message, enum nvtx_kind kind)
{
    static const char *const kinds[NVTX_KINDS] = {[NVTX_RANGE] = "nvtx range",
                                                  [NVTX_MARK] = "nvtx mark",
                                                  [NVTX_TOLD_RANGE] = "roctx range",
                                                  [NVTX_TOLD_MARK] = "roctx mark"};
    uint32_t id;
    return wrapper_id_is_known(&message->region[kind], &id)
               ? id
               : wrapper_id_keep(&message->region[kind],
                                 spur_def_named(message->whole, kinds[kind]));
}
