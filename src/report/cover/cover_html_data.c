/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/cover/cover_html_data.c - data.js: the model as the scripts of the coverage page read it.
 *
 * Runs in the host. Arrays by position instead of objects, and one table of the strings that many
 * pairs share, because twenty thousand pairs are loaded by every page; cover.js names the
 * positions. Not an interface: `--json` is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/json.h"
#include "report/cover/render_cover_int.h"

#define MAX_SCHEDULES 2000u /* files read; the others have only their command */
#define MAX_SWITCHES 100u   /* of one schedule */
#define MAX_SCHEDULE_B ((size_t)1 << 20)

struct strings {
    BURL_VEC_OF(const char *);
};

static int
by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static uint64_t
number_of(const struct strings *s, const char *text)
{
    const char *key = burl__cover_str(text);
    const char **at = bsearch(&key, s->v, s->n, sizeof *s->v, by_text);

    return at != NULL ? (uint64_t)(at - s->v) : 0;
}

static void
sort_unique(struct strings *s)
{
    size_t n = 0;

    if (s->n == 0)
        return;
    qsort(s->v, s->n, sizeof *s->v, by_text);
    for (size_t i = 0; i < s->n; i++) {
        if (n == 0 || strcmp(s->v[i], s->v[n - 1]) != 0)
            s->v[n++] = s->v[i];
    }
    s->n = n;
}

/* Strings that many pairs share, the first is "", and the schedule files: once each, sorted. */
static void
collect_strings(const struct burl__cover_html *h, struct strings *s, struct strings *schedules)
{
    BURL_VEC_PUSH(s, "");
    for (size_t i = 0; i < h->pairs.n; i++) {
        const struct burl_cover_pair *p = &h->m->pairs.v[h->pairs.v[i]];

        BURL_VEC_PUSH(s, burl__cover_str(p->strategy));
        BURL_VEC_PUSH(s, burl__cover_str(p->reason));
        BURL_VEC_PUSH(s, burl__cover_str(p->why));
        if (*burl__cover_str(p->schedule) != '\0')
            BURL_VEC_PUSH(schedules, p->schedule);
    }
    sort_unique(s);
    sort_unique(schedules);
}

/* The switch and choice lines of a schedule file; docs/formats/schedule.md. None if the file is
 * missing. */
static void
put_switches(struct burl_json_writer *w, const char *path)
{
    struct burl_err err;
    char *text = NULL;
    unsigned n = 0;

    if (burl_fs_read_file(path, MAX_SCHEDULE_B, &text, NULL, &err) != BURL_OK)
        return;
    for (char *line = text, *end; *line != '\0' && n < MAX_SWITCHES; line = end) {
        size_t len = strcspn(line, "\n");

        end = line + len + (line[len] == '\n');
        if (strncmp(line, "switch ", 7) == 0) {
            size_t blank = 6 + strspn(line + 6, " ");

            burl_json_strn(w, line + blank, len > blank ? len - blank : 0);
            n++;
        }
    }
    free(text);
}

/* [command that replays it, [line, line, ...]] for each. */
static void
put_schedules(struct burl_json_writer *w, const struct strings *s)
{
    burl_json_kv_array(w, "schedules");
    for (size_t i = 0; i < s->n; i++) {
        struct burl_buf command = BURL_BUF_INIT;

        burl__cover_replay(s->v[i], &command);
        burl_json_array_begin(w);
        burl_json_str(w, burl_buf_str(&command));
        burl_json_array_begin(w);
        if (i < MAX_SCHEDULES)
            put_switches(w, s->v[i]);
        burl_json_array_end(w);
        burl_json_array_end(w);
        burl_buf_deinit(&command);
    }
    burl_json_array_end(w);
}

static void
put_files(struct burl_json_writer *w, const struct burl__cover_html *h)
{
    burl_json_kv_array(w, "files");
    for (size_t i = 0; i < h->srcs.n; i++)
        burl__json_put_array(w, "s s", h->srcs.v[i].name, h->srcs.v[i].href);
    burl_json_array_end(w);
}

/* -1 for an index that points nowhere. */
static int64_t
index_of(uint32_t i, size_t n)
{
    return i < n ? (int64_t)i : -1;
}

static void
put_sites(struct burl_json_writer *w, const struct burl__cover_html *h)
{
    burl_json_kv_array(w, "sites");
    for (size_t i = 0; i < h->m->sites.n; i++) {
        const struct burl_cover_site *s = &h->m->sites.v[i];

        burl__json_put_array(w, "i u u s s s", index_of(h->site_src[i], h->srcs.n), s->line,
                             s->column, burl__cover_str(s->func), burl__cover_str(s->variable),
                             burl__cover_access(s));
    }
    burl_json_array_end(w);
}

static void
put_variables(struct burl_json_writer *w, const struct burl_cover_model *m)
{
    burl_json_kv_array(w, "variables");
    for (size_t i = 0; i < m->variables.n; i++) {
        const struct burl_cover_variable *v = &m->variables.v[i];

        burl_json_array_begin(w);
        burl__json_put(w, "s s u u u u u", burl__cover_str(v->name), burl__cover_str(v->object),
                       v->untyped, v->covered, v->uncovered, v->pruned, v->impossible);
        burl_json_array_begin(w);
        for (size_t k = 0; k < v->sites.n; k++) {
            if (v->sites.v[k] < m->sites.n)
                burl_json_u64(w, v->sites.v[k]);
        }
        burl_json_array_end(w);
        burl_json_array_end(w);
    }
    burl_json_array_end(w);
}

static void
put_pair(struct burl_json_writer *w, const struct burl_cover_model *m, const struct strings *s,
         const struct strings *schedules, const struct burl_cover_pair *p)
{
    const bool kept = *burl__cover_str(p->schedule) != '\0';
    char seed[24];

    snprintf(seed, sizeof seed, "0x%llx", (unsigned long long)p->seed);
    burl__json_put_array(w, "i i i u u n s n i n n u n", index_of(p->a, m->sites.n),
                         index_of(p->b, m->sites.n), index_of(p->variable, m->variables.n),
                         p->state, p->racy, p->first_exec, seed, number_of(s, p->strategy),
                         kept ? (int64_t)number_of(schedules, p->schedule) : (int64_t)-1,
                         number_of(s, p->reason), p->tries, p->rank, number_of(s, p->why));
}

void
burl__cover_html_data(const struct burl__cover_html *h, struct burl_buf *out)
{
    struct burl_json_writer w;
    struct strings s = { 0 };
    struct strings schedules = { 0 };

    collect_strings(h, &s, &schedules);
    burl_buf_str_append(out, "/* Written by burl cover --html. */\nvar BURL_DATA = ");
    burl_json_writer_init(&w, out, 0);
    burl_json_object_begin(&w);
    burl_json_kv_str(&w, "program", burl__cover_str(h->m->program));
    burl_json_kv_str(&w, "command", burl__cover_str(h->m->command));
    put_files(&w, h);
    put_sites(&w, h);
    put_variables(&w, h->m);
    burl_json_kv_array(&w, "strings");
    for (size_t i = 0; i < s.n; i++)
        burl_json_str(&w, s.v[i]);
    burl_json_array_end(&w);
    put_schedules(&w, &schedules);
    burl_json_kv_array(&w, "pairs");
    for (size_t i = 0; i < h->pairs.n; i++)
        put_pair(&w, h->m, &s, &schedules, &h->m->pairs.v[h->pairs.v[i]]);
    burl_json_array_end(&w);
    burl_json_key(&w, "lines");
    burl_json_raw(&w, h->lines.n > 0 ? burl_buf_str(&h->lines) : "{}");
    burl_json_object_end(&w);
    burl_json_writer_finish(&w);
    burl_buf_str_append(out, ";\n");
    BURL_VEC_FREE(&s);
    BURL_VEC_FREE(&schedules);
}
