/* SPDX-License-Identifier: BSD-3-Clause */
/* The markers of an archive in memory: read, found, written. */
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/OTF2_MarkerReader.h>
#include <otf2/OTF2_MarkerWriter.h>

#include "tools/marker/marker.h"

static int compare_selfs(const void *left, const void *right)
{
    const struct definition *a = left;
    const struct definition *b = right;
    return (a->self > b->self) - (a->self < b->self);
}

static int compare_names(const void *left, const void *right)
{
    const struct definition *a = left;
    const struct definition *b = right;
    int order = strcmp(a->group, b->group);
    return order ? order : strcmp(a->category, b->category);
}

static struct definition *find_self(const struct markers *markers, OTF2_MarkerRef self)
{
    const struct definition key = {.self = self};
    struct definition **found = tfind(&key, &markers->by_self, compare_selfs);
    return found ? *found : NULL;
}

static void free_definition(struct definition *definition)
{
    markers_clear(definition);
    free(definition->group);
    free(definition->category);
    free(definition);
}

struct definition *markers_define(struct markers *markers, OTF2_MarkerRef self, const char *group,
                                  const char *category, OTF2_MarkerSeverity severity)
{
    struct definition *definition = take_memory(sizeof *definition);
    definition->self = self;
    definition->group = copy_text(group);
    definition->category = copy_text(category);
    definition->severity = severity;
    definition->end = &definition->first;
    struct definition **found = tsearch(definition, &markers->by_name, compare_names);
    if (found && *found != definition) {
        free_definition(definition);
        return NULL;
    }
    if (!found || !tsearch(definition, &markers->by_self, compare_selfs))
        fail("no memory");
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): it is a list of pointers */
    *LIST_ADD(&markers->definitions) = definition;
    return definition;
}

OTF2_MarkerRef markers_free_self(const struct markers *markers)
{
    OTF2_MarkerRef next = 0;
    for (size_t i = 0; i < markers->definitions.n; i++)
        if (markers->definitions.at[i]->self >= next)
            next = markers->definitions.at[i]->self + 1;
    return next;
}

void markers_add(struct definition *definition, const struct marker *marker)
{
    struct marker *copy = take_memory(sizeof *copy);
    *copy = *marker;
    copy->text = copy_text(marker->text);
    copy->next = NULL;
    *definition->end = copy;
    definition->end = &copy->next;
}

void markers_clear(struct definition *definition)
{
    for (struct marker *marker = definition->first, *next; marker; marker = next) {
        next = marker->next;
        free(marker->text);
        free(marker);
    }
    definition->first = NULL;
    definition->end = &definition->first;
}

static int compare_pointers(const void *left, const void *right)
{
    return compare_names(*(struct definition *const *)left, *(struct definition *const *)right);
}

void markers_sort(struct markers *markers)
{
    if (markers->definitions.n)
        qsort(markers->definitions.at, markers->definitions.n, sizeof(struct definition *),
              compare_pointers);
}

static void keep(void *definition)
{
    (void)definition; /* the list has it */
}

void markers_free(struct markers *markers)
{
    tdestroy(markers->by_self, keep);
    tdestroy(markers->by_name, keep);
    for (size_t i = 0; i < markers->definitions.n; i++)
        free_definition(markers->definitions.at[i]);
    free(markers->definitions.at);
    *markers = (struct markers){0};
}

/* ---- reading ---- */

static OTF2_CallbackCode on_definition(void *data, OTF2_MarkerRef self, const char *markerGroup,
                                       const char *markerCategory, OTF2_MarkerSeverity severity)
{
    struct markers *markers = data;
    if (find_self(markers, self))
        options_wrong("duplicate marker definition: %" PRIu32, self);
    if (!markers_define(markers, self, markerGroup, markerCategory, severity))
        fprintf(stderr, PROGRAM ": duplicate marker category for group \"%s\": \"%s\"\n",
                markerGroup, markerCategory);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_marker(void *data, OTF2_TimeStamp timestamp, OTF2_TimeStamp duration,
                                   OTF2_MarkerRef marker, OTF2_MarkerScope scope, uint64_t place,
                                   const char *text)
{
    struct definition *definition = find_self(data, marker);
    if (definition)
        markers_add(definition, &(struct marker){timestamp, duration, scope, place,
                                                 (char *)(uintptr_t)text, NULL});
    else
        fprintf(stderr, PROGRAM ": unknown marker reference: %" PRIu32 "\n", marker);
    return OTF2_CALLBACK_SUCCESS;
}

/* It could not be written again. */
static OTF2_CallbackCode on_unknown(void *data)
{
    (void)data;
    options_wrong("unknown marker record");
}

bool markers_read(struct markers *markers, OTF2_Reader *reader)
{
    OTF2_MarkerReader *from = OTF2_Reader_GetMarkerReader(reader);
    OTF2_MarkerReaderCallbacks *callbacks = there(OTF2_MarkerReaderCallbacks_New());
    OTF2_MarkerReaderCallbacks_SetDefMarkerCallback(callbacks, on_definition);
    OTF2_MarkerReaderCallbacks_SetMarkerCallback(callbacks, on_marker);
    OTF2_MarkerReaderCallbacks_SetUnknownCallback(callbacks, on_unknown);
    uint64_t count;
    bool is_good = from && !OTF2_Reader_RegisterMarkerCallbacks(reader, from, callbacks, markers) &&
                   !OTF2_Reader_ReadAllMarkers(reader, from, &count);
    OTF2_MarkerReaderCallbacks_Delete(callbacks);
    return is_good;
}

/* ---- writing ---- */

static bool write_definition(OTF2_MarkerWriter *to, const struct definition *definition)
{
    if (OTF2_MarkerWriter_WriteDefMarker(to, definition->self, definition->group,
                                         definition->category, definition->severity))
        return false;
    for (const struct marker *m = definition->first; m; m = m->next)
        if (OTF2_MarkerWriter_WriteMarker(to, m->timestamp, m->duration, definition->self, m->scope,
                                          m->place, m->text))
            return false;
    return true;
}

bool markers_write(const struct markers *markers, OTF2_Reader *reader)
{
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    OTF2_MarkerWriter *to = OTF2_Reader_GetMarkerWriter(reader);
    if (!to)
        return false;
    bool is_good = true;
    for (size_t i = 0; is_good && i < markers->definitions.n; i++)
        if (!markers->definitions.at[i]->is_removed)
            is_good = write_definition(to, markers->definitions.at[i]);
    return !OTF2_Reader_CloseMarkerWriter(reader, to) && is_good;
}
