/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur-print: the records of an archive as text, as otf2-print prints them; with the public reading
 * interface.
 *
 *     spur-print [OPTION]... [--] ANCHORFILE
 *
 * Status: 0, or 1 when the archive cannot be read to its end, or for wrong use.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otf2x/otf2x.h>

#include "tools/base/archive_path.h"
#include "tools/base/fail.h"
#include "tools/engine/engine.h"
#include "tools/print/print_anchor.h"
#include "tools/print/print_columns.h"
#include "tools/print/print_define.h"
#include "tools/print/print_definitions.h"
#include "tools/print/print_fault.h"
#include "tools/print/print_job.h"
#include "tools/print/print_options.h"
#include "tools/print/print_records.h"
#include "tools/print/print_tree.h"
#include "tools/print/print_workers.h"

static const char ruler[] =
    "--------------------------------------------------------------------------------\n";

static void put_head(const char *first)
{
    put_format("%-32s %15s %20s  Attributes\n", first, "Location", "Timestamp");
    put_string(ruler);
}

/* ---- global definitions ---- */

static void read_definitions(OTF2_Reader *reader)
{
    uint64_t expected = 0;
    uint64_t n = 0;
    uint64_t nread = 0;
    if (options.all || options.global_definitions) {
        put_string(
            "\n=== Global Definitions ========================================================="
            "\n\n");
        put_format("%-27s %12s  Attributes\n", "Definition", "ID");
        put_string(ruler);
    }
    OTF2_GlobalDefReaderCallbacks *callbacks = definition_callbacks();
    check_pointer(callbacks, "Create global definition callback handle.");
    OTF2_ErrorCode code = OTF2_Reader_GetNumberOfLocations(reader, &n);
    check_status(code, "Get number of locations. Number of locations: %llu", (unsigned long long)n);
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    check_pointer(definitions, "Create global definition reader handle.");
    check_status(OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, NULL),
                 "Register global definition callbacks.");
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    if (options.system_tree && !tree_open(options.path)) {
        bool is_other = errno == ELOOP || errno == EEXIST || errno == ENXIO;
        fprintf(stderr, PROGRAM ": %s: cannot open dot file for system tree: %s%s\n", tree_path(),
                strerror(errno), is_other ? "; it is no earlier one of yours: move it away" : "");
        output_close();
        exit(EXIT_FAILURE);
    }
    code = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &nread);
    check_status(code, "Read global definitions. Number of definitions: %llu",
                 (unsigned long long)nread);
    code = OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &expected);
    check_status(code, "Get number of global definitions: %llu", (unsigned long long)expected);
    if (nread != expected)
        check_status(OTF2_ERROR_INTEGRITY_FAULT, "Number of global definitions read and defined in "
                                                 "anchor file do not match!");
    const char *fault = options.system_tree ? tree_close() : NULL;
    if (fault) {
        fprintf(stderr, PROGRAM ": %s: %s\n", tree_path(), fault);
        output_close();
        exit(EXIT_FAILURE);
    }
}

/* ---- locations ---- */

/* Then no more is read than the global definitions. */
static bool is_only_definitions(void)
{
    return options.global_definitions && !options.all;
}

/* Leaves those that are wanted in `locations`. */
static void find_locations(void)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < nlocations; i++)
        if (!options.one_location || locations[i].id == options.location)
            locations[n++] = locations[i];
    nlocations = n;
    check_condition(n, options.one_location
                           ? "Find event file for selected location."
                           : "Find location definitions in global definition file.");
}

static void put_local_head(void)
{
    if (!options.mappings && !options.clock_offsets)
        return;
    put_string(
        "\n=== Per Location Definitions ===================================================\n\n");
    put_format("%-27s %12s  Attributes\n", "Definition", "Location");
    put_string(ruler);
}

static void read_local_definitions(OTF2_Reader *reader, OTF2_DefReader *definitions,
                                   const OTF2_DefReaderCallbacks *callbacks,
                                   OTF2_LocationRef *location)
{
    uint64_t n = 0;
    if (options.mappings || options.clock_offsets)
        check_status(OTF2_Reader_RegisterDefCallbacks(reader, definitions, callbacks, location),
                     "Register local definition callbacks.");
    OTF2_ErrorCode code;
    do { /* a second table of a kind is not applied, but no reason to stop */
        uint64_t more = 0;
        code = OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &more);
        n += more;
    } while (code == OTF2_ERROR_DUPLICATE_MAPPING_TABLE);
    check_status(code, "Read %llu definitions for location %llu", (unsigned long long)n,
                 (unsigned long long)*location);
    check_status(OTF2_Reader_CloseDefReader(reader, definitions), "Close local definition reader.");
}

/* The opening of a file; a missing file is no fault. */
struct opening {
    bool is_silent;
    OTF2_ErrorCode code;
};

static __attribute__((format(printf, 6, 0))) OTF2_ErrorCode
keep_code(void *user, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
          const char *format, va_list va)
{
    struct opening *opening = user;
    opening->code = code;
    return code == OTF2_ERROR_ENOENT && opening->is_silent
               ? code
               : fault_say(NULL, file, line, function, code, format, va);
}

/*
 * NULL: no local definitions, which is no fault. A damaged container ends the command, as a damaged
 * plain file does.
 */
static OTF2_DefReader *definitions_of(OTF2_Reader *reader, OTF2_LocationRef location)
{
    struct opening opening = {true, OTF2_SUCCESS};
    OTF2_Error_RegisterCallback(keep_code, &opening);
    OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(reader, location);
    OTF2_Error_RegisterCallback(fault_say, NULL);
    if (!definitions && opening.code && opening.code != OTF2_ERROR_ENOENT)
        check_status(opening.code, "Create local definition reader for location %llu.",
                     (unsigned long long)location);
    return definitions;
}

static bool lacks_events; /* of a location */

/* False: no events. A message names the first missing file. */
static bool open_events(OTF2_Reader *reader, const struct print_location *location)
{
    struct opening opening = {!location->n_events || lacks_events, OTF2_SUCCESS};
    OTF2_Error_RegisterCallback(keep_code, &opening);
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, location->id);
    OTF2_Error_RegisterCallback(fault_say, NULL);
    if (opening.code != OTF2_ERROR_ENOENT)
        check_pointer(events, "Create local event reader for location %llu.",
                      (unsigned long long)location->id);
    lacks_events |= !events && location->n_events;
    return events;
}

static void open_location(OTF2_Reader *reader, OTF2_LocationRef *location, bool has_snapshots,
                          bool has_definitions, const OTF2_DefReaderCallbacks *callbacks)
{
    unsigned long long id = *location;
    if (has_snapshots)
        check_pointer(OTF2_Reader_GetSnapReader(reader, id),
                      "Create local snapshot reader for location %llu.", id);
    OTF2_DefReader *definitions = has_definitions ? definitions_of(reader, id) : NULL;
    if (definitions)
        read_local_definitions(reader, definitions, callbacks, location);
}

/* Opens the files of all locations and reads their definitions, which apply to their events. */
static void open_locations(OTF2_Reader *reader, bool has_snapshots)
{
    OTF2_DefReaderCallbacks *callbacks = local_definition_callbacks();
    bool has_definitions = false;
    check_pointer(callbacks, "Create global definition callback handle.");
    put_local_head();
    if (options.system_tree && !options.as_3_0)
        tree_tell(options.path);
    for (uint64_t i = 0; i < nlocations; i++)
        check_status(OTF2_Reader_SelectLocation(reader, locations[i].id),
                     "Select location to read.");
    if (!is_only_definitions()) {
        if (options.local_definitions) {
            has_definitions = !OTF2_Reader_OpenDefFiles(reader);
            debug("Open local definition files for reading.");
        }
        check_status(OTF2_Reader_OpenEvtFiles(reader), "Open event files for reading.");
    }
    uint64_t n = 0;
    for (uint64_t i = 0; i < nlocations; i++) {
        bool is_there = is_only_definitions() || open_events(reader, &locations[i]);
        open_location(reader, &locations[i].id, has_snapshots, has_definitions, callbacks);
        if (is_there)
            locations[n++] = locations[i];
    }
    nlocations = n;
    if (has_definitions)
        check_status(OTF2_Reader_CloseDefFiles(reader),
                     "Close local definition files for reading.");
    OTF2_DefReaderCallbacks_Delete(callbacks);
}

/* ---- events and snapshots ---- */

static void wait_for_enter(const char *what)
{
    put_format("Press ENTER to print next %llu %s.", (unsigned long long)options.step, what);
    output_flush();
    for (int c = getchar(); c != '\n' && c != EOF; c = getchar()) {
    }
}

/* All at once, but when somebody is asked to press ENTER. */
static void read_by_steps(OTF2_Reader *reader, OTF2_GlobalEvtReader *events,
                          const OTF2_GlobalEvtReaderCallbacks *callbacks)
{
    unsigned workers = workers_of_use();
    for (uint64_t n = options.step; n == options.step;) {
        OTF2_ErrorCode code = engine_has_ranks() ? job_print(events, &n)
                              : workers > 1
                                  ? workers_print(workers, reader, events, callbacks, &n)
                                  : OTF2_Reader_ReadGlobalEvents(reader, events, options.step, &n);
        check_status(code, "Read %llu events.", (unsigned long long)n);
        if (options.step == UINT64_MAX)
            break;
        wait_for_enter("events");
        if (n == options.step && !options.silent)
            put_head("Event");
    }
}

static void read_events(OTF2_Reader *reader)
{
    if (!options.silent)
        put_string(
            "=== Events =====================================================================\n");
    OTF2_GlobalEvtReaderCallbacks *callbacks = event_callbacks();
    check_pointer(callbacks, "Create event reader callbacks.");
    OTF2_GlobalEvtReader *events = OTF2_Reader_GetGlobalEvtReader(reader);
    check_pointer(events, "Create global event reader.");
    if (!options.silent)
        check_status(OTF2_Reader_RegisterGlobalEvtCallbacks(reader, events, callbacks, NULL),
                     "Register global event callbacks.");
    if (!options.silent)
        put_head("Event");
    read_by_steps(reader, events, callbacks);
    OTF2_GlobalEvtReaderCallbacks_Delete(callbacks);
    check_status(OTF2_Reader_CloseGlobalEvtReader(reader, events),
                 "Close global definition reader.");
    check_status(OTF2_Reader_CloseEvtFiles(reader), "Close event files for reading.");
}

static void read_snapshots(OTF2_Reader *reader)
{
    if (!options.silent)
        put_string(
            "=== Snapshots ==================================================================\n");
    OTF2_GlobalSnapReaderCallbacks *callbacks = snapshot_callbacks();
    check_pointer(callbacks, "Create snapshot reader callbacks.");
    OTF2_GlobalSnapReader *snapshots = OTF2_Reader_GetGlobalSnapReader(reader);
    check_pointer(snapshots, "Create global snapshots reader.");
    if (!options.silent)
        check_status(OTF2_Reader_RegisterGlobalSnapCallbacks(reader, snapshots, callbacks, NULL),
                     "Register global snapshots callbacks.");
    OTF2_GlobalSnapReaderCallbacks_Delete(callbacks);
    if (!options.silent)
        put_head("Snapshot");
    for (uint64_t n = options.step; n == options.step;) {
        OTF2_ErrorCode code = OTF2_Reader_ReadGlobalSnapshots(reader, snapshots, options.step, &n);
        check_status(code, "Read %llu snapshot records.", (unsigned long long)n);
        if (options.step == UINT64_MAX)
            break;
        wait_for_enter("snapshot records");
        if (n == options.step && !options.silent)
            put_head("Snapshot");
    }
}

/* ---- everything ---- */

static void print(OTF2_Reader *reader)
{
    uint32_t nsnapshots = 0;
    if (options.info || options.all)
        print_anchor(reader);
    if (options.thumbnails || options.all)
        print_thumbnails(reader);
    if ((options.info || options.thumbnails) && !options.all)
        return;
    check_status(OTF2_Reader_GetNumberOfSnapshots(reader, &nsnapshots),
                 "Read number of snapshots.");
    read_definitions(reader);
    find_locations();
    bool has_snapshots = nsnapshots && options.snapshots;
    open_locations(reader, has_snapshots);
    if (is_only_definitions() || ((options.mappings || options.clock_offsets) && !options.all))
        return;
    if (nlocations)
        read_events(reader);
    if (has_snapshots)
        read_snapshots(reader);
    if (options.system_tree && options.as_3_0)
        tree_tell(options.path);
}

int main(int argc, char **argv)
{
    bool is_global = true;
    (void)argc;
    engine_start();
    print_options(argv + 1);
    if (!job_is_of_use())
        engine_leave();
    if (options.threads > 1 && engine_has_ranks() && engine_is_first())
        fail("--threads %u: each rank of a job prints with one thread: start more ranks",
             options.threads);
    engine_ask_threads(engine_has_ranks());
    if (options.output)
        output_to(engine_is_first() ? options.output : NULL);
    if (!output_open(OUTPUT_ALONE)) {
        fputs(PROGRAM ": out of memory\n", stderr);
        return EXIT_FAILURE;
    }
    columns_init();
    put_string("\n=== OTF2-PRINT ===\n");
    OTF2_Error_RegisterCallback(fault_say, NULL);
    OTF2X_LeaveOutLocations();
    OTF2_Reader *reader = OTF2_Reader_Open(options.path);
    check_pointer(reader, "Create new reader handle.");
    if (engine_has_ranks())
        engine_same(options.path, archive_digest(options.path));
    check_status(OTF2_Reader_SetSerialCollectiveCallbacks(reader), "Set serial mode.");
    check_status(OTF2_Reader_SetHint(reader, OTF2_HINT_GLOBAL_READER, &is_global),
                 "Setting global-reader hint.");
    print(reader);
    check_status(OTF2_Reader_Close(reader), "Delete reader handle.");
    debug("Program finished.");
    if (!output_close()) {
        const char *name = options.output ? options.output : "standard output";
        fprintf(stderr, PROGRAM ": %s: %s\n", name, strerror(errno));
        return EXIT_FAILURE;
    }
    return lacks_events ? EXIT_FAILURE : EXIT_SUCCESS;
}
