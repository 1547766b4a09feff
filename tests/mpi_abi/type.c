/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes, operators, and what a status says. */
#include "abi.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* ---- datatypes: predefined ones, and contiguous ones of them ---- */

struct type {
    int64_t bytes;
};

static const struct {
    MPI_Datatype type;
    int64_t bytes;
} c_types[] = {
    {MPI_AINT, sizeof(MPI_Aint)},
    {MPI_COUNT, sizeof(MPI_Count)},
    {MPI_OFFSET, sizeof(MPI_Offset)},
    {MPI_PACKED, 1},
    {MPI_SHORT, sizeof(short)},
    {MPI_INT, sizeof(int)},
    {MPI_LONG, sizeof(long)},
    {MPI_LONG_LONG, sizeof(long long)},
    {MPI_UNSIGNED_SHORT, sizeof(unsigned short)},
    {MPI_UNSIGNED, sizeof(unsigned)},
    {MPI_UNSIGNED_LONG, sizeof(unsigned long)},
    {MPI_UNSIGNED_LONG_LONG, sizeof(unsigned long long)},
    {MPI_FLOAT, sizeof(float)},
    {MPI_DOUBLE, sizeof(double)},
    {MPI_LONG_DOUBLE, sizeof(long double)},
    {MPI_2INT, 2 * sizeof(int)},
    {MPI_C_BOOL, sizeof(bool)},
    {MPI_WCHAR, sizeof(wchar_t)},
};

int64_t abi_type_size(MPI_Datatype datatype)
{
    uintptr_t value = (uintptr_t)datatype;
    if (value >= 0x240 && value < 0x260) /* of a fixed size, which three bits of it tell */
        return 1 << (value >> 3 & 7);
    for (size_t i = 0; i < sizeof c_types / sizeof c_types[0]; i++)
        if (c_types[i].type == datatype)
            return c_types[i].bytes;
    return value < 0x1000 ? -1 : ((const struct type *)datatype)->bytes;
}

int PMPI_Type_size_c(MPI_Datatype datatype, MPI_Count *size)
{
    *size = abi_type_size(datatype);
    return abi_error(NULL, *size < 0 ? MPI_ERR_TYPE : MPI_SUCCESS);
}
ALIAS(Type_size_c)

int PMPI_Type_size_x(MPI_Datatype datatype, MPI_Count *size)
{
    return PMPI_Type_size_c(datatype, size);
}
ALIAS(Type_size_x)

int PMPI_Type_size(MPI_Datatype datatype, int *size)
{
    MPI_Count bytes;
    int ret = PMPI_Type_size_c(datatype, &bytes);
    *size = bytes > INT32_MAX ? MPI_UNDEFINED : (int)bytes;
    return ret;
}
ALIAS(Type_size)

int PMPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct type *made = malloc(sizeof *made);
    made->bytes = count * abi_type_size(oldtype);
    *newtype = (MPI_Datatype)made;
    return MPI_SUCCESS;
}
ALIAS(Type_contiguous)

int PMPI_Type_commit(MPI_Datatype *datatype)
{
    (void)datatype;
    return MPI_SUCCESS;
}
ALIAS(Type_commit)

int PMPI_Type_free(MPI_Datatype *datatype)
{
    free(*datatype);
    *datatype = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}
ALIAS(Type_free)

int PMPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int *size)
{
    (void)comm;
    *size = incount * (int)abi_type_size(datatype);
    return MPI_SUCCESS;
}
ALIAS(Pack_size)

/* ---- operators: of the program, or predefined ones on three types ---- */

struct op {
    MPI_User_function *function;
};

int PMPI_Op_create(MPI_User_function *user_fn, int commute, MPI_Op *op)
{
    (void)commute;
    struct op *made = malloc(sizeof *made);
    made->function = user_fn;
    *op = (MPI_Op)made;
    return MPI_SUCCESS;
}
ALIAS(Op_create)

int PMPI_Op_free(MPI_Op *op)
{
    free(*op);
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}
ALIAS(Op_free)

#define REDUCE(type)                                                                               \
    static void reduce_##type(const void *in, void *inout, int count, MPI_Op op)                   \
    {                                                                                              \
        const type *a = in;                                                                        \
        type *b = inout;                                                                           \
        for (int i = 0; i < count; i++) {                                                          \
            if (op == MPI_SUM)                                                                     \
                b[i] = a[i] + b[i];                                                                \
            else if (op == MPI_PROD)                                                               \
                b[i] = a[i] * b[i];                                                                \
            else if (op == MPI_MAX)                                                                \
                b[i] = a[i] > b[i] ? a[i] : b[i];                                                  \
            else                                                                                   \
                b[i] = a[i] < b[i] ? a[i] : b[i];                                                  \
        }                                                                                          \
    }
REDUCE(int)
REDUCE(long)
REDUCE(double)

void abi_reduce(const void *in, void *inout, int count, MPI_Datatype datatype, MPI_Op op)
{
    if ((uintptr_t)op > 0x1000)
        ((const struct op *)op)->function((void *)in, inout, &count, &datatype);
    else if (op != MPI_SUM && op != MPI_PROD && op != MPI_MAX && op != MPI_MIN)
        abi_error(NULL, MPI_ERR_OP);
    else if (datatype == MPI_INT)
        reduce_int(in, inout, count, op);
    else if (datatype == MPI_LONG || datatype == MPI_LONG_LONG || datatype == MPI_INT64_T)
        reduce_long(in, inout, count, op);
    else if (datatype == MPI_DOUBLE)
        reduce_double(in, inout, count, op);
    else
        abi_error(NULL, MPI_ERR_TYPE);
}

/* ---- statuses: the first two of the reserved words are the bytes, the third is "cancelled" ----
 */

void abi_status_set(MPI_Status *status, int source, int tag, int error, uint64_t bytes)
{
    *status = (MPI_Status){.MPI_SOURCE = source, .MPI_TAG = tag, .MPI_ERROR = error};
    memcpy(status->MPI_internal, &bytes, sizeof bytes);
}

uint64_t abi_status_bytes(const MPI_Status *status)
{
    uint64_t bytes;
    memcpy(&bytes, status->MPI_internal, sizeof bytes);
    return bytes;
}

int PMPI_Get_elements_x(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)
{
    int64_t size = abi_type_size(datatype);
    uint64_t bytes = abi_status_bytes(status);
    if (size < 0)
        return abi_error(NULL, MPI_ERR_TYPE);
    *count = size == 0                     ? 0
             : bytes % (uint64_t)size == 0 ? (MPI_Count)(bytes / (uint64_t)size)
                                           : MPI_UNDEFINED;
    return MPI_SUCCESS;
}
ALIAS(Get_elements_x)

int PMPI_Get_count(const MPI_Status *status, MPI_Datatype datatype, int *count)
{
    MPI_Count elements = 0;
    int ret = PMPI_Get_elements_x(status, datatype, &elements);
    *count = elements > INT32_MAX ? MPI_UNDEFINED : (int)elements;
    return ret;
}
ALIAS(Get_count)

int PMPI_Status_set_elements(MPI_Status *status, MPI_Datatype datatype, int count)
{
    uint64_t bytes = (uint64_t)(count * abi_type_size(datatype));
    memcpy(status->MPI_internal, &bytes, sizeof bytes);
    return MPI_SUCCESS;
}
ALIAS(Status_set_elements)

int PMPI_Status_set_cancelled(MPI_Status *status, int flag)
{
    status->MPI_internal[2] = flag;
    return MPI_SUCCESS;
}
ALIAS(Status_set_cancelled)

int PMPI_Test_cancelled(const MPI_Status *status, int *flag)
{
    *flag = status->MPI_internal[2];
    return MPI_SUCCESS;
}
ALIAS(Test_cancelled)
