/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/prune.c - matches the prune file and lock reasoning with the pairs; contract in prune.h.
 *
 * Runs in the host. A wrongly pruned pair hides a gap, so matching errs towards stale: an entry
 * whose place is gone is treated as moved only if exactly one place in the same file has its
 * function, access and variable. The nearest of several would sometimes be another access.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sp.h"
#include "cover/prune_int.h"

static const char *
str(const char *s)
{
    return s ? s : "";
}

/* ---- places ------------------------------------------------------------------------ */

/* The same file, from two directories: one name is the end of the other. */
static bool
same_file(const char *a, const char *b)
{
    size_t n, m;

    while (strncmp(a, "./", 2) == 0)
        a += 2;
    while (strncmp(b, "./", 2) == 0)
        b += 2;
    n = strlen(a);
    m = strlen(b);
    if (n > m) {
        const char *t = a;

        a = b;
        b = t;
        n = m;
        m = strlen(b);
    }
    return n > 0 && strcmp(a, b + m - n) == 0 && (m == n || b[m - n - 1] == '/');
}

static bool
same_names(const struct burl_cover_site *s, const struct burl_cover_site *x)
{
    return s->reads == x->reads && s->writes == x->writes && s->atomic == x->atomic &&
           strcmp(s->variable, str(x->variable)) == 0 && strcmp(s->func, str(x->func)) == 0 &&
           (same_file(s->file, str(x->file)) || same_file(s->file, str(x->path)));
}

static bool
same_place(const struct burl_cover_site *s, const struct burl_cover_site *x)
{
    return s->line == x->line && (s->column == 0 || s->column == x->column) && same_names(s, x);
}

static bool
one_place(const struct burl_cover_site *x, const struct burl_cover_site *y)
{
    return x->line == y->line && x->column == y->column && strcmp(str(x->file), str(y->file)) == 0;
}

/* The sites that one side of an entry means. */
struct meant {
    bool *site; /* by index into m->sites */
    uint32_t n;
    uint32_t n_moved; /* candidates for its new place; the result is empty unless 1 */
};

static struct meant
find_sites(const struct burl_cover_site *s, const struct burl_cover_model *m)
{
    struct meant f = { .site = burl_xcalloc(m->sites.n + 1, sizeof *f.site) };
    const struct burl_cover_site *place = NULL;

    for (size_t i = 0; i < m->sites.n; i++) {
        f.site[i] = same_place(s, &m->sites.v[i]);
        f.n += f.site[i];
    }
    for (size_t i = 0; i < m->sites.n && f.n == 0; i++) {
        if (!same_names(s, &m->sites.v[i]))
            continue;
        f.n_moved += place == NULL || !one_place(place, &m->sites.v[i]);
        place = &m->sites.v[i];
    }
    if (f.n == 0 && f.n_moved == 1) {
        for (size_t i = 0; i < m->sites.n; i++) {
            f.site[i] = same_names(s, &m->sites.v[i]);
            f.n += f.site[i];
        }
    }
    return f;
}

/* ---- entries against pairs --------------------------------------------------------- */

struct match {
    struct meant side[2];
};

static struct match
match_entry(const struct burl_prune_entry *e, const struct burl_cover_model *m)
{
    return (struct match){ .side = { find_sites(&e->site[0], m), find_sites(&e->site[1], m) } };
}

static void
match_deinit(struct match *f)
{
    free(f->side[0].site);
    free(f->side[1].site);
}

static bool
matches_pair(const struct match *f, const struct burl_cover_pair *p)
{
    return f->side[0].site[p->a] && f->side[1].site[p->b];
}

static void
add_stale(struct burl_cover_model *m, const struct burl_prune *p, const struct burl_prune_entry *e,
          const char *what)
{
    struct burl_cover_stale *s = BURL_VEC_ADD(&m->stale);
    struct burl_buf b = BURL_BUF_INIT;

    burl_buf_printf(&b, "%s: ", what);
    burl__prune_put_site(&b, &e->site[0]);
    burl_buf_str_append(&b, ", then ");
    burl__prune_put_site(&b, &e->site[1]);
    burl_buf_printf(&b, " (because %s)", e->reason);
    s->file = burl_xstrdup(p->path);
    s->line = e->line[0];
    s->text = burl_buf_take(&b, NULL);
    burl_buf_deinit(&b);
}

static char *
why_nothing(const struct match *f)
{
    for (int i = 0; i < 2; i++) {
        const char *which = i == 0 ? "first" : "second";

        if (f->side[i].n == 0 && f->side[i].n_moved > 1)
            return burl_xasprintf("the %s place has moved and is ambiguous: %u candidates", which,
                                  f->side[i].n_moved);
        if (f->side[i].n == 0)
            return burl_xasprintf("the %s place is gone", which);
    }
    return burl_xstrdup("not in the target");
}

/* Is the file part of the program? A prune file may be shared by several. Headers of the system are
 * not in the list of files, and their accesses are among the sites. */
static bool
has_file(const struct burl_cover_model *m, const char *file)
{
    for (size_t i = 0; i < m->files.n; i++) {
        if (same_file(file, str(m->files.v[i].file)) || same_file(file, str(m->files.v[i].path)))
            return true;
    }
    for (size_t i = 0; i < m->sites.n; i++) {
        if (same_file(file, str(m->sites.v[i].file)) || same_file(file, str(m->sites.v[i].path)))
            return true;
    }
    return false;
}

static void
apply_entry(const struct burl_prune *p, const struct burl_prune_entry *e,
            struct burl_cover_model *m)
{
    struct match f = match_entry(e, m);
    bool any = false;
    bool covered = false;

    for (size_t i = 0; i < m->pairs.n; i++) {
        struct burl_cover_pair *x = &m->pairs.v[i];

        if (!matches_pair(&f, x))
            continue;
        any = true;
        if (x->state == BURL_COVER_COVERED || x->state == BURL_COVER_OUTSIDE) {
            covered = true;
        } else if (x->state == BURL_COVER_UNCOVERED || x->state == BURL_COVER_PROPOSED) {
            x->state = BURL_COVER_PRUNED;
            free(x->reason);
            x->reason = burl_xstrdup(e->reason);
        }
    }
    if (covered) {
        add_stale(m, p, e, "covered after all");
    } else if (!any && !(has_file(m, e->site[0].file) && has_file(m, e->site[1].file))) {
        m->foreign_prunes++;
    } else if (!any) {
        char *what = why_nothing(&f);

        add_stale(m, p, e, what);
        free(what);
    }
    match_deinit(&f);
}

void
burl_prune_apply(const struct burl_prune *p, struct burl_cover_model *m)
{
    for (size_t i = 0; i < p->entries.n; i++)
        apply_entry(p, &p->entries.v[i], m);
}

/* ---- changing the file ------------------------------------------------------------- */

static struct burl_cover_site
site_of(const struct burl_cover_site *x)
{
    struct burl_cover_site s = *x;

    s.file = burl_xstrdup(str(x->file));
    s.path = NULL;
    s.variable = burl_xstrdup(str(x->variable));
    s.func = burl_xstrdup(str(x->func));
    return s;
}

static char *
one_line(const char *reason)
{
    char *s = burl_xstrdup(reason);

    for (char *c = s; *c != '\0'; c++) {
        if (*c == '\n' || *c == '\r' || *c == '\t')
            *c = ' ';
    }
    return s;
}

bool
burl_prune_add(struct burl_prune *p, const struct burl_cover_model *m, size_t pair,
               const char *reason)
{
    const struct burl_cover_pair *x = &m->pairs.v[pair];
    struct burl_prune_entry e = { 0 };

    for (size_t i = 0; i < p->entries.n; i++) {
        struct match f = match_entry(&p->entries.v[i], m);
        const bool there = matches_pair(&f, x);

        match_deinit(&f);
        if (there)
            return false;
    }
    e.site[0] = site_of(&m->sites.v[x->a]);
    e.site[1] = site_of(&m->sites.v[x->b]);
    e.reason = one_line(reason);
    burl__prune_append(p, &e);
    return true;
}

size_t
burl_prune_remove(struct burl_prune *p, const struct burl_cover_model *m, size_t pair)
{
    size_t n = 0;

    for (size_t i = p->entries.n; i > 0; i--) {
        struct match f = match_entry(&p->entries.v[i - 1], m);

        if (matches_pair(&f, &m->pairs.v[pair])) {
            burl__prune_delete(p, i - 1);
            n++;
        }
        match_deinit(&f);
    }
    return n;
}

/* ---- proposals --------------------------------------------------------------------- */

const char *
burl__prune_access(const struct burl_cover_site *s)
{
    return s->reads && s->writes ? "update" : s->writes ? "write" : "read";
}

/* "the write at queue.c:31" */
static char *
describe_access(const struct burl_cover_site *s)
{
    return burl_xasprintf("the %s at %s:%u", burl__prune_access(s), str(s->file), s->line);
}

/* `w`, the witness, is an access to the same memory, so the model knows it, unless it is of an
 * assertion: then NULL. */
static char *
prune_argument(const struct burl_sp *t, const struct burl_sp_fact *f,
               const struct burl_cover_model *m, const struct burl_cover_site *w,
               const struct burl_cover_pair *p)
{
    const bool last = f->kind == BURL_SP_NEVER_LAST;
    const char *lock = f->lock < t->locks.n ? str(t->locks.v[f->lock].name) : "one lock";
    char *access = describe_access(&m->sites.v[last ? p->a : p->b]);
    char *other = describe_access(&m->sites.v[last ? p->b : p->a]);
    char *next = w ? describe_access(w) : burl_xstrdup("another access to it");
    char *text;

    if (f->lock == UINT32_MAX && last)
        text = burl_xasprintf("after %s the main thread always does %s before it starts another "
                              "thread, so %s cannot come directly after",
                              access, next, other);
    else if (f->lock == UINT32_MAX)
        text = burl_xasprintf("before %s, and after all other threads had exited, the main thread "
                              "has always done %s, so it cannot come directly after %s",
                              access, next, other);
    else if (last)
        text = burl_xasprintf("both hold %s; after %s its section always does %s before it ends, "
                              "so %s cannot come directly after",
                              lock, access, next, other);
    else
        text = burl_xasprintf("both hold %s; before %s its section has always done %s, so it "
                              "cannot come directly after %s",
                              lock, access, next, other);
    free(access);
    free(other);
    free(next);
    return text;
}

size_t
burl_prune_propose(const struct burl_sp *t, const uint32_t *target_site, struct burl_cover_model *m)
{
    const struct burl_cover_site **by_number = burl_xcalloc(t->sites.n + 1, sizeof(void *));
    size_t n = 0;

    for (size_t i = 0; i < m->sites.n; i++) {
        if (target_site[i] < t->sites.n)
            by_number[target_site[i]] = &m->sites.v[i];
    }
    for (size_t i = 0; i < m->pairs.n; i++) {
        struct burl_cover_pair *p = &m->pairs.v[i];
        const uint32_t a = target_site[p->a];
        const uint32_t b = target_site[p->b];
        const struct burl_sp_fact *f;

        if (p->state == BURL_COVER_PRUNED || a == UINT32_MAX || b == UINT32_MAX)
            continue;
        f = burl_sp_never_adjacent(t, a, b);
        if (!f)
            continue;
        free(p->reason);
        p->reason =
            prune_argument(t, f, m, f->witness < t->sites.n ? by_number[f->witness] : NULL, p);
        if (p->state != BURL_COVER_UNCOVERED)
            continue; /* it was covered: the reason stays as the contradiction */
        p->state = BURL_COVER_PROPOSED;
        n++;
    }
    free(by_number);
    return n;
}
