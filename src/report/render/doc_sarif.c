/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc_sarif.c - findings as SARIF 2.1.0, for code scanning: docs/formats/report-sarif.md.
 *
 * Runs in the host. One run with a rule for each kind that occurs and a result for each finding.
 * Names come from programs: what is not printable becomes '?', and paths are percent-encoded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/finding/kinds.h"
#include "report/render/render_int.h"
#include "report/render/sarif_int.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

/* Kinds that occur, in the order of the findings. */
struct rules {
    const char **v;
    size_t n;
};

static size_t
rule_index(const struct rules *r, const char *kind)
{
    size_t i = 0;

    while (i < r->n && strcmp(r->v[i], kind) != 0)
        i++;
    return i;
}

static struct rules
collect_rules(const struct burl_report_doc *d)
{
    struct rules r = { .v = burl_xcalloc(d->n + 1, sizeof *r.v) };

    for (size_t i = 0; i < d->n; i++) {
        if (rule_index(&r, d->v[i]->kind) == r.n)
            r.v[r.n++] = d->v[i]->kind;
    }
    return r;
}

static void
put_rule(struct burl_json_writer *w, const char *kind)
{
    const struct burl__report_kind *k = burl__report_kind(kind);

    burl_json_object_begin(w);
    burl__sarif_put_string(w, "id", kind[0] != '\0' ? kind : "finding");
    burl_json_kv_str(w, "name", k->name);
    burl__sarif_put_message(w, "shortDescription", k->title);
    burl__sarif_put_message(w, "fullDescription", k->what);
    burl__sarif_put_message(w, "help", k->fix);
    burl_json_kv_object(w, "defaultConfiguration");
    burl_json_kv_str(w, "level", "error");
    burl_json_object_end(w);
    burl_json_object_end(w);
}

static void
put_tool(const struct burl__sarif *s, const struct rules *r)
{
    burl_json_kv_object(s->w, "tool");
    burl_json_kv_object(s->w, "driver");
    burl__json_put(s->w, "name:s version:s", "burl", s->d->version);
    burl_json_kv_array(s->w, "rules");
    for (size_t i = 0; i < r->n; i++)
        put_rule(s->w, r->v[i]);
    burl_json_array_end(s->w);
    burl_json_object_end(s->w);
    burl_json_object_end(s->w);
}

/* Adds a related location unless its line is unknown. */
static void
put_related(const struct burl__sarif *s, const struct burl_finding *f, unsigned *id,
            const struct burl_finding_loc *loc, const char *fmt, uint16_t tid, const char *what)
{
    struct burl_buf text = BURL_BUF_INIT;

    if (loc->file[0] == '\0' || loc->line == 0)
        return;
    burl__report_put(&text, f, fmt, (unsigned)tid, what);
    burl__sarif_put_location(s, loc, burl_buf_str(&text), ++*id);
    burl_buf_deinit(&text);
}

static void
put_related_of_thread(const struct burl__sarif *s, const struct burl_finding *f, unsigned *id,
                      const struct burl_finding_thread *t)
{
    struct burl_buf wait = BURL_BUF_INIT;

    if (t->wait.waits) {
        burl__report_put_wait(&wait, &t->wait);
        put_related(s, f, id, &t->wait.loc, "%T is blocked: %s", t->tid, burl_buf_str(&wait));
    }
    burl_buf_deinit(&wait);
    for (size_t i = 0; i < t->n_locks; i++)
        put_related(s, f, id, &t->locks[i].taken, "%T acquired %s", t->tid, t->locks[i].name);
}

static void
put_related_of_block(const struct burl__sarif *s, const struct burl_finding *f, unsigned *id)
{
    const struct burl_finding_block *b = &f->block;

    if (b->known && b->alloc_stack.n > 0 && b->alloc_tid != BURL_TID_NONE)
        put_related(s, f, id, &b->alloc_stack.frames[0].loc, "%T allocated the block%s",
                    b->alloc_tid, "");
    if (b->known && b->free_stack.n > 0 && b->free_tid != BURL_TID_NONE)
        put_related(s, f, id, &b->free_stack.frames[0].loc, "%T freed the block%s", b->free_tid,
                    "");
}

static void
put_related_all(const struct burl__sarif *s, const struct burl_finding *f)
{
    unsigned id = 0;

    burl_json_kv_array(s->w, "relatedLocations");
    for (size_t i = 0; i < f->n_sides; i++)
        put_related(s, f, &id, &f->sides[i].loc, "%T accesses %s", f->sides[i].tid,
                    f->sides[i].what[0] != '\0' ? f->sides[i].what : "the memory");
    for (size_t i = 0; i < f->n_threads; i++)
        put_related_of_thread(s, f, &id, &f->threads[i]);
    put_related_of_block(s, f, &id);
    burl_json_array_end(s->w);
}

static void
put_stacks(const struct burl__sarif *s, const struct burl_finding *f)
{
    struct burl_buf text = BURL_BUF_INIT;

    burl_json_kv_array(s->w, "stacks");
    for (size_t i = 0; i < f->n_sides; i++) {
        if (f->sides[i].stack.n == 0)
            continue;
        burl_buf_clear(&text);
        burl__report_put(&text, f, "%T at its access", (unsigned)f->sides[i].tid);
        burl__sarif_put_stack(s, &f->sides[i].stack, f->sides[i].tid, burl_buf_str(&text));
    }
    for (size_t i = 0; i < f->n_threads; i++) {
        if (f->threads[i].stack.n == 0)
            continue;
        burl_buf_clear(&text);
        burl__report_put(&text, f, "%T at the end", (unsigned)f->threads[i].tid);
        burl__sarif_put_stack(s, &f->threads[i].stack, f->threads[i].tid, burl_buf_str(&text));
    }
    burl_json_array_end(s->w);
    burl_buf_deinit(&text);
}

static void
put_properties(const struct burl__sarif *s, const struct burl_finding *f)
{
    burl_json_kv_object(s->w, "properties");
    burl_json_kv_u64(s->w, "number", f->number);
    burl__sarif_put_string(s->w, "command", f->command);
    burl__sarif_put_string(s->w, "reproduce", burl__doc_command(f));
    burl_json_kv_u64(s->w, "preemptions", f->n_preemptions);
    burl_json_kv_bool(s->w, "sequential", f->facts.sequential);
    burl_json_object_end(s->w);
}

static void
put_result(const struct burl__sarif *s, const struct burl_finding *f, const struct rules *r)
{
    const struct burl_finding_loc *loc = burl__doc_place(f);
    struct burl_buf message = BURL_BUF_INIT;
    char fingerprint[24];

    burl__doc_put_message(&message, f);
    snprintf(fingerprint, sizeof fingerprint, "%016llx", (unsigned long long)f->facts.fingerprint);
    burl_json_object_begin(s->w);
    burl__sarif_put_string(s->w, "ruleId", f->kind[0] != '\0' ? f->kind : "finding");
    burl__json_put(s->w, "ruleIndex:n kind:s level:s", (uint64_t)rule_index(r, f->kind), "fail",
                   burl__doc_is_warning(f) ? "warning" : "error");
    burl__sarif_put_message(s->w, "message", burl_buf_str(&message));
    burl_json_kv_array(s->w, "locations");
    if (loc != NULL)
        burl__sarif_put_location(s, loc, NULL, 0);
    burl_json_array_end(s->w);
    put_related_all(s, f);
    burl__sarif_put_flows(s, f);
    put_stacks(s, f);
    if (f->facts.count > 0)
        burl_json_kv_u64(s->w, "occurrenceCount", f->facts.count);
    burl_json_kv_object(s->w, "partialFingerprints");
    burl_json_kv_str(s->w, "burlFingerprint/v1", fingerprint);
    burl_json_object_end(s->w);
    put_properties(s, f);
    burl_json_object_end(s->w);
    burl_buf_deinit(&message);
}

static void
put_run(const struct burl__sarif *s)
{
    struct rules r = collect_rules(s->d);

    burl_json_object_begin(s->w);
    put_tool(s, &r);
    burl_json_kv_object(s->w, "automationDetails");
    if (s->d->campaign != 0) {
        char *id = burl_xasprintf("burl/campaign/%llu", (unsigned long long)s->d->campaign);

        burl_json_kv_str(s->w, "id", id);
        free(id);
    } else
        burl_json_kv_str(s->w, "id", "burl/");
    burl_json_object_end(s->w);
    burl_json_kv_array(s->w, "invocations");
    burl_json_object_begin(s->w);
    burl_json_kv_bool(s->w, "executionSuccessful", !s->d->damaged);
    burl_json_object_end(s->w);
    burl_json_array_end(s->w);
    if (s->d->cwd[0] != '\0')
        burl__sarif_put_root(s);
    burl_json_kv_str(s->w, "columnKind", "unicodeCodePoints");
    burl_json_kv_array(s->w, "results");
    for (size_t i = 0; i < s->d->n; i++)
        put_result(s, s->d->v[i], &r);
    burl_json_array_end(s->w);
    burl_json_object_end(s->w);
    free(r.v);
}

void
burl_report_doc_sarif(const struct burl_report_doc *d, struct burl_buf *out)
{
    struct burl_json_writer w;
    const struct burl__sarif s = { .d = d, .w = &w };

    burl_json_writer_init(&w, out, 2);
    burl_json_object_begin(&w);
    burl__json_put(&w, "$schema:s version:s", SCHEMA, "2.1.0");
    burl_json_kv_array(&w, "runs");
    put_run(&s);
    burl_json_array_end(&w);
    burl_json_object_end(&w);
    burl_json_writer_finish(&w);
}
