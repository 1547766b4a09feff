/* SPDX-License-Identifier: BSD-3-Clause */
/* What the driver's calls give to a device. */
#include "wrappers/cuda/cuda_driver.h"

enum { DIMENSIONS = 3, SHARED = 6 };

/* ---- names of kernels ---- */

/* By their handles. An entry stays; a handle that comes again gets another name. */
struct named {
    struct named *next;
    const void *function;
    const char *name;
};

enum { CHAINS_BITS = 10, CHAINS = 1 << CHAINS_BITS };
static struct named *chains[CHAINS];
static struct wrapper_lock names_lock;

static struct named **chain_of(const void *function)
{
    enum { SMALLEST = 4, WORD_BITS = 64 };
    uint64_t hash = ((uint64_t)(uintptr_t)function >> SMALLEST) * 0x9e3779b97f4a7c15u;
    return &chains[hash >> (WORD_BITS - CHAINS_BITS)];
}

/* The lock is held. */
static struct named *find(const void *function)
{
    struct named *n = *chain_of(function);
    while (n && n->function != function)
        n = n->next;
    return n;
}

static struct named *find_or_add(const void *function)
{
    struct named *n = find(function);
    if (!n && (n = spur_mem_new(sizeof *n))) {
        n->function = function;
        n->next = *chain_of(function);
        *chain_of(function) = n;
    }
    return n;
}

/* A name that was replaced stays as well: another thread may read it. */
void cuda_driver_name(const void *function, const char *name)
{
    wrapper_lock_take(&names_lock);
    struct named *n = name ? find_or_add(function) : NULL;
    if (n && (!n->name || strcmp(n->name, name) != 0)) {
        const size_t bytes = strlen(name) + 1;
        char *copy = spur_mem_new(bytes);
        if (copy)
            n->name = memcpy(copy, name, bytes);
    }
    wrapper_lock_give(&names_lock);
}

const char *cuda_driver_name_of(const void *function)
{
    wrapper_lock_take(&names_lock);
    const struct named *n = find(function);
    const char *name = n ? n->name : NULL;
    wrapper_lock_give(&names_lock);
    return name;
}

/* ---- kernels ---- */

static uint64_t product(const unsigned *sizes)
{
    uint64_t whole = 1;
    for (int i = 0; i < DIMENSIONS; i++)
        whole *= sizes[i];
    return whole;
}

struct device_work cuda_driver_kernel(const void *function, const unsigned *sizes)
{
    const char *name = cuda_driver_name_of(function);
    const uint64_t of_block = product(sizes + DIMENSIONS);
    return (struct device_work){.region = cuda_kernel_region(name ? name : "unknown kernel"),
                                .items = product(sizes) * of_block,
                                .group_items = of_block,
                                .shared = sizes[SHARED]};
}

void *cuda_driver_stream_of(const void *how)
{
    enum { STREAM = 32 };
    void *stream;
    memcpy(&stream, (const char *)how + STREAM, sizeof stream);
    return stream;
}

struct device_work cuda_driver_graph(void)
{
    return (struct device_work){.region = device_region(SPUR_FAMILY_CUDA, "graph", DEVICE_OTHER)};
}

/* ---- copies ---- */

static const struct {
    const char *name;
    enum cuda_copy kind;
    enum device_way way;
} copies[] = {
#define COPY(number, name, WAY) {name, number, DEVICE_##WAY},
#include "wrappers/cuda/cuda_copies.def"
#undef COPY
};

/* Kinds of memory, by the driver's numbers; 0: it knows nothing of the address. */
enum { PAGEABLE, HOST, DEVICE, ARRAY };

static unsigned memory_at(uint64_t address)
{
    unsigned kind = PAGEABLE;
    if (cuda_driver.cuPointerGetAttribute(&kind, CUDA_MEMORY_TYPE, address) != CUDA_OK)
        return PAGEABLE;
    return kind;
}

struct device_work cuda_driver_copy(enum cuda_copy kind, uint64_t host, uint64_t bytes)
{
    enum { ROOM = 48 };
    static const char pageable[] = " (pageable)";
    char name[ROOM];
    size_t i = 0;
    while (i < sizeof copies / sizeof copies[0] - 1 && copies[i].kind != kind)
        i++;
    size_t length = strlen(copies[i].name);
    memcpy(name, copies[i].name, length + 1);
    if (host && length + sizeof pageable <= sizeof name && memory_at(host) == PAGEABLE)
        memcpy(name + length, pageable, sizeof pageable);
    return (
        struct device_work){.region = cuda_copy_region(name), .way = copies[i].way, .bytes = bytes};
}

static struct device_work between(unsigned to_kind, uint64_t to, unsigned from_kind, uint64_t from,
                                  uint64_t bytes)
{
    bool to_host = to_kind <= HOST, from_host = from_kind <= HOST;
    if (to_host && from_host)
        return cuda_driver_copy(CUDA_COPY_ON_HOST, to, bytes);
    if (from_host)
        return cuda_driver_copy(CUDA_COPY_TO_DEVICE, from, bytes);
    if (to_host)
        return cuda_driver_copy(CUDA_COPY_TO_HOST, to, bytes);
    return cuda_driver_copy(CUDA_COPY_ON_DEVICE, 0, bytes);
}

struct device_work cuda_driver_copy_any(uint64_t to, uint64_t from, uint64_t bytes)
{
    return between(memory_at(to), to, memory_at(from), from, bytes);
}

/* ---- copies of two and three dimensions ---- */

/* Places in CUDA_MEMCPY2D and CUDA_MEMCPY3D. */
struct described {
    unsigned from_kind, from_host, from_device, to_kind, to_host, to_device, sizes, n;
};
static const struct described of_2d = {16, 24, 32, 72, 80, 88, 112, 2};
static const struct described of_3d = {32, 40, 48, 120, 128, 136, 176, 3};
enum { UNIFIED = 4 }; /* the driver finds out by the address */

static uint64_t field(const void *how, unsigned at)
{
    uint64_t value;
    memcpy(&value, (const char *)how + at, sizeof value);
    return value;
}

/* What lies there, and at which address. */
static unsigned side(const void *how, unsigned kind_at, unsigned host, unsigned device,
                     uint64_t *address)
{
    unsigned kind;
    memcpy(&kind, (const char *)how + kind_at, sizeof kind);
    *address = field(how, kind == HOST ? host : device);
    return kind == UNIFIED ? memory_at(*address) : kind;
}

static struct device_work copy_described(const void *how, const struct described *d)
{
    uint64_t to, from, bytes = 1;
    unsigned to_kind = side(how, d->to_kind, d->to_host, d->to_device, &to);
    unsigned from_kind = side(how, d->from_kind, d->from_host, d->from_device, &from);
    for (unsigned i = 0; i < d->n; i++)
        bytes *= field(how, d->sizes + i * (unsigned)sizeof bytes);
    return between(to_kind, to, from_kind, from, bytes);
}

struct device_work cuda_driver_copy_2d(const void *how)
{
    return copy_described(how, &of_2d);
}

struct device_work cuda_driver_copy_3d(const void *how)
{
    return copy_described(how, &of_3d);
}

struct device_work cuda_driver_fill(uint64_t bytes)
{
    return (
        struct device_work){.region = cuda_copy_region("fill"), .way = DEVICE_FILL, .bytes = bytes};
}
