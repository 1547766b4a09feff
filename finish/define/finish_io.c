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

/* How many of the first ones: up to the last that a process has used, since ids are dense. */
static int used(const struct finish *f)
{
    int n = 0;
    for (uint32_t id = 0; id < spur_unify_count(f->unify, SPUR_SPACE_IO_PARADIGM); id++) {
        struct spur_record record;
        struct spur_cell cells[SPUR_CELLS_MAX];
        spur_unify_get(f->unify, SPUR_SPACE_IO_PARADIGM, id, &record, cells);
        uint64_t paradigm = cells[SPUR_AT_IoParadigmUse_ioParadigm].number;
        if (paradigm < PARADIGMS && (int)paradigm >= n)
            n = (int)paradigm + 1;
    }
    return n;
}

void finish_io_names(struct finish *f)
{
    const int n = used(f);
    for (int i = 0; i < n; i++) {
        spur_unify_string(f->unify, paradigms[i].identification);
        spur_unify_string(f->unify, paradigms[i].name);
    }
}

OTF2_ErrorCode finish_io_paradigms(struct finish *f, OTF2_GlobalDefWriter *writer)
{
    const int n = used(f);
    OTF2_ErrorCode error = OTF2_SUCCESS;
    for (int i = 0; i < n && !error; i++)
        error = OTF2_GlobalDefWriter_WriteIoParadigm(
            writer, (OTF2_IoParadigmRef)i, spur_unify_string(f->unify, paradigms[i].identification),
            spur_unify_string(f->unify, paradigms[i].name), paradigms[i].class, paradigms[i].flags,
            0, NULL, NULL, NULL);
    return error;
}

static OTF2_ErrorCode put_state(OTF2_GlobalDefWriter *writer, OTF2_IoHandleRef handle,
                                uint64_t flags)
{
    if (!(flags & OTF2_IO_HANDLE_FLAG_PRE_CREATED))
        return OTF2_SUCCESS;
    return OTF2_GlobalDefWriter_WriteIoPreCreatedHandleState(
        writer, handle, (OTF2_IoAccessMode)(flags >> SPUR_IO_HANDLE_MODE & SPUR_IO_HANDLE_STATE),
        (OTF2_IoStatusFlag)(flags >> SPUR_IO_HANDLE_STATUS & SPUR_IO_HANDLE_STATE) << 1);
}

OTF2_ErrorCode finish_io_handle(OTF2_GlobalDefWriter *writer, OTF2_IoHandleRef handle,
                                const struct spur_cell *cells)
{
    const uint64_t flags = cells[SPUR_AT_IoHandle_ioHandleFlags].number;
    OTF2_ErrorCode error = OTF2_GlobalDefWriter_WriteIoHandle(
        writer, handle, (OTF2_StringRef)cells[SPUR_AT_IoHandle_name].number,
        (OTF2_IoFileRef)cells[SPUR_AT_IoHandle_file].number,
        (OTF2_IoParadigmRef)cells[SPUR_AT_IoHandle_ioParadigm].number,
        (OTF2_IoHandleFlag)(flags & SPUR_IO_HANDLE_FLAGS),
        (OTF2_CommRef)cells[SPUR_AT_IoHandle_comm].number,
        (OTF2_IoHandleRef)cells[SPUR_AT_IoHandle_parent].number);
    return error ? error : put_state(writer, handle, flags);
}

OTF2_ErrorCode finish_io_property(OTF2_GlobalDefWriter *writer, const struct spur_cell *cells)
{
    const OTF2_AttributeValue value = {
        .stringRef = (OTF2_StringRef)cells[SPUR_AT_FileProperty_value].number};
    return OTF2_GlobalDefWriter_WriteIoFileProperty(
        writer, (OTF2_IoFileRef)cells[SPUR_AT_FileProperty_file].number,
        (OTF2_StringRef)cells[SPUR_AT_FileProperty_name].number, OTF2_TYPE_STRING, value);
}
