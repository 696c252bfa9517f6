/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests_unit_config.c - unit tests of the configuration, in one thread: `./tests_unit_config NAME`,
 * `./tests_unit_config --list`.
 */
#include "../team.h"

#include "logger.h"

static void
config_exactly_full(void)
{
    struct config *cfg = config_new();

    assert(config_load(cfg, "a=info;b=info;c=info;d=info;e=info;f=info;g=info;h=off") == 8);
    assert(config_level(cfg, "h") == LV_OFF && config_errors(cfg) == 0);
    config_free(cfg);
}

static void
config_last_separator(void)
{
    struct config *cfg = config_new();

    assert(config_load(cfg, "net=warn;disk=trace;") == 2);
    assert(config_level(cfg, "disk") == LV_TRACE);
    config_free(cfg);
}

static void
config_long_name(void)
{
    struct config *cfg = config_new();

    assert(config_load(cfg, "a23456789.123456789.123456789.12=info") == -1);
    assert(config_load(cfg, "a23456789.123456789.123456789.1=info") == 1);
    assert(config_level(cfg, "a23456789.123456789.123456789.1") == LV_INFO);
    assert(config_level(cfg, "a23456789.123456789.123456789.12") == LV_INHERIT);
    config_free(cfg);
}

static void
config_star_is_weakest(void)
{
    struct config *cfg = config_new();

    assert(config_load(cfg, "*=error;a=info") == 2);
    assert(config_level(cfg, "a") == LV_INFO && config_level(cfg, "b") == LV_ERROR);
    assert(config_load(cfg, "a=info;*=error") == 2);
    assert(config_level(cfg, "a") == LV_INFO && config_level(cfg, "b") == LV_ERROR);
    config_free(cfg);
}

static void
config_reload_replaces(void)
{
    struct config *cfg = config_new(), *other = config_new();

    assert(config_load(cfg, "net=warn") == 1 && config_load(cfg, "disk=error") == 1);
    assert(config_level(cfg, "net") == LV_INHERIT && config_level(cfg, "disk") == LV_ERROR);
    assert(config_generation(cfg) == 2 && config_generation(other) == 0);
    assert(config_level(other, "disk") == LV_INHERIT);
    config_free(cfg);
    config_free(other);
}

static void
config_error_after_good_rule(void)
{
    struct config *cfg = config_new();

    assert(config_load(cfg, "net=warn") == 1);
    assert(config_load(cfg, "net=error;disk=loud") == -1);
    assert(config_level(cfg, "net") == LV_WARN);
    assert(config_generation(cfg) == 1 && config_errors(cfg) == 1);
    config_free(cfg);
}

static void
config_apply_before_load(void)
{
    struct config *cfg = config_new();
    struct hierarchy *h = hierarchy_new();

    assert(config_apply(cfg, h) == 0);
    assert(hierarchy_size(h) == 1 && category_level(hierarchy_root(h)) == LV_DEBUG);
    config_free(cfg);
    hierarchy_free(h);
}

static void
config_apply_keeps_others(void)
{
    struct config *cfg = config_new();
    struct hierarchy *h = hierarchy_new();

    category_set_level(category_get(h, "disk"), LV_ERROR);
    assert(config_load(cfg, "a.b.c=trace") == 1 && config_apply(cfg, h) == 1);
    assert(hierarchy_size(h) == 5 && category_level(category_find(h, "a.b")) == LV_DEBUG);
    assert(category_level(category_find(h, "a.b.c")) == LV_TRACE);
    assert(category_level(category_find(h, "disk")) == LV_ERROR);
    assert(config_apply(cfg, h) == 1 && hierarchy_size(h) == 5);
    config_free(cfg);
    hierarchy_free(h);
}

static const struct test tests[] = {
    { "config_exactly_full", config_exactly_full },
    { "config_last_separator", config_last_separator },
    { "config_long_name", config_long_name },
    { "config_star_is_weakest", config_star_is_weakest },
    { "config_reload_replaces", config_reload_replaces },
    { "config_error_after_good_rule", config_error_after_good_rule },
    { "config_apply_before_load", config_apply_before_load },
    { "config_apply_keeps_others", config_apply_keeps_others },
};

int
main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: tests_unit_config NAME | --list\n");
        return 2;
    }
    if (strcmp(argv[1], "--list") == 0)
        return test_list(tests, COUNT(tests));
    return test_run(tests, COUNT(tests), argv[1]);
}
