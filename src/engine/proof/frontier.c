/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/proof/frontier.c - position of a search of all schedules, to continue it in another
 * process or in the next campaign; contract in proof.h.
 *
 * Runs in the host. The position is the stack of wire/search.h, copied out of a process between
 * orders. It is valid for the same program only, so all that we can observe is compared: contents
 * of the mapped files, environment, directory, standard input, observers and points. A program that
 * opens files of its own is searched anew each time. Other causes (the machine) may show as
 * executions that differ from the stack; then nothing is claimed.
 *
 * Direction of the error: a search that begins anew although it need not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/version.h"
#include "engine/engine_int.h"
#include "engine/target/process.h"
#include "wire/search.h"

/* Decisions of one execution beyond which a position is not kept in a store: half a megabyte of
 * text. Tests with more are not searched to their end anyway. */
#define KEPT_FRAMES_MAX 16384u
/* Larger files are distinguished by their names only. */
#define FILE_MAX_B (256u << 20)

extern char **environ;

/* ---- in processes ------------------------------------------------------------------ */

void
burl__frontier_take(struct burl_frontier *f, struct burl_target *t)
{
    burl__frontier_deinit(f);
    f->words = burl_door_search(&t->block, &f->n);
    if (!f->words)
        f->n = 0;
}

void
burl__frontier_put(const struct burl_frontier *f, struct burl_target *t)
{
    burl_target_put(t, BURL_TARGET_SEARCH, f->words, f->n * 8);
}

void
burl__frontier_deinit(struct burl_frontier *f)
{
    free(f->words);
    *f = (struct burl_frontier){ 0 };
}

/* ---- what a search is about --------------------------------------------------------- */

static uint64_t
hash_file(uint64_t h, const char *path)
{
    char *text;
    size_t n;

    if (burl_fs_read_file(path, FILE_MAX_B, &text, &n, NULL) != BURL_OK)
        return burl_hash_str(h, path);
    h = burl_hash_bytes(h, text, n);
    free(text);
    return burl_hash_u64(h, n);
}

/* What is different each time and means nothing. */
static bool
is_noise(const char *entry)
{
    static const char *const names[] = { "_=", "SHLVL=", "OLDPWD=", "BURL_" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(entry, names[i], strlen(names[i])) == 0)
            return true;
    }
    return false;
}

static uint64_t
hash_surroundings(void)
{
    const int in = burl__target_open_input();
    uint64_t h = BURL_HASH_BEGIN;
    uint64_t entries = 0; /* a sum: their order means nothing */
    char path[4096];

    for (char **e = environ; e && *e; e++) {
        if (!is_noise(*e))
            entries += burl_hash(*e, strlen(*e));
    }
    h = burl_hash_u64(h, entries);
    h = burl_hash_str(h, getcwd(path, sizeof path) ? path : "");
    if (in >= 0) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", in);
        h = hash_file(h, path);
        close(in);
    }
    return burl_hash_end(h);
}

static uint64_t
hash_program(const struct burl_wire_ctl *ctl)
{
    uint64_t h = burl_hash_str(BURL_HASH_BEGIN, BURL_VERSION);

    h = burl_hash_u64(h, BURL_SEARCH_VERSION);
    for (uint32_t i = 0; i < ctl->n_objects && i < BURL_WIRE_MAX_OBJECTS; i++) {
        char path[BURL_WIRE_PATH_B];

        snprintf(path, sizeof path, "%.*s", BURL_WIRE_PATH_B - 1, ctl->objects[i].path);
        if (strchr(path, '/')) /* the kernel's own has no file */
            h = hash_file(h, path);
    }
    return burl_hash_end(h);
}

void
burl__frontier_identify(struct burl_proof *p, const struct burl_wire_ctl *ctl)
{
    if (p->own.program == 0)
        p->own = (struct burl_search_identity){ .program = hash_program(ctl),
                                                .surroundings = hash_surroundings() };
}

struct burl_search_identity
burl__frontier_identity(const struct burl_campaign *c)
{
    struct burl_search_identity id = c->proof.own;

    id.settings = burl_hash_u64(BURL_HASH_BEGIN, c->cfg->observers & BURL_OB(RACE));
    id.settings = burl_hash_u64(id.settings, c->cfg->inject);
    id.settings = burl_hash_end(burl_hash_u64(id.settings, c->pool.engine));
    id.points = burl__learned_hash_points(&c->learned);
    return id;
}

const char *
burl__frontier_differs(const struct burl_search_identity *now,
                       const struct burl_search_identity *kept)
{
    return kept->program != now->program             ? "the program, a library or burl changed"
           : kept->surroundings != now->surroundings ? "the environment, directory or input changed"
           : kept->settings != now->settings
               ? "--detect, --engine, --no-spurious or --faults changed"
           : kept->points != now->points ? "the set of shared memory changed"
                                         : NULL;
}

/* ---- how much is left ----------------------------------------------------------------- */

/* As if all branches of a decision had the same size: the part of the tree that is done is that of
 * the branches that were left behind, at each decision of the execution that is next. */
double
burl__frontier_expected(const struct burl_campaign_memory_search *k)
{
    const struct burl_search_stack *s = (const void *)k->words;
    double part = 1; /* of the tree, below the decisions so far */
    double done = 0;

    if (!k->any || k->proven || k->n_words == 0 || !burl_door_is_search(k->words, k->n_words))
        return 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const struct burl_search_frame *f = &s->frames[i];
        const uint64_t branches = ((f->todo & ~f->sleep) | f->tried) & f->enabled;
        const int n = __builtin_popcountll(branches);

        if (n <= 1)
            continue;
        done += part * __builtin_popcountll(f->tried & f->enabled) / n;
        part /= n;
    }
    /* A tree of which next to nothing is done has no number of its own. */
    return done > 1e-15 ? (double)k->executions / done : 1e18;
}

/* ---- in the memory of campaigns ---------------------------------------------------- */

void
burl__frontier_forget(struct burl_campaign_memory_search *k)
{
    free(k->words);
    free(k->failures);
    *k = (struct burl_campaign_memory_search){ 0 };
}

static void
copy_search(struct burl_campaign_memory_search *to, const struct burl_campaign_memory_search *from)
{
    *to = *from;
    to->words = from->n_words ? burl_xmemdup(from->words, from->n_words * 8) : NULL;
    to->failures = from->n_failures ? burl_xmemdup(from->failures, from->n_failures * 8) : NULL;
}

/* A search that would have to restart is not kept, nor one that files of the program had a part in:
 * a change of theirs would not be seen. Points that are only aimed at change no proof. */
void
burl__frontier_keep(const struct burl_proof *p, const struct burl_learned *l,
                    struct burl_campaign_memory_search *out)
{
    const struct burl_campaign_memory_search *k = &p->searched;
    const uint64_t points = burl__learned_hash_points(l);

    if (!k->any || k->reads_files || (k->proven ? l->n_new_points > 0 : k->id.points != points))
        return;
    copy_search(out, k);
    out->id.points = points;
    if (k->n_words >
        (sizeof(struct burl_search_stack) + KEPT_FRAMES_MAX * sizeof(struct burl_search_frame)) /
            8) {
        free(out->words);
        out->words = NULL;
        out->n_words = 0; /* the next campaign says why it begins anew */
    }
}

void
burl__frontier_recall(struct burl_proof *p, struct burl_learned *l,
                      const struct burl_campaign_memory *m, char anew[80])
{
    const struct burl_campaign_memory_search *k = &m->search;

    l->n_new_points = 0;
    if (m->search_damaged ||
        (k->any && k->n_words > 0 && !burl_door_is_search(k->words, k->n_words)))
        snprintf(anew, 80, "its stored state is damaged");
    else if (k->any && k->id.points == burl__learned_hash_points(l))
        copy_search(&p->searched, k);
}
