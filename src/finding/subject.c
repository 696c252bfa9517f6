/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finding/subject.c - failures that are one bug wherever they show: by what they are about.
 *
 * Runs in the host. When two threads join the same thread, the schedule decides which of the two
 * calls is the second one; when a block is freed too early, it decides which use comes first. The
 * cause is the same, so the fingerprint is made of the thing and not of the place:
 *
 *   join or detach twice    the call that created the thread; the two kinds are one bug
 *   double free             the call that allocated the block
 *   use after free          the same, and the function that freed it
 *   destroyed too early     the global variable, or the call that allocated the block, that holds
 *                           the sync object; destroy-busy and use-destroyed are one bug, and so
 *                           are all sync objects of one structure
 *
 * Where the thing cannot be told from others of its sort (memory of an allocator of the program or
 * of a library, a thread that a library creates, objects on stacks) the place stays the
 * fingerprint: two bugs that look like one cost more than one that looks like two.
 */
#include <string.h>

#include "finding/fingerprint.h"
#include "wire/site.h"

/* Does every block of the program come from a call in this function? `xmalloc`, `pool_alloc`. */
static bool
is_allocator(const char *function)
{
    return strstr(function, "alloc") != NULL || strstr(function, "operator new") != NULL ||
           strstr(function, "strdup") != NULL;
}

/* The call of the user's code that made the block; NULL: unknown, or an allocator's. */
static const struct burl_site_info *
allocating_call(const struct burl_wire_origin *o, const struct burl_sites *sites)
{
    const struct burl_site_info *call = burl_sites_get(sites, o->site);

    if (o->kind != BURL_ORIGIN_HEAP || call->id == 0 || call->kind != BURL_SITE_CALL ||
        burl_site_is_system(call) || is_allocator(call->func))
        return NULL;
    return call;
}

static bool
put_thread(struct burl_buf *out, const struct burl_wire_origin *o, const struct burl_sites *sites)
{
    const struct burl_site_info *call = burl_sites_get(sites, o->site);

    if (o->kind != BURL_ORIGIN_THREAD)
        return false;
    if (call->id != 0 && call->kind == BURL_SITE_CALL && !burl_site_is_system(call)) {
        burl_buf_str_append(out, "misuse.join-twice thread ");
        burl_variable_call(out, sites, call);
        return true;
    }
    /* std::thread: the function of the user's own that made it. */
    for (size_t i = 0; i < BURL_WIRE_MAX_STACK && o->stack[i] != 0; i++) {
        const struct burl_site_info *f = burl_sites_get(sites, o->stack[i]);

        if (f->func[0] != '\0' && !burl_site_is_system(f)) {
            burl_buf_printf(out, "misuse.join-twice thread %s", f->func);
            return true;
        }
    }
    return false;
}

static bool
put_block(struct burl_buf *out, const struct burl_wire_verdict *v, const struct burl_sites *sites)
{
    const struct burl_site_info *call = allocating_call(&v->origin, sites);
    const struct burl_site_info *freed = burl_sites_get(sites, v->other_site);

    if (call == NULL || (v->kind == BURL_VERDICT_USE_AFTER_FREE && freed->func[0] == '\0'))
        return false;
    burl_buf_printf(out, "%s heap ", burl_verdict_name(v->kind));
    burl_variable_call(out, sites, call);
    if (v->kind == BURL_VERDICT_USE_AFTER_FREE)
        burl_buf_printf(out, " freed in %s", freed->func);
    return true;
}

bool
burl_finding_object(const struct burl_wire_verdict *v, uint64_t addr,
                    const struct burl_sites *sites, struct burl_buf *out)
{
    const struct burl_site_info *call = allocating_call(&v->origin, sites);
    struct burl_symbol sym;

    if (call != NULL) {
        burl_buf_str_append(out, "heap ");
        burl_variable_call(out, sites, call);
        return true;
    }
    if (v->origin.kind != BURL_ORIGIN_GLOBAL ||
        !burl_sites_symbol(sites, burl_variable_address(sites, &v->origin, addr), &sym))
        return false;
    burl_buf_printf(out, "global %s", sym.name);
    return true;
}

static bool
put_object(struct burl_buf *out, const struct burl_wire_verdict *v, const struct burl_sites *sites)
{
    struct burl_buf object = BURL_BUF_INIT;
    const bool known = burl_finding_object(v, v->addr, sites, &object);

    if (known)
        burl_buf_printf(out, "misuse.use-destroyed %s", burl_buf_str(&object));
    burl_buf_deinit(&object);
    return known;
}

bool
burl_fingerprint_subject(const struct burl_wire_verdict *v, const struct burl_sites *sites,
                         struct burl_buf *out)
{
    switch (v->kind) {
    case BURL_VERDICT_MISUSE_JOIN_TWICE:
    case BURL_VERDICT_MISUSE_DETACH_TWICE:
        return put_thread(out, &v->origin, sites);
    case BURL_VERDICT_DOUBLE_FREE:
    case BURL_VERDICT_USE_AFTER_FREE:
        return put_block(out, v, sites);
    case BURL_VERDICT_MISUSE_USE_DESTROYED:
    case BURL_VERDICT_MISUSE_DESTROY_BUSY:
        return put_object(out, v, sites);
    default:
        return false;
    }
}
