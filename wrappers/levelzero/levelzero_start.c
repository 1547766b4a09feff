/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agent's entry into Level Zero's loader. The loader fills its tables when the program first
 * calls zeInit() or a similar function. To fill a table, the loader calls an exported function of
 * its own by name. The functions here come before the loader's, as the agent is preloaded.
 */
#include <dlfcn.h>
#include <errno.h>

#include "wrappers/levelzero/levelzero.h"

/* A group is on. */
static bool is_wanted;

static void select_groups(void *unused)
{
    (void)unused;
    is_wanted =
        spur_wraps(SPUR_FAMILY_LEVELZERO) && levelzero_groups_select(spur_setting("LEVELZERO"));
}

__attribute__((constructor)) static void start(void)
{
    spur_on_own_stack(select_groups, NULL);
}

/* ---- the tables ---- */

static const struct {
    enum levelzero_table table;
    uint32_t place, since;
} rows[LEVELZERO_CALLS] = {
#define ROW(Table, Field, place, since)                                                            \
    [LEVELZERO_##Table##_##Field] = {LEVELZERO_TABLE_##Table, place, since},
#define PLAIN(Table, Field, place, since, ...) ROW(Table, Field, place, since)
#define MEANT(Table, Field, place, since, ...) ROW(Table, Field, place, since)
#define GIVES(Table, Field, place, since, ...) ROW(Table, Field, place, since)
#define ASKED(Table, Field, place, since, ...) ROW(Table, Field, place, since)
#include "wrappers/levelzero/levelzero_calls.def"
};

/* A table of an older version of the interface ends earlier. */
static void put_wrappers(enum levelzero_table table, uint32_t version, wrapper_any *functions)
{
    const uint32_t minor = version & ((UINT32_C(1) << LEVELZERO_VERSION_BITS) - 1);
    for (size_t i = 0; i < LEVELZERO_CALLS; i++) {
        wrapper_any *function = &functions[rows[i].place];
        if (rows[i].table != table || rows[i].since > minor || !*function ||
            *function == levelzero_wrappers[i])
            continue;
        levelzero_next[i] = *function;
        if (levelzero_wrappers[i])
            *function = levelzero_wrappers[i];
    }
}

/* Events can be made, asked and reset, and clocks be read. */
bool levelzero_is_whole(void)
{
    static const enum levelzero_call needed[] = {
        LEVELZERO_Device_GetProperties,
        LEVELZERO_Device_GetGlobalTimestamps,
        LEVELZERO_EventPool_Create,
        LEVELZERO_EventPool_Destroy,
        LEVELZERO_Event_Create,
        LEVELZERO_Event_Destroy,
        LEVELZERO_Event_QueryStatus,
        LEVELZERO_Event_HostReset,
        LEVELZERO_Event_QueryKernelTimestamp,
        LEVELZERO_Mem_GetAllocProperties,
    };
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!levelzero_next[needed[i]])
            return false;
    return true;
}

/* ---- the caller ---- */

typedef uint32_t fill_table(uint32_t version, void *functions);

/* The function of the calling library, and whether the caller is the loader. */
struct asked {
    const char *name;
    const void *caller;
    fill_table *fill; /* NULL: not found */
    bool is_loader;
};

/*
 * Drivers and layers export functions of the same names as well, and may call their own functions.
 */
static void find(void *data)
{
    struct asked *asked = data;
    void *library = wrapper_open(asked->caller);
    void *address = library ? wrapper_not_ours(dlsym(library, asked->name)) : NULL;
    if (!address)
        address = wrapper_not_ours(dlsym(RTLD_NEXT, asked->name));
    memcpy(&asked->fill, &address, sizeof asked->fill); /* ISO C knows no cast */
    asked->is_loader = library && address && dlsym(library, "zeLoaderInit") &&
                       wrapper_base(address) == wrapper_base(asked->caller);
    if (library)
        dlclose(library);
}

/* With a single driver the table has the driver's functions, else the loader's. */
static void leave_out_driver(void)
{
    const void *address;
    memcpy(&address, &levelzero_next[LEVELZERO_CommandList_Create], sizeof address);
    if (address)
        spur_locks_leave_out(address);
}

/* Tables of another major version may have any layout. */
static bool knows(uint32_t version)
{
    static atomic_flag has_said = ATOMIC_FLAG_INIT;
    const uint32_t major = version >> LEVELZERO_VERSION_BITS;
    if (major != LEVELZERO_MAJOR && !atomic_flag_test_and_set(&has_said))
        spur_say("this version of Level Zero (%u) is not known: Level Zero is not recorded", major);
    return major == LEVELZERO_MAJOR;
}

static uint32_t serve(enum levelzero_table table, const char *name, const void *caller,
                      uint32_t version, void *functions)
{
    struct asked asked = {.name = name, .caller = caller};
    int saved = errno;
    spur_inside_begin();
    spur_on_own_stack(find, &asked);
    spur_inside_end();
    errno = saved;
    if (!asked.fill)
        return LEVELZERO_UNSUPPORTED_VERSION;
    uint32_t result = asked.fill(version, functions);
    if (!is_wanted || !asked.is_loader || !functions || result != LEVELZERO_SUCCESS ||
        !knows(version))
        return result;
    put_wrappers(table, version, functions);
    spur_locks_leave_out(caller);
    if (table == LEVELZERO_TABLE_CommandList)
        leave_out_driver();
    return result;
}

/* Declared here, since spur uses no headers of Level Zero. */
#define TABLE(Name)                                                                                \
    uint32_t zeGet##Name##ProcAddrTable(uint32_t version, void *functions);                        \
    SPUR_EXPORT uint32_t zeGet##Name##ProcAddrTable(uint32_t version, void *functions)             \
    {                                                                                              \
        return serve(LEVELZERO_TABLE_##Name, "zeGet" #Name "ProcAddrTable",                        \
                     __builtin_return_address(0), version, functions);                             \
    }
#include "wrappers/levelzero/levelzero_tables.def"
#undef TABLE
