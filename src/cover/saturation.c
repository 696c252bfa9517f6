/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/saturation.c - growth of coverage: windows, curves, the stop rule.
 *
 * Runs in the host. The paper draws covered pairs over executions and takes the flat end as the
 * sign to stop; without a useful static target this is the only measure (new items per window).
 * Both follow from the execution that covered each item first, so nothing else is recorded.
 */
#include "cover/cover_int.h"

/* Points of a curve: enough for a drawing, few enough for a document. */
#define CURVE_MAX 400u

bool
burl_cover_saturated(const struct burl_cover *c, uint64_t executions, uint64_t windows)
{
    const uint64_t since = c->grew ? c->last_growth + 1 : 0;

    return windows > 0 && executions >= since &&
           (executions - since) / BURL_COVER_WINDOW >= windows;
}

static void
push_point(struct burl_cover_metric *m, uint64_t executions, uint64_t items)
{
    const struct burl_cover_point p = { .executions = executions, .items = items };

    BURL_VEC_PUSH(&m->curve, p);
}

/* Where items came: one point after each execution with something new, or, when these are too many,
 * after each of evenly many items. The first and the last are always there. */
void
burl__cover_curve(const uint64_t *executions, size_t n, uint64_t present,
                  struct burl_cover_metric *m)
{
    const size_t stride = n / CURVE_MAX + 1;
    size_t next = 0; /* items of the next point at least */

    m->window = BURL_COVER_WINDOW;
    for (size_t i = 0; i < n; i++) {
        m->new_last_window += executions[i] + BURL_COVER_WINDOW >= present;
        if (i + 1 < n && executions[i + 1] == executions[i])
            continue;
        if (i + 1 < next && i + 1 < n)
            continue;
        push_point(m, executions[i] + 1, i + 1);
        next = i + 1 + stride;
    }
    if (m->curve.n == 0 || m->curve.v[m->curve.n - 1].executions < present)
        push_point(m, present, n);
}
