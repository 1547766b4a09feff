/* SPDX-License-Identifier: BSD-3-Clause */
/* links: finish format writer reader */
#include "tests/unit/session_build.h"

enum { PID = 5000000, STRINGS = 1100000, COMMON_CHUNK_BYTES = 4 << 20 };

static const struct spur_finish_options quiet = {.quiet = true};

TestSuite(finish_large, .init = enter_fresh_dir, .fini = leave_fresh_dir, .timeout = 100);

static void fake_talkative(uint32_t pid, int rank)
{
    struct fake p;
    char text[16];
    fake_open(&p, "s", pid, rank, 2);
    fake_define(&p, "MPI_Send");
    for (unsigned i = 0; i < STRINGS; i++) {
        snprintf(text, sizeof text, "%d-%x", rank, i);
        build_string(&p.journal, text);
    }
    fake_events(&p, 0, 1);
    fake_close(&p, NULL, 0, true);
}

static OTF2_CallbackCode on_table(void *data, OTF2_MappingType type, const OTF2_IdMap *map)
{
    uint64_t size;
    if (type == OTF2_MAPPING_STRING && OTF2_IdMap_GetSize(map, &size) == OTF2_SUCCESS)
        *(uint64_t *)data += size;
    return OTF2_CALLBACK_SUCCESS;
}

/* How many strings the tables of a location have. */
static uint64_t count_mapped(OTF2_LocationRef location)
{
    uint64_t n = 0, records;
    OTF2_Reader *reader = OTF2_Reader_Open("s/traces.otf2");
    OTF2_DefReaderCallbacks *callbacks = OTF2_DefReaderCallbacks_New();
    cr_assert(reader && OTF2_Reader_SetSerialCollectiveCallbacks(reader) == OTF2_SUCCESS);
    cr_assert(OTF2_Reader_SelectLocation(reader, location) == OTF2_SUCCESS);
    cr_assert(OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS);
    OTF2_DefReader *defs = OTF2_Reader_GetDefReader(reader, location);
    cr_assert(OTF2_DefReaderCallbacks_SetMappingTableCallback(callbacks, on_table) == OTF2_SUCCESS);
    cr_assert(OTF2_Reader_RegisterDefCallbacks(reader, defs, callbacks, &n) == OTF2_SUCCESS);
    cr_assert(OTF2_Reader_ReadAllLocalDefinitions(reader, defs, &records) == OTF2_SUCCESS);
    OTF2_DefReaderCallbacks_Delete(callbacks);
    OTF2_Reader_Close(reader);
    return n;
}

/* A table is one record, and a record lies in one chunk. */
Test(finish_large, tables_that_fill_the_chunks_that_others_use)
{
    struct stat info;
    fake_talkative(PID + 1, 0);
    fake_talkative(PID + 2, 1);
    cr_assert(spur_finish("s", &quiet) == 0);
    cr_assert(stat("s/traces/4294967296.def", &info) == 0);
    cr_expect(info.st_size > COMMON_CHUNK_BYTES, "the test has to try more than that");
    cr_expect(count_mapped((uint64_t)1 << 32) > STRINGS);
}
