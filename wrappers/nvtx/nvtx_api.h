/* SPDX-License-Identifier: BSD-3-Clause */
/* What spur needs of NVTX's interface, as it is published: values, fields, types of functions. */
#ifndef WRAPPERS_NVTX_API_H
#define WRAPPERS_NVTX_API_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include "wrappers/kit/wrapper.h"

/* Of a module: where its functions are, by number. Not 0: there is such a module. */
typedef int nvtx_table_of(int module, wrapper_any ***table, unsigned *n);
/* What the program gives to who serves it: a table of its functions. */
typedef const void *nvtx_export(uint32_t table);
enum { NVTX_EXPORTS = 1 };

enum {
#define TEXT(NAME, number) NVTX_TEXT_##NAME = (number),
#include "wrappers/nvtx/nvtx_fields.def"
};

enum {
#define THREAD(NAME, number) NVTX_THREAD_##NAME = (number),
#include "wrappers/nvtx/nvtx_fields.def"
};

/* nvtx_EVENT_category(record): a field. */
#define FIELD(RECORD, name, offset, type)                                                          \
    static inline type nvtx_##RECORD##_##name(const void *record)                                  \
    {                                                                                              \
        type value;                                                                                \
        memcpy(&value, (const char *)record + (offset), sizeof value);                             \
        return value;                                                                              \
    }
#include "wrappers/nvtx/nvtx_fields.def"

/* What the program calls. Ids and handles are ours; NULL is the default domain. */
void nvtx_MarkEx(const void *event);
void nvtx_MarkA(const char *text);
void nvtx_MarkW(const wchar_t *text);
uint64_t nvtx_RangeStartEx(const void *event);
uint64_t nvtx_RangeStartA(const char *text);
uint64_t nvtx_RangeStartW(const wchar_t *text);
void nvtx_RangeEnd(uint64_t id);
int nvtx_RangePushEx(const void *event);
int nvtx_RangePushA(const char *text);
int nvtx_RangePushW(const wchar_t *text);
int nvtx_RangePop(void);
void nvtx_NameCategoryA(uint32_t category, const char *name);
void nvtx_NameCategoryW(uint32_t category, const wchar_t *name);
void nvtx_NameOsThreadA(uint32_t thread, const char *name);
void nvtx_NameOsThreadW(uint32_t thread, const wchar_t *name);
void nvtx_NameCuStreamA(const void *handle, const char *name);
void nvtx_NameCuStreamW(const void *handle, const wchar_t *name);
void nvtx_NameClCommandQueueA(const void *handle, const char *name);
void nvtx_NameClCommandQueueW(const void *handle, const wchar_t *name);
void nvtx_NameCudaStreamA(const void *handle, const char *name);
void nvtx_NameCudaStreamW(const void *handle, const wchar_t *name);
void nvtx_DomainMarkEx(const void *domain, const void *event);
uint64_t nvtx_DomainRangeStartEx(const void *domain, const void *event);
void nvtx_DomainRangeEnd(const void *domain, uint64_t id);
int nvtx_DomainRangePushEx(const void *domain, const void *event);
int nvtx_DomainRangePop(const void *domain);
const void *nvtx_DomainResourceCreate(const void *domain, const void *resource);
void nvtx_DomainNameCategoryA(const void *domain, uint32_t category, const char *name);
void nvtx_DomainNameCategoryW(const void *domain, uint32_t category, const wchar_t *name);
const void *nvtx_DomainRegisterStringA(const void *domain, const char *text);
const void *nvtx_DomainRegisterStringW(const void *domain, const wchar_t *text);
const void *nvtx_DomainCreateA(const char *name);
const void *nvtx_DomainCreateW(const wchar_t *name);

#endif
