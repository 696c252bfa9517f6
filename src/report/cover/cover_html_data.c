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
#include "report/cover/cover_html_int.h"

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

/* Strings that many pairs share, once each, sorted; the first is "". */
static void
collect_strings(const struct burl__cover_html *h, struct strings *s)
{
    BURL_VEC_PUSH(s, "");
    for (size_t i = 0; i < h->pairs.n; i++) {
        const struct burl_cover_pair *p = &h->m->pairs.v[h->pairs.v[i]];

        BURL_VEC_PUSH(s, burl__cover_str(p->strategy));
        BURL_VEC_PUSH(s, burl__cover_str(p->reason));
        BURL_VEC_PUSH(s, burl__cover_str(p->why));
    }
    sort_unique(s);
}

/* The schedule files, once each, sorted. */
static void
collect_schedules(const struct burl__cover_html *h, struct strings *s)
{
    for (size_t i = 0; i < h->pairs.n; i++) {
        const char *file = burl__cover_str(h->m->pairs.v[h->pairs.v[i]].schedule);

        if (*file != '\0')
            BURL_VEC_PUSH(s, file);
    }
    sort_unique(s);
}

/* The switch and choice lines of a schedule file; docs/formats/schedule.md. None if the file is
 * missing. */
static void
put_switches(struct burl_json_writer *w, const char *path)
{
    struct burl_err err;
    char *text = NULL;
    unsigned n = 0;

    burl_json_array_begin(w);
    if (burl_fs_read_file(path, MAX_SCHEDULE_B, &text, NULL, &err) == BURL_OK) {
        for (char *line = text, *end; *line != '\0' && n < MAX_SWITCHES; line = end) {
            size_t len = strcspn(line, "\n");

            end = line + len + (line[len] == '\n');
            if (strncmp(line, "switch ", 7) == 0) {
                size_t blank = 6 + strspn(line + 6, " ");

                burl_json_strn(w, line + blank, len > blank ? len - blank : 0);
                n++;
            }
        }
    }
    free(text);
    burl_json_array_end(w);
}

/* [command that replays it, line, line, ...] for each. */
static void
put_schedules(struct burl_json_writer *w, const struct strings *s)
{
    burl_json_key(w, "schedules");
    burl_json_array_begin(w);
    for (size_t i = 0; i < s->n; i++) {
        const struct burl_cover_pair p = { .schedule = (char *)s->v[i] };
        struct burl_buf command;

        burl_buf_init(&command, BURL_BUF_NO_LIMIT);
        burl__cover_replay(&p, &command);
        burl_json_array_begin(w);
        burl_json_str(w, burl_buf_str(&command));
        if (i < MAX_SCHEDULES) {
            put_switches(w, s->v[i]);
        } else {
            burl_json_array_begin(w);
            burl_json_array_end(w);
        }
        burl_json_array_end(w);
        burl_buf_deinit(&command);
    }
    burl_json_array_end(w);
}

static void
put_files(struct burl_json_writer *w, const struct burl__cover_html *h)
{
    burl_json_key(w, "files");
    burl_json_array_begin(w);
    for (size_t i = 0; i < h->srcs.n; i++) {
        burl_json_array_begin(w);
        burl_json_str(w, h->srcs.v[i].name);
        burl_json_str(w, h->srcs.v[i].href);
        burl_json_array_end(w);
    }
    burl_json_array_end(w);
}

static void
put_sites(struct burl_json_writer *w, const struct burl__cover_html *h)
{
    const struct burl_cover_model *m = h->m;

    burl_json_key(w, "sites");
    burl_json_array_begin(w);
    for (size_t i = 0; i < m->sites.n; i++) {
        const struct burl_cover_site *s = &m->sites.v[i];

        burl_json_array_begin(w);
        burl_json_i64(w, h->site_src[i] != UINT32_MAX ? (int64_t)h->site_src[i] : -1);
        burl_json_u64(w, s->line);
        burl_json_u64(w, s->column);
        burl_json_str(w, burl__cover_str(s->func));
        burl_json_str(w, burl__cover_str(s->variable));
        burl_json_str(w, burl__cover_access(s));
        burl_json_array_end(w);
    }
    burl_json_array_end(w);
}

static void
put_variables(struct burl_json_writer *w, const struct burl_cover_model *m)
{
    burl_json_key(w, "variables");
    burl_json_array_begin(w);
    for (size_t i = 0; i < m->variables.n; i++) {
        const struct burl_cover_variable *v = &m->variables.v[i];

        burl_json_array_begin(w);
        burl_json_str(w, burl__cover_str(v->name));
        burl_json_str(w, burl__cover_str(v->object));
        burl_json_u64(w, v->untyped);
        burl_json_u64(w, v->covered);
        burl_json_u64(w, v->uncovered);
        burl_json_u64(w, v->pruned);
        burl_json_u64(w, v->impossible);
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
put_index(struct burl_json_writer *w, uint32_t i, size_t n)
{
    burl_json_i64(w, i < n ? (int64_t)i : -1);
}

static void
put_pair(struct burl_json_writer *w, const struct burl_cover_model *m, const struct strings *s,
         const struct strings *schedules, const struct burl_cover_pair *p)
{
    char seed[24];

    snprintf(seed, sizeof seed, "0x%llx", (unsigned long long)p->seed);
    burl_json_array_begin(w);
    put_index(w, p->a, m->sites.n);
    put_index(w, p->b, m->sites.n);
    put_index(w, p->variable, m->variables.n);
    burl_json_u64(w, p->state);
    burl_json_u64(w, p->racy);
    burl_json_u64(w, p->first_exec);
    burl_json_str(w, seed);
    burl_json_u64(w, number_of(s, p->strategy));
    burl_json_i64(
        w, *burl__cover_str(p->schedule) != '\0' ? (int64_t)number_of(schedules, p->schedule) : -1);
    burl_json_u64(w, number_of(s, p->reason));
    burl_json_u64(w, p->tries);
    burl_json_u64(w, p->rank);
    burl_json_u64(w, number_of(s, p->why));
    burl_json_array_end(w);
}

void
burl__cover_html_data(const struct burl__cover_html *h, struct burl_buf *out)
{
    struct burl_json_writer w;
    struct strings s = { 0 };
    struct strings schedules = { 0 };

    collect_strings(h, &s);
    collect_schedules(h, &schedules);
    burl_buf_str_append(out, "/* Written by burl cover --html. */\nvar BURL_DATA = ");
    burl_json_writer_init(&w, out, 0);
    burl_json_object_begin(&w);
    burl_json_kv_str(&w, "program", burl__cover_str(h->m->program));
    burl_json_kv_str(&w, "command", burl__cover_str(h->m->command));
    put_files(&w, h);
    put_sites(&w, h);
    put_variables(&w, h->m);
    burl_json_key(&w, "strings");
    burl_json_array_begin(&w);
    for (size_t i = 0; i < s.n; i++)
        burl_json_str(&w, s.v[i]);
    burl_json_array_end(&w);
    put_schedules(&w, &schedules);
    burl_json_key(&w, "pairs");
    burl_json_array_begin(&w);
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
