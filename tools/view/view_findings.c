/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_findings.h"

#include <inttypes.h>

#include "tools/view/view_meta.h"

static void put_place(const struct view_finding *f, FILE *out)
{
    if (!f->rows.n) {
        fputs(",\"from\":null,\"to\":null,\"rows\":[]}", out);
        return;
    }
    fprintf(out, ",\"from\":%" PRIu64 ",\"to\":%" PRIu64 ",\"rows\":[", f->from, f->to);
    for (size_t i = 0; i < f->rows.n; i++)
        fprintf(out, "%s%u", i ? "," : "", f->rows.at[i]);
    fputs("]}", out);
}

void view_findings_write(const struct view *v, FILE *out)
{
    enum { TEXT_MAX = 1000 };
    fputs(",\"findings\":[", out);
    for (size_t i = 0; i < view_findings_n(v); i++) {
        const struct view_finding *f = view_findings_at(v, i);
        fputs(i ? ",\n{\"kind\":" : "\n{\"kind\":", out);
        view_meta_text(f->kind, TEXT_MAX, out);
        fputs(",\"text\":", out);
        view_meta_text(f->text, TEXT_MAX, out);
        fprintf(out, ",\"seconds\":%.9g,\"percent\":%.4g", f->seconds, f->percent);
        put_place(f, out);
    }
    fputc(']', out);
}
