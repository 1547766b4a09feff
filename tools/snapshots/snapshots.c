/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur snapshots: adds to an archive the open items of each location at regular times, so that
 * readers can begin at these times, and a thumbnail with the number of locations in each region.
 * Options, output and written files are identical to the options, output and files of
 * otf2-snapshots.
 */
#include "tools/snapshots/snapshots.h"
#include "tools/base/archive_path.h"
#include "tools/base/complaint.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <otf2x/otf2x.h>

enum { SAMPLES = 4096, STEPS = 51, DEFAULT_NUMBER = 10 };

static struct {
    const char *path;
    uint64_t number; /* UINT64_MAX: not given */
    uint64_t ticks;  /* UINT64_MAX: not given */
    bool shows_progress;
    bool is_verbose;
} options = {.path = "", .number = UINT64_MAX, .ticks = UINT64_MAX};

/* ---- options ---- */

static void take_number(const char *value)
{
    const char *typed = options_typed();
    char *name = make_text("'%.*s'", (int)strcspn(typed, " "), typed);
    uint64_t number = options_otf2_number(value, name, name);
    *(options_row()->brief[0] == 'n' ? &options.number : &options.ticks) = number;
    free(name);
}

static const struct option_row rows[] = {
    {"number", "n", "NUMBER", .take = take_number,
     .doc = "write NUMBER snapshots (default without -p: 10)"},
    {.brief = "p",
     .argument = "TICKS",
     .take = take_number,
     .doc = "write a snapshot every TICKS ticks of the trace's clock; with -n too, the\n"
            "option that makes more snapshots counts"},
    {"progress", .set = &options.shows_progress, .doc = "show the progress"},
    {"verbose", .set = &options.is_verbose, .doc = "show the time of each snapshot"},
};

static const struct command_line command = {
    .name = PROGRAM,
    .form = "[OPTION]... ANCHORFILE",
    .about = "Adds snapshots to an archive (its .otf2 file, or the directory with it). A snapshot "
             "says what\n"
             "is open on each location at a time, so that a viewer can start reading there. Older "
             "snapshots\n"
             "of the archive are replaced.",
    OPTION_ROWS(rows),
    .more = "A location has no snapshot where nothing has happened since the one before. The exit\n"
            "status is 1 after an error.",
    .least = 1,
    .most = 1,
    .needs = "missing or too many anchorfile argument(s)",
    .is_otf2 = true,
    .ends_at_unknown = true,
};

static void read_options(char **words)
{
    const char *path = options_read(&command, words)[0];
    if (archive_say_incomplete(path))
        exit(EXIT_FAILURE);
    options.path = archive_path(path);
    const char *dot = strrchr(options.path, '.');
    if (!dot || strcmp(dot, ".otf2") != 0)
        options_wrong("missing anchorfile");
}

/* ---- the archive ---- */

struct job {
    OTF2_Archive *archive;
    struct trace trace;
    OTF2_GlobalEvtReader *events;
    OTF2_ThumbWriter *thumb; /* NULL: there are no regions */
    uint64_t *sample;        /* values of the current sample */
    uint64_t samples;        /* number of written samples */
    uint64_t sample_ticks;
    OTF2_TimeStamp next_sample;
    uint64_t snapshots;
    uint64_t snapshot_ticks;
    OTF2_TimeStamp next_snapshot;
};

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                            bool is_final)
{
    (void)data, (void)type, (void)location, (void)caller, (void)is_final;
    return OTF2_FLUSH;
}

/* ---- files: the target of a link in the archive is never written ---- */

static int open_no_link(const char *path, int flags)
{
    int fd = open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0666);
    return fd < 0 ? -errno : fd;
}

static int make_folder(const char *path)
{
    return mkdir(path, 0777) ? -errno : 0;
}

static int remove_file(const char *path)
{
    return unlink(path) ? -errno : 0;
}

static int rename_file(const char *from, const char *to)
{
    return rename(from, to) ? -errno : 0;
}

static const OTF2X_FileCallbacks files = {open_no_link, make_folder, remove_file, rename_file};

static void refuse_links(const char *path)
{
    struct stat stat;
    char *folder = make_text("%.*s", (int)(strlen(path) - strlen(".otf2")), path);
    if (!lstat(folder, &stat) && S_ISLNK(stat.st_mode))
        fail("%s: is a symbolic link: add snapshots to the archive that it leads to", folder);
    free(folder);
}

/* A closed container cannot be extended. */
static void refuse_containers(const char *path, OTF2_Archive *archive)
{
    OTF2_FileSubstrate substrate = OTF2_SUBSTRATE_UNDEFINED;
    if (!OTF2_Archive_GetFileSubstrate(archive, &substrate) && substrate == OTF2_SUBSTRATE_SION)
        fail("%s: its files are in SION containers, to which no snapshots can be added; 'spur "
             "unpack %s' takes them out",
             path, path);
}

static OTF2_Archive *open_archive(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char *directory =
        slash ? make_text("%.*s", (int)(slash > path ? slash - path : 1), path) : copy_text(".");
    char *stem = make_text("%.*s", (int)(strlen(name) - strlen(".otf2")), name);
    refuse_links(path);
    OTF2_Archive *archive = OTF2_Archive_Open(directory, stem, OTF2_FILEMODE_READ,
                                              OTF2_UNDEFINED_UINT64, OTF2_UNDEFINED_UINT64,
                                              OTF2_SUBSTRATE_UNDEFINED, OTF2_COMPRESSION_UNDEFINED);
    free(directory);
    free(stem);
    if (!archive || OTF2X_Archive_SetFileCallbacks(archive, &files) ||
        OTF2_Archive_SetSerialCollectiveCallbacks(archive) != OTF2_SUCCESS)
        complaint_fail("cannot be opened as an archive");
    refuse_containers(path, archive);
    return archive;
}

static void read_definitions(struct job *job)
{
    uint64_t count;
    OTF2_GlobalDefReaderCallbacks *callbacks = trace_callbacks();
    OTF2_GlobalDefReader *reader = OTF2_Archive_GetGlobalDefReader(job->archive);
    if (!reader || OTF2_GlobalDefReader_SetCallbacks(reader, callbacks, &job->trace) ||
        OTF2_GlobalDefReader_ReadDefinitions(reader, OTF2_UNDEFINED_UINT64, &count))
        complaint_fail("its definitions cannot be read");
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    trace_complete(&job->trace);
}

/* Local definitions explain the location's events; local definitions may be absent. */
static void open_location(OTF2_Archive *archive, const struct location *location)
{
    uint64_t count;
    OTF2_DefReader *definitions = OTF2_Archive_GetDefReader(archive, location->self);
    if (definitions) {
        if (OTF2_DefReader_ReadDefinitions(definitions, OTF2_UNDEFINED_UINT64, &count))
            complaint_fail("the definitions of a location cannot be read");
        OTF2_Archive_CloseDefReader(archive, definitions);
    }
    if (!OTF2_Archive_GetEvtReader(archive, location->self))
        complaint_fail("its events cannot be read");
}

static void open_events(struct job *job)
{
    OTF2_Archive *archive = job->archive;
    struct trace *trace = &job->trace;
    for (uint64_t i = 0; i < trace->locations.n; i++)
        OTF2_Archive_SelectLocation(archive, trace->locations.at[i].self);
    OTF2_Archive_OpenDefFiles(archive);
    OTF2_Archive_OpenEvtFiles(archive);
    for (uint64_t i = 0; i < trace->locations.n; i++)
        open_location(archive, &trace->locations.at[i]);
    OTF2_Archive_CloseDefFiles(archive);
    if (!trace->locations.n)
        fail("%s: has no locations, so there is nothing to make a snapshot of", options.path);

    job->events = OTF2_Archive_GetGlobalEvtReader(archive);
    OTF2_GlobalEvtReaderCallbacks *callbacks = event_callbacks();
    if (!job->events || OTF2_GlobalEvtReader_SetCallbacks(job->events, callbacks, job))
        complaint_fail("its events cannot be read");
    OTF2_GlobalEvtReaderCallbacks_Delete(callbacks);
}

static void open_outputs(struct job *job)
{
    static const OTF2_FlushCallbacks callbacks = {.otf2_pre_flush = flush};
    struct trace *trace = &job->trace;
    if (OTF2_Archive_SwitchFileMode(job->archive, OTF2_FILEMODE_WRITE) ||
        OTF2_Archive_SetFlushCallbacks(job->archive, &callbacks, NULL) ||
        OTF2_Archive_OpenSnapFiles(job->archive))
        complaint_fail("snapshots cannot be written to it");
    if (!trace->regions.n)
        return;
    job->sample = take_memory(trace->regions.n * sizeof *job->sample);
    for (uint64_t i = 0; i < trace->regions.n; i++)
        job->sample[i] = trace->regions.at[i].self;
    job->thumb =
        OTF2_Archive_GetThumbWriter(job->archive, "region activity", "", OTF2_THUMBNAIL_TYPE_REGION,
                                    SAMPLES, (uint32_t)trace->regions.n, job->sample);
    if (!job->thumb)
        complaint_fail("a thumbnail cannot be written to it");
}

/* ---- thumbnail ---- */

static void write_sample(struct job *job)
{
    job->samples++;
    if (OTF2_ThumbWriter_WriteSample(job->thumb, job->trace.locations.n,
                                     (uint32_t)job->trace.regions.n, job->sample))
        complaint_fail("a thumbnail cannot be written to it");
}

/*
 * Writes the samples up to this time, with the present numbers: nothing happens between two events.
 */
static void write_samples(struct job *job, OTF2_TimeStamp time)
{
    if (!job->thumb || time < job->next_sample)
        return;
    for (uint64_t i = 0; i < job->trace.regions.n; i++)
        job->sample[i] = job->trace.regions.at[i].here;
    for (; time >= job->next_sample && job->samples < SAMPLES;
         job->next_sample += job->sample_ticks)
        write_sample(job);
}

static void finish_thumbnail(struct job *job)
{
    if (!job->thumb)
        return;
    memset(job->sample, 0, job->trace.regions.n * sizeof *job->sample);
    while (job->samples < SAMPLES)
        write_sample(job);
}

/* Counts the location in the location's innermost region. */
static void place_location(struct trace *trace, struct location *location)
{
    const struct record *enter = location->chains[CHAIN_REGIONS].last;
    while (enter && enter->type != EVENT_Enter)
        enter = enter->in_chain.previous;
    struct region *region = enter ? trace_region(trace, enter->cells.Enter.region) : NULL;
    if (location->region)
        location->region->here--;
    location->region = region;
    if (region)
        region->here++;
}

/* ---- snapshots ---- */

static void write_snapshot(struct job *job, OTF2_TimeStamp time)
{
    if (options.is_verbose && !options.shows_progress)
        printf("%s: writing new snapshot at timestamp: %" PRIu64 "\n", PROGRAM, time);
    for (uint64_t i = 0; i < job->trace.locations.n; i++) {
        struct location *location = &job->trace.locations.at[i];
        OTF2_SnapWriter *to = OTF2_Archive_GetSnapWriter(job->archive, location->self);
        if (!to)
            complaint_fail("snapshots cannot be written to it");
        location_write(location, to, time);
    }
    job->snapshots++;
}

void handle_event(void *data, OTF2_LocationRef self, enum event_type type, const union cells *cells,
                  OTF2_AttributeList *attributes)
{
    struct job *job = data;
    OTF2_TimeStamp time = cells->origEventTime;
    struct location *location = trace_location(&job->trace, self);
    if (event_has_meaning(type) && time >= job->next_snapshot) {
        write_snapshot(job, job->next_snapshot);
        uint64_t passed = (time - job->next_snapshot) / job->snapshot_ticks + 1;
        if (__builtin_mul_overflow(passed, job->snapshot_ticks, &passed) ||
            __builtin_add_overflow(job->next_snapshot, passed, &job->next_snapshot))
            job->next_snapshot = UINT64_MAX;
    }
    location->events++;
    event_apply(&job->trace, location, type, cells, attributes);
    if (type == EVENT_Enter || type == EVENT_Leave) {
        place_location(&job->trace, location);
        write_samples(job, time);
    }
}

/* The time between two snapshots, for `number` snapshots within the trace; at least a tick. */
static uint64_t get_ticks(const struct trace *trace, uint64_t number)
{
    uint64_t ticks = number == UINT64_MAX ? 0 : trace->length / (number + 1);
    return ticks ? ticks : 1;
}

static void plan(struct job *job)
{
    const struct trace *trace = &job->trace;
    uint64_t number = options.number;
    if (number == UINT64_MAX && options.ticks == UINT64_MAX)
        number = DEFAULT_NUMBER;
    uint64_t ticks = options.ticks ? options.ticks : 1;
    if (number && number != UINT64_MAX && get_ticks(trace, number) < ticks)
        ticks = get_ticks(trace, number);
    bool is_none = number == 0 && ticks > trace->length;
    job->snapshot_ticks = ticks;
    job->sample_ticks = get_ticks(trace, SAMPLES);
    if (is_none || __builtin_add_overflow(trace->start, ticks, &job->next_snapshot))
        job->next_snapshot = UINT64_MAX;
    if (__builtin_add_overflow(trace->start, job->sample_ticks, &job->next_sample))
        job->next_sample = UINT64_MAX;
}

/* ---- the way through the events ---- */

static void read_events(struct job *job, uint64_t most)
{
    uint64_t count;
    if (OTF2_GlobalEvtReader_ReadEvents(job->events, most, &count))
        complaint_fail("its events cannot be read");
}

static void go_through(struct job *job)
{
    uint64_t share = job->trace.n_events / STEPS;
    if (options.shows_progress)
        puts("=== Progress ===\n===10===20===30===40===50===60===70===80===90==100");
    for (int i = 0; i < STEPS - 1; i++) {
        read_events(job, share);
        if (options.shows_progress) {
            putchar('.');
            fflush(stdout);
        }
    }
    putchar('\n');
    read_events(job, OTF2_UNDEFINED_UINT64);
    finish_thumbnail(job);
}

static void close_all(struct job *job)
{
    OTF2_Archive *archive = job->archive;
    bool is_good = !OTF2_Archive_CloseGlobalEvtReader(archive, job->events);
    is_good &= !OTF2_Archive_CloseEvtFiles(archive);
    for (uint64_t i = 0; i < job->trace.locations.n; i++) {
        OTF2_SnapWriter *writer =
            OTF2_Archive_GetSnapWriter(archive, job->trace.locations.at[i].self);
        is_good &= writer && !OTF2_Archive_CloseSnapWriter(archive, writer);
    }
    is_good &= !OTF2_Archive_CloseSnapFiles(archive);
    if (is_good && job->snapshots)
        is_good = !OTF2_Archive_SetNumberOfSnapshots(archive, (uint32_t)job->snapshots);
    if (OTF2_Archive_Close(archive) || !is_good)
        complaint_fail("snapshots cannot be written to it");
}

int main(int argc, char **argv)
{
    static struct job job;
    (void)argc;
    read_options(argv + 1);
    complaint_keep(options.path);
    job.archive = open_archive(options.path);
    if (options.is_verbose)
        puts("=== OTF2 Snapshots ===");
    read_definitions(&job);
    open_events(&job);
    open_outputs(&job);
    plan(&job);
    go_through(&job);
    close_all(&job);
    return EXIT_SUCCESS;
}
