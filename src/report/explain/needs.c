/* SPDX-License-Identifier: Apache-2.0 */
/*
 * needs.c - the spurious wakeups and faults that a failure needs.
 *
 * Runs in the host. Minimizing first tries to drop these (engine/confirm/minimize.c): those left in
 * the schedule are necessary.
 */
#include "report/explain/explain.h"

static void
put_call(struct burl_buf *out, const struct burl_wire_switch *s, const struct burl_sites *sites)
{
    const struct burl_site_info *info = burl_sites_get(sites, s->site);

    burl_buf_str_append(out, info->variable[0] != '\0' ? info->variable : burl_op_text(s->kind));
    if (s->why != BURL_CHOICE_SPURIOUS)
        burl_buf_str_append(out, " fails");
    if (info->line != 0)
        burl_buf_printf(out, " at %s:%u", info->file, info->line);
    burl_buf_printf(out, " in T%u", s->tid);
}

/* "pthread_cond_wait at a.c:8 in T1, cnd_wait at b.c:9 in T2" */
static uint32_t
put_calls(struct burl_buf *out, const struct burl_run *run, const struct burl_sites *sites,
          bool spurious)
{
    uint32_t n = 0;

    for (size_t i = 0; i < run->n_switches; i++) {
        const struct burl_wire_switch *s = &run->switches[i];

        if (!burl_switch_is_injected(s->why) || (s->why == BURL_CHOICE_SPURIOUS) != spurious)
            continue;
        if (n++ > 0)
            burl_buf_str_append(out, ", ");
        put_call(out, s, sites);
    }
    return n;
}

void
burl__report_needs(struct burl_finding *f, const struct burl_run *run,
                   const struct burl_sites *sites)
{
    struct burl_buf calls, text;

    burl_buf_init(&calls, BURL_BUF_NO_LIMIT);
    burl_buf_init(&text, BURL_BUF_NO_LIMIT);
    f->n_spurious = put_calls(&calls, run, sites, true);
    if (f->n_spurious == 1)
        burl_buf_printf(&text,
                        "This failure needs a spurious wakeup, which POSIX, C and C++ allow: %s.",
                        burl_buf_str(&calls));
    else if (f->n_spurious > 1)
        burl_buf_printf(&text,
                        "This failure needs %u spurious wakeups, which POSIX, C and C++ allow: %s.",
                        f->n_spurious, burl_buf_str(&calls));
    burl_buf_clear(&calls);
    f->n_faults = put_calls(&calls, run, sites, false);
    if (f->n_faults > 0)
        burl_buf_printf(&text, "%sThis failure needs %s: %s.", text.n > 0 ? " " : "",
                        f->n_faults == 1 ? "an injected fault" : "injected faults",
                        burl_buf_str(&calls));
    f->needs = burl__report_take(f->pool, &text);
    burl_buf_deinit(&calls);
}
