/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/gaps.c - the order of uncovered pairs by value; contract in gaps.h.
 *
 * Runs in the host. Why this order: if the reverse is covered, two threads reach both sites and
 * only the schedule is missing; a read followed by another thread's write is where stale values
 * come from; and a pair within one function is mostly two threads at the same work, which random
 * schedules cover first. Pairs wholly in headers of installed libraries (C++ containers) are seldom
 * of interest to the user: last.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "cover/cover_int.h"
#include "cover/gaps.h"

/* Kinds of pairs, most valuable first. */
enum kind { READ_WRITE, WRITE_READ, WRITE_WRITE };

struct gap {
    struct burl_cover_pair *pair;
    const struct burl_cover_site *site[2];
    const char *variable;
    bool reverse;
    enum kind kind;
    bool same_func;
    bool foreign; /* both sites are in headers of installed libraries */
};

static const char *
str(const char *s)
{
    return s ? s : "";
}

static enum kind
kind_of(const struct burl_cover_site *a, const struct burl_cover_site *b)
{
    if (a->reads && !a->writes)
        return READ_WRITE;
    return b->reads && !b->writes ? WRITE_READ : WRITE_WRITE;
}

static bool
same_func(const struct burl_cover_site *a, const struct burl_cover_site *b)
{
    return strcmp(str(a->func), str(b->func)) == 0 && strcmp(str(a->file), str(b->file)) == 0;
}

static bool
is_installed(const struct burl_cover_site *s)
{
    const char *file = str(s->file);

    return strncmp(file, "/usr/include/", 13) == 0 || strncmp(file, "/usr/lib/", 9) == 0 ||
           strncmp(file, "/usr/local/include/", 19) == 0;
}

/* ---- which orders are covered ------------------------------------------------------ */

struct covered {
    uint64_t *keys; /* earlier site, later site; ascending */
    size_t n;
};

#define KEY(e) *(const uint64_t *)(e)

static int
by_key(const void *x, const void *y)
{
    return BURL_COMPARE(x, y, KEY);
}

static struct covered
collect_covered(const struct burl_cover_model *m)
{
    struct covered c = { .keys = burl_xcalloc(m->pairs.n + 1, sizeof *c.keys) };

    for (size_t i = 0; i < m->pairs.n; i++) {
        const struct burl_cover_pair *p = &m->pairs.v[i];

        if (p->state == BURL_COVER_COVERED || p->state == BURL_COVER_OUTSIDE)
            c.keys[c.n++] = (uint64_t)p->a << 32 | p->b;
    }
    qsort(c.keys, c.n, sizeof *c.keys, by_key);
    return c;
}

static bool
is_covered(const struct covered *c, uint32_t a, uint32_t b)
{
    const uint64_t key = (uint64_t)a << 32 | b;

    return bsearch(&key, c->keys, c->n, sizeof *c->keys, by_key) != NULL;
}

/* ---- order ------------------------------------------------------------------------- */

#define PLACE(e) (e)->line, (e)->column

static int
compare_sites(const struct burl_cover_site *x, const struct burl_cover_site *y)
{
    int d = strcmp(str(x->file), str(y->file));

    if (d == 0)
        d = BURL_COMPARE(x, y, PLACE);
    if (d == 0)
        d = strcmp(str(x->func), str(y->func));
    if (d == 0)
        d = strcmp(str(x->variable), str(y->variable));
    return d != 0 ? d : (int)x->writes - (int)y->writes;
}

#define WORTH(e) (e)->foreign, !(e)->reverse, (e)->kind, (e)->same_func

static int
by_worth(const void *a, const void *b)
{
    const struct gap *x = a;
    const struct gap *y = b;
    int d = BURL_COMPARE(x, y, WORTH);

    if (d == 0)
        d = strcmp(x->variable, y->variable);
    for (int i = 0; i < 2 && d == 0; i++)
        d = compare_sites(x->site[i], y->site[i]);
    /* Only indistinguishable sites are left: their order in the model. */
    return d != 0 ? d : burl__cover_by_sites(x->pair, y->pair);
}

static char *
gap_phrase(const struct gap *g)
{
    static const char *const kinds[] = {
        [READ_WRITE] = "read then write",
        [WRITE_READ] = "write then read",
        [WRITE_WRITE] = "write then write",
    };

    return burl_xasprintf("%s%s%s%s", g->reverse ? "the reverse order is covered; " : "",
                          kinds[g->kind], g->same_func ? ", within one function" : "",
                          g->foreign ? ", in a library's header" : "");
}

void
burl_cover_gaps_rank(struct burl_cover_model *m)
{
    struct covered c = collect_covered(m);
    struct gap *gaps = burl_xcalloc(m->pairs.n + 1, sizeof *gaps);
    size_t n = 0;

    for (size_t i = 0; i < m->pairs.n; i++) {
        struct burl_cover_pair *p = &m->pairs.v[i];
        const struct burl_cover_site *a = &m->sites.v[p->a];
        const struct burl_cover_site *b = &m->sites.v[p->b];

        p->rank = 0;
        free(p->why);
        p->why = NULL;
        if (p->state != BURL_COVER_UNCOVERED)
            continue;
        gaps[n++] = (struct gap){
            .pair = p,
            .site = { a, b },
            .variable = p->variable < m->variables.n ? str(m->variables.v[p->variable].name) : "",
            .reverse = is_covered(&c, p->b, p->a),
            .kind = kind_of(a, b),
            .same_func = same_func(a, b),
            .foreign = is_installed(a) && is_installed(b),
        };
    }
    qsort(gaps, n, sizeof *gaps, by_worth);
    for (size_t i = 0; i < n; i++) {
        gaps[i].pair->rank = (uint32_t)i + 1;
        gaps[i].pair->why = gap_phrase(&gaps[i]);
    }
    free(gaps);
    free(c.keys);
}
