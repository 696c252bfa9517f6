/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/gen_findings.c - the parts that the summaries of `burl gen` and `burl synth` have in common.
 */
#include "cli/gen_int.h"

void
burl__gen_put_set_apart(uint64_t unclean, uint64_t unconfirmed, uint64_t cut, struct burl_buf *b)
{
    char n[32];

    if (unclean > 0)
        burl_buf_printf(b,
                        "  set apart  %s violations in tests that can also fail or block "
                        "sequentially; not counted\n",
                        burl_number(unclean, n));
    if (unconfirmed > 0)
        burl_buf_printf(b, "  unconfirmed %s violations that were not reproduced; not counted\n",
                        burl_number(unconfirmed, n));
    if (cut > 0)
        burl_buf_printf(b,
                        "  cut        %s violations that were seen; no time was left to confirm "
                        "them, not counted\n",
                        burl_number(cut, n));
}

#define ALSO_SHOWN 3u

/* The other tests that show the same finding: a few by name. */
static void
put_also(const struct burl_gen_found *f, struct burl_buf *b)
{
    if (f->also.n == 0)
        return;
    burl_buf_str_append(b, "     also in tests");
    for (size_t i = 0; i < f->also.n && i < ALSO_SHOWN; i++)
        burl_buf_printf(b, "%s %s", i > 0 ? "," : "", f->also.v[i]);
    if (f->also.n > ALSO_SHOWN)
        burl_buf_printf(b, ", and %zu more", f->also.n - ALSO_SHOWN);
    burl_buf_char(b, '\n');
}

void
burl__gen_put_findings(const struct burl_gen_run *g, struct burl_buf *b)
{
    for (size_t i = 0; i < g->found.n; i++) {
        const struct burl_gen_found *f = &g->found.v[i];

        burl_buf_printf(b, "  #%lld %s\n     %s%s\n", (long long)f->id, f->title, f->test,
                        f->origin != NULL ? f->origin : "");
        put_also(f, b);
    }
}

void
burl__gen_put_files(const struct burl_gen_run *g, struct burl_buf *b)
{
    if (g->opts->emit_suite)
        burl_buf_printf(b, "  suite      %zu test%s in %s\n", g->n_suite,
                        g->n_suite == 1 ? "" : "s", g->opts->emit_suite);
    if (g->opts->html)
        burl_buf_printf(b, "  page       %s/index.html\n", g->opts->html);
}

void
burl__gen_json_findings(struct burl_json_writer *w, const struct burl_gen_run *g)
{
    burl_json_kv_array(w, "findings");
    for (size_t i = 0; i < g->found.n; i++) {
        burl_json_object_begin(w);
        burl_json_kv_i64(w, "number", g->found.v[i].id);
        burl_json_kv_str(w, "kind", g->found.v[i].kind);
        burl_json_kv_str(w, "test", g->found.v[i].test);
        burl_json_kv_array(w, "also_in");
        for (size_t k = 0; k < g->found.v[i].also.n; k++)
            burl_json_str(w, g->found.v[i].also.v[k]);
        burl_json_array_end(w);
        burl_json_key(w, "finding");
        burl_json_raw(w, g->found.v[i].json);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
}

void
burl__gen_json_head(struct burl_json_writer *w, const struct burl_gen_run *g, int exit_code,
                    const struct burl_err *err)
{
    burl_json_kv_u64(w, "schema", 1);
    burl_json_kv_str(w, "command", g->command);
    burl_json_kv_str(w, "header", g->sources.header);
    burl_json_kv_i64(w, "exit_code", exit_code);
    if (err != NULL)
        burl_json_kv_str(w, "error", err->msg);
}
