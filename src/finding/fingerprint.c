/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finding/fingerprint.c - when two failures are the same bug.
 *
 * Runs in the host. The fingerprint is a hash of a short text, the cause: the kind and the names
 * (function, variable, operation) of the failing place. It has no line numbers, thread numbers,
 * addresses or values, so it survives edits elsewhere, other schedules and other machines. It needs
 * the verdict alone: a campaign sorts failures before it traces one.
 *
 * Trade-off: two bugs that fail in the same function on the same variable share a fingerprint (the
 * second is found when the first is fixed); one bug that fails in two functions is reported twice.
 * The first costs time, the second attention. Races are distinguished by the memory they are on,
 * not by the places: see variable.c.
 *
 * The text is a format: stores keep fingerprints. Change it only with the schema.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/path.h"
#include "finding/fingerprint.h"
#include "wire/site.h"

size_t
burl_verdict_n_waits(const struct burl_wire_verdict *v)
{
    return v->n_waits < BURL_WIRE_MAX_CYCLE ? v->n_waits : BURL_WIRE_MAX_CYCLE;
}

/* The wait of a thread, SIZE_MAX when it has none. */
static size_t
wait_of(const struct burl_wire_verdict *v, uint16_t tid)
{
    for (size_t i = 0; i < burl_verdict_n_waits(v); i++) {
        if (v->waits[i].tid == tid)
            return i;
    }
    return SIZE_MAX;
}

size_t
burl_verdict_cycle(const struct burl_wire_verdict *v, uint16_t cycle[BURL_WIRE_MAX_CYCLE])
{
    size_t n_waits = burl_verdict_n_waits(v);

    for (size_t i = 0; i < n_waits; i++) {
        size_t at = i;
        size_t n = 0;

        while (n < n_waits) {
            cycle[n++] = v->waits[at].tid;
            at = wait_of(v, v->waits[at].owner);
            if (at == SIZE_MAX)
                break;
            if (at == i)
                return n;
        }
    }
    return 0;
}

/* Innermost function of the user's own. */
static const char *
user_function(const struct burl_wire_verdict *v, const struct burl_sites *sites)
{
    const struct burl_site_info *site = burl_sites_get(sites, v->site);

    if (site->func[0] != '\0' && !burl_site_is_system(site))
        return site->func;
    for (size_t i = 0; i < BURL_WIRE_MAX_STACK && v->stack[i] != 0; i++) {
        const struct burl_site_info *f = burl_sites_get(sites, v->stack[i]);

        if (f->func[0] != '\0' && !burl_site_is_system(f))
            return f->func;
    }
    return site->func;
}

/* Bytes of one token: up to a space. */
static size_t
token_length(const char *p)
{
    size_t n = 0;

    while (p[n] != '\0' && p[n] != ' ')
        n++;
    return n;
}

/* "dir/file.c:40:12:" is "file.c" on every machine and after every edit; "0x7ffe12" is "0x". */
static void
put_token(struct burl_buf *out, const char *p, size_t n)
{
    char *token = burl_xstrndup(p, n);
    char *colon = strchr(token, ':');

    if (colon != NULL && isdigit((unsigned char)colon[1])) {
        *colon = '\0';
        burl_buf_str_append(out, burl_path_basename(token));
    } else if (n > 2 && strncmp(token, "0x", 2) == 0) {
        burl_buf_str_append(out, "0x");
    } else {
        burl_buf_str_append(out, token);
    }
    free(token);
}

/* A message of the program or of libc without what changes from run to run. */
static void
put_message(struct burl_buf *out, const char *text)
{
    bool line = false;

    while (*text != '\0') {
        size_t n = token_length(text);
        bool number = n > 0 && isdigit((unsigned char)text[0]);

        /* "line 40" */
        if (!(line && number)) {
            burl_buf_char(out, ' ');
            put_token(out, text, n);
        }
        line = n == 4 && strncmp(text, "line", 4) == 0;
        text += n;
        while (*text == ' ')
            text++;
    }
}

static void
put_site(struct burl_buf *out, const struct burl_sites *sites, uint32_t id)
{
    const struct burl_site_info *site = burl_sites_get(sites, id);

    burl_buf_printf(out, " %s", site->func[0] != '\0' ? site->func : "?");
    if (site->variable[0] != '\0' && !burl_site_is_system(site))
        burl_buf_printf(out, " %s", site->variable);
}

static int
compare_strings(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool
in_list(const uint16_t *list, size_t n, uint16_t tid)
{
    for (size_t i = 0; i < n; i++) {
        if (list[i] == tid)
            return true;
    }
    return false;
}

/* Is the thread spinning, rather than blocked? The operation of its loop at which the hang is
 * detected is arbitrary. */
static bool
goes_round(uint8_t kind)
{
    return (kind >= BURL_OP_READ && kind <= BURL_OP_FENCE) || kind == BURL_OP_YIELD ||
           kind == BURL_OP_SLEEP || kind == BURL_OP_TRYLOCK;
}

/* hang: a thread that sleeps in a system call may be one that loops around it. */
static char *
describe_wait(const struct burl_wire_wait *w, const struct burl_sites *sites, bool hang)
{
    const struct burl_site_info *site = burl_sites_get(sites, w->site);
    const bool loops = goes_round(w->kind) || (hang && w->kind == BURL_OP_IO);
    struct burl_buf text = BURL_BUF_INIT;
    size_t mark;

    burl_buf_printf(&text, "%s %s", site->func[0] != '\0' ? site->func : "?",
                    loops ? "loop" : burl_op_text(w->kind));
    mark = text.n;
    if (w->kind != BURL_OP_JOIN && !loops) {
        burl_buf_char(&text, ' ');
        if (!burl_source_argument(sites, site, 0, &text)) {
            burl_buf_truncate(&text, mark);
            if (site->variable[0] != '\0' && !burl_site_is_system(site))
                burl_buf_printf(&text, " %s", site->variable);
        }
    }
    return burl_buf_take(&text, NULL);
}

/* The set of waits: sorted and without doubles, so that neither the order nor the number of
 * workers stuck in the same place matters. Of a cycle only its threads count; of other
 * deadlocks joins do not when there is anything else, since they follow from it. */
static void
put_waits(struct burl_buf *out, const struct burl_wire_verdict *v, const struct burl_sites *sites)
{
    uint16_t cycle[BURL_WIRE_MAX_CYCLE];
    char *texts[BURL_WIRE_MAX_CYCLE];
    size_t n_cycle = v->kind == BURL_VERDICT_DEADLOCK_CYCLE ? burl_verdict_cycle(v, cycle) : 0;
    size_t n = 0;
    bool others = false;

    for (size_t i = 0; i < burl_verdict_n_waits(v); i++)
        others = others || v->waits[i].kind != BURL_OP_JOIN;
    for (size_t i = 0; i < burl_verdict_n_waits(v); i++) {
        const struct burl_wire_wait *w = &v->waits[i];

        if (n_cycle > 0 ? !in_list(cycle, n_cycle, w->tid) : others && w->kind == BURL_OP_JOIN)
            continue;
        texts[n++] = describe_wait(w, sites, v->kind == BURL_VERDICT_HANG_TIMEOUT);
    }
    qsort(texts, n, sizeof texts[0], compare_strings);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || strcmp(texts[i], texts[i - 1]) != 0)
            burl_buf_printf(out, " | %s", texts[i]);
    }
    for (size_t i = 0; i < n; i++)
        free(texts[i]);
}

/* Generated tests say "push, pop: SENTENCE". The format has the sentence of its first version, so
 * that stores recognize their findings. */
static void
put_non_linearizable(struct burl_buf *out, const char *message)
{
    const char *end = strstr(message, ": results match ");
    char first[BURL_WIRE_TEXT_B]; /* a text that does not fit is cut, as in the verdict */

    if (end == NULL) {
        put_message(out, message);
        return;
    }
    snprintf(first, sizeof first, "%.*s: the results are those of no order of the calls",
             (int)(end - message), message);
    put_message(out, first);
}

static void
put_place(struct burl_buf *text, const struct burl_wire_verdict *v, const struct burl_sites *sites)
{
    char message[BURL_WIRE_TEXT_B + 1];

    snprintf(message, sizeof message, "%.*s", (int)sizeof v->text, v->text);
    burl_buf_str_append(text, burl_verdict_name(v->kind));
    switch (v->kind) {
    case BURL_VERDICT_EXIT_NONZERO:
        burl_buf_printf(text, " %d in %s", v->code, user_function(v, sites));
        break;
    case BURL_VERDICT_CRASH_ABORT:
        if (message[0] != '\0')
            put_message(text, message);
        else
            burl_buf_printf(text, " in %s", user_function(v, sites));
        break;
    case BURL_VERDICT_DEADLOCK_CYCLE:
    case BURL_VERDICT_DEADLOCK_STUCK:
        put_waits(text, v, sites);
        break;
    case BURL_VERDICT_CHECK_FAILED:
        burl_buf_printf(text, " %d %s", v->code, message);
        break;
    case BURL_VERDICT_LIVELOCK:
    case BURL_VERDICT_HANG_TIMEOUT:
        if (v->n_waits > 0)
            put_waits(text, v, sites);
        else
            burl_buf_printf(text, " in %s", user_function(v, sites));
        break;
    case BURL_VERDICT_RACE_DATA:
    case BURL_VERDICT_ATOMICITY_REGION:
        burl_variable_of(v, sites, text);
        break;
    case BURL_VERDICT_NON_LINEARIZABLE: /* every generated test fails in the same function */
        put_non_linearizable(text, message);
        break;
    case BURL_VERDICT_MISUSE_OTHER:
    case BURL_VERDICT_UNSUPPORTED:
    case BURL_VERDICT_INTERNAL:
        put_message(text, message);
        break;
    case BURL_VERDICT_CRASH_SIGNAL:
        burl_buf_printf(text, " %d in %s:", v->code, user_function(v, sites));
        put_site(text, sites, v->site);
        break;
    default:
        burl_buf_printf(text, " in %s: %s", user_function(v, sites), burl_op_text(v->op));
        put_site(text, sites, v->site);
        break;
    }
}

static uint64_t
take_hash(struct burl_buf *text, struct burl_buf *cause)
{
    const uint64_t h = burl_hash(text->p, text->n);

    if (cause != NULL)
        burl_buf_append(cause, text->p, text->n);
    burl_buf_deinit(text);
    return h;
}

static void
put_cause(struct burl_buf *text, const struct burl_wire_verdict *v, const struct burl_sites *sites)
{
    if (!burl_fingerprint_subject(v, sites, text))
        put_place(text, v, sites);
}

uint64_t
burl_fingerprint(const struct burl_wire_verdict *v, const struct burl_sites *sites,
                 struct burl_buf *cause)
{
    struct burl_buf text;

    burl_buf_init(&text, BURL_BUF_NO_LIMIT);
    put_cause(&text, v, sites);
    return take_hash(&text, cause);
}

uint64_t
burl_fingerprint_not_reproducible(const struct burl_wire_verdict *v, const struct burl_sites *sites,
                                  struct burl_buf *cause)
{
    struct burl_buf text;

    burl_buf_init(&text, BURL_BUF_NO_LIMIT);
    burl_buf_str_append(&text, BURL_KIND_NOT_REPRODUCIBLE " ");
    put_cause(&text, v, sites);
    return take_hash(&text, cause);
}

uint64_t
burl_fingerprint_suspect(const struct burl_wire_suspect *s, const struct burl_sites *sites)
{
    struct burl_buf text = BURL_BUF_INIT;
    uint64_t h;

    /* A race of a block with its free() is on the whole block: see variable.c. */
    if (s->kind > BURL_SUSPECT_POTENTIAL || s->n_sites != 2 || s->ops[0] == BURL_OP_FREE ||
        s->ops[1] == BURL_OP_FREE)
        return 0;
    burl_buf_str_append(&text, burl_verdict_name(BURL_VERDICT_RACE_DATA));
    burl_variable_of_suspect(s, sites, &text);
    h = burl_hash(text.p, text.n);
    burl_buf_deinit(&text);
    return h;
}
