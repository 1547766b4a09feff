/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <limits.h>

#include "wrappers/formats/netcdf_emit.h"

typedef int inquire_2(int file, void *out);
typedef int inquire_3(int file, int what, void *out);
typedef int inquire_path(int file, size_t *length, char *path);
typedef int inquire_type(int file, int type, char *name, size_t *size);

#define ASK(type, what) ((type *)library->function[asked + NETCDF_##what])

static bool has(const struct format_library *library, size_t asked, enum netcdf_asked what)
{
    return library->function[asked + what] != NULL;
}

static const uint64_t *numbers_at(netcdf_word word)
{
    return (const uint64_t *)word; // NOLINT(performance-no-int-to-ptr)
}

static uint64_t product(const uint64_t *counts, int n)
{
    uint64_t elements = 1;
    for (int i = 0; i < n; i++)
        elements *= counts[i];
    return elements;
}

/* Of a whole variable; its dimensions are in memory of the agent's, as there may be many. */
static uint64_t all_elements(const struct format_library *library, size_t asked, int file,
                             int variable, int n)
{
    const size_t bytes = (size_t)n * sizeof(int);
    int *dimensions = n > 0 ? spur_mem_new(bytes) : NULL;
    uint64_t elements = n > 0 && !dimensions ? OTF2_UNDEFINED_UINT64 : 1;
    if (dimensions && ASK(inquire_3, inq_vardimid)(file, variable, dimensions) != 0)
        elements = OTF2_UNDEFINED_UINT64;
    for (int i = 0; dimensions && i < n && elements != OTF2_UNDEFINED_UINT64; i++) {
        uint64_t length = 0;
        bool is_known = ASK(inquire_3, inq_dimlen)(file, dimensions[i], &length) == 0;
        elements = is_known ? elements * length : OTF2_UNDEFINED_UINT64;
    }
    if (dimensions)
        spur_mem_free(dimensions, bytes);
    return elements;
}

/* The counts of several parts; those of one element may be missing. */
static uint64_t listed_elements(netcdf_word parts, netcdf_word counts_at, int n)
{
    const uint64_t *counts = numbers_at(counts_at);
    uint64_t elements = 0;
    for (int i = 0; i < (int)parts; i++)
        elements += counts && counts[i] ? product(numbers_at((netcdf_word)counts[i]), n) : 1;
    return elements;
}

static uint64_t elements_of(const struct format_library *library, size_t asked,
                            const struct netcdf_row *row, const netcdf_word *w)
{
    int file = (int)w[0], variable = (int)w[1], n = 0;
    if (row->shape == NETCDF_UNKNOWN)
        return OTF2_UNDEFINED_UINT64;
    if (ASK(inquire_3, inq_varndims)(file, variable, &n) != 0 || n < 0)
        return OTF2_UNDEFINED_UINT64;
    switch (row->shape) {
    case NETCDF_ALL:
        return all_elements(library, asked, file, variable, n);
    case NETCDF_COUNT:
        if (n > 0 && !w[3])
            return OTF2_UNDEFINED_UINT64;
        return product(numbers_at(w[3]), n);
    case NETCDF_LIST:
        return listed_elements(w[2], w[4], n);
    default:
        return 1;
    }
}

/* Of an element of the variable; 0: not known. */
static size_t size_of(const struct format_library *library, size_t asked, int file, int variable)
{
    static const uint8_t sizes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8, sizeof(char *)};
    int type = 0;
    size_t size = 0;
    if (ASK(inquire_3, inq_vartype)(file, variable, &type) != 0 || type < 0)
        return 0;
    if ((size_t)type < sizeof sizes)
        return sizes[type];
    bool is_known = has(library, asked, NETCDF_inq_type) &&
                    ASK(inquire_type, inq_type)(file, type, NULL, &size) == 0;
    return is_known ? size : 0;
}

uint64_t netcdf_bytes(const struct format_library *library, size_t asked,
                      const struct netcdf_row *row, const netcdf_word *w)
{
    int saved = errno;
    uint64_t elements = elements_of(library, asked, row, w);
    size_t size = row->size ? row->size : size_of(library, asked, (int)w[0], (int)w[1]);
    errno = saved;
    return elements == OTF2_UNDEFINED_UINT64 || !size ? OTF2_UNDEFINED_UINT64 : elements * size;
}

/* A name that does not fit is none: the library asks for no room. */
bool netcdf_file_name(const struct format_library *library, size_t asked, int file, char *path)
{
    int saved = errno;
    size_t length = 0;
    bool is_known = has(library, asked, NETCDF_inq_path) &&
                    ASK(inquire_path, inq_path)(file, &length, NULL) == 0 &&
                    length < FORMAT_NAME_BYTES - 1 &&
                    ASK(inquire_path, inq_path)(file, NULL, path) == 0;
    errno = saved;
    return is_known;
}

bool netcdf_variable_name(const struct format_library *library, size_t asked, int group,
                          int variable, char *name)
{
    enum { NAME_MAX_NC = 256 };
    int saved = errno;
    size_t length = 0;
    if (has(library, asked, NETCDF_inq_grpname_full) &&
        (ASK(inquire_path, inq_grpname_full)(group, &length, NULL) != 0 ||
         length > FORMAT_NAME_BYTES - 2 - NAME_MAX_NC - 1 ||
         ASK(inquire_path, inq_grpname_full)(group, NULL, name) != 0))
        length = 0;
    if (length == 1) /* the root's "/" */
        length = 0;
    if (length > 0)
        name[length++] = '/';
    bool is_known = ASK(inquire_3, inq_varname)(group, variable, name + length) == 0;
    errno = saved;
    return is_known;
}
