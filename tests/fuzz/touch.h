/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Callbacks for every record, derived from the tables, that look at every byte they are given, so
 * that a sanitizer sees what is not there to be looked at.
 */
#ifndef FUZZ_TOUCH_H
#define FUZZ_TOUCH_H

#include "tests/reference/shown.h"

#include <string.h>

#include <otf2/otf2.h>
#include <otf2/otf2_records.h>

static volatile uint64_t touched;
static uint64_t count; /* of the arrays that follow */

static inline void touch_bytes(const void *bytes, uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += ((const uint8_t *)bytes)[i];
    touched += sum;
}

static inline void touch_pair(uint64_t local, uint64_t global, void *user)
{
    (void)user;
    touched += local ^ global;
}

/* `element` is the size of what an array points to. */
static inline void touch(const void *value, size_t size, size_t element, enum shown shown)
{
    const void *pointer = NULL;
    uint64_t number = 0;
    memcpy(shown == TEXT || shown == IDMAP || shown >= ARRAY_NUMBER ? (void *)&pointer
                                                                    : (void *)&number,
           value, size);
    touched += number;
    if (shown == COUNT)
        count = number;
    else if (shown == TEXT)
        touch_bytes(pointer, strlen(pointer));
    else if (shown == IDMAP)
        OTF2_IdMap_Traverse(pointer, touch_pair, NULL);
    else if (shown >= ARRAY_NUMBER)
        touch_bytes(pointer, count * element);
}

#define ELEMENT_NUMBER(value) 0
#define ELEMENT_TIME(value) 0
#define ELEMENT_TEXT(value) 0
#define ELEMENT_VALUE(value) 0
#define ELEMENT_IDMAP(value) 0
#define ELEMENT_ENUM(value) 0
#define ELEMENT_REF(value) 0
#define ELEMENT_COUNT(value) 0
#define ELEMENT_ARRAY_NUMBER(value) sizeof *(value)
#define ELEMENT_ARRAY_ENUM(value) sizeof *(value)
#define ELEMENT_ARRAY_REF(value) sizeof *(value)
#define ELEMENT_ARRAY_VALUE(value) sizeof *(value)

#define KIND(NAME, c_type, wire, shown, detail)                                                    \
    __attribute__((unused)) static void touch_##NAME(otf2_t_##NAME value)                          \
    {                                                                                              \
        touch(&value, sizeof value, ELEMENT_##shown(value), shown);                                \
    }
#include <otf2/otf2_kinds.def>
#undef KIND

static inline void touch_list(OTF2_AttributeList *list)
{
    uint32_t n = OTF2_AttributeList_GetNumberOfElements(list);
    for (uint32_t i = 0; i < n; i++) {
        OTF2_AttributeRef attribute = 0;
        OTF2_Type type = 0;
        OTF2_AttributeValue value = {.uint64 = 0};
        OTF2_AttributeList_GetAttributeByIndex(list, i, &attribute, &type, &value);
        touched += attribute + type + value.uint64;
    }
}

/* Some records stop the reading, so that it is taken up again: every so many. */
static uint32_t stop_every;
static uint32_t records;

static inline OTF2_CallbackCode end_record(void)
{
    return stop_every && ++records % stop_every == 0 ? OTF2_CALLBACK_INTERRUPT
                                                     : OTF2_CALLBACK_SUCCESS;
}

#define TOUCH(Row, kind, name) touch_##kind(name);

#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    __attribute__((unused)) static OTF2_CallbackCode evt_##Name(                                   \
        OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,             \
        OTF2_AttributeList *list OTF2_SEQ(OTF2_PARAM, Name, __VA_ARGS__))                          \
    {                                                                                              \
        touched += location + time + position + (uintptr_t)user;                                   \
        touch_list(list);                                                                          \
        OTF2_SEQ(TOUCH, Name, __VA_ARGS__)                                                         \
        return end_record();                                                                       \
    }                                                                                              \
    __attribute__((unused)) static OTF2_CallbackCode merged_##Name(                                \
        OTF2_LocationRef location, OTF2_TimeStamp time, void *user,                                \
        OTF2_AttributeList *list OTF2_SEQ(OTF2_PARAM, Name, __VA_ARGS__))                          \
    {                                                                                              \
        touched += location + time + (uintptr_t)user;                                              \
        touch_list(list);                                                                          \
        OTF2_SEQ(TOUCH, Name, __VA_ARGS__)                                                         \
        return end_record();                                                                       \
    }
EVENT(Unknown, , , , , "")
#include <otf2/otf2_events.def>
#undef EVENT

#define SNAP(Name, NAME, id, major, minor, ...)                                                    \
    __attribute__((unused)) static OTF2_CallbackCode snap_##Name(                                  \
        OTF2_LocationRef location, OTF2_TimeStamp time, void *user,                                \
        OTF2_AttributeList *list OTF2_SEQ(OTF2_PARAM, Name, __VA_ARGS__))                          \
    {                                                                                              \
        touched += location + time + (uintptr_t)user;                                              \
        touch_list(list);                                                                          \
        OTF2_SEQ(TOUCH, Name, __VA_ARGS__)                                                         \
        return end_record();                                                                       \
    }
SNAP(Unknown, , , , , "")
#include <otf2/otf2_snaps.def>
#undef SNAP

#define SHARED_DEF(Name, NAME, id, major, minor, ...)                                              \
    __attribute__((unused)) static OTF2_CallbackCode def_##Name(                                   \
        void *user OTF2_SEQ(OTF2_PARAM, Name, __VA_ARGS__))                                        \
    {                                                                                              \
        touched += (uintptr_t)user;                                                                \
        OTF2_SEQ(TOUCH, Name, __VA_ARGS__)                                                         \
        return end_record();                                                                       \
    }
#define LOCAL_DEF SHARED_DEF
#define GLOBAL_DEF SHARED_DEF
SHARED_DEF(Unknown, , , , , "")
#include <otf2/otf2_defs.def>
#define MARKER(...) SHARED_DEF(__VA_ARGS__)
#define THUMB(...)
#include <otf2/otf2_markers.def>
#undef SHARED_DEF
#undef LOCAL_DEF
#undef GLOBAL_DEF
#undef MARKER
#undef THUMB

#endif
