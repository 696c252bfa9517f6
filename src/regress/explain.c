/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/explain.c - why a test was selected, or was not, in one line; contract in select.h.
 *
 * Runs in the host. Only works on a selection that burl_regress_select() filled.
 */
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "regress/select_int.h"
#include "regress/words.h"

/* ---- places and threads ------------------------------------------------------------------ */

struct burl_site_info
burl_regress_place(const struct burl_regress_subject *x, uint32_t site)
{
    const struct burl_changes_site *c = &x->changes.sites.v[site];
    struct burl_site_info info = {
        .file = "", .dir = "", .func = "", .variable = "", .module = ""
    };

    if (x->sites)
        (void)burl_sitetab_site(x->sites, c->module_hash, c->index, &info);
    return info;
}

void
burl_regress_put_place(const struct burl_regress_subject *x, uint32_t site, struct burl_buf *out)
{
    const struct burl_site_info info = burl_regress_place(x, site);

    if (info.file[0])
        burl_buf_printf(out, "%s:%u", burl_path_basename(info.file), info.line);
    else
        burl_buf_printf(out, "site %u", x->changes.sites.v[site].index);
}

const char *
burl_regress_verb(const struct burl_regress_subject *x, uint32_t site)
{
    const struct burl_changes_site *c = &x->changes.sites.v[site];

    if (burl_regress_place(x, site).kind == BURL_SITE_CALL)
        return "frees";
    const uint32_t s = burl_sp_find(&x->target, c->module_hash, c->index);
    const uint8_t flags = s == UINT32_MAX ? 0 : x->target.sites.v[s].flags;

    if ((flags & BURL_SP_WRITES) == 0)
        return "reads";
    return flags & BURL_SP_READS ? "updates" : "writes";
}

const char *
burl_regress_variable(const struct burl_regress_subject *x, const struct burl_regress_pair *p)
{
    struct burl_site_info info = burl_regress_place(x, p->a);

    if (p->kinds & BURL_REGRESS_DEADLOCKS)
        return x->changes.cycles.v[p->class].locks;
    if (info.kind == BURL_SITE_CALL) /* free(p) */
        info = burl_regress_place(x, p->b);
    if (info.kind == BURL_SITE_CALL)
        return x->target.classes.v[p->class].name;
    return info.variable[0] ? info.variable : x->target.classes.v[p->class].name;
}

/* A std::thread starts in a template of the library that says what it calls: a lambda by its place,
 * all else by its type only. */
const char *
burl_regress_role_name(const struct burl_history *h, uint32_t role,
                       char room[BURL_REGRESS_ROLE_ROOM])
{
    static const char state[] = "std::thread::_State_impl<", lambda[] = "(lambda at ";
    const char *start = role < h->roles.n ? h->roles.v[role].start : "a new thread";
    const char *at, *end;
    unsigned line;

    if (strncmp(start, state, sizeof state - 1) != 0)
        return start;
    at = strstr(start, lambda);
    end = at ? strchr(at, ')') : NULL;
    for (int colons = 0; end && end > at && colons < 2; end--)
        colons += end[-1] == ':';
    if (!end || sscanf(end, ":%u:", &line) != 1)
        return "std::thread";
    snprintf(room, BURL_REGRESS_ROLE_ROOM, "lambda:%u", line);
    return room;
}

/* ", in worker" for the second of two: "in another worker" if the first is one, too. */
static void
put_second_role(const struct burl_history *h, const struct burl_regress_chosen *c,
                struct burl_buf *out)
{
    char room_a[BURL_REGRESS_ROLE_ROOM], room_b[BURL_REGRESS_ROLE_ROOM];
    const char *a = burl_regress_role_name(h, c->role_a, room_a);
    const char *b = burl_regress_role_name(h, c->role_b, room_b);

    if (c->role_b >= h->roles.n)
        burl_buf_str_append(out, c->role_a >= h->roles.n ? "another new thread" : b);
    else if (strcmp(a, b) != 0)
        burl_buf_str_append(out, b);
    else if (c->role_a == c->role_b && !h->roles.v[c->role_a].many)
        burl_buf_printf(out, "the same %s", b);
    else
        burl_buf_printf(out, "another %s", b);
}

/* ---- selected ---------------------------------------------------------------------------- */

static void
put_pair(const struct burl_regress_subject *x, const struct burl_regress_pair *p,
         const struct burl_history *h, const struct burl_regress_chosen *c, struct burl_buf *out)
{
    const char *why = x->changes.sites.v[p->a].why;
    char room[BURL_REGRESS_ROLE_ROOM];

    burl_regress_put_place(x, p->a, out);
    if (p->kinds & BURL_REGRESS_DEADLOCKS)
        burl_buf_printf(out, " locks %s in one order", burl_regress_variable(x, p));
    else
        burl_buf_printf(out, " %s %s", burl_regress_verb(x, p->a), burl_regress_variable(x, p));
    burl_buf_printf(out, " (changed: %s) in %s", why ? why : "?",
                    burl_regress_role_name(h, c->role_a, room));
    if (p->a == p->b) {
        burl_buf_str_append(out, " and in ");
    } else {
        burl_buf_str_append(out, "; ");
        burl_regress_put_place(x, p->b, out);
        if (p->kinds & BURL_REGRESS_DEADLOCKS)
            burl_buf_printf(out, " locks them in %s in ",
                            x->changes.cycles.v[p->class].n > 2 ? "another" : "the other");
        else
            burl_buf_printf(out, " %s it in ", burl_regress_verb(x, p->b));
    }
    put_second_role(h, c, out);
    if (p->kinds == BURL_REGRESS_ATOMICITY)
        burl_buf_str_append(out, " [atomicity]");
}

void
burl_regress_explain(const struct burl_regress_selection *s, const struct burl_regress_chosen *c,
                     struct burl_buf *out)
{
    if (c->unknown) {
        burl_buf_printf(out, "not judged: %s", c->why);
    } else if (c->pair == UINT32_MAX) {
        burl_regress_explain_not(s, c->test, out);
    } else {
        const struct burl_regress_pair *p = &s->pairs.v[c->pair];
        const struct burl_history *h = burl_regress_history_of(s, c->test, p->subject);

        if (h)
            put_pair(&s->subjects.v[p->subject], p, h, c, out);
    }
}

/* ---- not selected ------------------------------------------------------------------------ */

/* How near a test came to being selected. */
enum nearness {
    NOT_CHANGED,
    NO_PAIRS,
    NOT_TOUCHED,
    NOT_EXECUTED,
    NO_PARTNER,
    ONE_THREAD,
    NOT_TOGETHER
};

struct near {
    enum nearness is;
    uint32_t subject;
    uint32_t pair;
    uint32_t role_a, role_b;
    const struct burl_history *history;
};

static void
come_near(struct near *n, enum nearness is, uint32_t subject, uint32_t pair)
{
    if (is <= n->is)
        return;
    n->is = is;
    n->subject = subject;
    n->pair = pair;
}

static void
try_cells(const struct burl_regress_selection *s, uint32_t subject, const struct burl__run *r,
          struct near *n)
{
    const struct burl_regress_work *w = s->work;
    const struct burl_regress_subject *x = &s->subjects.v[subject];
    struct burl__tracks *t = &w->tracks.v[subject];

    for (size_t i = 0; i < w->cells.n && n->is < NOT_TOGETHER; i++) {
        const struct burl__cell *c = &w->cells.v[i];
        uint32_t a, b;
        bool apart;

        if (c->subject != subject || !burl__tracks_meet(t, r, c->a, c->b, BURL__MEET_SAME, &a, &b))
            continue;
        apart = burl__tracks_meet(t, r, c->a, c->b, BURL__MEET_ANY_TIME, &a, &b);
        if (!apart && n->is >= ONE_THREAD)
            continue;
        come_near(n, apart ? NOT_TOGETHER : ONE_THREAD, subject, c->pair);
        /* A cell has the tracks of its pairs in whatever order. */
        const struct burl_changes_site *first = &x->changes.sites.v[s->pairs.v[c->pair].a];
        const bool swapped = burl__tracks_add(t, first) != c->a;
        n->role_a = swapped ? b : a;
        n->role_b = swapped ? a : b;
        n->history = r->history;
    }
}

static void
try_subject(const struct burl_regress_selection *s, uint32_t subject, uint32_t test, struct near *n)
{
    const struct burl_regress_work *w = s->work;
    const struct burl__tracks *t = &w->tracks.v[subject];

    for (size_t i = 0; i < t->runs.n; i++) {
        const struct burl__run *r = &t->runs.v[i];

        if (r->test != test)
            continue;
        come_near(n, NO_PAIRS, subject, UINT32_MAX);
        for (size_t k = 0; k < s->pairs.n && n->is < NOT_TOUCHED; k++)
            if (s->pairs.v[k].subject == subject)
                come_near(n, NOT_TOUCHED, subject, UINT32_MAX);
        if (!burl__select_executes_change(s, subject, r->history))
            continue;
        if (n->is == NOT_TOUCHED)
            come_near(n, NOT_EXECUTED, subject, UINT32_MAX);
        for (size_t k = 0; k < w->shared.n && n->is >= NOT_EXECUTED && n->is < NO_PARTNER; k++)
            if (w->shared.v[k].subject == subject && w->shared.v[k].impacted &&
                burl__tracks_executed(t, r, w->shared.v[k].track))
                come_near(n, NO_PARTNER, subject, UINT32_MAX);
        try_cells(s, subject, r, n);
    }
}

/* "put.c:41 and take.c:20 (q->head)" */
static void
put_two_places(const struct burl_regress_selection *s, const struct near *n, struct burl_buf *out)
{
    const struct burl_regress_pair *p = &s->pairs.v[n->pair];
    const struct burl_regress_subject *x = &s->subjects.v[n->subject];

    burl_regress_put_place(x, p->a, out);
    if (p->a != p->b) {
        burl_buf_str_append(out, " and ");
        burl_regress_put_place(x, p->b, out);
    }
    burl_buf_printf(out, " (%s)", burl_regress_variable(x, p));
}

static void
put_near(const struct burl_regress_selection *s, const struct near *n, struct burl_buf *out)
{
    char room_a[BURL_REGRESS_ROLE_ROOM], room_b[BURL_REGRESS_ROLE_ROOM];

    switch (n->is) {
    case NOT_CHANGED:
        burl_buf_str_append(out, "none of its programs changed");
        break;
    case NO_PAIRS:
        burl_buf_printf(out, "the change of %s impacts nothing that threads share",
                        s->subjects.v[n->subject].key);
        break;
    case NOT_TOUCHED:
        burl_buf_str_append(out, "executes no code that changed");
        break;
    case NOT_EXECUTED:
        burl_buf_str_append(out, "executes no impacted access");
        break;
    case NO_PARTNER:
        burl_buf_str_append(out, "executes impacted accesses, but none that conflicts with them");
        break;
    case ONE_THREAD:
        burl_buf_printf(out, "only one thread (%s) executes ",
                        burl_regress_role_name(n->history, n->role_a, room_a));
        put_two_places(s, n, out);
        break;
    case NOT_TOGETHER:
        put_two_places(s, n, out);
        burl_buf_printf(out, " run in %s and %s, not at the same time",
                        burl_regress_role_name(n->history, n->role_a, room_a),
                        burl_regress_role_name(n->history, n->role_b, room_b));
        break;
    }
}

void
burl_regress_explain_not(const struct burl_regress_selection *s, uint32_t test,
                         struct burl_buf *out)
{
    struct near n = { .is = NOT_CHANGED, .pair = UINT32_MAX };

    if (burl__select_is_plain(&s->base->tests.v[test])) {
        burl_buf_str_append(out, "runs no instrumented program");
        return;
    }
    for (uint32_t i = 0; i < s->subjects.n; i++)
        try_subject(s, i, test, &n);
    put_near(s, &n, out);
}
