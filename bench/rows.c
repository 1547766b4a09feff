/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/rows.h"

static void enter_leave(const struct bench_library *l, OTF2_EvtWriter *w, uint64_t n)
{
    for (uint64_t i = 0; i < n; i += 2) {
        l->OTF2_EvtWriter_Enter(w, NULL, 100 * i, (uint32_t)i % 200);
        l->OTF2_EvtWriter_Leave(w, NULL, 100 * i + 50, (uint32_t)i % 200);
    }
}

static void send_recv(const struct bench_library *l, OTF2_EvtWriter *w, uint64_t n)
{
    for (uint64_t i = 0; i < n; i += 2) {
        l->OTF2_EvtWriter_MpiSend(w, NULL, 100 * i, (uint32_t)i % 64, 0, 7, 1024);
        l->OTF2_EvtWriter_MpiRecv(w, NULL, 100 * i + 50, (uint32_t)i % 64, 0, 7, 1024);
    }
}

static void metric(const struct bench_library *l, OTF2_EvtWriter *w, uint64_t n)
{
    static const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_UINT64, OTF2_TYPE_UINT64};
    for (uint64_t i = 0; i < n; i++) {
        const OTF2_MetricValue values[] = {{.unsigned_int = i},
                                           {.unsigned_int = 3 * i},
                                           {.unsigned_int = 7}};
        l->OTF2_EvtWriter_Metric(w, NULL, 100 * i, 0, 3, types, values);
    }
}

static void attributes(const struct bench_library *l, OTF2_EvtWriter *w, uint64_t n)
{
    OTF2_AttributeList *list = l->OTF2_AttributeList_New();
    for (uint64_t i = 0; i < n; i++) {
        l->OTF2_AttributeList_AddUint32(list, 0, (uint32_t)i);
        l->OTF2_AttributeList_AddUint64(list, 1, 5);
        l->OTF2_EvtWriter_Enter(w, list, 100 * i, (uint32_t)i % 200);
    }
    l->OTF2_AttributeList_Delete(list);
}

const struct bench_row bench_rows[BENCH_ROWS] = {
    {"Enter/Leave", enter_leave},
    {"MpiSend/MpiRecv", send_recv},
    {"Metric, 3 values", metric},
    {"Enter, 2 attributes", attributes},
};
