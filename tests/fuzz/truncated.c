/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cuts each file of an archive at every length and reads the rest through the library.
 *
 *     truncated DIR [STEP FIRST]
 *
 * DIR holds an archive of three locations. The archive is whole again at the end. STEP: not every
 * length, but the lengths FIRST, FIRST + STEP and so on below the length of the whole file.
 *
 * The records before an error must be the first records of the whole file. Without an error all
 * records must be there; an error must name the file.
 */
#include "reference/dump.h"

#include <fcntl.h>

enum { LOCATIONS = 3, STREAMS = 16, RECORDS = 4096, PATH_BYTES = 512, TEXT_BYTES = 1024 };
enum { DEFINITIONS, LOCAL, EVENTS = LOCAL + LOCATIONS, SNAPS = EVENTS + LOCATIONS };
enum { MARKERS = SNAPS + LOCATIONS, THUMBNAIL, MERGED, OTHERS };

/* Of each kind of record in the archive: the hash of the first n records. */
static uint64_t whole[STREAMS][RECORDS];
static uint64_t n_whole[STREAMS], n_now[STREAMS];
static uint64_t now_hash[STREAMS];
static bool is_whole;

static const char *folder;
static const char *cut_name;
static int complaints, complaints_with_name, faults;
static char last_complaint[TEXT_BYTES];

static OTF2_ErrorCode on_report(void *user, const char *file, uint64_t at, const char *function,
                                OTF2_ErrorCode code, const char *format, va_list args)
{
    (void)user, (void)file, (void)at, (void)function;
    vsnprintf(last_complaint, sizeof last_complaint, format, args);
    complaints++;
    complaints_with_name += cut_name && strstr(last_complaint, cut_name) != NULL;
    return code;
}

/* The callbacks of dump.h add their arguments to `digest`. */
static void begin_stream(void)
{
    digest = 0;
    n_digested = 0;
}

static void end_stream(int stream)
{
    n_now[stream] = n_digested;
    now_hash[stream] = digest;
}

/* Record by record, so that the hash behind each record is known. */
#define READ_STREAM(stream, read, reader)                                                          \
    do {                                                                                           \
        uint64_t n_ = 1;                                                                           \
        begin_stream();                                                                            \
        whole[stream][0] = is_whole ? digest : whole[stream][0];                                   \
        while (!read(r, reader, 1, &n_) && n_ && n_digested < RECORDS - 1)                         \
            if (is_whole)                                                                          \
                whole[stream][n_digested] = digest;                                                \
        end_stream(stream);                                                                        \
    } while (0)

static void read_locations(OTF2_Reader *r)
{
    OTF2_DefReaderCallbacks *d = def_callbacks();
    OTF2_EvtReaderCallbacks *e = evt_callbacks();
    OTF2_SnapReaderCallbacks *s = snap_callbacks();
    OTF2_Reader_OpenDefFiles(r);
    OTF2_Reader_OpenEvtFiles(r);
    OTF2_Reader_OpenSnapFiles(r);
    for (int l = 0; l < LOCATIONS; l++) {
        OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(r, (OTF2_LocationRef)l);
        if (definitions) {
            OTF2_Reader_RegisterDefCallbacks(r, definitions, d, NULL);
            READ_STREAM(LOCAL + l, OTF2_Reader_ReadLocalDefinitions, definitions);
        }
        OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(r, (OTF2_LocationRef)l);
        if (events) {
            OTF2_Reader_RegisterEvtCallbacks(r, events, e, NULL);
            READ_STREAM(EVENTS + l, OTF2_Reader_ReadLocalEvents, events);
            uint64_t n = 0;
            OTF2_EvtReader_Seek(events, n_digested / 2);
            OTF2_Reader_ReadLocalEventsBackward(r, events, RECORDS, &n);
            OTF2_EvtReader_Seek(events, 1);
        }
        OTF2_SnapReader *snaps = OTF2_Reader_GetSnapReader(r, (OTF2_LocationRef)l);
        if (snaps) {
            OTF2_Reader_RegisterSnapCallbacks(r, snaps, s, NULL);
            READ_STREAM(SNAPS + l, OTF2_Reader_ReadLocalSnapshots, snaps);
        }
    }
    OTF2_DefReaderCallbacks_Delete(d);
    OTF2_EvtReaderCallbacks_Delete(e);
    OTF2_SnapReaderCallbacks_Delete(s);
}

static void read_thumbnail(OTF2_Reader *r)
{
    enum { METRICS = 16 };
    OTF2_ThumbReader *t = OTF2_Reader_GetThumbReader(r, 0);
    char *name = NULL, *text = NULL;
    OTF2_ThumbnailType kind = 0;
    uint32_t samples = 0, metrics = 0;
    uint64_t *refs = NULL, baseline = 0, values[METRICS];
    begin_stream();
    if (t && !OTF2_ThumbReader_GetHeader(t, &name, &text, &kind, &samples, &metrics, &refs)) {
        for (uint32_t i = 0; i < samples && metrics <= METRICS; i++) {
            if (is_whole)
                whole[THUMBNAIL][i] = digest;
            if (OTF2_ThumbReader_ReadSample(t, &baseline, metrics, values))
                break;
            put("%s %" PRIu64 " %" PRIu64, name, baseline, values[0]);
            end_line();
        }
        if (is_whole)
            whole[THUMBNAIL][n_digested] = digest;
        free(name);
        free(text);
        free(refs);
    }
    end_stream(THUMBNAIL);
}

static void read_all(void)
{
    char path[PATH_BYTES];
    complaints = complaints_with_name = 0;
    memset(n_now, 0, sizeof n_now);
    memset(now_hash, 0, sizeof now_hash);
    snprintf(path, sizeof path, "%s/traces.otf2", folder);
    OTF2_Reader *r = OTF2_Reader_Open(path);
    if (!r)
        return;
    OTF2_Reader_SetSerialCollectiveCallbacks(r);
    for (OTF2_LocationRef l = 0; l < LOCATIONS; l++)
        OTF2_Reader_SelectLocation(r, l);
    OTF2_GlobalDefReader *g = OTF2_Reader_GetGlobalDefReader(r);
    OTF2_GlobalDefReaderCallbacks *c = global_def_callbacks();
    if (g) {
        OTF2_Reader_RegisterGlobalDefCallbacks(r, g, c, NULL);
        READ_STREAM(DEFINITIONS, OTF2_Reader_ReadGlobalDefinitions, g);
    }
    OTF2_GlobalDefReaderCallbacks_Delete(c);
    OTF2_MarkerReader *m = OTF2_Reader_GetMarkerReader(r);
    OTF2_MarkerReaderCallbacks *remarks = marker_callbacks();
    if (m) {
        OTF2_Reader_RegisterMarkerCallbacks(r, m, remarks, NULL);
        READ_STREAM(MARKERS, OTF2_Reader_ReadMarkers, m);
    }
    OTF2_MarkerReaderCallbacks_Delete(remarks);
    read_thumbnail(r);
    read_locations(r);
    OTF2_GlobalEvtReader *events = OTF2_Reader_GetGlobalEvtReader(r);
    if (events)
        READ_STREAM(MERGED, OTF2_Reader_ReadGlobalEvents, events);
    OTF2_Reader_Close(r);
}

static void fault(const char *what, size_t length, int stream)
{
    fprintf(stderr, "%s cut at %zu: %s (%" PRIu64 " of %" PRIu64 " records, %d errors, last: %s)\n",
            cut_name, length, what, n_now[stream], n_whole[stream], complaints, last_complaint);
    faults++;
}

/* The last bytes of an anchor file say nothing. */
static bool is_all(void)
{
    return memcmp(n_now, n_whole, sizeof n_now) == 0;
}

static void judge(size_t length, int stream)
{
    bool is_prefix = n_now[stream] <= n_whole[stream] &&
                     (!n_now[stream] || now_hash[stream] == whole[stream][n_now[stream]]);
    if (stream != OTHERS && !is_prefix)
        fault("other records than the whole file has", length, stream);
    else if (!complaints && (stream == OTHERS ? !is_all() : n_now[stream] != n_whole[stream]))
        fault("something is missing without an error", length, stream);
    else if (complaints && !complaints_with_name)
        fault("no error names the file", length, stream);
}

static size_t step = 1, first = 1;

static void cut_everywhere(const char *name, int stream)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    cut_name = strrchr(path, '/') + 1;
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(1);
    }
    static char bytes[1 << 16];
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    for (size_t cut = first; cut <= size; cut += step) {
        const size_t length = size - cut;
        if (truncate(path, (off_t)length))
            perror(path);
        read_all();
        judge(length, stream);
    }
    f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, size, f) != size || fclose(f))
        perror(path);
    printf("%s: %zu lengths\n", name, size);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    if (argc > 3) {
        step = strtoul(argv[2], NULL, 10);
        first = strtoul(argv[3], NULL, 10);
    }
    char name[PATH_BYTES];
    folder = argv[1];
    is_digest = true;
    OTF2_Error_RegisterCallback(on_report, NULL);
    is_whole = true;
    read_all();
    is_whole = false;
    memcpy(n_whole, n_now, sizeof n_whole);
    for (int i = 0; i < OTHERS; i++)
        if (!n_whole[i] && i != LOCAL && i != MERGED)
            fprintf(stderr, "nothing of kind %d\n", i), faults++;
    if (complaints)
        fprintf(stderr, "the whole archive is not read: %s\n", last_complaint), faults++;
    static const char *const kinds[] = {"def", "evt", "snap"};
    snprintf(name, sizeof name, "%s/traces.srm", folder);
    if (access(name, F_OK) == 0) {
        cut_everywhere("traces.srm", OTHERS);
        for (int k = 0; k < 3; k++) {
            snprintf(name, sizeof name, "traces/0.%s", kinds[k]);
            cut_everywhere(name, OTHERS);
        }
        printf("%d faults\n", faults);
        return faults != 0;
    }
    cut_everywhere("traces.otf2", OTHERS);
    cut_everywhere("traces.def", DEFINITIONS);
    cut_everywhere("traces.marker", MARKERS);
    cut_everywhere("traces.0.thumb", THUMBNAIL);
    static const int streams[] = {LOCAL, EVENTS, SNAPS};
    for (int l = 0; l < LOCATIONS; l++)
        for (int k = 0; k < 3; k++) {
            snprintf(name, sizeof name, "traces/%d.%s", l, kinds[k]);
            cut_everywhere(name, streams[k] + l);
        }
    printf("%d faults\n", faults);
    return faults != 0;
}
