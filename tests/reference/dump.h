/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Callbacks for every record of every kind of reader, derived from our tables. The callbacks print
 * their arguments. A pass is a function that reads an archive in some way, in a process of its own.
 * The output of a pass is shown after a good end of the process. After a crash or a hang the output
 * is one line "crashed: " instead.
 */
#ifndef REFERENCE_DUMP_H
#define REFERENCE_DUMP_H

#include "dump_lines.h"
#include "shown.h"

#include <signal.h>
#include <sys/resource.h>

#include <otf2/otf2_records.h>

/* ---- the cells of a record ---- */

/*
 * The cell before an array is the length of the array; the cell before a value is the type of the
 * value.
 */
static uint64_t count;
static OTF2_Type type;
static const OTF2_Type *types;

/* As many bytes of the union as the type has: nobody sets the rest. */
static inline void put_value(OTF2_Type of, OTF2_AttributeValue value)
{
    static const uint8_t sizes[] = {8, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 4, 4,
                                    8, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
    size_t size = of < sizeof sizes ? sizes[of] : 8;
    uint64_t bits = 0;
    memcpy(&bits, &value, size);
    put_number(of);
    put_number(bits);
}

static inline void put_pair(uint64_t local, uint64_t global, void *user)
{
    (void)user;
    put(" %" PRIu64 ">%" PRIu64, local, global);
}

static inline void put_map(const OTF2_IdMap *map)
{
    OTF2_IdMapMode mode = 77;
    uint64_t size = 77;
    put(" %d", OTF2_IdMap_GetMode(map, &mode));
    put(" %d", OTF2_IdMap_GetSize(map, &size));
    put(" mode %d size %" PRIu64, mode, size);
    OTF2_IdMap_Traverse(map, put_pair, NULL);
}

static inline void put_text(const char *text)
{
    if (!text)
        put(" NULL");
    else if (strlen(text) < LONG_TEXT)
        put(" \"%s\"", text);
    else
        put(" %zu bytes %" PRIx64, strlen(text), hash(0, text, strlen(text)));
}

static inline void put_array(const void *array, size_t size, bool is_value)
{
    put(" [");
    if (!array && count)
        put("NULL");
    for (uint64_t i = 0; array && i < count; i++) {
        const char *at = (const char *)array + i * size;
        uint64_t element = 0;
        memcpy(&element, at, size);
        if (is_value)
            put_value(types[i], (OTF2_AttributeValue){.uint64 = element});
        else if (count < LONG_ARRAY)
            put_number(element);
    }
    if (!is_value && count >= LONG_ARRAY)
        put("%" PRIu64 ": %" PRIx64, count, hash(0, array, count * size));
    put("]");
}

/* `element` is the size of an element, for arrays. */
static inline void show(const char *cell, const char *detail, const void *from, size_t size,
                        size_t element, enum shown shown)
{
    uint64_t number = 0;
    const void *pointer = NULL;
    memcpy(shown == TEXT || shown == IDMAP || shown >= ARRAY_NUMBER ? (void *)&pointer
                                                                    : (void *)&number,
           from, size);
    put_word(cell);
    if (shown == COUNT)
        count = number;
    else if (shown == ENUM && strcmp(detail, "Type") == 0)
        type = (OTF2_Type)number;
    else if (shown == ARRAY_ENUM && strcmp(detail, "Type") == 0)
        types = pointer;
    if (shown == TEXT)
        put_text(pointer);
    else if (shown == IDMAP)
        put_map(pointer);
    else if (shown == VALUE)
        put_value(type, (OTF2_AttributeValue){.uint64 = number});
    else if (shown >= ARRAY_NUMBER)
        put_array(pointer, element, shown == ARRAY_VALUE);
    else
        put_number(number);
}

#define ELEMENT_NUMBER(value) 1
#define ELEMENT_TIME(value) 1
#define ELEMENT_TEXT(value) 1
#define ELEMENT_VALUE(value) 1
#define ELEMENT_IDMAP(value) 1
#define ELEMENT_ENUM(value) 1
#define ELEMENT_REF(value) 1
#define ELEMENT_COUNT(value) 1
#define ELEMENT_ARRAY_NUMBER(value) sizeof(*(value))
#define ELEMENT_ARRAY_ENUM(value) sizeof(*(value))
#define ELEMENT_ARRAY_REF(value) sizeof(*(value))
#define ELEMENT_ARRAY_VALUE(value) sizeof(*(value))

#define KIND(NAME, c_type, wire, shown, detail)                                                    \
    __attribute__((unused)) static void show_##NAME(const char *cell, otf2_t_##NAME value)         \
    {                                                                                              \
        show(cell, #detail, &value, sizeof value, ELEMENT_##shown(value), shown);                  \
    }
#include <otf2/otf2_kinds.def>
#undef KIND

/* ---- callbacks ---- */

/* The user data of the callbacks. */
struct reading {
    uint64_t n;                /* records so far */
    uint64_t stop_at;          /* the record whose callback interrupts; 0: never */
    OTF2_CallbackCode stop_by; /* how */
};

static inline void put_list(OTF2_AttributeList *list)
{
    uint32_t n = OTF2_AttributeList_GetNumberOfElements(list);
    if (n)
        put(" {%u", n);
    for (uint32_t i = 0; i < n; i++) {
        OTF2_AttributeRef attribute = 0;
        OTF2_Type of = 0;
        OTF2_AttributeValue value = {.uint64 = 0};
        OTF2_ErrorCode code =
            OTF2_AttributeList_GetAttributeByIndex(list, i, &attribute, &of, &value);
        put_number(attribute);
        put_value(of, value);
        if (code)
            put("!%d", code);
    }
    if (n)
        put(" }");
}

static inline OTF2_CallbackCode end_record(void *user)
{
    end_line();
    struct reading *r = user;
    if (!r)
        return OTF2_CALLBACK_SUCCESS;
    return ++r->n == r->stop_at ? r->stop_by : OTF2_CALLBACK_SUCCESS;
}

/*
 * An event must be the same at each reading. The place where reading began decides on the
 * correction of clocks, so the comparison is only for archives without the correction.
 */
static bool is_checked;

static inline void check_again(uint64_t position)
{
    enum { REMEMBERED = 1 << 17 };
    static uint64_t seen[REMEMBERED];
    uint64_t now = hash(1, line, line_length);
    if (!is_checked || position >= REMEMBERED)
        return;
    if (seen[position] && seen[position] != now)
        printf("differs: %s\n", line);
    seen[position] = now;
}

static inline void begin_event(const char *what, OTF2_LocationRef location, OTF2_TimeStamp time,
                               OTF2_AttributeList *list)
{
    put_word(what);
    put_number(location);
    put_number(time);
    put_list(list);
}

#define SHOW(Row, kind, name) show_##kind(#name, name);

/* ---- every callback ---- */

#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    static OTF2_CallbackCode evt_##Name(OTF2_LocationRef location, OTF2_TimeStamp time,            \
                                        uint64_t position, void *user,                             \
                                        OTF2_AttributeList *list OTF2_SEQ(OTF2_PARAM, Name,        \
                                                                          __VA_ARGS__))            \
    {                                                                                              \
        begin_event(#Name, location, time, list);                                                  \
        put_number(position);                                                                      \
        OTF2_SEQ(SHOW, Name, __VA_ARGS__)                                                          \
        check_again(position);                                                                     \
        return end_record(user);                                                                   \
    }                                                                                              \
    static OTF2_CallbackCode global_evt_##Name(OTF2_LocationRef location, OTF2_TimeStamp time,     \
                                               void *user,                                         \
                                               OTF2_AttributeList *list OTF2_SEQ(OTF2_PARAM, Name, \
                                                                                 __VA_ARGS__))     \
    {                                                                                              \
        begin_event(#Name, location, time, list);                                                  \
        OTF2_SEQ(SHOW, Name, __VA_ARGS__)                                                          \
        return end_record(user);                                                                   \
    }
EVENT(Unknown, , , , , "")
#include <otf2/otf2_events.def>
#undef EVENT

#define SNAP(Name, NAME, id, major, minor, ...)                                                    \
    static OTF2_CallbackCode snap_##Name(OTF2_LocationRef location, OTF2_TimeStamp time,           \
                                         void *user,                                               \
                                         OTF2_AttributeList *list OTF2_SEQ(OTF2_PARAM, Name,       \
                                                                           __VA_ARGS__))           \
    {                                                                                              \
        begin_event(#Name, location, time, list);                                                  \
        OTF2_SEQ(SHOW, Name, __VA_ARGS__)                                                          \
        return end_record(user);                                                                   \
    }
SNAP(Unknown, , , , , "")
#include <otf2/otf2_snaps.def>
#undef SNAP

#define DEFINITION(prefix, Name, ...)                                                              \
    static OTF2_CallbackCode prefix##_##Name(void *user OTF2_SEQ(OTF2_PARAM, Name, __VA_ARGS__))   \
    {                                                                                              \
        put("%s", #Name);                                                                          \
        OTF2_SEQ(SHOW, Name, __VA_ARGS__)                                                          \
        return end_record(user);                                                                   \
    }
#define LOCAL_DEF(Name, NAME, id, major, minor, ...) DEFINITION(def, Name, __VA_ARGS__)
#define GLOBAL_DEF(Name, NAME, id, major, minor, ...) DEFINITION(global_def, Name, __VA_ARGS__)
#define SHARED_DEF(...) LOCAL_DEF(__VA_ARGS__) GLOBAL_DEF(__VA_ARGS__)
SHARED_DEF(Unknown, , , , , "")
#include <otf2/otf2_defs.def>
#undef LOCAL_DEF
#undef GLOBAL_DEF
#undef SHARED_DEF

#define MARKER(Name, NAME, id, major, minor, ...) DEFINITION(marker, Name, __VA_ARGS__)
#define THUMB(...)
MARKER(Unknown, , , , , "")
#include <otf2/otf2_markers.def>
#undef MARKER
#undef THUMB

/* ---- objects of all callbacks; answers of setters are printed unless success ---- */

static inline void must(OTF2_ErrorCode code, const char *what)
{
    if (code)
        printf("setting %s: %d\n", what, code);
}

static inline OTF2_EvtReaderCallbacks *evt_callbacks(void)
{
    OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
#define EVENT(Name, ...) must(OTF2_EvtReaderCallbacks_Set##Name##Callback(c, evt_##Name), #Name);
    EVENT(Unknown)
#include <otf2/otf2_events.def>
#undef EVENT
    return c;
}

static inline OTF2_GlobalEvtReaderCallbacks *global_evt_callbacks(void)
{
    OTF2_GlobalEvtReaderCallbacks *c = OTF2_GlobalEvtReaderCallbacks_New();
#define EVENT(Name, ...)                                                                           \
    must(OTF2_GlobalEvtReaderCallbacks_Set##Name##Callback(c, global_evt_##Name), #Name);
    EVENT(Unknown)
#include <otf2/otf2_events.def>
#undef EVENT
    return c;
}

static inline OTF2_SnapReaderCallbacks *snap_callbacks(void)
{
    OTF2_SnapReaderCallbacks *c = OTF2_SnapReaderCallbacks_New();
#define SNAP(Name, ...) must(OTF2_SnapReaderCallbacks_Set##Name##Callback(c, snap_##Name), #Name);
    SNAP(Unknown)
#include <otf2/otf2_snaps.def>
#undef SNAP
    return c;
}

static inline OTF2_GlobalSnapReaderCallbacks *global_snap_callbacks(void)
{
    OTF2_GlobalSnapReaderCallbacks *c = OTF2_GlobalSnapReaderCallbacks_New();
#define SNAP(Name, ...)                                                                            \
    must(OTF2_GlobalSnapReaderCallbacks_Set##Name##Callback(c, snap_##Name), #Name);
    SNAP(Unknown)
#include <otf2/otf2_snaps.def>
#undef SNAP
    return c;
}

static inline OTF2_DefReaderCallbacks *def_callbacks(void)
{
    OTF2_DefReaderCallbacks *c = OTF2_DefReaderCallbacks_New();
#define LOCAL_DEF(Name, ...)                                                                       \
    must(OTF2_DefReaderCallbacks_Set##Name##Callback(c, def_##Name), #Name);
#define SHARED_DEF LOCAL_DEF
#define GLOBAL_DEF(...)
    LOCAL_DEF(Unknown)
#include <otf2/otf2_defs.def>
#undef LOCAL_DEF
#undef GLOBAL_DEF
#undef SHARED_DEF
    return c;
}

static inline OTF2_GlobalDefReaderCallbacks *global_def_callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *c = OTF2_GlobalDefReaderCallbacks_New();
#define GLOBAL_DEF(Name, ...)                                                                      \
    must(OTF2_GlobalDefReaderCallbacks_Set##Name##Callback(c, global_def_##Name), #Name);
#define SHARED_DEF GLOBAL_DEF
#define LOCAL_DEF(...)
    GLOBAL_DEF(Unknown)
#include <otf2/otf2_defs.def>
#undef LOCAL_DEF
#undef GLOBAL_DEF
#undef SHARED_DEF
    return c;
}

static inline OTF2_MarkerReaderCallbacks *marker_callbacks(void)
{
    OTF2_MarkerReaderCallbacks *c = OTF2_MarkerReaderCallbacks_New();
    must(OTF2_MarkerReaderCallbacks_SetUnknownCallback(c, marker_Unknown), "Unknown");
    must(OTF2_MarkerReaderCallbacks_SetDefMarkerCallback(c, marker_DefMarker), "DefMarker");
    must(OTF2_MarkerReaderCallbacks_SetMarkerCallback(c, marker_Marker), "Marker");
    return c;
}

/* ---- passes ---- */

enum { PASS_SECONDS = 20, RELAY_ROOM = 1 << 16 };

static const rlim_t MEMORY_LIMIT = (rlim_t)4 << 30;

#ifdef __SANITIZE_ADDRESS__
static const bool has_sanitizer = true;
#else
static const bool has_sanitizer = false;
#endif

/*
 * Only the code of a report. The text differs between the libraries, and so does the number of
 * reports of one fault on the way up.
 */
static bool has_complained;

static inline OTF2_ErrorCode on_complaint(void *user, const char *file, uint64_t at,
                                          const char *function, OTF2_ErrorCode code,
                                          const char *format, va_list args)
{
    (void)user, (void)file, (void)at, (void)function, (void)format, (void)args;
    has_complained = true;
    return code;
}

/* An answer, and whether an error was reported with the answer. */
static inline OTF2_ErrorCode answer(const char *call, OTF2_ErrorCode code)
{
    printf("%s = %d%s\n", call, (int)code, has_complained ? ", reported" : "");
    has_complained = false;
    return code;
}

#define ANSWER(call) answer(#call, (call))

static inline void relay(FILE *from)
{
    char buffer[RELAY_ROOM];
    rewind(from);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, from)) > 0;)
        fwrite(buffer, 1, n, stdout);
}

/* Run a pass with stdout in a file, for the caller to show or not. */
static inline void in_child(void (*pass)(void), FILE *to)
{
    struct rlimit memory = {MEMORY_LIMIT, MEMORY_LIMIT};
    if (!has_sanitizer)
        setrlimit(RLIMIT_AS, &memory);
    alarm(PASS_SECONDS);
    dup2(fileno(to), STDOUT_FILENO);
    if (getenv("SHOW_CRASHED"))
        setvbuf(stdout, NULL, _IOLBF, 0);
    OTF2_Error_RegisterCallback(on_complaint, NULL);
    pass();
    if (is_digest)
        end_digest();
    fflush(stdout);
    _exit(0);
}

#define PASS(body) run_pass(#body, body)

static inline void run_pass(const char *name, void (*pass)(void))
{
    printf("==== %s\n", name);
    fflush(stdout);
    FILE *shown = tmpfile();
    pid_t pid = fork();
    if (pid == 0)
        in_child(pass, shown);
    int status = 0;
    if (!shown || pid < 0 || waitpid(pid, &status, 0) < 0)
        perror("fork");
    if (!status || getenv("SHOW_CRASHED"))
        relay(shown);
    if (status)
        printf("crashed: %s\n", name);
    fclose(shown);
}

#endif
