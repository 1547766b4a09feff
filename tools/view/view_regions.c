/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_regions.h"

#include <string.h>

#include "format/names.h"

enum { SMALL_IDS = 1 << 22 };

static const char *group_of_paradigm(OTF2_Paradigm paradigm)
{
    switch (paradigm) {
    case OTF2_PARADIGM_MPI:
        return "mpi";
    case OTF2_PARADIGM_OPENMP:
    case OTF2_PARADIGM_OMPSS:
        return "openmp";
    case OTF2_PARADIGM_PTHREAD:
    case OTF2_PARADIGM_WINTHREAD:
    case OTF2_PARADIGM_QTTHREAD:
    case OTF2_PARADIGM_ACETHREAD:
    case OTF2_PARADIGM_TBBTHREAD:
    case OTF2_PARADIGM_MTAPI:
        return "pthread";
    case OTF2_PARADIGM_CUDA:
    case OTF2_PARADIGM_HIP:
    case OTF2_PARADIGM_OPENACC:
    case OTF2_PARADIGM_OPENCL:
    case OTF2_PARADIGM_HMPP:
    case OTF2_PARADIGM_KOKKOS:
        return "gpu";
    case OTF2_PARADIGM_COMPILER:
        return "compiler";
    case OTF2_PARADIGM_SAMPLING:
        return "sampled";
    case OTF2_PARADIGM_NONE:
        return "process";
    case OTF2_PARADIGM_USER:
    case OTF2_PARADIGM_UNKNOWN:
        return "user";
    default:
        return "other";
    }
}

const char *view_region_group(const struct defs *d, uint32_t region)
{
    static const char *const own[REGIONS_OWN] = {
        [REGION_PROGRAM] = "program",  [REGION_IDLE] = "idle",   [REGION_BLOCKED] = "idle",
        [REGION_OFF] = "not recorded", [REGION_SHORT] = "other",
    };
    if (region < REGIONS_OWN)
        return own[region];
    const struct region *r = &d->regions.at[region];
    bool is_mpi = r->paradigm == OTF2_PARADIGM_MPI;
    if (!is_mpi && (region_is_of_files(r) || region_awaits_descriptor(r)))
        return "io";
    if (r->role == OTF2_REGION_ROLE_ALLOCATE || r->role == OTF2_REGION_ROLE_DEALLOCATE ||
        r->role == OTF2_REGION_ROLE_REALLOCATE)
        return is_mpi ? "mpi" : "memory";
    return group_of_paradigm(r->paradigm);
}

/* Calls of MPI that return when others have done something. */
static bool is_mpi_wait(const char *name, OTF2_RegionRole role)
{
    static const char *const parts[] = {"MPI_Recv",  "MPI_Wait",     "MPI_Probe",  "MPI_Mprobe",
                                        "MPI_Mrecv", "MPI_Sendrecv", "MPI_Barrier"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!strncmp(name, parts[i], strlen(parts[i])))
            return strcmp(name, "MPI_Recv_init") != 0;
    return role >= OTF2_REGION_ROLE_COLL_ONE2ALL && role <= OTF2_REGION_ROLE_COLL_OTHER &&
           strncmp(name, "MPI_I", strlen("MPI_I")) != 0;
}

static bool does_wait(const struct defs *d, const struct region *r)
{
    if (r->meaning == REGION_THREAD_WAIT || r->meaning == REGION_OMP_BARRIER)
        return true;
    if (r->paradigm == OTF2_PARADIGM_MPI)
        return is_mpi_wait(defs_text(d, r->name), r->role);
    return r->role == OTF2_REGION_ROLE_BARRIER || r->role == OTF2_REGION_ROLE_IMPLICIT_BARRIER ||
           r->role == OTF2_REGION_ROLE_TASK_WAIT;
}

void view_regions_make(struct view *v)
{
    size_t room = 0;
    size_t n = v->defs.regions.n;
    uint64_t greatest = 0;
    v->waits = list_grow(NULL, &room, n, sizeof *v->waits);
    v->waits[REGION_BLOCKED] = true;
    for (size_t i = REGIONS_OWN; i < n; i++) {
        v->waits[i] = does_wait(&v->defs, &v->defs.regions.at[i]);
        if (v->defs.regions.at[i].id < SMALL_IDS && v->defs.regions.at[i].id > greatest)
            greatest = v->defs.regions.at[i].id;
    }
    room = 0;
    v->n_waits = n;
    v->n_comms = v->defs.comms.n;
    v->n_region_of = (uint32_t)greatest + 1;
    v->region_of = list_grow(NULL, &room, v->n_region_of, sizeof *v->region_of);
    memset(v->region_of, 0xff, v->n_region_of * sizeof *v->region_of);
    for (size_t i = REGIONS_OWN; i < n; i++)
        if (v->defs.regions.at[i].id < SMALL_IDS)
            v->region_of[v->defs.regions.at[i].id] = (uint32_t)i;
}

const char *view_op_name(uint32_t value)
{
    return otf2_enum_name(OTF2_ENUM_CollectiveOp, value);
}
