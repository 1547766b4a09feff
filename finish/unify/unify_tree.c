/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/unify/unify_tree.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "finish/unify/unify_file.h"

enum { CHILDREN_MAX = 32 };

/* The header before every message: the length of the message, or the error without a message. */
struct header {
    uint64_t bytes;
    uint64_t stamp; /* on the way down, */
    uint64_t world; /* the same */
    int64_t err;
};

struct node {
    const struct spur_transport *t;
    struct spur_unify_tree *tree;
    uint32_t children;
    uint32_t child[CHILDREN_MAX];
    struct spur_map from_child[CHILDREN_MAX]; /* from the child's ids to the node's ids */
    int err;                                  /* the first trouble: nothing more is unified */
};

static void note(struct node *node, int err)
{
    if (!node->err)
        node->err = err;
}

/* ---- messages ---- */

static int put(const struct spur_transport *t, uint32_t to, struct header header, const void *bytes)
{
    int err = t->send(t, to, &header, sizeof header);
    if (err || header.err || header.bytes == 0)
        return err;
    return t->send(t, to, bytes, header.bytes);
}

/*
 * Receives a message. An unwanted message, or a message without memory, is received all the same
 * and dropped: the sender must not be left waiting.
 */
static int get(const struct spur_transport *t, uint32_t from, bool is_wanted, struct header *header,
               void **bytes)
{
    *bytes = NULL;
    int err = t->receive(t, from, header, sizeof *header);
    if (err)
        header->bytes = 0;
    if (err || header->err || header->bytes == 0)
        return err ? err : (int)header->err;
    *bytes = is_wanted ? spur_mem_new(header->bytes) : NULL;
    err = t->receive(t, from, *bytes, header->bytes);
    return err ? err : *bytes ? 0 : -ENOMEM;
}

static void drop(const struct header *header, void *bytes)
{
    if (bytes)
        spur_mem_free(bytes, header->bytes);
}

/* ---- up: journals ---- */

/*
 * Finds the children, bit by bit from the lowest bit: the children of a bit share the node's bits
 * above, and are in order of their ranks.
 */
static void find_children(struct node *node)
{
    const struct spur_transport *t = node->t;
    for (uint64_t step = 1; !(t->rank & step) && t->rank + step < t->size; step *= 2)
        node->child[node->children++] = t->rank + (uint32_t)step;
}

static uint32_t parent_of(uint32_t rank)
{
    return rank & (rank - 1);
}

static void add_child(struct node *node, struct spur_unify *unify, uint32_t i)
{
    struct header header;
    void *journal;
    note(node, get(node->t, node->child[i], !node->err, &header, &journal));
    if (!node->err) {
        /* The members are numbered for all processes already. */
        const struct spur_unify_input part = {journal, header.bytes, 0, 0, NULL, 0};
        note(node, spur_unify_add(unify, &part, &node->from_child[i]));
    }
    drop(&header, journal);
}

/* The journal of the node's part; empty after a failure. */
static struct spur_words unify_part(struct node *node, const struct spur_unify_input *own)
{
    struct spur_words part = {0};
    struct spur_unify *unify = own ? spur_unify_new() : NULL;
    note(node, unify ? spur_unify_add(unify, own, &node->tree->map) : own ? -ENOMEM : -ENODATA);
    for (uint32_t i = 0; i < node->children; i++)
        add_child(node, unify, i);
    if (!node->err)
        note(node, spur_unify_journal(unify, &part));
    spur_unify_free(unify);
    return part;
}

static void send_up(struct node *node, const struct spur_words *part)
{
    const struct header header = {.bytes = part->n * sizeof *part->at, .err = node->err};
    note(node, put(node->t, parent_of(node->t->rank), header, part->at));
}

/* ---- down: maps ---- */

/* On the way: the number of ids of each space, then the ids, space by space, all of 32 bits. */
static uint64_t packed_bytes(const struct spur_map *map)
{
    uint64_t n = SPUR_SPACES;
    for (int space = 0; space < SPUR_SPACES; space++)
        n += map->of[space].n;
    return n * sizeof(uint32_t);
}

/* The final ids of a node's part as received; the root receives no ids, since its ids are final. */
struct final {
    struct header header;
    uint32_t *words;
    const uint32_t *of[SPUR_SPACES];
};

static bool find_spaces(struct final *final)
{
    uint64_t left = final->header.bytes / sizeof(uint32_t);
    if (left < SPUR_SPACES)
        return false;
    left -= SPUR_SPACES;
    const uint32_t *at = final->words + SPUR_SPACES;
    for (int space = 0; space < SPUR_SPACES; space++) {
        uint32_t n = final->words[space];
        if (n > left)
            return false;
        final->of[space] = at;
        at += n;
        left -= n;
    }
    return left == 0;
}

static uint32_t final_id(const struct final *final, int space, uint64_t id)
{
    if (!final->words)
        return (uint32_t)id;
    return id < final->words[space] ? final->of[space][id] : OTF2_UNDEFINED_UINT32;
}

static void receive_final(struct node *node, struct final *final)
{
    void *words;
    int err = get(node->t, parent_of(node->t->rank), !node->err, &final->header, &words);
    final->words = words;
    note(node, err);
    if (!node->err && (!words || !find_spaces(final)))
        note(node, -EINVAL);
    node->tree->stamp = final->header.stamp;
    node->tree->world = final->header.world;
}

/*
 * Mapped once, a child's ids are the node's ids; mapped twice, the ids are final: one map of both
 * steps.
 */
static void send_down(struct node *node, const struct final *final, uint32_t i)
{
    const struct spur_map *map = &node->from_child[i];
    struct header header = {packed_bytes(map), node->tree->stamp, node->tree->world, node->err};
    uint32_t *packed = node->err ? NULL : spur_mem_new(header.bytes);
    if (!packed && !node->err)
        header.err = -ENOMEM; /* only the child's trouble */
    uint32_t *to = packed ? packed + SPUR_SPACES : NULL;
    for (int space = 0; packed && space < SPUR_SPACES; space++) {
        packed[space] = (uint32_t)map->of[space].n;
        for (size_t id = 0; id < map->of[space].n; id++)
            *to++ = final_id(final, space, map->of[space].at[id]);
    }
    (void)put(node->t, node->child[i], header, packed);
    if (packed)
        spur_mem_free(packed, header.bytes);
}

static void finish_own(const struct node *node, const struct final *final)
{
    for (int space = 0; space < SPUR_SPACES; space++) {
        struct spur_words *own = &node->tree->map.of[space];
        for (size_t id = 0; id < own->n; id++)
            own->at[id] = final_id(final, space, own->at[id]);
    }
}

/* The child with the largest subtree first: its way is the longest. */
static void pass_down(struct node *node, const struct final *final)
{
    for (uint32_t i = node->children; i-- > 0;) {
        send_down(node, final, i);
        spur_map_free(&node->from_child[i]);
    }
    if (!node->err)
        finish_own(node, final);
}

int spur_unify_tree(const struct spur_transport *t, const struct spur_unify_input *own,
                    struct spur_unify_tree *tree)
{
    struct node node = {.t = t, .tree = tree};
    struct final final = {.words = NULL};
    find_children(&node);
    struct spur_words part = unify_part(&node, own);
    if (t->rank == 0) {
        tree->result = part;
        tree->stamp = spur_unify_stamp(t->size, part.at, part.n);
    } else {
        send_up(&node, &part);
        spur_words_free(&part);
        receive_final(&node, &final);
    }
    pass_down(&node, &final);
    drop(&final.header, final.words);
    return node.err;
}

void spur_unify_tree_free(struct spur_unify_tree *tree)
{
    spur_map_free(&tree->map);
    spur_words_free(&tree->result);
}
