/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NVTX of the tests' own, which plays the part of its headers: each function is a pointer, which
 * the library that NVTX_INJECTION64_PATH names fills in at the first call of any. Without such a
 * library, functions do nothing.
 */
#ifndef OWN_NVTX_H
#define OWN_NVTX_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <wchar.h>

typedef uint64_t nvtxRangeId_t;
typedef const struct own_domain *nvtxDomainHandle_t;
typedef const struct own_string *nvtxStringHandle_t;
typedef const struct own_resource *nvtxResourceHandle_t;
typedef const struct own_sync *nvtxSyncUser_t;

enum { NVTX_VERSION = 3 };
enum { NVTX_MESSAGE_TYPE_ASCII = 1, NVTX_MESSAGE_TYPE_UNICODE, NVTX_MESSAGE_TYPE_REGISTERED };
enum {
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
    NVTX_PAYLOAD_TYPE_INT64,
    NVTX_PAYLOAD_TYPE_DOUBLE,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32,
    NVTX_PAYLOAD_TYPE_INT32,
    NVTX_PAYLOAD_TYPE_FLOAT
};
enum {
    NVTX_RESOURCE_TYPE_GENERIC_POINTER = 0x10001,
    NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE = 0x10003,
    NVTX_RESOURCE_TYPE_GENERIC_THREAD_POSIX = 0x10004
};

typedef union {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;

typedef struct {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;

typedef struct {
    uint16_t version, size;
    int32_t identifierType;
    union {
        const void *pValue;
        uint64_t ullValue;
    } identifier;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxResourceAttributes_t;

typedef struct {
    uint16_t structSize;
    const void *name;
} nvtxSyncUserAttributes_t;

enum { OWN_CORE = 1, OWN_CUDA, OWN_OPENCL, OWN_CUDART, OWN_CORE2, OWN_SYNC, OWN_MODULES };
enum { OWN_MOST = 17 };
typedef void (*own_function)(void);

static own_function own_functions[OWN_MODULES][OWN_MOST];
static const unsigned own_sizes[OWN_MODULES] = {0, 16, 9, 15, 7, 16, 7};
static own_function *own_tables[OWN_MODULES][OWN_MOST];
static int own_has_started;

static int own_table(int module, own_function ***table, unsigned *n)
{
    if (module <= 0 || module >= OWN_MODULES)
        return 0;
    for (unsigned i = 1; i < own_sizes[module]; i++)
        own_tables[module][i] = &own_functions[module][i];
    *table = own_tables[module];
    *n = own_sizes[module];
    return 1;
}

static const struct {
    size_t bytes;
    int (*table_of)(int module, own_function ***table, unsigned *n);
} own_exports = {sizeof own_exports, own_table};

static const void *own_export(uint32_t number)
{
    return number == 1 ? &own_exports : NULL;
}

/* Before there are threads. */
static void own_start(void)
{
    const char *path = getenv("NVTX_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
    int (*start)(const void *(*)(uint32_t)) = NULL;
    own_has_started = 1;
    if (library)
        *(void **)&start = dlsym(library, "InitializeInjectionNvtx2");
    if (start && !start(own_export)) {
        for (int i = 0; i < OWN_MODULES; i++)
            for (int k = 0; k < OWN_MOST; k++)
                own_functions[i][k] = NULL;
        dlclose(library);
    }
}

#define OWN(type, Name, MODULE, number, none, parameters, arguments)                               \
    static inline type nvtx##Name parameters                                                       \
    {                                                                                              \
        if (!own_has_started)                                                                      \
            own_start();                                                                           \
        own_function function = own_functions[OWN_##MODULE][number];                               \
        if (function)                                                                              \
            return ((type(*) parameters)function)arguments;                                        \
        return none;                                                                               \
    }
/* clang-format off */
#define NOTHING
#define EVENT const nvtxEventAttributes_t *event
#define DOMAIN nvtxDomainHandle_t domain
OWN(void, MarkEx, CORE, 1, NOTHING, (EVENT), (event))
OWN(void, MarkA, CORE, 2, NOTHING, (const char *text), (text))
OWN(void, MarkW, CORE, 3, NOTHING, (const wchar_t *text), (text))
OWN(nvtxRangeId_t, RangeStartEx, CORE, 4, 0, (EVENT), (event))
OWN(nvtxRangeId_t, RangeStartA, CORE, 5, 0, (const char *text), (text))
OWN(nvtxRangeId_t, RangeStartW, CORE, 6, 0, (const wchar_t *text), (text))
OWN(void, RangeEnd, CORE, 7, NOTHING, (nvtxRangeId_t id), (id))
OWN(int, RangePushEx, CORE, 8, -2, (EVENT), (event))
OWN(int, RangePushA, CORE, 9, -2, (const char *text), (text))
OWN(int, RangePushW, CORE, 10, -2, (const wchar_t *text), (text))
OWN(int, RangePop, CORE, 11, -2, (void), ())
OWN(void, NameCategoryA, CORE, 12, NOTHING, (uint32_t category, const char *name), (category, name))
OWN(void, NameCategoryW, CORE, 13, NOTHING, (uint32_t category, const wchar_t *name), (category, name))
OWN(void, NameOsThreadA, CORE, 14, NOTHING, (uint32_t thread, const char *name), (thread, name))
OWN(void, NameOsThreadW, CORE, 15, NOTHING, (uint32_t thread, const wchar_t *name), (thread, name))
OWN(void, DomainMarkEx, CORE2, 1, NOTHING, (DOMAIN, EVENT), (domain, event))
OWN(nvtxRangeId_t, DomainRangeStartEx, CORE2, 2, 0, (DOMAIN, EVENT), (domain, event))
OWN(void, DomainRangeEnd, CORE2, 3, NOTHING, (DOMAIN, nvtxRangeId_t id), (domain, id))
OWN(int, DomainRangePushEx, CORE2, 4, -2, (DOMAIN, EVENT), (domain, event))
OWN(int, DomainRangePop, CORE2, 5, -2, (DOMAIN), (domain))
OWN(void, NameCuStreamA, CUDA, 5, NOTHING, (const void *stream, const char *name), (stream, name))
OWN(void, NameCuStreamW, CUDA, 6, NOTHING, (const void *stream, const wchar_t *name), (stream, name))
OWN(void, NameCudaStreamA, CUDART, 3, NOTHING, (const void *stream, const char *name), (stream, name))
OWN(void, NameCudaStreamW, CUDART, 4, NOTHING, (const void *stream, const wchar_t *name), (stream, name))
OWN(void, NameClCommandQueueA, OPENCL, 5, NOTHING, (const void *queue, const char *name), (queue, name))
OWN(void, NameClCommandQueueW, OPENCL, 6, NOTHING, (const void *queue, const wchar_t *name), (queue, name))
OWN(nvtxResourceHandle_t, DomainResourceCreate, CORE2, 6, NULL, (DOMAIN, nvtxResourceAttributes_t *what), (domain, what))
OWN(void, DomainResourceDestroy, CORE2, 7, NOTHING, (nvtxResourceHandle_t what), (what))
OWN(void, DomainNameCategoryA, CORE2, 8, NOTHING, (DOMAIN, uint32_t category, const char *name), (domain, category, name))
OWN(void, DomainNameCategoryW, CORE2, 9, NOTHING, (DOMAIN, uint32_t category, const wchar_t *name), (domain, category, name))
OWN(nvtxStringHandle_t, DomainRegisterStringA, CORE2, 10, NULL, (DOMAIN, const char *text), (domain, text))
OWN(nvtxStringHandle_t, DomainRegisterStringW, CORE2, 11, NULL, (DOMAIN, const wchar_t *text), (domain, text))
OWN(nvtxDomainHandle_t, DomainCreateA, CORE2, 12, NULL, (const char *name), (name))
OWN(nvtxDomainHandle_t, DomainCreateW, CORE2, 13, NULL, (const wchar_t *name), (name))
OWN(void, DomainDestroy, CORE2, 14, NOTHING, (DOMAIN), (domain))
OWN(void, Initialize, CORE2, 15, NOTHING, (const void *reserved), (reserved))
OWN(nvtxSyncUser_t, DomainSyncUserCreate, SYNC, 1, NULL, (DOMAIN, const nvtxSyncUserAttributes_t *what), (domain, what))
OWN(void, DomainSyncUserDestroy, SYNC, 2, NOTHING, (nvtxSyncUser_t what), (what))
OWN(void, DomainSyncUserAcquireStart, SYNC, 3, NOTHING, (nvtxSyncUser_t what), (what))
OWN(void, NameCuDeviceA, CUDA, 1, NOTHING, (int device, const char *name), (device, name))
#undef NOTHING
#undef EVENT
#undef DOMAIN
/* clang-format on */

#endif
