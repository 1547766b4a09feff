/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include "wrappers/formats/hdf5_emit.h"

/* H5P_DEFAULT, H5S_ALL: no object. H5S_BLOCK: as much memory as is selected in the file. */
enum { DEFAULT = 0, BLOCK = 1 };

bool hdf5_is_valid(const struct format_library *library, hdf5_id object)
{
    int saved = errno;
    bool is_valid = object > DEFAULT && HDF5_ASK(library, H5Iis_valid)(object) > 0;
    errno = saved;
    return is_valid;
}

/* Also of what the library itself has made, such as the predefined types; -1: no object. */
static int kind_of(const struct format_library *library, hdf5_id object)
{
    int saved = errno;
    int kind = object > DEFAULT ? HDF5_ASK(library, H5Iget_type)(object) : -1;
    errno = saved;
    return kind;
}

bool hdf5_is(const struct format_library *library, hdf5_id object, enum hdf5_kind kind)
{
    return kind_of(library, object) == (int)kind;
}

bool hdf5_is_last(const struct format_library *library, hdf5_id object)
{
    int saved = errno;
    bool is_last = hdf5_is_valid(library, object) && HDF5_ASK(library, H5Iget_ref)(object) <= 1;
    errno = saved;
    return is_last;
}

/* Those that lie in a file for sure: a datatype may be in none. */
static bool is_in_file(const struct format_library *library, hdf5_id object)
{
    int kind = kind_of(library, object);
    return kind == HDF5_FILE || kind == HDF5_GROUP || kind == HDF5_DATASET;
}

/*
 * A call for an event set returns while a library for storage (a VOL connector) works in the
 * background. A question about the file would wait for this work.
 */
static bool may_ask(const struct format_frame *frame, hdf5_id object)
{
    enum { WORKS_IN_BACKGROUND = 2 }; /* H5VL_CAP_FLAG_ASYNC */
    const struct format_library *library = frame->library;
    uint64_t abilities = WORKS_IN_BACKGROUND;
    if (!is_in_file(library, object))
        return false;
    if (!frame->set)
        return true;
    hdf5_id connector = HDF5_ASK(library, H5VLget_connector_id)(object);
    if (connector > DEFAULT) {
        HDF5_ASK(library, H5VLget_cap_flags)(connector, &abilities);
        HDF5_ASK(library, H5VLclose)(connector);
    }
    return !(abilities & WORKS_IN_BACKGROUND);
}

bool hdf5_file_name(const struct format_frame *frame, hdf5_id object, char *path, size_t room)
{
    int saved = errno;
    bool is_known =
        may_ask(frame, object) && HDF5_ASK(frame->library, H5Fget_name)(object, path, room) > 0;
    errno = saved;
    return is_known;
}

bool hdf5_name(const struct format_frame *frame, hdf5_id object, char *name, size_t room)
{
    int saved = errno;
    bool is_known =
        may_ask(frame, object) && HDF5_ASK(frame->library, H5Iget_name)(object, name, room) > 0;
    errno = saved;
    return is_known;
}

/* Of the selection in the memory, else in the file, else of all; -1: not known. */
static int64_t elements(const struct format_frame *frame, hdf5_id set, hdf5_id memory,
                        hdf5_id space)
{
    const struct format_library *library = frame->library;
    hdf5_id selected = memory > BLOCK ? memory : space;
    int64_t n = -1;
    if (selected != DEFAULT)
        return hdf5_is(library, selected, HDF5_DATASPACE)
                   ? HDF5_ASK(library, H5Sget_select_npoints)(selected)
                   : -1;
    hdf5_id all = may_ask(frame, set) ? HDF5_ASK(library, H5Dget_space)(set) : DEFAULT;
    if (all > DEFAULT) {
        n = HDF5_ASK(library, H5Sget_select_npoints)(all);
        HDF5_ASK(library, H5Sclose)(all);
    }
    return n;
}

uint64_t hdf5_bytes(const struct format_frame *frame, hdf5_id set, hdf5_id type, hdf5_id memory,
                    hdf5_id space)
{
    const struct format_library *library = frame->library;
    int saved = errno;
    uint64_t bytes = OTF2_UNDEFINED_UINT64;
    if (hdf5_is(library, set, HDF5_DATASET) && hdf5_is(library, type, HDF5_DATATYPE)) {
        int64_t n = elements(frame, set, memory, space);
        if (n >= 0)
            bytes = (uint64_t)n * HDF5_ASK(library, H5Tget_size)(type);
    }
    errno = saved;
    return bytes;
}

/* The number that H5Iget_type() has for lists of properties changed with 1.12. */
static int kind_of_lists(const struct format_library *library)
{
    enum { LIST_1_10 = 10, LIST_1_12 = 11 };
    return library->function[HDF5_H5Oopen_by_token] ? LIST_1_12 : LIST_1_10;
}

/* Only lists for transfers have that property; of others H5Pget_dxpl_mpio() would say an error. */
bool hdf5_is_collective(const struct format_library *library, hdf5_id transfer)
{
    enum { COLLECTIVE = 1 }; /* H5FD_MPIO_COLLECTIVE */
    int saved = errno, mode = 0;
    if (library->function[HDF5_H5Pget_dxpl_mpio] &&
        kind_of(library, transfer) == kind_of_lists(library) &&
        HDF5_ASK(library, H5Pexist)(transfer, "io_xfer_mode") > 0)
        HDF5_ASK(library, H5Pget_dxpl_mpio)(transfer, &mode);
    errno = saved;
    return mode == COLLECTIVE;
}

/* ---- event sets: of a good id only ---- */

uint64_t hdf5_set_counter(const struct format_library *library, hdf5_id set)
{
    int saved = errno;
    uint64_t n = 0;
    HDF5_ASK(library, H5ESget_op_counter)(set, &n);
    errno = saved;
    return n;
}

bool hdf5_set_is_idle(const struct format_library *library, hdf5_id set)
{
    int saved = errno;
    size_t n = 0;
    HDF5_ASK(library, H5ESget_count)(set, &n);
    errno = saved;
    return n == 0;
}

bool hdf5_set_has_failed(const struct format_library *library, hdf5_id set)
{
    int saved = errno;
    bool has_failed = false;
    HDF5_ASK(library, H5ESget_err_status)(set, &has_failed);
    errno = saved;
    return has_failed;
}
