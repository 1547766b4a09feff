/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/mpi_mark.h"

static const char *const names[] = {
#define MARK(NAME, name, doc) name,
#include "wrappers/mpi/tables/mpi_marks.def"
#undef MARK
};

void mpi_mark(struct spur_loc *loc, enum mpi_mark mark, uint64_t value)
{
    static _Atomic(uint32_t) ids[MPI_MARKS]; /* + 1; 0: not defined */
    if (spur_is_dropped(loc))
        return;
    uint32_t id = atomic_load_explicit(&ids[mark], memory_order_relaxed);
    if (!id) {
        OTF2_ParameterRef made = spur_def_parameter(names[mark], OTF2_PARAMETER_TYPE_UINT64);
        if (made == OTF2_UNDEFINED_PARAMETER)
            return;
        id = made + 1; /* the same for all threads: it is interned */
        atomic_store_explicit(&ids[mark], id, memory_order_relaxed);
    }
    spur_put_ParameterUnsignedInt(loc, id - 1, value);
}

/* Codes are classes, or tell more; MPI_Error_class may be asked at any time. */
static int class_of(int code)
{
    const struct mpi_library *lib = mpi_library();
    int class = code;
    if (lib->Error_class && lib->Error_class(code, &class) != 0)
        class = lib->layout.err_other;
    return class;
}

void mpi_mark_error(struct spur_loc *loc, int code)
{
    mpi_mark(loc, MPI_MARK_ERROR, (uint64_t)class_of(code));
}

/* All libraries number these classes first. */
bool mpi_error_is_early(int code)
{
    int class = class_of(code);
    return class > 0 && class <= mpi_library()->layout.err_arg;
}

bool mpi_error_is_truncation(int code)
{
    return class_of(code) == mpi_library()->layout.err_truncate;
}
