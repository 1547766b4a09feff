/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur-view [OPTION]... ARCHIVE: an archive as a picture. See view.h for the parts, and
 * docs/view.md for the content of the picture.
 *
 * Status: 0; 1 when the archive, or a part of the archive, could not be read, or the page not be
 * written; 2 for wrong use.
 */
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/properties.h"
#include "tools/base/archive_path.h"
#include "tools/base/part_file.h"
#include "tools/base/stream_fault.h"
#include "tools/engine/engine.h"
#include "tools/view/command/view_options.h"
#include "tools/view/serve/view_serve.h"
#include "tools/view/view_findings.h"
#include "tools/view/view_marks.h"
#include "tools/view/view_pack.h"
#include "tools/view/view_page.h"
#include "tools/view/view_regions.h"
#include "tools/view/view_shape.h"
#include "tools/view/view_text.h"
#include "tools/view/view_tree.h"

enum { EVENTS_WHOLE = 1500000, TRIES = 3 };

/* ---- the archive ---- */

static void open_archive(struct view *v)
{
    archive_open(&v->archive, v->wish.path, &v->defs);
    v->path = v->archive.path;
    v->creator = archive_text(&v->archive, OTF2_Reader_GetCreator);
    v->machine = archive_text(&v->archive, OTF2_Reader_GetMachineName);
    v->has_gaps = archive_property(&v->archive, SPUR_SAYS_PAUSED_PROCESSES) ||
                  archive_property(&v->archive, SPUR_SAYS_DROPPED_EVENTS);
    v->start = v->defs.clock.start;
    v->length = v->defs.clock.length;
    view_regions_make(v);
    view_shape_choose(v);
    view_tree_make(v);
    for (size_t i = 0; i < v->rows.n; i++)
        v->n_events += v->defs.locations.at[v->rows.at[i].location].n_events;
    v->is_whole = v->n_events <= EVENTS_WHOLE && !v->wish.is_text;
}

/* The clock and the numbers of events in the definitions may be wrong. */
static struct view_part *read_archive(struct view *v)
{
    struct view_part *p = NULL;
    view_findings_start(v);
    if (!v->is_whole) /* the findings are shown as found */
        view_findings_wait(v);
    for (unsigned i = 0; i < TRIES; i++) {
        if (v->wish.is_text)
            view_shape_text(v, view_text_columns(v));
        else
            view_shape_page(v);
        p = view_pass(v);
        bool is_too_much = v->is_whole && p->exact.is_over;
        v->is_whole &= !is_too_much;
        v->n_events = p->n_events;
        bool is_corrected = view_shape_correct(v, p);
        if ((!is_too_much && !is_corrected) || i + 1 == TRIES)
            break;
        view_part_free(p);
        free(p);
    }
    view_findings_wait(v);
    if (v->wish.has_window)
        defs_need_time(v->wish.from, (double)v->duration / 1e9);
    if (v->wish.is_text)
        engine_leave();
    else if (!engine_is_first())
        view_pack_help(); /* and ends */
    v->trouble = p->trouble;
    view_part_finish(p);
    view_tree_sum(v);
    view_marks_make(v);
    return p;
}

/* ---- the page ---- */

/* The name of the directory, or of the archive's file, with a different ending. */
static const char *output_of(const struct view *v)
{
    if (v->wish.output)
        return v->wish.output;
    char *path = realpath(v->path, NULL);
    char *slash = path ? strrchr(path, '/') : NULL;
    if (!slash)
        return "view.html";
    char *dot = strrchr(slash, '.');
    *dot = '\0';
    if (strcmp(slash, "/traces") != 0)
        return make_text("%s.html", slash + 1);
    *slash = '\0';
    slash = strrchr(path, '/');
    return slash && slash[1] ? make_text("%s.html", slash + 1) : "view.html";
}

/* A name not given by the user may be the name of a link that came with the archive. */
static void refuse_link(const char *path)
{
    struct stat st;
    if (!lstat(path, &st) && S_ISLNK(st.st_mode))
        fail("%s: is a symbolic link: name the file with --output", path);
}

static void write_page(struct view *v, struct view_part *p)
{
    const char *output = output_of(v);
    if (!v->wish.output)
        refuse_link(output);
    int fd = part_file_open(output);
    bool is_file = part_file_path() != NULL;
    FILE *out = fdopen(fd, "w");
    if (!out)
        fail("%s: %s", output, strerror(errno));
    view_page_write(v, p, out, false);
    long bytes = ftell(out);
    const char *fault = stream_end(out);
    if (!fault && !part_file_done())
        fault = strerror(errno);
    if (fault)
        fail("%s: %s", output, fault);
    if (is_file) /* else standard output may take the page */
        printf("%s: %.1f MB, for any browser\n", output, (double)bytes / 1e6);
}

int main(int argc, char **argv)
{
    static struct view v;
    setlocale(LC_CTYPE, "C.UTF-8");
    engine_start();
    view_options_read(&v.wish, argc, argv);
    /* Some launchers give a rank a terminal of its own. */
    v.wish.has_terminal = isatty(STDOUT_FILENO) && !engine_has_ranks();
    if (v.wish.is_served || !engine_has_ranks())
        engine_leave(); /* a job of a single rank, too: afterwards processes are started */
    engine_ask_threads(v.wish.threads);
    open_archive(&v);
    if (engine_has_ranks())
        engine_same(v.path, archive_digest(v.path));
    if (v.wish.is_served)
        return view_serve(&v, open_archive, read_archive);
    struct view_part *p = read_archive(&v);
    if (v.wish.is_text)
        view_text_write(&v, p, stdout);
    else
        write_page(&v, p);
    if (!v.trouble)
        return 0;
    archive_say_part(v.path, v.trouble, "shown");
    return 1;
}
