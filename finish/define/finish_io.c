/* SPDX-License-Identifier: BSD-3-Clause */

#include "finish/define/finish_define.h"

/* The rows of io_paradigms.def as data; a row's place is its id. */
static const struct {
    const char *identification;
    const char *name;
    OTF2_IoParadigmClass class;
    OTF2_IoParadigmFlag flags;
} paradigms[] = {
#define IO_PARADIGM(NAME, identification, name, CLASS, FLAG)                                       \
    {identification, name, OTF2_IO_PARADIGM_CLASS_##CLASS, OTF2_IO_PARADIGM_FLAG_##FLAG},
#include "session/io_paradigms.def"
#undef IO_PARADIGM
};

enum { PARADIGMS = sizeof paradigms / sizeof paradigms[0] };

/* Whatever is done with a paradigm, it is done with a file. */
static bool has_files(const struct finish *f)
{
    return spur_unify_count(f->unify, SPUR_SPACE_IO_FILE) > 0;
}

void finish_io_names(struct finish *f)
{
    for (int i = 0; i < PARADIGMS && has_files(f); i++) {
        spur_unify_string(f->unify, paradigms[i].identification);
        spur_unify_string(f->unify, paradigms[i].name);
    }
}

OTF2_ErrorCode finish_io_paradigms(struct finish *f, OTF2_GlobalDefWriter *writer)
{
    OTF2_ErrorCode error = OTF2_SUCCESS;
    for (int i = 0; i < PARADIGMS && has_files(f) && !error; i++)
        error = OTF2_GlobalDefWriter_WriteIoParadigm(
            writer, (OTF2_IoParadigmRef)i, spur_unify_string(f->unify, paradigms[i].identification),
            spur_unify_string(f->unify, paradigms[i].name), paradigms[i].class, paradigms[i].flags,
            0, NULL, NULL, NULL);
    return error;
}
