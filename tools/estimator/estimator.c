/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur estimator: the number of bytes that events will take, by commands on standard input. The
 * estimator knows definitions, events and types from the rows of the tables of records; a command
 * of the estimator's own is a row of `commands`. Commands, answers and complaints are identical to
 * the commands, answers and complaints of otf2-estimator.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/OTF2_EventSizeEstimator.h>
#include <otf2/otf2.h>
#include <otf2/otf2_foreach.h>

#include "tools/base/fail.h"
#include "tools/base/options.h"

#define PROGRAM "spur estimator"
#define BLANKS " \t"
#define LENGTH(table) (sizeof(table) / sizeof(table)[0])

static const struct command_line command = {
    .name = PROGRAM,
    .form = "[OPTION]...",
    .about =
        "Tells how many bytes OTF2 events will take. It reads commands from standard input, one a\n"
        "line, and writes the answers to standard output.",
    .more =
        "  list definitions              names of definitions that can be set\n"
        "  list events                   names of events, with the arguments that they need\n"
        "  list types                    names of types of attributes\n"
        "  set DEFINITION NUMBER         there will be so many of these definitions, which makes\n"
        "                                references to them shorter\n"
        "  get DefChunkSize              a chunk size in which each definition fits\n"
        "  get Timestamp                 size of a timestamp\n"
        "  get AttributeList [TYPE]...   size of an attribute list with values of these types\n"
        "  get EVENT [ARGUMENT]          size of an event without timestamp and attribute list\n"
        "  exit                          ends it, as the end of input does\n"
        "\n"
        "An answer to get is what was asked for and the number of bytes:\n"
        "\n"
        "  $ printf 'set Region 4\\nget Enter\\nget Metric 4\\n' | " PROGRAM "\n"
        "  Enter 3\n"
        "  Metric 4 48\n"
        "\n"
        "The exit status is 1 after a command that is not understood.",
    .most = INT_MAX,
    .is_otf2 = true,
    .ends_at_unknown = true,
};

/* Takes the next word off `rest`, which may lose blanks in front of the word; "" without a word. */
static char *next_word(char **rest)
{
    char *word = *rest + strspn(*rest, BLANKS);
    char *end = word + strcspn(word, BLANKS);
    *rest = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

/* A number in the notation of C: 16, 020 and 0x10; a word that is no number counts as 0. */
static uint64_t number(const char *word)
{
    return (uint64_t)strtol(word, NULL, 0);
}

/* ---- settable numbers ---- */

#define MAPPING(NAME, Name)                                                                        \
    static void set_##Name(OTF2_EventSizeEstimator *estimator, uint64_t count)                     \
    {                                                                                              \
        OTF2_EventSizeEstimator_SetNumberOf##Name##Definitions(estimator,                          \
                                                               (OTF2_##Name##Ref)count);           \
    }
#include <otf2/otf2_mappings.def>
#undef MAPPING

static const struct {
    const char *name;
    void (*set)(OTF2_EventSizeEstimator *estimator, uint64_t count);
} definitions[] = {
#define MAPPING(NAME, Name) {#Name, set_##Name},
#include <otf2/otf2_mappings.def>
#undef MAPPING
};

static void set(OTF2_EventSizeEstimator *estimator, char *rest)
{
    const char *name = next_word(&rest);
    const char *count = next_word(&rest);
    if (!*name)
        options_wrong("missing definition specification in set command");
    if (!*count)
        options_wrong("missing number of definitions in set command");
    for (size_t i = 0; i < LENGTH(definitions); i++)
        if (!strcmp(definitions[i].name, name)) {
            definitions[i].set(estimator, number(count));
            return;
        }
    options_wrong("unknown definition '%s'", name);
}

/* ---- askable sizes ---- */

static const struct {
    const char *name;
    OTF2_Type type;
} types[] = {
    {"NONE", OTF2_TYPE_NONE}, /* understood, not listed: no value */
#define VALUE_TYPE(NAME, ...) {#NAME, OTF2_TYPE_##NAME},
#include <otf2/otf2_types.def>
#undef VALUE_TYPE
};

static OTF2_Type find_type(const char *name)
{
    for (size_t i = 0; i < LENGTH(types); i++)
        if (!strcmp(types[i].name, name))
            return types[i].type;
    options_wrong("unknown attribute type: '%s'", name);
}

static size_t attribute_list_size(OTF2_EventSizeEstimator *estimator, char **rest)
{
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    const OTF2_AttributeValue none = {.uint64 = 0};
    OTF2_AttributeRef count = 0;
    for (const char *word = next_word(rest); *word; word = next_word(rest)) {
        OTF2_Type type = find_type(word);
        if (type != OTF2_TYPE_NONE)
            OTF2_AttributeList_AddAttribute(list, count++, type, none);
    }
    size_t size = OTF2_EventSizeEstimator_GetSizeOfAttributeList(estimator, list);
    OTF2_AttributeList_Delete(list);
    return size;
}

static size_t timestamp_size(OTF2_EventSizeEstimator *estimator, char **rest)
{
    (void)rest;
    return OTF2_EventSizeEstimator_GetSizeOfTimestamp(estimator);
}

static size_t definition_chunk_size(OTF2_EventSizeEstimator *estimator, char **rest)
{
    (void)rest;
    return OTF2_EventSizeEstimator_GetDefChunkSize(estimator);
}

/* The length of an event's array is an argument of the command. */
static uint64_t take_count(char **rest, const char *event, const char *name)
{
    const char *word = next_word(rest);
    if (!*word)
        options_wrong("missing %s parameter for %s event", name, event);
    return number(word);
}

#define PROBE_COUNT8 ~, 1
#define PROBE_COUNT32 ~, 1
#define SECOND(a, b, ...) b
#define IS_COUNT(...) SECOND(__VA_ARGS__, 0, ~)
#define COUNT_0(Row, kind, name)
#define COUNT_1(Row, kind, name) , (otf2_t_##kind)take_count(rest, #Row, #name)
#define COUNT(Row, kind, name) OTF2_CAT_(COUNT_, IS_COUNT(PROBE_##kind))(Row, kind, name)
#define SHOWN_0(name)
#define SHOWN_1(name) " <" #name ">"
#define SHOWN(Row, kind, name) OTF2_CAT_(SHOWN_, IS_COUNT(PROBE_##kind))(name)

#include <otf2/otf2_tables_begin.h>
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    static size_t Name##_size(OTF2_EventSizeEstimator *estimator, char **rest)                     \
    {                                                                                              \
        (void)rest;                                                                                \
        return OTF2_EventSizeEstimator_GetSizeOf##Name##Event(                                     \
            estimator OTF2_SEQ(COUNT, Name, __VA_ARGS__));                                         \
    }
#include <otf2/otf2_events.def>
#undef EVENT
#include <otf2/otf2_tables_end.h>

static const struct {
    const char *name;
    const char *arguments; /* as shown by `list events` */
    size_t (*size)(OTF2_EventSizeEstimator *estimator, char **rest);
} questions[] = {
    {"DefChunkSize", "", definition_chunk_size}, /* not listed: about definitions */
    {"Timestamp", "", timestamp_size},
    {"AttributeList", "", attribute_list_size},
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    {#Name, "" OTF2_SEQ(SHOWN, Name, __VA_ARGS__), Name##_size},
#include <otf2/otf2_events.def>
#undef EVENT
};

static void get(OTF2_EventSizeEstimator *estimator, char *rest)
{
    rest += strspn(rest, BLANKS);
    char *asked = make_text("%s", rest); /* shown as typed */
    const char *name = next_word(&rest);
    if (!*name)
        options_wrong("missing event specification for get command");
    for (size_t i = 0; i < LENGTH(questions); i++)
        if (!strcmp(questions[i].name, name)) {
            size_t size = questions[i].size(estimator, &rest);
            printf("%s %zu\n", asked, size);
            free(asked);
            return;
        }
    options_wrong("unknown event '%s'", name);
}

/* ---- lists ---- */

static void list_definitions(void)
{
    for (size_t i = 0; i < LENGTH(definitions); i++)
        puts(definitions[i].name);
}

static void list_events(void)
{
    for (size_t i = 1; i < LENGTH(questions); i++)
        printf("%s%s\n", questions[i].name, questions[i].arguments);
}

static void list_types(void)
{
    for (size_t i = 1; i < LENGTH(types); i++)
        puts(types[i].name);
}

static void list(OTF2_EventSizeEstimator *estimator, char *rest)
{
    static const struct {
        const char *name;
        void (*list)(void);
    } lists[] = {
        {"definitions", list_definitions},
        {"events", list_events},
        {"types", list_types},
    };
    (void)estimator;
    const char *name = next_word(&rest);
    for (size_t i = 0; i < LENGTH(lists); i++)
        if (!strcmp(lists[i].name, name)) {
            lists[i].list();
            return;
        }
    options_wrong("can not list: '%s'", name);
}

/* ---- commands ---- */

static const struct {
    const char *name;
    void (*run)(OTF2_EventSizeEstimator *estimator, char *rest);
} commands[] = {{"list", list}, {"set", set}, {"get", get}};

/* false: the line was the last command. */
static bool run_line(OTF2_EventSizeEstimator *estimator, char *line)
{
    const char *name = next_word(&line);
    if (!*name)
        return true;
    if (!strcmp(name, "exit"))
        return false;
    for (size_t i = 0; i < LENGTH(commands); i++)
        if (!strcmp(commands[i].name, name)) {
            commands[i].run(estimator, line);
            fflush(stdout); /* a program at the far end waits for the answer */
            return true;
        }
    options_wrong("unknown command: '%s'", name);
}

int main(int argc, char **argv)
{
    (void)argc;
    char **words = options_read(&command, argv + 1);
    if (*words)
        options_wrong("unrecognized parameter: '%s'", *words);
    OTF2_EventSizeEstimator *estimator = there(OTF2_EventSizeEstimator_New());
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    bool more = true;
    while (more && (length = getline(&line, &room, stdin)) >= 0) {
        if (length && line[length - 1] == '\n')
            line[length - 1] = '\0';
        more = run_line(estimator, line);
    }
    free(line);
    OTF2_EventSizeEstimator_Delete(estimator);
    return EXIT_SUCCESS;
}
