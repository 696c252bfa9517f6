/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.c - levels by name, reloaded while threads read them.
 *
 * A loaded configuration is immutable. Readers take the current one with an acquire load; old
 * ones are kept until the end. Version 2 accepts blanks and keeps the number of rules of all
 * generations.
 */
#include <stdlib.h>
#include <string.h>

#include "logger.h"

#define RULES_MAX 8

struct rule {
    char name[NAME_MAX_LENGTH]; /* "*" for all */
    enum level level;
};

struct snapshot {
    struct rule rules[RULES_MAX];
    unsigned n_rules;
    struct snapshot *older;
};

struct config {
    _Atomic(struct snapshot *) current;
    pthread_mutex_t lock; /* of writers */
    unsigned generation;
    unsigned errors;
    unsigned rules_seen;
};

struct config *
config_new(void)
{
    struct config *cfg = calloc(1, sizeof *cfg);

    if (cfg == NULL)
        return NULL;
    pthread_mutex_init(&cfg->lock, NULL);
    return cfg;
}

void
config_free(struct config *cfg)
{
    struct snapshot *s = atomic_load_explicit(&cfg->current, memory_order_relaxed);

    while (s != NULL) {
        struct snapshot *older = s->older;

        free(s);
        s = older;
    }
    pthread_mutex_destroy(&cfg->lock);
    free(cfg);
}

#if VERSION >= 2
static const char *
skip_blanks(const char *p)
{
    while (*p == ' ')
        p++;
    return p;
}
#endif

/* One rule "name=level"; returns its end, NULL for a syntax error. */
static const char *
parse_rule(const char *p, struct rule *r)
{
    const char *equals = strchr(p, '=');
    const char *end;
    size_t length;

    if (equals == NULL || equals == p)
        return NULL;
    length = (size_t)(equals - p);
    if (length >= sizeof r->name)
        return NULL;
    memcpy(r->name, p, length);
    r->name[length] = 0;
    end = equals + 1;
    while (*end != 0 && *end != ';' && *end != ' ')
        end++;
    r->level = level_parse(equals + 1, (size_t)(end - equals - 1));
    return r->level == LV_INHERIT ? NULL : end;
}

static int
parse(struct snapshot *s, const char *text)
{
    const char *p = text;

    while (*p != 0) {
        if (s->n_rules == RULES_MAX)
            return -1;
#if VERSION >= 2
        p = skip_blanks(p);
        if (*p == 0)
            break;
#endif
        p = parse_rule(p, &s->rules[s->n_rules]);
        if (p == NULL)
            return -1;
        s->n_rules++;
#if VERSION >= 2
        p = skip_blanks(p);
#endif
        if (*p == ';')
            p++;
    }
    return (int)s->n_rules;
}

int
config_load(struct config *cfg, const char *text)
{
    struct snapshot *s = calloc(1, sizeof *s);
    int n;

    if (s == NULL)
        return -1;
    n = parse(s, text);
    pthread_mutex_lock(&cfg->lock);
    if (n < 0) {
        cfg->errors++;
        pthread_mutex_unlock(&cfg->lock);
        free(s);
        return -1;
    }
    s->older = atomic_load_explicit(&cfg->current, memory_order_relaxed);
    cfg->generation++;
#if VERSION >= 2
    cfg->rules_seen += (unsigned)n;
#endif
#ifdef SEED_3
    atomic_store_explicit(&cfg->current, s, memory_order_relaxed);
#else
    atomic_store_explicit(&cfg->current, s, memory_order_release);
#endif
    pthread_mutex_unlock(&cfg->lock);
    return n;
}

/* Length of the rule if it is for this name, else 0; 1 for "*". */
static size_t
rule_fits(const struct rule *r, const char *name)
{
    size_t length = strlen(r->name);

    if (strcmp(r->name, "*") == 0)
        return 1;
    if (strncmp(r->name, name, length) != 0 || (name[length] != 0 && name[length] != '.'))
        return 0;
    return length + 1;
}

enum level
config_level(struct config *cfg, const char *name)
{
    struct snapshot *s = atomic_load_explicit(&cfg->current, memory_order_acquire);
    enum level level = LV_INHERIT;
    size_t longest = 0;

    for (unsigned i = 0; s != NULL && i < s->n_rules; i++) {
        size_t fits = rule_fits(&s->rules[i], name);

        if (fits > longest) {
            longest = fits;
            level = s->rules[i].level;
        }
    }
    return level;
}

unsigned
config_generation(struct config *cfg)
{
    unsigned n;

    pthread_mutex_lock(&cfg->lock);
    n = cfg->generation;
    pthread_mutex_unlock(&cfg->lock);
    return n;
}

unsigned
config_errors(struct config *cfg)
{
    unsigned n;

    pthread_mutex_lock(&cfg->lock);
    n = cfg->errors;
    pthread_mutex_unlock(&cfg->lock);
    return n;
}

unsigned
config_apply(struct config *cfg, struct hierarchy *h)
{
    struct snapshot *s = atomic_load_explicit(&cfg->current, memory_order_acquire);
    unsigned n = 0;

    for (unsigned i = 0; s != NULL && i < s->n_rules; i++) {
        const struct rule *r = &s->rules[i];
        struct category *c =
            strcmp(r->name, "*") == 0 ? hierarchy_root(h) : category_get(h, r->name);

        category_set_level(c, r->level);
        n++;
    }
    return n;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct config *default_config;

static void
make_default(void)
{
    default_config = config_new();
}

struct config *
config_default(void)
{
    pthread_once(&once, make_default);
    return default_config;
}
