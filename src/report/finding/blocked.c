/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/finding/blocked.c - threads of a free run that were blocked when it was stopped from
 * outside.
 *
 * Runs in the host. Not a finding: whether they would have continued is not known. But "nothing
 * found" alone would say too much.
 */
#include "report/text/text.h"

#define MAX_LISTED 8 /* unless all are wanted */

/* The call in the user's own code, or the function of theirs that led to it. */
static const struct burl_site_info *
place_of(const struct burl_wire_blocked *r, const struct burl_sites *sites)
{
    const struct burl_site_info *at = burl_sites_get(sites, r->site);

    for (size_t i = 0; i < BURL_BLOCKED_STACK && r->stack[i] != 0; i++) {
        if (at->line != 0 && !burl_site_is_system(at))
            break;
        at = burl_sites_get(sites, r->stack[i]);
    }
    return at;
}

static bool
is_timed(const struct burl_wire_blocked *r)
{
    return (r->flags & BURL_BLOCKED_F_TIMED) != 0;
}

void
burl_report_blocked(const struct burl_wire_blocked *v, size_t n, bool all,
                    const struct burl_sites *sites, struct burl_buf *out)
{
    const size_t shown = all || n <= MAX_LISTED ? n : MAX_LISTED;

    if (n == 0)
        return;
    burl_buf_printf(out, "%zu thread%s still blocked:", n, n == 1 ? "" : "s");
    for (size_t i = 0; i < shown; i++) {
        const struct burl_site_info *at = place_of(&v[i], sites);

        burl_buf_printf(out, "%s T%u in %s%s", i > 0 ? "," : "", v[i].tid,
                        is_timed(&v[i]) ? "timed " : "", burl_op_text(v[i].op));
        if (at->line != 0)
            burl_buf_printf(out, " at %s:%u", at->file, at->line);
    }
    burl_buf_str_append(out, shown < n ? ", ...\n" : "\n");
}

void
burl_report_blocked_json(const struct burl_wire_blocked *v, size_t n,
                         const struct burl_sites *sites, struct burl_json_writer *w)
{
    burl_json_array_begin(w);
    for (size_t i = 0; i < n; i++) {
        const struct burl_site_info *at = place_of(&v[i], sites);

        burl_json_object_begin(w);
        burl__json_put(w, "thread:u operation:s timed:b file:s line:u", v[i].tid,
                       burl_op_text(v[i].op), is_timed(&v[i]), at->line != 0 ? at->file : NULL,
                       at->line);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
}
