/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/serve/view_serve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/view/serve/view_serve_keep.h"
#include "tools/view/serve/view_serve_listen.h"
#include "tools/view/serve/view_serve_window.h"
#include "tools/view/view_page.h"

/* ---- making the cache ---- */

static void save_page(struct cache *cache, struct view *v, struct view_part *p,
                      struct view_numbers *numbers)
{
    char *page = NULL;
    size_t bytes = 0;
    FILE *out = there(open_memstream(&page, &bytes));
    view_page_write(v, p, out, true);
    if (fclose(out))
        fail("no memory");
    view_numbers_make(numbers, p);
    cache_begin(cache, "page");
    cache_put(cache, page, bytes);
    free(page);
}

/* In a process of its own: what the pass needs of memory goes with it. */
_Noreturn static void make(struct view *v, struct view_part *(*read)(struct view *v),
                           struct cache *cache)
{
    struct view_places places = {.cache = cache};
    struct view_numbers numbers;
    v->places = &places;
    v->wish.threads = 1; /* places are in the order of rows */
    struct view_part *p = read(v);
    view_places_finish(&places, (uint32_t)v->rows.n, &p->exact);
    save_page(cache, v, p, &numbers);
    serve_keep_save(cache, v, p, &numbers);
    if (v->trouble) {
        cache_begin(cache, "trouble");
        cache_put(cache, v->trouble, strlen(v->trouble));
    }
    _exit(!cache_commit(cache));
}

static struct cache *make_cache(struct view *v, struct view_part *(*read)(struct view *v),
                                const char *key)
{
    int status = 0;
    struct cache *cache = there(cache_new(v->path, key));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        make(v, read, cache);
    if (child < 0)
        fail("fork: %s", strerror(errno));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status))
        fail("%s: the process that read it was killed by signal %d", v->path, WTERMSIG(status));
    if (WEXITSTATUS(status)) {
        cache_close(cache);
        exit(1); /* it was said why; NOLINT(concurrency-mt-unsafe): there are no threads */
    }
    if (!cache_reload(cache))
        fail("%s: the file with its overview cannot be read", v->path);
    return cache;
}

/* ---- from the cache ---- */

/* A section as a text that malloc gives. NULL: there is none. */
static char *text_of(const struct cache *cache, const char *name, size_t *bytes)
{
    struct cache_part part;
    char *text = NULL;
    if (!cache_find(cache, name, &part))
        return NULL;
    text = malloc(part.n_bytes + 1);
    if (!text || !cache_read(cache, part, 0, text, part.n_bytes)) {
        free(text);
        return NULL;
    }
    text[part.n_bytes] = '\0';
    *bytes = part.n_bytes;
    return text;
}

/* Ready to be served; false: the cache does not fit. */
static bool prepare(struct serve_site *site, const struct view *v, struct cache *cache,
                    const char *key)
{
    size_t bytes;
    if (!cache)
        return false;
    site->page = text_of(cache, "page", &site->page_bytes);
    site->user = site->page ? serve_windows_open(v, cache, key) : NULL;
    site->window = serve_windows_answer;
    if (!site->user)
        return false;
    char *trouble = text_of(cache, "trouble", &bytes);
    if (trouble)
        archive_say_part(v->path, trouble, "shown");
    free(trouble);
    return true;
}

int view_serve(struct view *v, void (*open)(struct view *v),
               struct view_part *(*read)(struct view *v))
{
    struct serve_site site = {0};
    struct serve_address address;
    if (!serve_address_read(&address, v->wish.address) || !serve_token_make(site.token))
        return 2;
    const char *missing = serve_http_missing();
    if (missing)
        fail("--serve: %s; -o FILE.html makes a page without a server", missing);
    char *key = there(serve_key(v));
    struct cache *cache = cache_open(v->path, key);
    if (!prepare(&site, v, cache, key)) {
        cache_close(cache);
        if (cache) {
            *v = (struct view){.wish = v->wish};
            open(v);
        }
        cache = make_cache(v, read, key);
        if (!prepare(&site, v, cache, key))
            fail("%s: the file with its overview does not fit the archive", v->path);
    }
    int status = serve(&site, &address, v->wish.idle);
    serve_windows_close(site.user);
    cache_close(cache);
    free(key);
    return status;
}
