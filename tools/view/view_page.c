/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_page.h"

#include <stdlib.h>
#include <string.h>

#include "tools/view/view_data.h"
#include "tools/view/view_meta.h"
#include "tools/view/view_pack.h"

enum { PAGE_MAX = 32000000 };

enum section {
    PYRAMID,
    PATHS,
    SUMS,
    PAIRS,
    CALLS,
    MESSAGES,
    COLLECTIVES,
    SAMPLES,
    IDLE,
    COUNTERS,
    SECTIONS
};

static const char *const names[SECTIONS] = {
    [PYRAMID] = "pyramid",
    [PATHS] = "paths",
    [SUMS] = "sums",
    [PAIRS] = "pairs",
    [CALLS] = "calls",
    [MESSAGES] = "messages",
    [COLLECTIVES] = "collectives",
    [SAMPLES] = "samples",
    [IDLE] = "idle",
    [COUNTERS] = "counters",
};

/* The parts of a page, as they are written. */
struct page {
    char *meta;
    size_t meta_bytes;
    struct view_bytes sections[SECTIONS];
    struct view_form form;
};

static void fill(struct view_bytes *b, enum section which, const struct view *v,
                 const struct view_part *p, const struct view_numbers *n, unsigned left_out)
{
    switch (which) {
    case PYRAMID:
        view_data_pyramid(b, v, n, left_out);
        break;
    case PATHS:
        view_data_paths(b, p, n);
        break;
    case SUMS:
        view_data_sums(b, p, n);
        break;
    case PAIRS:
        view_data_pairs(b, p);
        break;
    case CALLS:
        view_data_calls(b, &p->exact, n);
        break;
    case MESSAGES:
        view_data_messages(b, &p->exact, n);
        break;
    case COLLECTIVES:
        view_data_collectives(b, &p->exact, n);
        break;
    case SAMPLES:
        view_data_samples(b, &p->exact, n);
        break;
    case IDLE:
        view_data_idle(b, &p->exact);
        break;
    case COUNTERS:
        view_data_counters(b, &p->counters);
        break;
    case SECTIONS:
        break;
    }
}

static void make(struct page *page, const struct view *v, const struct view_part *p)
{
    struct view_numbers numbers;
    view_numbers_make(&numbers, p);
    FILE *meta = there(open_memstream(&page->meta, &page->meta_bytes));
    view_meta_write(v, p, &numbers, &page->form, meta);
    if (fclose(meta))
        fail("no memory");
    struct view_bytes raw[SECTIONS] = {0};
    for (unsigned i = 0; i < SECTIONS; i++)
        fill(&raw[i], (enum section)i, v, p, &numbers, page->form.levels_left_out);
    view_pack(page->sections, raw, SECTIONS, v->wish.threads);
    for (unsigned i = 0; i < SECTIONS; i++)
        free(raw[i].of.at);
    view_numbers_free(&numbers);
}

static void clear(struct page *page)
{
    free(page->meta);
    for (unsigned i = 0; i < SECTIONS; i++)
        free(page->sections[i].of.at);
    *page = (struct page){.form = page->form};
}

static size_t bytes(const struct page *page)
{
    size_t n = page->meta_bytes + strlen(view_page_head) + strlen(view_page_middle) +
               strlen(view_page_tail) + 1024;
    for (unsigned i = 0; i < SECTIONS; i++)
        n += page->sections[i].of.n;
    return n;
}

static void forget_exact(struct view *v, struct view_part *p)
{
    struct view_exact *e = &p->exact;
    e->is_over = true;
    e->calls.n = e->messages.n = e->collectives.n = e->samples.n = e->idle.n = 0;
    *LIST_ADD(&v->remarks) = copy_text("single calls are not here: the page would be too big");
}

/* Makes what takes most of it coarser. False: there is nothing left to be done. */
static bool reduce(struct page *page, struct view *v, struct view_part *p)
{
    const struct view_bytes *s = page->sections;
    size_t exact =
        s[CALLS].of.n + s[MESSAGES].of.n + s[COLLECTIVES].of.n + s[SAMPLES].of.n + s[IDLE].of.n;
    size_t others = s[PATHS].of.n + s[SUMS].of.n + s[PAIRS].of.n + s[COUNTERS].of.n;
    if (exact > s[PYRAMID].of.n && exact > others) {
        forget_exact(v, p);
    } else if (s[PYRAMID].of.n > others && page->form.levels_left_out + 1 < v->shape.levels) {
        page->form.levels_left_out++;
    } else if (p->sums.all.n + p->pairs.all.n + p->counters.curves.n > 0) {
        size_t n = 0;
        for (size_t i = 0; i < p->counters.curves.n; i++)
            n += view_data_points(&p->counters.curves.at[i]);
        view_part_reduce(p, p->sums.all.n / 2, p->pairs.all.n / 2, n / 2);
        if (p->sums.all.n < v->rows.n && n < 4 * p->counters.curves.n)
            p->counters.curves.n /= 2;
    } else {
        return false;
    }
    return true;
}

static void write_element(const char *type, const char *name, const void *data, size_t n, FILE *out)
{
    if (!n)
        return;
    fprintf(out, "<script type=\"application/%s\" id=\"spur-%s\">", type, name);
    fwrite(data, 1, n, out);
    fputs("</script>\n", out);
}

void view_page_write(struct view *v, struct view_part *p, FILE *out, bool is_served)
{
    struct page page = {.form.is_served = is_served};
    make(&page, v, p);
    while (bytes(&page) > PAGE_MAX && reduce(&page, v, p)) {
        clear(&page);
        make(&page, v, p);
    }
    view_pack_end();
    fputs(view_page_head, out);
    fputs(is_served ? "'self'" : "'none'", out);
    fputs(view_page_middle, out);
    write_element("json", "meta", page.meta, page.meta_bytes, out);
    for (unsigned i = 0; i < SECTIONS; i++)
        write_element("octet-stream", names[i], page.sections[i].of.at, page.sections[i].of.n, out);
    fputs(view_page_tail, out);
    clear(&page);
}
