/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur-pack: puts the files of all locations of a plain archive into SION containers, in place or
 * into a new directory.
 *
 *     spur-pack [--containers N] [--threads N] [-o DIR] ARCHIVE      DIR/traces.otf2, or DIR
 *
 * All workers make the same plan with the final place of each byte, and copy the files of different
 * processes. Then a single worker completes the containers, and puts the containers in the place of
 * the plain files. A fault of the archive or the disk leaves the archive unchanged.
 *
 * Status: 0 in containers now, 1 with a line that names the reason, 2 wrong use.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/anchor.h"

#include "tools/base/archive_path.h"
#include "tools/base/fail.h"
#include "tools/base/options.h"
#include "tools/base/say.h"
#include "tools/engine/engine.h"
#include "tools/unpack/pack_output.h"

struct packing {
    struct pack_plan plan;
    struct made made;
};

static unsigned threads;
static uint64_t n_containers; /* 0: a container for each host */
static const char *output;

/* ---- a worker ---- */

static void tell(struct made *made, int err, const char *path)
{
    errno = -err;
    if (err)
        (void)remake_cannot(made, "be packed", path);
}

static void copy_ranks(void *work, struct made *made, struct remake_share share)
{
    struct otf2_pack_pen pen;
    const struct otf2_pack *p = work;
    int err = otf2_pack_begin(&pen, p);
    for (uint32_t rank = 0; rank < p->ranks && !err; rank++) {
        made->file = rank;
        if (share.owner[rank] == share.worker)
            err = otf2_pack_rank(&pen, rank);
    }
    tell(made, err, pen.culprit);
    if (!err) /* files of the present machine */
        (void)remake_sync(made, p->to.folder);
    otf2_pack_end(&pen);
}

static void copy_all(struct packing *packing)
{
    struct otf2_pack *p = &packing->plan.pack;
    struct remaking remaking = {.work = p, .made = &packing->made, .remake = copy_ranks};
    uint64_t *sizes = take_memory(p->ranks * sizeof *sizes);
    for (uint64_t i = 0; i < p->n; i++)
        for (unsigned kind = 0; kind < OTF2_CONTAINED_KINDS; kind++)
            sizes[p->locations[i].rank] += p->locations[i].bytes[kind];
    remake_by_workers(&remaking, sizes, p->ranks, threads);
    free(sizes);
}

/* ---- the archive ---- */

/* A run killed behind its last step may have left the plain files. */
static void drop_old(const char *anchor)
{
    char *base = make_text("%.*s", (int)(strlen(anchor) - strlen(".otf2")), anchor);
    if (engine_is_first())
        remake_drop(base);
    free(base);
}

/* False: there is nothing to do, or nothing can be done. */
static bool is_plain(struct made *made, const char *anchor, const struct mapped *file)
{
    struct otf2_anchor a;
    if (otf2_anchor_decode(file->bytes, file->size, &a))
        return remake_fault(made, "%s: %s", anchor, otf2_anchor_fault(&a, REMAKE_NO_ANCHOR));
    otf2_anchor_fini(&a);
    if (a.compression != OTF2_COMPRESSION_NONE)
        return remake_fault(made, "%s: is compressed: 'spur unpack' comes first", anchor);
    if (a.substrate != OTF2_SUBSTRATE_SION)
        return true;
    if (output)
        return remake_fault(made, "%s: is in SION containers already: copy it", anchor);
    say("%s: is in SION containers already", anchor);
    drop_old(anchor);
    return false;
}

/* With -o the archive stays unchanged: an interrupted last step is not completed. */
static bool is_whole(struct made *made, const char *anchor)
{
    if (!output || !engine_told(archive_is_half_remade(anchor)))
        return true;
    engine_leave();
    return remake_fault(made,
                        "%s: 'spur pack' or 'spur unpack' was cut off in its last step: run it"
                        " again without -o",
                        anchor);
}

static void complete(struct packing *packing, struct pack_output *out, const struct mapped *file)
{
    char culprit[OTF2_PATH_BYTES];
    struct made *made = &packing->made;
    made->file = packing->plan.pack.ranks;
    if (!made->has_failed)
        tell(made, otf2_pack_complete(&packing->plan.pack, culprit), culprit);
    if (!made->has_failed)
        (void)pack_output_end(out, made, file);
    if (made->has_failed)
        pack_output_drop(out);
}

static void pack(struct packing *packing, const char *anchor, const struct mapped *file)
{
    struct pack_output out = {0};
    struct otf2_pack *p = &packing->plan.pack;
    char *folder = make_text("%.*s", (int)(strlen(anchor) - strlen(".otf2")), anchor);
    pack_output_name(&out, anchor, output, p);
    p->align = otf2_file_align(p->from.folder);
    bool is_good =
        pack_plan_make(&packing->plan, &packing->made, anchor, folder, (unsigned)n_containers);
    p->files = pack_output_files(packing->plan.mode);
    if (!is_good && !engine_is_first())
        fail("%s", packing->made.lines.at[0].text);
    if (is_good && engine_is_first())
        is_good = pack_output_begin(&out, &packing->made);
    if (engine_told(is_good) && is_good) {
        copy_all(packing);
        complete(packing, &out, file);
    } else {
        engine_leave();
        pack_output_drop(&out);
    }
    pack_plan_free(&packing->plan);
    free(folder);
}

static void take_containers(const char *value)
{
    n_containers = options_number(value);
    if (!n_containers || n_containers > INT32_MAX)
        options_wrong("--containers wants a number from 1 on, not '%s'", value);
}

static const struct option_row rows[] = {
    {"containers", .argument = "N", .take = take_containers, .needs = "a number",
     .doc = "make N containers of each kind, of the same number of processes each\n"
            "(default: one for each host)"},
    {"output", "o", "DIR", .text = &output, .needs = "a directory",
     .doc = "leave ARCHIVE as it is, and make the new one in DIR, which is empty or\n"
            "does not exist (default: in place)"},
    {"threads", .argument = "N", .threads = &threads,
     .doc = "copy files by N threads (default: the processors that it may use)"},
};

static const struct command_line command = {
    .name = "spur pack",
    .form = "[OPTION]... ARCHIVE",
    .about = "Puts the files of all locations of a plain archive (a directory, or its .otf2\n"
             "file) into a few SION containers. 'spur unpack' takes them out.",
    OPTION_ROWS(rows),
    .least = 1,
    .most = 1,
    .needs = "'spur pack' needs one archive",
};

int main(int argc, char **argv)
{
    static struct packing packing;
    struct made *made = &packing.made;
    struct mapped file = {0};
    (void)argc;
    engine_start();
    const char *path = archive_path(options_read(&command, argv + 1)[0]);
    const char *dot = strrchr(path, '.');
    if (!dot || strcmp(dot, ".otf2") != 0) {
        (void)remake_fault(made, "%s: the name of an archive ends in .otf2", path);
    } else if (remake_is_alone(made, path) && is_whole(made, path) &&
               !remake_settled(made, path, OTF2_SUBSTRATE_SION) && remake_map(made, path, &file)) {
        engine_ask_threads(threads);
        if (engine_has_ranks())
            engine_same(path, archive_digest(path));
        if (is_plain(made, path, &file))
            pack(&packing, path, &file);
    }
    remake_tell(made);
    return made->has_failed ? 1 : 0;
}
