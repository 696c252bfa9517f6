/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests_config.c - tests of the configuration: `./tests_config NAME`, `./tests_config --list`.
 */
#include "../team.h"

#include "logger.h"

static void
config_parses(void)
{
    struct config *cfg = config_new();

    assert(config_load(cfg, "net=warn;net.http=debug;*=info") == 3);
    assert(config_level(cfg, "net") == LV_WARN);
    assert(config_level(cfg, "net.http") == LV_DEBUG);
    assert(config_level(cfg, "net.http.client") == LV_DEBUG);
    assert(config_level(cfg, "disk") == LV_INFO);
    config_free(cfg);
}

static void
config_longest_wins(void)
{
    struct config *cfg = config_new();

    assert(config_load(cfg, "a.b=error;a=warn") == 2);
    assert(config_level(cfg, "a.b.c") == LV_ERROR);
    assert(config_level(cfg, "a.bc") == LV_WARN);
    assert(config_level(cfg, "b") == LV_INHERIT);
    config_free(cfg);
}

static void
config_refuses(void)
{
    struct config *cfg = config_new();

    assert(config_load(cfg, "net") == -1);
    assert(config_load(cfg, "net=loud") == -1);
    assert(config_load(cfg, "=info") == -1);
    assert(config_errors(cfg) == 3 && config_generation(cfg) == 0);
    config_free(cfg);
}

static void
config_keeps_old_on_error(void)
{
    struct config *cfg = config_new();

    assert(config_load(cfg, "net=warn") == 1);
    assert(config_load(cfg, "net=") == -1);
    assert(config_level(cfg, "net") == LV_WARN);
    config_free(cfg);
}

static void
config_too_many(void)
{
    struct config *cfg = config_new();

    assert(config_load(cfg, "a=info;b=info;c=info;d=info;e=info;f=info;g=info;h=info;i=info") ==
           -1);
    config_free(cfg);
}

static void
config_applies(void)
{
    struct config *cfg = config_new();
    struct hierarchy *h = hierarchy_new();

    config_load(cfg, "*=warn;net=trace");
    assert(config_apply(cfg, h) == 2);
    assert(category_level(hierarchy_root(h)) == LV_WARN);
    assert(category_level(category_get(h, "net.tcp")) == LV_TRACE);
    hierarchy_free(h);
    config_free(cfg);
}

static void
config_empty(void)
{
    struct config *cfg = config_new();

    assert(config_level(cfg, "net") == LV_INHERIT);
    assert(config_load(cfg, "") == 0);
    assert(config_generation(cfg) == 1);
    config_free(cfg);
}

static void *
load_net(void *arg)
{
    assert(config_load(arg, "net=warn") == 1);
    return NULL;
}

static void *
load_bad(void *arg)
{
    assert(config_load(arg, "net=what") == -1);
    return NULL;
}

static void *
read_net(void *arg)
{
    enum level level = config_level(arg, "net");

    assert(level == LV_WARN || level == LV_INHERIT);
    return NULL;
}

static void
config_reload_while_read(void)
{
    struct config *cfg = config_new();
    struct team t = { .n = 0 };

    team_start(&t, load_net, cfg);
    team_start(&t, read_net, cfg);
    team_join(&t);
    config_free(cfg);
}

static void
config_reload_in_main(void)
{
    struct config *cfg = config_new();
    struct team t = { .n = 0 };

    team_start(&t, read_net, cfg);
    team_start(&t, read_net, cfg);
    load_net(cfg);
    team_join(&t);
    assert(config_level(cfg, "net") == LV_WARN);
    config_free(cfg);
}

static void
config_two_writers(void)
{
    struct config *cfg = config_new();
    struct team t = { .n = 0 };

    team_start(&t, load_net, cfg);
    team_start(&t, load_bad, cfg);
    team_join(&t);
    assert(config_generation(cfg) == 1 && config_errors(cfg) == 1);
    config_free(cfg);
}

static void
config_bad_while_read(void)
{
    struct config *cfg = config_new();
    struct team t = { .n = 0 };

    load_net(cfg);
    team_start(&t, load_bad, cfg);
    team_start(&t, read_net, cfg);
    team_join(&t);
    config_free(cfg);
}

struct site {
    struct config *cfg;
    struct hierarchy *h;
};

static void *
apply_site(void *arg)
{
    struct site *s = arg;

    config_apply(s->cfg, s->h);
    return NULL;
}

static void
config_apply_while_loaded(void)
{
    struct site s = { config_new(), hierarchy_new() };
    struct team t = { .n = 0 };

    team_start(&t, apply_site, &s);
    load_net(s.cfg);
    team_join(&t);
    config_free(s.cfg);
    hierarchy_free(s.h);
}

static void
config_apply_by_two(void)
{
    struct site s = { config_new(), hierarchy_new() };
    struct team t = { .n = 0 };

    load_net(s.cfg);
    team_start(&t, apply_site, &s);
    team_start(&t, apply_site, &s);
    team_join(&t);
    assert(hierarchy_size(s.h) == 2);
    config_free(s.cfg);
    hierarchy_free(s.h);
}

static void *
use_default(void *arg)
{
    *(struct config **)arg = config_default();
    return NULL;
}

static void
config_default_once(void)
{
    struct config *a, *b;
    struct team t = { .n = 0 };

    team_start(&t, use_default, &a);
    team_start(&t, use_default, &b);
    team_join(&t);
    assert(a == b && config_default() == a);
    config_free(a);
}

static void
config_default_alone(void)
{
    struct config *cfg = config_default();

    load_net(cfg);
    assert(config_level(config_default(), "net") == LV_WARN);
    config_free(cfg);
}

static const struct test tests[] = {
    { "config_parses", config_parses },
    { "config_longest_wins", config_longest_wins },
    { "config_refuses", config_refuses },
    { "config_keeps_old_on_error", config_keeps_old_on_error },
    { "config_too_many", config_too_many },
    { "config_applies", config_applies },
    { "config_empty", config_empty },
    { "config_reload_while_read", config_reload_while_read },
    { "config_reload_in_main", config_reload_in_main },
    { "config_two_writers", config_two_writers },
    { "config_bad_while_read", config_bad_while_read },
    { "config_apply_while_loaded", config_apply_while_loaded },
    { "config_apply_by_two", config_apply_by_two },
    { "config_default_once", config_default_once },
    { "config_default_alone", config_default_alone },
};

int
main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: tests_config NAME | --list\n");
        return 2;
    }
    if (strcmp(argv[1], "--list") == 0)
        return test_list(tests, COUNT(tests));
    return test_run(tests, COUNT(tests), argv[1]);
}
