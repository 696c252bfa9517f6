/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/suppressed.c - prints the effect of the rules of --suppressions; contract in suppressed.h.
 *
 * Runs in the host. Every rule that hid something is named, so that nothing is hidden silently;
 * rules without matches are stale, or were not needed in this run, and are named on request.
 */
#include "cli/suppressed.h"

static void
print_rule(const struct burl_suppress *rules, const struct burl_suppress_rule *r, FILE *out)
{
    fprintf(out, "  %s:%u: %s:%s: ", burl_suppress_name(rules), r->line,
            burl_suppress_about_name(r->about), r->pattern);
    if (r->n_findings == 0 && r->n_suspects == 0)
        fprintf(out, "matched nothing");
    if (r->n_findings > 0)
        fprintf(out, "%llu finding%s", (unsigned long long)r->n_findings,
                r->n_findings == 1 ? "" : "s");
    if (r->n_suspects > 0)
        fprintf(out, "%s%llu suspect%s", r->n_findings > 0 ? ", " : "",
                (unsigned long long)r->n_suspects, r->n_suspects == 1 ? "" : "s");
    fprintf(out, "\n");
}

void
burl__print_suppressed(const struct burl_suppress *rules, bool all, FILE *out)
{
    uint64_t findings = 0;
    uint64_t suspects = 0;
    size_t idle = 0;

    for (size_t i = 0; i < burl_suppress_count(rules); i++) {
        const struct burl_suppress_rule *r = burl_suppress_at(rules, i);

        findings += r->n_findings;
        suspects += r->n_suspects;
        idle += r->n_findings == 0 && r->n_suspects == 0;
    }
    if (findings == 0 && suspects == 0 && (!all || idle == 0))
        return;
    fprintf(out, "suppressed: %llu finding%s", (unsigned long long)findings,
            findings == 1 ? "" : "s");
    if (suspects > 0)
        fprintf(out, " and %llu suspect%s", (unsigned long long)suspects, suspects == 1 ? "" : "s");
    if (idle > 0 && !all)
        fprintf(out, "; %zu rule%s matched nothing (-v names %s)", idle, idle == 1 ? "" : "s",
                idle == 1 ? "it" : "them");
    fprintf(out, "\n");
    for (size_t i = 0; i < burl_suppress_count(rules); i++) {
        const struct burl_suppress_rule *r = burl_suppress_at(rules, i);

        if (all || r->n_findings > 0 || r->n_suspects > 0)
            print_rule(rules, r, out);
    }
}

void
burl__json_suppressed(const struct burl_suppress *rules, struct burl_json_writer *w)
{
    burl_json_kv_array(w, "suppressed");
    for (size_t i = 0; i < burl_suppress_count(rules); i++) {
        const struct burl_suppress_rule *r = burl_suppress_at(rules, i);

        burl_json_object_begin(w);
        burl_json_kv_str(w, "file", burl_suppress_name(rules));
        burl_json_kv_u64(w, "line", r->line);
        burl_json_kv_str(w, "about", burl_suppress_about_name(r->about));
        burl_json_kv_str(w, "pattern", r->pattern);
        burl_json_kv_u64(w, "findings", r->n_findings);
        burl_json_kv_u64(w, "suspects", r->n_suspects);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
}
