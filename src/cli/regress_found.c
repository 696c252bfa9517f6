/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/regress_found.c - the findings of `burl regress run`, and what each says about the change.
 *
 * Runs in the host. A finding is a row of the store like any other; here it is compared with what
 * the base version is known to have, and with what the change impacts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/regress_run_int.h"

/* ---- what the change impacts ------------------------------------------------------- */

uint32_t
burl__regress_subject(const struct burl_regress_runner *r, const char *path)
{
    const struct burl_regress_selection *s = &r->plan->selection;

    for (size_t i = 0; i < s->subjects.n; i++) {
        if (strcmp(s->subjects.v[i].path, path) == 0)
            return s->subjects.v[i].problem ? UINT32_MAX : (uint32_t)i;
    }
    return UINT32_MAX;
}

static bool
is_changed_function(const struct burl_changes *c, const struct burl_site_info *function)
{
    for (size_t i = 0; i < c->functions.n; i++) {
        const struct burl_changes_function *f = &c->functions.v[i];

        if (f->state != BURL_CHANGES_REMOVED && f->module_hash == function->module_hash &&
            f->site == function->index)
            return true;
    }
    return false;
}

/* Accesses are known one by one. Of calls only those are listed that can complete a cycle as the
 * analysis sees it, so one in a function that changed may be the change. */
static bool
site_impacted(const struct burl_regress_runner *r, uint32_t subject, uint32_t site,
              const struct burl_sites *sites)
{
    const struct burl_changes *c = &r->plan->selection.subjects.v[subject].changes;
    const struct burl_site_info *x = burl_sites_get(sites, site);

    if (site == 0)
        return false;
    return burl_regress_is_impacted(c, x->module_hash, x->index) ||
           (x->kind == BURL_SITE_CALL && x->func_id != 0 &&
            is_changed_function(c, burl_sites_get(sites, x->func_id)));
}

bool
burl__regress_suspect_impacted(const struct burl_regress_runner *r, uint32_t subject,
                               const struct burl_wire_suspect *s, const struct burl_sites *sites)
{
    if (subject == UINT32_MAX)
        return false;
    for (size_t i = 0; i < s->n_sites && i < BURL_WIRE_MAX_SITES; i++) {
        if (site_impacted(r, subject, s->sites[i], sites))
            return true;
    }
    return false;
}

bool
burl__regress_verdict_impacted(const struct burl_regress_runner *r, uint32_t subject,
                               const struct burl_wire_verdict *v, const struct burl_sites *sites)
{
    const size_t n_waits = burl_verdict_n_waits(v);

    if (subject == UINT32_MAX)
        return false;
    if (site_impacted(r, subject, v->site, sites))
        return true;
    for (size_t i = 0; i < v->n_sides && i < 2; i++) {
        if (site_impacted(r, subject, v->sides[i].site, sites))
            return true;
    }
    for (size_t i = 0; i < n_waits; i++) {
        if (site_impacted(r, subject, v->waits[i].site, sites))
            return true;
    }
    return false;
}

/* ---- findings ---------------------------------------------------------------------- */

/* What the store knows about the base version. Unreadable: nothing. */
static void
look_at_store(const struct burl_regress_runner *r, struct burl_store *store, int64_t id,
              struct burl_regress_evidence *e)
{
    struct burl_err ignored;
    int64_t first_ms = 0;

    for (size_t i = 0; i < r->base_builds.n && !e->shown_base; i++)
        e->shown_base = burl__keep_has_build(store, id, r->base_builds.v[i]);
    if (burl_store_finding_first_seen(store, id, &first_ms, &ignored) == BURL_OK)
        e->older = first_ms > 0 && first_ms < r->base_ms;
}

/* The lower class says more: a test that shows it as new makes it new. */
static void
judge(struct burl_tested_found *f, const struct burl_regress_evidence *e)
{
    const enum burl_regress_class c = burl_regress_classify(e);

    if (f->n_tests == 0 || c < f->class) {
        f->evidence = *e;
        f->class = c;
    }
}

static struct burl_tested_found *
find_found(struct burl_regress_runner *r, int64_t id, size_t *at)
{
    for (*at = 0; *at < r->found.n; ++*at) {
        if (r->found.v[*at].id == id)
            return &r->found.v[*at];
    }
    return NULL;
}

static char *
line_of(const struct burl_regress_runner *r, const struct burl_kept *k)
{
    const struct burl_report_style style = burl__test_style(r->opts, stdout);
    struct burl_buf b = BURL_BUF_INIT;

    burl_report_line(k->finding, &style, &b);
    while (b.n > 0 && b.p[b.n - 1] == '\n')
        burl_buf_truncate(&b, b.n - 1);
    return burl_buf_take(&b, NULL);
}

struct burl_tested_found *
burl__regress_add_found(struct burl_regress_runner *r, struct burl_tested *t,
                        const struct burl_kept *k, struct burl_store *store, bool watched,
                        const struct burl_regress_evidence *e)
{
    struct burl_regress_evidence all = *e;
    size_t at;
    struct burl_tested_found *f = find_found(r, k->id, &at);

    look_at_store(r, store, k->id, &all);
    if (f == NULL) {
        f = BURL_VEC_ADD(&r->found);
        *f = (struct burl_tested_found){ .id = k->id,
                                         .fingerprint = k->facts.fingerprint,
                                         .kind = k->kind,
                                         .watched = watched && !k->replayable,
                                         .test = t->test };
    }
    judge(f, &all);
    f->n_tests++;
    f->watched &= watched && !k->replayable;
    free(f->title);
    free(f->text);
    free(f->json);
    free(f->line);
    f->title = burl_xstrdup(k->finding->title);
    f->text = burl_xstrdup(k->text);
    f->json = burl_xstrdup(k->json);
    f->line = line_of(r, k);
    BURL_VEC_PUSH(&t->found, at);
    return f;
}

size_t
burl__regress_count(const struct burl_regress_runner *r, enum burl_regress_class c)
{
    size_t n = 0;

    for (size_t i = 0; i < r->found.n; i++)
        n += r->found.v[i].class == c;
    return n;
}
