/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/explain.c - pairs in words.
 */
#include "synth/explain.h"

static const char *const access_words[] = { "none", "read", "write", "update" };

const char *
burl_synth_fate_text(enum burl_synth_fate fate)
{
    static const char *const text[] = {
        [BURL_SYNTH_KEPT] = "kept: the calls have no lock in common",
        [BURL_SYNTH_KEPT_SETTER] = "kept: the common lock is above the object, and a setter gives "
                                   "the threads different owners of one object",
        [BURL_SYNTH_OWN_LOCK] = "dropped: the common lock is in the accessed object itself",
        [BURL_SYNTH_GLOBAL_LOCK] = "dropped: the common lock is the same for every client",
        [BURL_SYNTH_NO_SETTER] = "dropped: the common lock is above the object, and no public "
                                 "function sets a pointer between them",
    };

    return text[fate];
}

/* The last member of "b->list.head", or the offset. */
static void
member_print(const struct burl_sites *sites, uint32_t site, uint64_t off, struct burl_buf *out)
{
    const char *name = burl_sites_get(sites, site)->variable;
    const char *last = name;

    for (const char *p = name; *p; p++) {
        if (*p == '.' || (*p == '>' && p > name && p[-1] == '-'))
            last = p + 1;
    }
    if (last != name && *last)
        burl_buf_str_append(out, last);
    else
        burl_buf_printf(out, "+%llu", (unsigned long long)off);
}

static void
root_print(const struct burl_synth *s, const struct burl_synth_dep *d, struct burl_buf *out)
{
    const struct burl_gen_fn *f = &s->m->fns.v[d->fn];

    if (d->path.root == BURL_SYNTH_STATIC)
        burl_buf_str_append(out, s->log.statics.v[d->path.id].name);
    else if (d->path.root == BURL_SYNTH_RESULT)
        burl_buf_str_append(out, "result");
    else if ((size_t)d->path.id < f->params.n && f->params.v[d->path.id].name[0])
        burl_buf_str_append(out, f->params.v[d->path.id].name);
    else
        burl_buf_printf(out, "argument%d", d->path.id + 1);
}

void
burl_synth_path_print(const struct burl_synth *s, const struct burl_sites *sites,
                      const struct burl_synth_dep *d, bool with_field, struct burl_buf *out)
{
    root_print(s, d, out);
    for (unsigned i = 0; i < d->path.n; i++) {
        burl_buf_str_append(out, "->");
        member_print(sites, d->step_site[i], d->path.off[i], out);
    }
    if (with_field) {
        burl_buf_str_append(out, d->path.root == BURL_SYNTH_STATIC && d->path.n == 0 ? "." : "->");
        member_print(sites, d->current_site, d->off, out);
    }
}

static void
locks_print(const struct burl_synth *s, const struct burl_sites *sites,
            const struct burl_synth_dep *d, const struct burl_synth_locks *l, struct burl_buf *out)
{
    if (l->n == 0)
        burl_buf_str_append(out, "none");
    for (unsigned i = 0; i < l->n; i++) {
        const struct burl_synth_lock *x = &l->v[i];
        struct burl_synth_dep owner = *d;

        burl_buf_str_append(out, i > 0 ? ", " : "");
        if (x->is_global) {
            burl_buf_str_append(out, "a lock of no client");
        } else {
            owner.path.n = x->steps;
            burl_buf_str_append(out, "of ");
            burl_synth_path_print(s, sites, &owner, false, out);
        }
        burl_buf_str_append(out, x->is_shared ? " (for reading)" : "");
    }
}

static void
row_print(const struct burl_synth *s, const struct burl_sites *sites, size_t row, char letter,
          bool is_local, struct burl_buf *out)
{
    const struct burl_synth_dep *d = &s->table.deps.v[row];
    const struct burl_site_info *at = burl_sites_get(sites, d->current_site);

    burl_buf_printf(out, "  %c  %s(): ", letter, s->m->fns.v[d->fn].name);
    if (is_local && d->previous != BURL_SYNTH_NONE) {
        const struct burl_site_info *before = burl_sites_get(sites, d->previous_site);

        burl_buf_printf(out, "%s at %s:%u, then ", access_words[d->previous], before->file,
                        before->line);
    }
    burl_buf_printf(out, "%s of ", access_words[d->current]);
    burl_synth_path_print(s, sites, d, true, out);
    burl_buf_printf(out, " at %s:%u\n     held (HR): ", at->file, at->line);
    locks_print(s, sites, d, &d->hr, out);
    if (is_local) {
        burl_buf_str_append(out, "; since the access before (HC): ");
        locks_print(s, sites, d, &d->hc, out);
    }
    burl_buf_char(out, '\n');
}

static void
setter_print(const struct burl_synth *s, const struct burl_synth_setter *set, struct burl_buf *out)
{
    for (unsigned i = 0; i < set->n; i++)
        burl_buf_printf(out, "%s%s()", i > 0 ? ", then " : "",
                        s->m->fns.v[s->table.assigns.v[set->assign[i]].fn].name);
    if (set->is_suspended)
        burl_buf_str_append(out, " (stopped before it assigns something else)");
}

void
burl_synth_explain(const struct burl_synth *s, const struct burl_sites *sites, size_t at,
                   struct burl_buf *out)
{
    static const char *const what[] = {
        [BURL_SYNTH_ATOMICITY] = "atomicity", [BURL_SYNTH_RACE] = "race"
    };
    const struct burl_synth_pair *p = &s->pairs.v[at];

    burl_buf_printf(out, "pair %zu (%s, %zu like it)\n", at + 1, what[p->what], p->n_same);
    row_print(s, sites, p->a, 'a', p->what == BURL_SYNTH_ATOMICITY, out);
    row_print(s, sites, p->b, 'b', false, out);
    if (p->dominant >= 0) {
        struct burl_synth_dep owner = s->table.deps.v[p->a];

        owner.path.n = (uint8_t)p->dominant;
        burl_buf_str_append(out, "  dominant lock: of ");
        burl_synth_path_print(s, sites, &owner, false, out);
        burl_buf_char(out, '\n');
    }
    burl_buf_printf(out, "  %s", burl_synth_fate_text(p->fate));
    if (p->fate == BURL_SYNTH_KEPT_SETTER) {
        burl_buf_str_append(out, ": ");
        setter_print(s, &p->set_a, out);
        burl_buf_str_append(out, " and ");
        setter_print(s, &p->set_b, out);
    }
    burl_buf_str_append(out, "\n\n");
}
