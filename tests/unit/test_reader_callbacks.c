/* SPDX-License-Identifier: BSD-3-Clause */
/* links: reader format format-mem-libc */
/* Each setter sets the callback of its record and no other one. */
#include <criterion/criterion.h>
#include <stdbool.h>
#include <string.h>

#include "reader/callbacks.h"

/* How many pointers of an object are set. */
static size_t set_in(const void *object, size_t bytes)
{
    size_t n = 0;
    for (size_t at = 0; at < bytes; at += sizeof(void (*)(void))) {
        void (*callback)(void);
        memcpy(&callback, (const char *)object + at, sizeof callback);
        n += callback != NULL;
    }
    return n;
}

static OTF2_ErrorCode on_error(void *data, const char *file, uint64_t line, const char *function,
                               OTF2_ErrorCode code, const char *format, va_list va)
{
    (void)file, (void)line, (void)function, (void)format, (void)va;
    ++*(int *)data;
    return code;
}

static void some_callback(void)
{
}

/* The value of a function pointer of any type. */
#define ANY(type) ((type)(void (*)(void))some_callback)

/* A function, since Criterion's macros a thousand times over take the compiler a minute. */
static void expect(bool holds, const char *record, const char *what)
{
    cr_expect(holds, "%s: %s", record, what);
}

#define CHECK(Reader, Name)                                                                        \
    {                                                                                              \
        static const char record[] = #Reader " " #Name;                                            \
        OTF2_##Reader##Callback_##Name callback = ANY(OTF2_##Reader##Callback_##Name);             \
        expect(OTF2_##Reader##Callbacks_Set##Name##Callback(c, callback) == OTF2_SUCCESS, record,  \
               "is set");                                                                          \
        expect(c->Name == callback, record, "is what was set");                                    \
        expect(set_in(c, sizeof *c) == 1, record, "and nothing else");                             \
        expect(OTF2_##Reader##Callbacks_Set##Name##Callback(c, NULL) == OTF2_SUCCESS, record,      \
               "is taken back");                                                                   \
        expect(set_in(c, sizeof *c) == 0, record, "leaves nothing");                               \
        int before = n_errors;                                                                     \
        expect(OTF2_##Reader##Callbacks_Set##Name##Callback(NULL, callback) ==                     \
                   OTF2_ERROR_INVALID_ARGUMENT,                                                    \
               record, "needs an object");                                                         \
        expect(n_errors == before + 1, record, "reported once");                                   \
        n_setters++;                                                                               \
    }

/* Stops at the brace so that a table can follow. */
#define BEGIN(Reader)                                                                              \
    int n_setters = 0;                                                                             \
    int n_errors = 0;                                                                              \
    OTF2_Error_RegisterCallback(on_error, &n_errors);                                              \
    OTF2_##Reader##Callbacks *c = OTF2_##Reader##Callbacks_New();                                  \
    cr_assert_not_null(c);                                                                         \
    cr_expect_eq(set_in(c, sizeof *c), 0);                                                         \
    CHECK(Reader, Unknown)

#define END(Reader, setters)                                                                       \
    cr_expect_eq(n_setters, (setters));                                                            \
    memset(c, 0x5a, sizeof *c);                                                                    \
    OTF2_##Reader##Callbacks_Clear(c);                                                             \
    cr_expect_eq(set_in(c, sizeof *c), 0);                                                         \
    OTF2_##Reader##Callbacks_Delete(c);                                                            \
    OTF2_##Reader##Callbacks_Clear(NULL);                                                          \
    OTF2_##Reader##Callbacks_Delete(NULL);

Test(reader_callbacks, events){BEGIN(EvtReader)
#define EVENT(Name, ...) CHECK(EvtReader, Name)
#include <otf2/otf2_events.def>
#undef EVENT
                                   END(EvtReader, 84)}

Test(reader_callbacks, global_events){BEGIN(GlobalEvtReader)
#define EVENT(Name, ...) CHECK(GlobalEvtReader, Name)
#include <otf2/otf2_events.def>
#undef EVENT
                                          END(GlobalEvtReader, 84)}

Test(reader_callbacks, snapshots){BEGIN(SnapReader)
#define SNAP(Name, ...) CHECK(SnapReader, Name)
#include <otf2/otf2_snaps.def>
#undef SNAP
                                      END(SnapReader, 21)}

Test(reader_callbacks, global_snapshots){BEGIN(GlobalSnapReader)
#define SNAP(Name, ...) CHECK(GlobalSnapReader, Name)
#include <otf2/otf2_snaps.def>
#undef SNAP
                                             END(GlobalSnapReader, 21)}

Test(reader_callbacks, definitions){BEGIN(DefReader)
#define SHARED_DEF(Name, ...) CHECK(DefReader, Name)
#define LOCAL_DEF SHARED_DEF
#define GLOBAL_DEF(...)
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef LOCAL_DEF
#undef GLOBAL_DEF
                                        END(DefReader, 37)}

Test(reader_callbacks, global_definitions){BEGIN(GlobalDefReader)
#define SHARED_DEF(Name, ...) CHECK(GlobalDefReader, Name)
#define LOCAL_DEF(...)
#define GLOBAL_DEF SHARED_DEF
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef LOCAL_DEF
#undef GLOBAL_DEF
                                               END(GlobalDefReader, 39)}

Test(reader_callbacks, markers)
{
    BEGIN(MarkerReader)
#define MARKER(Name, ...) CHECK(MarkerReader, Name)
#define THUMB(...)
#include <otf2/otf2_markers.def>
#undef MARKER
#undef THUMB
    END(MarkerReader, 3)
}
