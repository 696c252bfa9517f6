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
find_metric(const char *option, const char *word, uint8_t *out, struct burl_err *err)
{
    const char *names[BURL_METRIC__N + 1];

    for (uint8_t i = 0; i < BURL_METRIC__N; i++) {
        names[i] = metrics[i].name;
        if (strcasecmp(metrics[i].abbreviation, word) == 0 ||
            strcasecmp(metrics[i].name, word) == 0) {
            *out = i;
            return BURL_OK;
        }
    }
    names[BURL_METRIC__N] = NULL;
    return burl_err_set(err, BURL_E_USAGE, 0,
                        "%s: there is no metric \"%s\"%s; --list-metrics lists them", option, word,
                        burl_options_hint(word, names));
}

static enum burl_status
add_metric(const char *word, void *arg, struct burl_err *err)
{
    uint32_t *mask = arg;
    uint8_t metric;
    enum burl_status st;

    if (strcasecmp(word, "all") == 0) {
        *mask |= (1u << BURL_METRIC__N) - 1u;
        return BURL_OK;
    }
    st = find_metric("--metrics", word, &metric, err);
    if (st == BURL_OK)
        *mask |= 1u << metric;
    return st;
}

enum burl_status
burl__cover_parse_metrics(const char *list, uint32_t *out, struct burl_err *err)
{
    *out = 0;
    return burl_options_each_word(list, add_metric, out, err);
}

uint32_t
burl__cover_observers(uint32_t bits)
{
    return bits << BURL_OBSERVER_LOCPAIRS;
}

/* "LP=80" */
static enum burl_status
add_floor(const char *word, void *arg, struct burl_err *err)
{
    struct burl_cover_session *s = arg;
    const char *equals = strchr(word, '=');
    struct burl_cover_floor floor;
    char name[64];
    char *end;
    size_t i = 0;
    enum burl_status st;

    if (!equals)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "--fail-under expects METRIC=PERCENT such as LP=80, not \"%s\"", word);
    snprintf(name, sizeof name, "%.*s", (int)(equals - word), word);
    st = find_metric("--fail-under", name, &floor.metric, err);
    if (st != BURL_OK)
        return st;
    floor.percent = strtod(equals + 1, &end);
    if (end != equals + 1 && *end == '%')
        end++;
    /* The condition is written so that NaN is refused too. */
    if (end == equals + 1 || *end != '\0' || !(floor.percent >= 0 && floor.percent <= 100))
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "--fail-under expects a percentage from 0 to 100, not \"%s\"",
                            equals + 1);
    if (floor.metric != BURL_METRIC_LOCPAIRS && floor.metric != BURL_METRIC_LINES)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "--fail-under: %s has no target; only LP and LINE have one",
                            metrics[floor.metric].abbreviation);
    if (!(s->metrics & 1u << floor.metric))
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "--fail-under: %s is not measured; add it to --metrics",
                            metrics[floor.metric].abbreviation);
    while (i < s->n_floors && s->floors[i].metric != floor.metric)
        i++;
    s->floors[i] = floor;
    s->n_floors += i == s->n_floors;
    return BURL_OK;
}

enum burl_status
burl__cover_parse_floors(struct burl_cover_session *s, const char *list, struct burl_err *err)
{
    return burl_options_each_word(list, add_floor, s, err);
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
    burl_cli_put(&b, stdout);
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
