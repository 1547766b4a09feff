/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of an archive that is written, by chance: its texts and properties. */
#ifndef REFERENCE_ARCHIVE_CALLS_H
#define REFERENCE_ARCHIVE_CALLS_H

#include "orders.h"

/* The call is told before it is made: its callbacks tell more, and it may not return. */
#undef CODE
#undef HANDLE
#define CODE(call) (puts(#call), print_code("  ", (call)))
#define HANDLE(call) (puts(#call), print_handle("  ", (call)))

static OTF2_Archive *archive;

static const char *const texts[] = {"", "a", "some text", "text\nof two lines"};

static void set_text(void)
{
    const char *text = texts[draw(4)];
    switch (draw(3)) {
    case 0:
        CODE(OTF2_Archive_SetMachineName(archive, text));
        break;
    case 1:
        CODE(OTF2_Archive_SetDescription(archive, text));
        break;
    default:
        CODE(OTF2_Archive_SetCreator(archive, text));
    }
}

static void get_text(void)
{
    char *text = NULL;
    switch (draw(3)) {
    case 0:
        CODE(OTF2_Archive_GetMachineName(archive, &text));
        break;
    case 1:
        CODE(OTF2_Archive_GetDescription(archive, &text));
        break;
    default:
        CODE(OTF2_Archive_GetCreator(archive, &text));
    }
    printf("  %s\n", text ? text : "(null)");
    free(text);
}

static const char *const names[] = {"A::B", "a::b", "C::D::E", "F::G_1", "H", "A::B::C"};

static void set_property(void)
{
    const char *name = names[draw(6)];
    printf("%s ", name);
    switch (draw(4)) {
    case 0:
        CODE(OTF2_Archive_SetProperty(archive, name, "", draw(2)));
        break;
    case 1:
        CODE(OTF2_Archive_SetBoolProperty(archive, name, draw(2), draw(2)));
        break;
    default:
        CODE(OTF2_Archive_SetProperty(archive, name, texts[1 + draw(3)], draw(2)));
    }
}

static void get_property(void)
{
    char *value = NULL;
    const char *name = names[draw(6)];
    printf("%s ", name);
    CODE(OTF2_Archive_GetProperty(archive, name, &value));
    printf("  %s\n", value ? value : "(null)");
    free(value);
}

static void get_names(void)
{
    uint32_t n = 77;
    char **all = NULL;
    CODE(OTF2_Archive_GetPropertyNames(archive, &n, &all));
    for (uint32_t i = 0; i < n; i++)
        printf("  %s\n", all[i]);
    free(all);
}

#endif
