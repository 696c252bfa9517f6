/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cover_metrics.c - --metrics, --list-metrics and --fail-under.
 *
 * Runs in the host. A metric has a name and an abbreviation (wire/cover.h); both are accepted, in
 * either case. An unknown word is refused with the nearest metric.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/mem.h"
#include "cli/cover_int.h"

static const struct {
    const char *abbreviation;
    const char *name;
    const char *definition;
} metrics[BURL_METRIC__N] = {
#define BURL_X(id, abbr, text, definition) [BURL_METRIC_##id] = { abbr, text, definition },
    BURL_WIRE_METRICS(BURL_X)
#undef BURL_X
};

static enum burl_status
find_metric(const char *option, const char *word, size_t n, uint8_t *out, struct burl_err *err)
{
    const char *names[BURL_METRIC__N + 1];
    char copy[64];

    for (uint8_t i = 0; i < BURL_METRIC__N; i++) {
        names[i] = metrics[i].name;
        if ((strlen(metrics[i].abbreviation) == n &&
             strncasecmp(metrics[i].abbreviation, word, n) == 0) ||
            (strlen(metrics[i].name) == n && strncasecmp(metrics[i].name, word, n) == 0)) {
            *out = i;
            return BURL_OK;
        }
    }
    names[BURL_METRIC__N] = NULL;
    snprintf(copy, sizeof copy, "%.*s", (int)(n < 60 ? n : 60), word);
    return burl_err_set(err, BURL_E_USAGE, 0,
                        "%s: there is no metric \"%s\"%s; --list-metrics lists them", option, copy,
                        burl_options_hint(copy, names));
}

enum burl_status
burl__cover_parse_metrics(const char *list, uint32_t *out, struct burl_err *err)
{
    *out = 0;
    for (const char *p = list;;) {
        const size_t n = strcspn(p, ",");
        uint8_t metric;

        if (n == 3 && strncasecmp(p, "all", 3) == 0) {
            *out |= (1u << BURL_METRIC__N) - 1u;
        } else {
            const enum burl_status st = find_metric("--metrics", p, n, &metric, err);

            if (st != BURL_OK)
                return st;
            *out |= 1u << metric;
        }
        p += n;
        if (*p == '\0')
            return BURL_OK;
        p++;
    }
}

uint32_t
burl__cover_observers(uint32_t bits)
{
    return bits << BURL_OBSERVER_LOCPAIRS;
}

/* "LP=80" of `n` characters. */
static enum burl_status
parse_floor(const char *text, size_t n, struct burl_cover_floor *out, struct burl_err *err)
{
    const char *equals = memchr(text, '=', n);
    char number[32];
    char *end;
    enum burl_status st;

    if (!equals)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "--fail-under expects METRIC=PERCENT such as LP=80, not \"%.*s\"",
                            (int)n, text);
    st = find_metric("--fail-under", text, (size_t)(equals - text), &out->metric, err);
    if (st != BURL_OK)
        return st;
    snprintf(number, sizeof number, "%.*s", (int)(n - (size_t)(equals + 1 - text)), equals + 1);
    out->percent = strtod(number, &end);
    if (end != number && *end == '%')
        end++;
    /* The condition is written so that NaN is refused too. */
    if (end == number || *end != '\0' || !(out->percent >= 0 && out->percent <= 100))
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "--fail-under expects a percentage from 0 to 100, not \"%s\"", number);
    if (out->metric != BURL_METRIC_LOCPAIRS && out->metric != BURL_METRIC_LINES)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "--fail-under: %s has no target; only LP and LINE have one",
                            metrics[out->metric].abbreviation);
    return BURL_OK;
}

enum burl_status
burl__cover_parse_floors(struct burl_cover_session *s, const char *list, struct burl_err *err)
{
    for (const char *p = list; p;) {
        const size_t n = strcspn(p, ",");
        struct burl_cover_floor floor;
        const enum burl_status st = parse_floor(p, n, &floor, err);
        size_t i = 0;

        if (st != BURL_OK)
            return st;
        if (!(s->metrics & 1u << floor.metric))
            return burl_err_set(err, BURL_E_USAGE, 0,
                                "--fail-under: %s is not measured; add it to --metrics",
                                metrics[floor.metric].abbreviation);
        while (i < s->n_floors && s->floors[i].metric != floor.metric)
            i++;
        s->floors[i] = floor;
        s->n_floors += i == s->n_floors;
        p = p[n] == ',' ? p + n + 1 : NULL;
    }
    return BURL_OK;
}

static void
list_json(void)
{
    struct burl_json_writer w;
    struct burl_buf b = BURL_BUF_INIT;

    burl_json_writer_init(&w, &b, 2);
    burl_json_array_begin(&w);
    for (size_t i = 0; i < BURL_METRIC__N; i++) {
        burl_json_object_begin(&w);
        burl_json_kv_str(&w, "abbreviation", metrics[i].abbreviation);
        burl_json_kv_str(&w, "name", metrics[i].name);
        burl_json_kv_str(&w, "definition", metrics[i].definition);
        burl_json_object_end(&w);
    }
    burl_json_array_end(&w);
    burl_json_writer_finish(&w);
    fputs(burl_buf_str(&b), stdout);
    burl_buf_deinit(&b);
}

void
burl__cover_list_metrics(const struct burl_options *opts)
{
    if (opts->json) {
        list_json();
        return;
    }
    for (size_t i = 0; i < BURL_METRIC__N; i++)
        printf("%-5s %-24s %s\n", metrics[i].abbreviation, metrics[i].name, metrics[i].definition);
}
