/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/free_noise.c - `--noise` of free runs: reading it, and what is said about it at the end.
 *
 * Runs in the host. A setting that injects nothing looks like a correct program; so the summary has
 * how often noise was injected, and the reason when it was not.
 */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/noise.h"
#include "cli/free_int.h"
#include "cli/test_int.h"

enum burl_status
burl__free_noise_begin(struct burl_free_session *s, struct burl_err *err)
{
    enum burl_status st;

    if (!s->opts->noise) {
        if (s->opts->given[BURL_OPT_noise_seed])
            return burl_err_set(err, BURL_E_USAGE, 0, "--noise-seed needs --noise");
        return BURL_OK;
    }
    st = burl_noise_read(&s->noise, "--noise", s->opts->noise, err);
    if (st == BURL_OK && s->opts->given[BURL_OPT_noise_seed])
        s->noise.seed = s->opts->noise_seed;
    s->has_noise = st == BURL_OK;
    return st == BURL_OK ? burl__free_marks_read(s, err) : st;
}

void
burl__free_noise_add(struct burl_free_session *s, const struct burl_free_result *r)
{
    s->injected.places += r->noise.places;
    s->injected.injected += r->noise.injected;
    s->injected.halted += r->noise.halted;
    s->injected.tampered += r->noise.tampered;
}

#define WHY_MAX 160

/* Is the number of the variable one that this build has? */
static bool
is_known_variable(const struct burl_free_session *s)
{
    for (size_t i = 0; i < s->n_marks && strcmp(s->marks_build, s->build_id) == 0; i++) {
        if (s->variables[i] == s->noise.variable)
            return true;
    }
    return false;
}

/* place=one with a number. */
static const char *
why_not_variable(const struct burl_free_session *s, char *text)
{
    const char *what = is_known_variable(s)
                           ? "was not accessed beside another thread; leave `variable` out"
                           : "is not known in this build of the program; leave `variable` out, or "
                             "search again with `burl tune`";

    snprintf(text, WHY_MAX, "variable %" PRIu32 " %s", s->noise.variable, what);
    return text;
}

/* Why a setting that could inject something did not; NULL: it did, or chance decided. text has room
 * for WHY_MAX bytes. */
static const char *
why_nothing(const struct burl_free_session *s, char *text)
{
    const struct burl_wire_noise *n = &s->noise;

    if (s->n_runs == 0)
        return NULL;
    if (n->freq == 0)
        return n->tamper ? NULL : "its frequency is 0";
    if (s->injected.places > 0 || s->injected.injected > 0)
        return NULL;
    if (s->max_threads < 2)
        return "the program had one thread only";
    if (n->marks != 0)
        return "no executed place is one of a suspect or an uncovered pair; use place=shared or "
               "place=random";
    if (n->shared == BURL_NOISE_SHARED_NONE)
        return "no access was followed by a conflicting one of another thread; use place=shared or "
               "place=random";
    if (n->shared == BURL_NOISE_SHARED_ONE && n->variable != 0)
        return why_not_variable(s, text);
    if (n->shared != BURL_NOISE_SHARED_OFF)
        return "no variable was used by two threads; use place=random";
    return "no instrumented access and no synchronization call happened beside another thread";
}

static void
print_count(FILE *out, const char *before, uint64_t n, const char *one, const char *many)
{
    char text[32];

    fprintf(out, "%s%s %s", before, burl_number(n, text), n == 1 ? one : many);
}

void
burl__free_noise_print(const struct burl_free_session *s, FILE *out)
{
    struct burl_buf line = BURL_BUF_INIT;
    char text[WHY_MAX];
    const char *why = why_nothing(s, text);

    if (!s->has_noise)
        return;
    burl_noise_write_line(&line, &s->noise);
    fprintf(out, "noise %s: ", burl_buf_str(&line));
    print_count(out, "", s->injected.injected, "injection", "injections");
    print_count(out, " at ", s->injected.places, "place", "places");
    if (s->noise.halt)
        print_count(out, ", ", s->injected.halted, "halt", "halts");
    if (s->noise.tamper)
        print_count(out, ", ", s->injected.tampered, "sleep shortened", "sleeps shortened");
    fprintf(out, "\n");
    if (why)
        fprintf(out, "warning: no noise was injected: %s\n", why);
    burl_buf_deinit(&line);
}

void
burl__free_noise_json(const struct burl_free_session *s, struct burl_json_writer *w)
{
    struct burl_buf line = BURL_BUF_INIT;
    char text[WHY_MAX];

    burl_json_key(w, "noise");
    if (!s->has_noise) {
        burl_json_null(w);
        return;
    }
    burl_noise_write_line(&line, &s->noise);
    burl_json_object_begin(w);
    burl_json_kv_str(w, "setting", burl_buf_str(&line));
    burl_json_kv_u64(w, "places", s->injected.places);
    burl_json_kv_u64(w, "injected", s->injected.injected);
    burl_json_kv_u64(w, "halted", s->injected.halted);
    burl_json_kv_u64(w, "tampered", s->injected.tampered);
    burl_json_kv_str(w, "warning", why_nothing(s, text));
    burl_json_object_end(w);
    burl_buf_deinit(&line);
}
