/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suspects.c - see suspects.h.
 *
 * Runs in the host. The order depends on the content alone (kind, rank, places), so that equal
 * campaigns print equal lists. One or two lines each; the JSON has more.
 */
#include "report/finding/suspects.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/path.h"
#include "report/finding/words.h"
#include "wire/site.h"

#define MAX_SHOWN 5u         /* of a kind; the ones that matter most come first */
#define MAX_TRIPLES 3u       /* correct programs have many of them */
#define MAX_JSON 100u        /* of a kind, for programs */
#define MAX_JSON_COVERED 20u /* the same of those on variables that have a finding */

enum section { SECTION_RACES = 0, SECTION_CYCLES, SECTION_TRIPLES, SECTION_SIGNALS, SECTION__N };

struct item {
    const struct burl_report_suspect *s;
    const struct burl_sites *sites;
    enum section section;
    bool covered; /* on the variable of a finding, or a cycle of a finding */
    bool library; /* all places are in code that is not the user's */
    bool columns; /* of the places, to tell it from another one */
};

struct list {
    BURL_VEC_OF(struct item);
};

static enum section
section_of(const struct burl_wire_suspect *s)
{
    switch (s->kind) {
    case BURL_SUSPECT_RACE:
    case BURL_SUSPECT_POTENTIAL:
        return SECTION_RACES;
    case BURL_SUSPECT_CYCLE:
        return SECTION_CYCLES;
    case BURL_SUSPECT_SIGNAL:
        return SECTION_SIGNALS;
    default:
        return SECTION_TRIPLES;
    }
}

static size_t
n_sites(const struct burl_wire_suspect *s)
{
    return s->n_sites < BURL_WIRE_MAX_SITES ? s->n_sites : BURL_WIRE_MAX_SITES;
}

/* The place in the user's code, where that is known. */
static uint32_t
shown_site(const struct burl_wire_suspect *s, size_t i)
{
    return s->places[i] != 0 ? s->places[i] : s->sites[i];
}

/* ---- collecting ---------------------------------------------------------------------------- */

static bool
names_site(const struct burl_finding *f, uint32_t site)
{
    for (size_t i = 0; i < f->n_sides; i++) {
        if (f->sides[i].loc.site == site)
            return true;
    }
    for (size_t i = 0; i < f->n_pairs; i++) {
        if (f->pairs[i].loc[0].site == site || f->pairs[i].loc[1].site == site)
            return true;
    }
    return false;
}

/* Does the cycle of the finding block at all the places where this one requests a lock? */
static bool
completes_cycle(const struct burl_finding *f, const struct burl_wire_suspect *s)
{
    for (size_t i = 1; i < n_sites(s); i += 2) {
        bool found = false;

        for (size_t k = 0; k < f->n_threads && !found; k++)
            found = f->threads[k].wait.in_cycle && f->threads[k].wait.loc.site == shown_site(s, i);
        if (!found)
            return false;
    }
    return n_sites(s) > 0;
}

static bool
is_known_cycle(const struct burl_report_suspects *list, const struct burl_wire_suspect *s)
{
    for (size_t i = 0; i < list->n_findings; i++) {
        if (list->findings[i]->verdict == BURL_VERDICT_DEADLOCK_CYCLE &&
            completes_cycle(list->findings[i], s))
            return true;
    }
    return false;
}

/* A pair that shares a place with a race is treated as on the same variable: one fix removes
 * both. */
static bool
is_covered(const struct burl_report_suspects *list, const struct burl_wire_suspect *s,
           const struct burl_sites *sites)
{
    struct burl_buf variable = BURL_BUF_INIT;
    bool covered = false;

    if (section_of(s) == SECTION_CYCLES)
        return is_known_cycle(list, s);
    if (section_of(s) != SECTION_RACES)
        return false;
    burl_buf_str_append(&variable, burl_verdict_name(BURL_VERDICT_RACE_DATA));
    burl_variable_of_suspect(s, sites, &variable);
    for (size_t i = 0; i < list->n_findings && !covered; i++) {
        const struct burl_finding *f = list->findings[i];

        if (f->verdict != BURL_VERDICT_RACE_DATA)
            continue;
        covered = strcmp(f->cause, burl_buf_str(&variable)) == 0;
        for (size_t k = 0; k < n_sites(s) && !covered; k++)
            covered = s->sites[k] != 0 && names_site(f, s->sites[k]);
    }
    burl_buf_deinit(&variable);
    return covered;
}

#define PLACE(e) (e)->line, (e)->column
#define SECTION(e) (e)->section
#define STATE_AND_RANK(e) (e)->s->state, (e)->s->suspect->rank
#define KEY(e) (e)->key

static int
compare_places(const struct burl_site_info *a, const struct burl_site_info *b)
{
    const int files = strcmp(a->file, b->file);

    return files != 0 ? files : BURL_COMPARE(a, b, PLACE);
}

/* Triples with a short window are rare by chance and therefore the likelier bugs; reproduced
 * harmless ones come last. */
static int
compare_items(const void *pa, const void *pb)
{
    const struct item *a = pa;
    const struct item *b = pb;
    const struct burl_wire_suspect *x = a->s->suspect;
    const struct burl_wire_suspect *y = b->s->suspect;
    int c = BURL_COMPARE(a, b, SECTION);

    if (c == 0 && a->section == SECTION_TRIPLES)
        c = BURL_COMPARE(a, b, STATE_AND_RANK);
    for (size_t i = 0; c == 0 && i < n_sites(x) && i < n_sites(y); i++)
        c = compare_places(burl_sites_get(a->sites, shown_site(x, i)),
                           burl_sites_get(b->sites, shown_site(y, i)));
    return c != 0 ? c : BURL_COMPARE(x, y, KEY);
}

static bool
is_library(const struct burl_wire_suspect *s, const struct burl_sites *sites)
{
    for (size_t i = 0; i < n_sites(s); i++) {
        if (!burl_site_is_system(burl_sites_get(sites, shown_site(s, i))))
            return false;
    }
    return n_sites(s) > 0;
}

static struct list
collect_items(const struct burl_report_suspects *s, const struct burl_sites *sites)
{
    struct list list = { 0 };

    for (size_t i = 0; i < s->n; i++) {
        const struct burl_report_suspect *r = &s->v[i];

        if (r->state >= BURL_REPORT_SUSPECT_CONFIRMED || r->suspect->kind == BURL_SUSPECT_WAKEUP)
            continue;
        BURL_VEC_PUSH(&list, (struct item){ .s = r,
                                            .sites = sites,
                                            .section = section_of(r->suspect),
                                            .covered = is_covered(s, r->suspect, sites),
                                            .library = is_library(r->suspect, sites) });
    }
    if (list.n > 0)
        qsort(list.v, list.n, sizeof *list.v, compare_items);
    return list;
}

/* Does --strict count it? */
static bool
is_strict(const struct item *it)
{
    return it->section <= SECTION_CYCLES && !it->covered &&
           it->s->state != BURL_REPORT_SUSPECT_RULED_OUT;
}

size_t
burl_report_suspects_open(const struct burl_report_suspects *s, const struct burl_sites *sites)
{
    struct list list = collect_items(s, sites);
    size_t n = 0;

    for (size_t i = 0; i < list.n; i++)
        n += is_strict(&list.v[i]);
    BURL_VEC_FREE(&list);
    return n;
}

/* ---- words --------------------------------------------------------------------------------- */

static void
put_variable(struct burl_buf *out, const struct item *it, size_t a, size_t b)
{
    const struct burl_wire_suspect *s = it->s->suspect;
    const struct burl_wire_origin origin = { .addr = s->origin_addr,
                                             .site = s->origin_site,
                                             .kind = s->origin };
    size_t mark = out->n;

    burl_variable_name(
        it->sites, BURL_ORIGIN_UNKNOWN, burl_variable_address(it->sites, &origin, s->addr),
        burl_sites_get(it->sites, s->sites[a])->size_b, s->sites[a], s->sites[b], out);
    if (out->n == mark)
        burl_buf_str_append(out, "memory");
}

static void
put_conversion(void *arg, char conversion, va_list *ap, struct burl_buf *out)
{
    const struct item *it = arg;
    const struct burl_wire_suspect *s = it->s->suspect;
    const size_t i = va_arg(*ap, unsigned);
    const struct burl_site_info *site = burl_sites_get(it->sites, shown_site(s, i));

    switch (conversion) {
    case 'V':
        put_variable(out, it, i, n_sites(s) >= 3 ? 2 : 1);
        return;
    case 'O':
        if (!burl_source_argument(it->sites, site, 0, out))
            burl_buf_str_append(out, it->section == SECTION_SIGNALS ? "a condition"
                                     : i % 2 == 0                   ? "a lock"
                                                                    : "another");
        return;
    case 'A':
        burl_buf_printf(out, "%s at ", burl_op_text(s->ops[i]));
        break;
    }
    if (site->line != 0)
        burl_buf_printf(out, "%s:%u", burl_path_basename(site->file), site->line);
    else
        burl_buf_str_append(out, "an unknown place");
    if (it->columns && site->line != 0 && site->column != 0)
        burl_buf_printf(out, ":%u", site->column);
    if (site->func[0] != '\0') {
        char *func = burl__report_func_name(it->sites, site);

        burl_buf_printf(out, " in %s", func);
        free(func);
    }
}

/*
 * Words, in the format of burl__text_vformat(), with these conversions of one of the suspect's
 * sites (unsigned):
 *     %P  the place: "f.c:12 in add"
 *     %A  the access: "write at f.c:12 in add"
 *     %O  the object of the call, as the source names it
 *     %V  the variable of that site and of the last one
 */
static void
put_words(struct burl_buf *out, const struct item *it, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    burl__text_vformat(out, fmt, ap, put_conversion, (void *)it);
    va_end(ap);
}

static void
put_what(struct burl_buf *out, const struct item *it)
{
    const size_t n = n_sites(it->s->suspect);

    if (it->section == SECTION_CYCLES) {
        for (unsigned i = 0; i + 1 < n; i += 2)
            put_words(out, it, "%sT%u holds %O acquired at %P and requests %O at %P",
                      i > 0 ? "; " : "", it->s->suspect->tids[i], i, i, i + 1, i + 1);
    } else if (it->section == SECTION_SIGNALS && n >= 2) {
        put_words(out, it, "%O: signaled at %P with no waiter, then waited for at %P", 0, 0, 1);
    } else if (n >= 3) {
        put_words(out, it, "%V: %A and %A, another thread's %A between them", 0, 0, 2, 1);
    } else if (n == 2) {
        put_words(out, it, "%V: %A and %A", 0, 0, 1);
    }
}

void
burl__report_put_suspect(const struct burl_wire_suspect *s, const struct burl_sites *sites,
                         struct burl_buf *out)
{
    const struct burl_report_suspect r = { .suspect = s };

    put_what(out, &(struct item){ .s = &r, .sites = sites, .section = section_of(s) });
}

static void
put_state(struct burl_buf *out, const struct item *it)
{
    const struct burl_report_suspect *r = it->s;

    if (it->section == SECTION_SIGNALS)
        return;
    switch (r->state) {
    case BURL_REPORT_SUSPECT_HARMLESS:
        burl_buf_str_append(out, "; reproduced; the run still passed");
        break;
    case BURL_REPORT_SUSPECT_RULED_OUT:
        burl_buf_str_append(out, "; ruled out by the exhaustive search");
        break;
    case BURL_REPORT_SUSPECT_UNCONFIRMED:
        burl_buf_printf(out, "; %s in %u attempt%s",
                        r->suspect->kind == BURL_SUSPECT_RACE ? "seen, not reproduced"
                                                              : "not reproduced",
                        r->tries, r->tries == 1 ? "" : "s");
        break;
    default:
        burl_buf_str_append(out, "; not tried");
        break;
    }
}

/* ---- text ---------------------------------------------------------------------------------- */

static const char *const section_titles[SECTION__N] = {
    [SECTION_RACES] = "potential data races",
    [SECTION_CYCLES] = "possible deadlocks",
    [SECTION_TRIPLES] = "possible atomicity violations",
    [SECTION_SIGNALS] = "signals without a waiter",
};

/* Reproduced and passed, impossible, or inside a library, which says little about the user's code,
 * since the user may hold a lock around the calls. */
static bool
is_unlikely(const struct item *it)
{
    return it->library || it->s->state == BURL_REPORT_SUSPECT_HARMLESS ||
           it->s->state == BURL_REPORT_SUSPECT_RULED_OUT;
}

/* The lines of a section, by item; NULL: it is not listed, or an earlier line says the same. */
struct lines {
    char **v;
    char **with_columns;
    struct burl_suspect_count n;
    size_t covered;
};

static bool
is_shown_section(const struct burl_report_suspects *s, enum section section)
{
    return section < SECTION_TRIPLES || !s->complete || s->all;
}

static char *
make_line(struct item *it, bool columns)
{
    struct burl_buf line = BURL_BUF_INIT;

    it->columns = columns;
    put_what(&line, it);
    put_state(&line, it);
    return burl_buf_take(&line, NULL);
}

/* Lines that are equal but for the columns of their places get these. */
static void
add_columns(struct lines *l, size_t n)
{
    bool *needed = burl_xcalloc(n + 1, sizeof *needed);

    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i && l->v[i] != NULL; k++) {
            if (l->v[k] != NULL && strcmp(l->v[i], l->v[k]) == 0 &&
                strcmp(l->with_columns[i], l->with_columns[k]) != 0)
                needed[i] = needed[k] = true;
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (needed[i]) {
            free(l->v[i]);
            l->v[i] = burl_xstrdup(l->with_columns[i]);
        }
    }
    free(needed);
}

static void
drop_equal(struct lines *l, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i && l->v[i] != NULL; k++) {
            if (l->v[k] == NULL || strcmp(l->v[i], l->v[k]) != 0)
                continue;
            free(l->v[i]);
            l->v[i] = NULL;
            l->n.listed--;
        }
    }
}

static struct lines
make_lines(const struct burl_report_suspects *s, struct list *list, enum section section)
{
    struct lines l = { .v = burl_xcalloc(list->n + 1, sizeof *l.v),
                       .with_columns = burl_xcalloc(list->n + 1, sizeof *l.v) };

    for (size_t i = 0; i < list->n; i++) {
        struct item *it = &list->v[i];

        if (it->section != section)
            continue;
        if (it->covered) {
            l.covered++;
        } else if (s->all || !is_unlikely(it) || (s->strict && is_strict(it))) {
            l.v[i] = make_line(it, false);
            l.with_columns[i] = make_line(it, true);
            l.n.listed++;
        } else {
            l.n.hidden++;
        }
    }
    add_columns(&l, list->n);
    drop_equal(&l, list->n);
    return l;
}

static void
free_lines(struct lines *l, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(l->v[i]);
        free(l->with_columns[i]);
    }
    free(l->v);
    free(l->with_columns);
}

struct burl_suspect_count
burl_report_suspects_count(const struct burl_report_suspects *s, const struct burl_sites *sites)
{
    struct list list = collect_items(s, sites);
    struct burl_suspect_count sum = { 0 };

    for (unsigned i = 0; i < SECTION__N; i++) {
        struct lines l = make_lines(s, &list, (enum section)i);

        if (is_shown_section(s, (enum section)i)) {
            sum.listed += l.n.listed;
            sum.hidden += l.n.hidden;
        }
        free_lines(&l, list.n);
    }
    BURL_VEC_FREE(&list);
    return sum;
}

static void
put_section(const struct burl_report_suspects *s, struct list *list, enum section section,
            const struct burl_report_style *style, struct burl_buf *out)
{
    const size_t max = section == SECTION_TRIPLES ? MAX_TRIPLES : MAX_SHOWN;
    struct lines l = make_lines(s, list, section);
    size_t shown = 0;

    if (l.n.listed > 0)
        burl_buf_printf(out, "  %s (%zu)\n", section_titles[section], l.n.listed);
    for (size_t i = 0; i < list->n && (s->all || shown < max); i++) {
        if (l.v[i] == NULL)
            continue;
        burl__report_put_wrapped(out, style, l.v[i], 4);
        shown++;
    }
    if (l.n.listed > shown)
        burl_buf_printf(out, "    and %zu more (-v)\n", l.n.listed - shown);
    if (l.n.listed > 0 && l.covered > 0 && section == SECTION_RACES)
        burl_buf_printf(out, "    and %zu pair%s on variables that have a finding\n", l.covered,
                        l.covered == 1 ? "" : "s");
    free_lines(&l, list->n);
}

void
burl_report_suspects(const struct burl_report_suspects *s, const struct burl_sites *sites,
                     const struct burl_report_style *style, struct burl_buf *out)
{
    static const struct burl_report_style plain = { 0 };
    struct list list = collect_items(s, sites);
    struct burl_buf sections = BURL_BUF_INIT;

    if (style == NULL)
        style = &plain;
    for (unsigned i = 0; i < SECTION__N; i++) {
        if (is_shown_section(s, (enum section)i))
            put_section(s, &list, (enum section)i, style, &sections);
    }
    if (sections.n > 0) {
        burl__report_ink(out, style, BURL__REPORT_INK_TITLE);
        burl_buf_str_append(out, "Suspects");
        burl__report_ink(out, style, BURL__REPORT_INK_PLAIN);
        burl_buf_printf(out, " (not confirmed by a run; %s)\n",
                        s->strict ? "--strict: races and deadlocks count" : "exit code unaffected");
        burl_buf_append(out, sections.p, sections.n);
    }
    burl_buf_deinit(&sections);
    BURL_VEC_FREE(&list);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static const char *
kind_text(uint8_t kind)
{
    static const char *const texts[BURL_SUSPECT__N] = {
        [BURL_SUSPECT_RACE] = "race",        [BURL_SUSPECT_POTENTIAL] = "potential-race",
        [BURL_SUSPECT_TRIPLE] = "triple",    [BURL_SUSPECT_REGION] = "region",
        [BURL_SUSPECT_CYCLE] = "lock-cycle", [BURL_SUSPECT_SIGNAL] = "lost-signal",
    };

    return kind < BURL_SUSPECT__N ? texts[kind] : "unknown";
}

static const char *
observer_text(uint8_t observer)
{
    static const char *const texts[BURL_OBSERVER__N] = {
#define BURL_X(name, text) text,
        BURL_WIRE_OBSERVERS(BURL_X)
#undef BURL_X
    };

    return observer < BURL_OBSERVER__N ? texts[observer] : "unknown";
}

static void
put_json_place(struct burl_json_writer *w, const struct item *it, size_t i)
{
    const struct burl_wire_suspect *s = it->s->suspect;
    const struct burl_site_info *site = burl_sites_get(it->sites, shown_site(s, i));

    char *func = burl__report_func_name(it->sites, site);

    burl_json_object_begin(w);
    burl__json_put(w, "op:s thread:u object:s file:s line:u column:u function:s",
                   burl_op_text(s->ops[i]), s->tids[i],
                   burl_site_is_call(site) ? "" : site->variable, site->file, site->line,
                   site->column, func);
    burl_json_object_end(w);
    free(func);
}

static void
put_json_item(struct burl_json_writer *w, const struct item *it)
{
    static const char *const states[BURL_REPORT_SUSPECT__N] = {
        [BURL_REPORT_SUSPECT_NOT_TRIED] = "not-tried",
        [BURL_REPORT_SUSPECT_UNCONFIRMED] = "not-confirmed",
        [BURL_REPORT_SUSPECT_HARMLESS] = "harmless",
        [BURL_REPORT_SUSPECT_RULED_OUT] = "ruled-out",
        [BURL_REPORT_SUSPECT_CONFIRMED] = "confirmed",
    };
    const struct burl_wire_suspect *s = it->s->suspect;
    struct burl_buf text = BURL_BUF_INIT;

    put_what(&text, it);
    burl_json_object_begin(w);
    burl__json_put(w,
                   "kind:s state:s tries:u count:n observer:s seed:n rank:u has_finding:b text:s",
                   kind_text(s->kind), states[it->s->state], it->s->tries, s->count,
                   observer_text(s->observer), s->seed, s->rank, it->covered, burl_buf_str(&text));
    burl_json_kv_array(w, "places");
    for (size_t i = 0; i < n_sites(s); i++)
        put_json_place(w, it, i);
    burl_json_array_end(w);
    burl_json_object_end(w);
    burl_buf_deinit(&text);
}

void
burl_report_suspects_json(const struct burl_report_suspects *s, const struct burl_sites *sites,
                          struct burl_json_writer *w)
{
    struct list list = collect_items(s, sites);
    size_t listed[SECTION__N][2] = { 0 };
    size_t left_out = 0;

    burl_json_key(w, "suspects");
    burl_json_array_begin(w);
    for (size_t i = 0; i < list.n; i++) {
        const struct item *it = &list.v[i];

        if (listed[it->section][it->covered]++ < (it->covered ? MAX_JSON_COVERED : MAX_JSON))
            put_json_item(w, it);
        else
            left_out++;
    }
    burl_json_array_end(w);
    burl_json_kv_u64(w, "suspects_left_out", left_out);
    BURL_VEC_FREE(&list);
}
