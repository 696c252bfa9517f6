/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resolve.c - from an expression in some function to the variable of the user it stands for.
 *
 * Runs in the host. An atomic of C++ is accessed as `this->_M_i` in a system header, a mutex locked
 * as `__mutex`, a member of a class as `this->m`. The name table (base/nametab.h) says at which
 * parameter such an expression begins and what each call passes; the functions on the stack say
 * which calls were made. So parameters are replaced by arguments, outwards, until the expression
 * begins at a variable. Members of library classes are dropped on the way: the user knows the
 * object, not what is in it.
 *
 * Where the place of a call is not known, all calls of the same function count, and a name is given
 * only if they agree. A name that is given denotes the address of the operation.
 */
#include "report/finding/resolve.h"
#include "base/mem.h"
#include "base/shortname.h"

enum { MAX_TRIES = 128 };

struct climb {
    const struct burl_sites *sites;
    const struct burl__report_frame *frames; /* outermost first */
    unsigned tries;
};

void
burl__report_name_deinit(struct burl__report_name *n)
{
    free(n->text);
    free(n->member);
    free(n->owner);
    *n = (struct burl__report_name){ 0 };
}

static bool
is_system(const struct climb *c, uint32_t func)
{
    return burl_site_is_system(burl_sites_get(c->sites, func));
}

static char *
join_member(const char *base, bool deref, const char *path)
{
    const char *between = path[0] == '[' ? "" : deref ? "->" : ".";

    return burl_xasprintf("%s%s%s", base, between, path);
}

/* `Queue` of "bank::Queue<std::shared_ptr<int>>": a report has room for the class alone. Classes
 * that are spelled alike share their numbers (access.c), so that no two objects have one name. */
static char *
short_owner(const char *owner)
{
    struct burl_buf plain = BURL_BUF_INIT;
    const char *begin;
    char *text;

    burl_name_put_plain(owner, &plain);
    begin = burl_buf_str(&plain);
    for (const char *p = begin; *p != '\0'; p++) {
        if (p[0] == ':' && p[1] == ':' && p[2] != '\0')
            begin = p + 2;
    }
    text = burl_xstrdup(begin);
    burl_buf_deinit(&plain);
    return text;
}

/* What the place says by itself. */
static void
take_place(const struct burl_place *p, struct burl__report_name *out)
{
    *out = (struct burl__report_name){
        .text = p->text[0] != '\0' ? burl_xstrdup(p->text) : NULL,
        .deref = (p->flags & BURL_PLACE_DEREF) != 0,
        .object = (p->flags & BURL_PLACE_OBJECT) != 0,
        .offset_b = p->offset_b,
        .known = true,
    };
    if (p->owner[0] != '\0' && p->path[0] != '\0') {
        out->owner = short_owner(p->owner);
        out->member = burl_xasprintf("%s::%s", out->owner, p->path);
    }
    /* `this` and results of calls add nothing to a class. */
    if ((p->flags & (BURL_PLACE_SELF | BURL_PLACE_RESULT)) != 0 && out->member != NULL) {
        free(out->text);
        out->text = NULL;
    }
}

static bool
same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Keeps what both say. */
static void
agree(struct burl__report_name *a, const struct burl__report_name *b)
{
    if (!same_text(a->text, b->text) || a->deref != b->deref) {
        free(a->text);
        a->text = NULL;
        a->object = false;
    }
    if (!same_text(a->member, b->member) || a->offset_b != b->offset_b) {
        free(a->member);
        free(a->owner);
        a->member = NULL;
        a->owner = NULL;
    }
}

static bool name_place(struct climb *c, size_t k, const struct burl_place *p,
                       struct burl__report_name *out);

/* Does the call lead from frame k - 1 to frame k? */
static bool
is_call_of(const struct climb *c, size_t k, const struct burl_call *call)
{
    const struct burl__report_frame *callee = &c->frames[k];

    if (callee->call != 0)
        return call->site == callee->call;
    return call->callee[0] != '\0' &&
           strcmp(call->callee, burl_sites_function(c->sites, callee->func)) == 0;
}

/* What was passed to frame k. */
static bool
name_argument(struct climb *c, size_t k, uint32_t position, bool receiver,
              struct burl__report_name *out)
{
    struct burl_call call;
    bool found = false;

    if (k == 0)
        return false;
    for (size_t i = 0; burl_sites_call(c->sites, c->frames[k - 1].func, i, &call); i++) {
        struct burl__report_name one;
        struct burl_place p = { .text = "" };
        bool known = false;

        if (!is_call_of(c, k, &call))
            continue;
        for (uint32_t a = receiver ? 0 : position; a <= (receiver ? 1 : position) && !known; a++)
            known = burl_sites_argument(c->sites, &call, a, &p) &&
                    (!receiver || (p.flags & BURL_PLACE_RECEIVER) != 0);
        if (!known || ++c->tries > MAX_TRIES || !name_place(c, k - 1, &p, &one)) {
            if (found)
                burl__report_name_deinit(out);
            return false;
        }
        if (!found) {
            *out = one;
            found = true;
        } else {
            agree(out, &one);
            burl__report_name_deinit(&one);
        }
    }
    if (found && out->text == NULL && out->member == NULL) {
        burl__report_name_deinit(out);
        found = false;
    }
    return found;
}

/* The place in frame k. False: nothing is known that a user would understand. */
static bool
name_place(struct climb *c, size_t k, const struct burl_place *p, struct burl__report_name *out)
{
    struct burl__report_name up;
    const bool reference = (p->flags & BURL_PLACE_DEREF) == 0;

    if (is_system(c, c->frames[k].func)) {
        if (p->param == BURL_PARAM_NONE || !name_argument(c, k, p->param, false, out))
            return false;
        /* The members of the library that are left out lie between the object and the access. */
        out->offset_b = p->from_b != BURL_NAME_NONE && out->offset_b != BURL_NAME_NONE
                            ? out->offset_b + p->from_b
                            : BURL_NAME_NONE;
        return true;
    }
    take_place(p, out);
    if (p->param == BURL_PARAM_NONE)
        return true;
    /* A pointer of the user's own with a member is as good a name as any: `q->head`. */
    if (p->path[0] != '\0' && (p->flags & BURL_PLACE_SELF) == 0 && !reference)
        return true;
    if (p->path[0] != '\0' && (p->flags & BURL_PLACE_SELF) == 0 && strstr(p->text, "->") != NULL)
        return true;
    if (!name_argument(c, k, p->param, false, &up))
        return true;
    if (p->path[0] == '\0') {
        burl__report_name_deinit(out);
        *out = up;
        out->climbed = true;
        return true;
    }
    if (up.object && up.text != NULL) {
        free(out->text);
        out->text = join_member(up.text, up.deref, p->path);
        out->deref = false;
        out->object = true;
        out->climbed = true;
    }
    burl__report_name_deinit(&up);
    return true;
}

bool
burl__report_resolve(const struct burl_sites *sites, const struct burl__report_frame *frames,
                     size_t n, const struct burl_place *p, struct burl__report_name *out)
{
    struct climb c = { .sites = sites, .frames = frames };

    *out = (struct burl__report_name){ 0 };
    return n > 0 && n <= UINT32_MAX && name_place(&c, n - 1, p, out);
}

bool
burl__report_resolve_inside(const struct burl_sites *sites, const struct burl__report_frame *frames,
                            size_t n, struct burl__report_name *out)
{
    struct climb c = { .sites = sites, .frames = frames };
    size_t k = n;

    *out = (struct burl__report_name){ 0 };
    while (k > 0 && is_system(&c, frames[k - 1].func))
        k--;
    if (k == 0 || k == n || !name_argument(&c, k, 0, true, out))
        return false;
    out->inside = frames[k].func;
    return true;
}

bool
burl__report_resolve_call(const struct burl_sites *sites, const struct burl__report_frame *frames,
                          size_t n, uint32_t site, uint32_t position, struct burl__report_name *out)
{
    struct burl_call call;
    struct burl_place p;

    *out = (struct burl__report_name){ 0 };
    if (n == 0)
        return false;
    for (size_t i = 0; burl_sites_call(sites, frames[n - 1].func, i, &call); i++) {
        if (call.site == site && site != 0)
            return burl_sites_argument(sites, &call, position, &p) &&
                   burl__report_resolve(sites, frames, n, &p, out);
    }
    return false;
}

void
burl__report_put_name(const struct burl__report_name *n, struct burl_buf *out)
{
    if (n->text != NULL)
        burl_buf_printf(out, "%s%s", n->deref ? "*" : "", n->text);
    else if (n->member != NULL)
        burl_buf_str_append(out, n->member);
}
