/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that a program gives to numbers (categories and threads) and to streams of devices. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "wrappers/device/device_names.h"
#include "wrappers/kit/wrapper_lock.h"
#include "wrappers/nvtx/nvtx.h"

/* ---- categories ---- */

enum { CATEGORIES = 1024, CATEGORY_BYTES = 128, NUMBER_BYTES = 16 };

/* A name that is given anew is a new row in front of the old row. */
struct category {
    struct category *next;
    uint32_t domain, number;
    wrapper_id string;
    char name[];
};
static _Atomic(struct category *) categories;
static _Atomic uint32_t n_categories;

static struct category *find_category(uint32_t domain, uint32_t number)
{
    struct category *c = atomic_load_explicit(&categories, memory_order_acquire);
    while (c && (c->domain != domain || c->number != number))
        c = c->next;
    return c;
}

static struct category *add_category(uint32_t domain, uint32_t number, const char *name)
{
    struct category *c = NULL;
    int saved = errno;
    size_t bytes = strlen(name) + 1;
    if (atomic_fetch_add(&n_categories, 1) < CATEGORIES && (c = spur_mem_new(sizeof *c + bytes))) {
        c->domain = domain;
        c->number = number;
        memcpy(c->name, name, bytes);
        c->next = atomic_load(&categories);
        while (!atomic_compare_exchange_weak(&categories, &c->next, c))
            ;
    }
    errno = saved;
    return c;
}

static void name_category(const void *domain, uint32_t number, const struct nvtx_text *text)
{
    char name[CATEGORY_BYTES];
    (void)nvtx_utf8(name, sizeof name, text);
    const struct category *known = find_category(nvtx_domain_of(domain), number);
    if (*name && (!known || strcmp(known->name, name) != 0))
        (void)add_category(nvtx_domain_of(domain), number, name);
}

/* The name of a category without a name: the number. */
static void put_number(char *to, uint32_t number)
{
    enum { TEN = 10 };
    char digits[NUMBER_BYTES];
    size_t n = 0;
    do
        digits[n++] = (char)('0' + number % TEN);
    while (number /= TEN);
    while (n > 0)
        *to++ = digits[--n];
    *to = '\0';
}

OTF2_StringRef nvtx_category_of(uint32_t domain, uint32_t number)
{
    char name[NUMBER_BYTES];
    struct category *c = find_category(domain, number);
    uint32_t id;
    if (!c) {
        put_number(name, number);
        c = add_category(domain, number, name);
        if (!c)
            return OTF2_UNDEFINED_STRING;
    }
    return wrapper_id_is_known(&c->string, &id)
               ? id
               : wrapper_id_keep(&c->string, spur_def_string(c->name));
}

void nvtx_NameCategoryA(uint32_t category, const char *name)
{
    name_category(NULL, category, &NVTX_ASCII(name));
}

void nvtx_NameCategoryW(uint32_t category, const wchar_t *name)
{
    name_category(NULL, category, &NVTX_UNICODE(name));
}

void nvtx_DomainNameCategoryA(const void *domain, uint32_t category, const char *name)
{
    name_category(domain, category, &NVTX_ASCII(name));
}

void nvtx_DomainNameCategoryW(const void *domain, uint32_t category, const wchar_t *name)
{
    name_category(domain, category, &NVTX_UNICODE(name));
}

/* ---- threads ---- */

/*
 * Names that a thread gives to another thread: the named thread takes the name with its next call
 * of NVTX.
 */
enum { GIVEN = 64 };
static struct {
    _Atomic uint64_t key; /* of the thread; 0: free */
    char name[NVTX_NAME_BYTES];
} given[GIVEN];
static struct wrapper_lock given_lock;
_Atomic uint32_t nvtx_names_given;
_Thread_local uint32_t nvtx_names_seen;

/* By the kernel's number, or by the number of the C library. */
enum { BY_TID = 0, BY_PTHREAD = 1 };
static uint64_t key_of(int by, uint64_t thread)
{
    return thread << 1 | (uint64_t)by;
}

/* Makes sure that the thread has a location to name. */
static void name_self(const char *name)
{
    struct spur_loc *loc = spur_begin(SPUR_FAMILY_NVTX, false);
    if (loc)
        spur_end(loc);
    spur_thread_name(name);
}

static uint64_t own_key(int by)
{
    return key_of(by, by == BY_TID ? (uint64_t)syscall(SYS_gettid) : (uint64_t)pthread_self());
}

void nvtx_name_me(void)
{
    char name[NVTX_NAME_BYTES];
    nvtx_names_seen = atomic_load_explicit(&nvtx_names_given, memory_order_acquire);
    for (int i = 0; i < GIVEN; i++) {
        uint64_t key = atomic_load(&given[i].key);
        if (!key || key != own_key(key & 1 ? BY_PTHREAD : BY_TID))
            continue;
        memcpy(name, given[i].name, sizeof name);
        if (atomic_compare_exchange_strong(&given[i].key, &key, 0))
            name_self(name);
    }
}

/* A free place, or the place of a name that was given to the thread before. */
static int place_of(uint64_t key)
{
    int place = GIVEN;
    for (int i = 0; i < GIVEN; i++) {
        uint64_t there = atomic_load(&given[i].key);
        if (there == key)
            return i;
        if (!there && place == GIVEN)
            place = i;
    }
    return place;
}

static void keep_name(uint64_t key, const char *name)
{
    spur_inside_begin();
    wrapper_lock_take(&given_lock);
    int place = place_of(key);
    if (place < GIVEN) {
        atomic_store(&given[place].key, 0);
        memcpy(given[place].name, name, NVTX_NAME_BYTES);
        atomic_store(&given[place].key, key);
        atomic_fetch_add_explicit(&nvtx_names_given, 1, memory_order_release);
    }
    wrapper_lock_give(&given_lock);
    spur_inside_end();
}

static void name_thread(int by, uint64_t thread, const struct nvtx_text *text)
{
    char name[NVTX_NAME_BYTES] = "";
    int saved = errno;
    const size_t length = nvtx_utf8(name, sizeof name, text);
    if (length == 0 || spur_inside())
        return;
    if (own_key(by) == key_of(by, thread))
        name_self(name);
    else
        keep_name(key_of(by, thread), name);
    errno = saved;
}

void nvtx_NameOsThreadA(uint32_t thread, const char *name)
{
    name_thread(BY_TID, thread, &NVTX_ASCII(name));
}

void nvtx_NameOsThreadW(uint32_t thread, const wchar_t *name)
{
    name_thread(BY_TID, thread, &NVTX_UNICODE(name));
}

/* ---- streams ---- */

static void name_stream(enum device_named kind, const void *handle, const struct nvtx_text *text)
{
    char name[DEVICE_GIVEN_BYTES];
    (void)nvtx_utf8(name, sizeof name, text);
    device_name_handle(kind, handle, name);
}

#define NAMES(Name, KIND)                                                                          \
    void nvtx_##Name##A(const void *handle, const char *name)                                      \
    {                                                                                              \
        name_stream(DEVICE_NAMED_##KIND, handle, &NVTX_ASCII(name));                               \
    }                                                                                              \
    void nvtx_##Name##W(const void *handle, const wchar_t *name)                                   \
    {                                                                                              \
        name_stream(DEVICE_NAMED_##KIND, handle, &NVTX_UNICODE(name));                             \
    }
NAMES(NameCuStream, CUDA)
NAMES(NameCudaStream, CUDA)
NAMES(NameClCommandQueue, OPENCL)

static void name_resource(int32_t type, uint64_t identifier, const struct nvtx_text *text)
{
    static const struct {
        int32_t type;
        enum device_named kind;
    } streams[] = {
#define STREAM(NAME, number, KIND) {number, DEVICE_NAMED_##KIND},
#include "wrappers/nvtx/nvtx_fields.def"
    };
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++)
        if (streams[i].type == type)
            name_stream(streams[i].kind, (const void *)(uintptr_t)identifier, text);
}

/*
 * Of resources only threads and streams mean something in the archive. The handle is good for
 * nothing.
 */
const void *nvtx_DomainResourceCreate(const void *domain, const void *resource)
{
    static const char handle;
    (void)domain;
    if (!resource)
        return NULL;
    const struct nvtx_text text = {nvtx_RESOURCE_messageType(resource),
                                   nvtx_RESOURCE_message(resource)};
    if (nvtx_RESOURCE_identifierType(resource) == NVTX_THREAD_NATIVE)
        name_thread(BY_TID, nvtx_RESOURCE_identifier(resource), &text);
    else if (nvtx_RESOURCE_identifierType(resource) == NVTX_THREAD_POSIX)
        name_thread(BY_PTHREAD, nvtx_RESOURCE_identifier(resource), &text);
    else
        name_resource(nvtx_RESOURCE_identifierType(resource), nvtx_RESOURCE_identifier(resource),
                      &text);
    return &handle;
}
