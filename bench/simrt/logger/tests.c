/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests.c - tests of layouts, appenders, categories, statistics: `./tests NAME`, `./tests --list`.
 */
#include "../team.h"

#include "logger.h"

/* What most tests need: a hierarchy with an appender at the root. */
struct fixture {
    struct hierarchy *h;
    struct category *c;
    struct appender *a;
    struct layout *l;
    struct stats *s;
};

static void
setup(struct fixture *f, const char *pattern)
{
    memset(f, 0, sizeof *f);
    f->h = hierarchy_new();
    f->l = pattern != NULL ? layout_new(pattern) : NULL;
    f->a = memory_new("memory", f->l);
    f->c = category_get(f->h, "app");
    category_add_appender(f->h, hierarchy_root(f->h), f->a);
}

static void
teardown(struct fixture *f)
{
    hierarchy_free(f->h);
    memory_free(f->a);
    if (f->l != NULL)
        layout_free(f->l);
    if (f->s != NULL)
        stats_free(f->s);
}

static void
expect_line(struct appender *a, unsigned back, const char *text)
{
    char line[LINE_LENGTH];
    bool found = memory_line(a, back, line, sizeof line);

    assert(found);
    assert(strcmp(line, text) == 0);
}

static const struct event plain = {
    .level = LV_INFO, .category = "app", .message = "hello", .context = ""
};

/* ---- bodies of threads */

static void *
log_one(void *arg)
{
    struct fixture *f = arg;

    category_log(f->h, f->c, LV_INFO, "one");
    return NULL;
}

static void *
log_two(void *arg)
{
    struct fixture *f = arg;

    category_log(f->h, f->c, LV_INFO, "first");
    category_log(f->h, f->c, LV_WARN, "second");
    return NULL;
}

static void *
append_one(void *arg)
{
    appender_append(arg, &plain);
    return NULL;
}

static void *
append_two(void *arg)
{
    appender_append(arg, &plain);
    appender_append(arg, &plain);
    return NULL;
}

static void *
format_one(void *arg)
{
    char line[LINE_LENGTH];

    layout_format(arg, &plain, line, sizeof line);
    assert(strcmp(line, "info app: hello") == 0);
    return NULL;
}

static void *
format_plain(void *arg)
{
    char line[LINE_LENGTH];

    layout_format(arg, &plain, line, sizeof line);
    assert(strcmp(line, "hello") == 0);
    return NULL;
}

/* ---- levels and contexts, in one thread */

static void
level_names(void)
{
    for (int i = LV_ALL; i <= LV_OFF; i++) {
        const char *name = level_name((enum level)i);

        assert(level_parse(name, strlen(name)) == (enum level)i);
    }
    assert(level_parse("loud", 4) == LV_INHERIT);
    assert(strcmp(level_name(LV_INHERIT), "inherit") == 0);
}

static void
context_stack(void)
{
    assert(context_depth() == 0 && !context_pop());
    assert(context_push("a") && context_push("b"));
    assert(strcmp(context_top(), "b") == 0);
    assert(context_pop() && strcmp(context_top(), "a") == 0);
    assert(context_pop() && context_top()[0] == 0);
}

static void
context_limit(void)
{
    for (int i = 0; i < 4; i++)
        assert(context_push("x"));
    assert(!context_push("y"));
    assert(context_depth() == 4);
}

static void *
push_own(void *arg)
{
    assert(context_depth() == 0);
    context_push(arg);
    assert(strcmp(context_top(), arg) == 0);
    return NULL;
}

static void
context_per_thread(void)
{
    struct team t = { .n = 0 };

    context_push("main");
    team_start(&t, push_own, "left");
    team_start(&t, push_own, "right");
    team_join(&t);
    assert(strcmp(context_top(), "main") == 0);
}

static void *
ask_number(void *arg)
{
    *(unsigned *)arg = context_thread();
    assert(context_thread() == *(unsigned *)arg);
    return NULL;
}

static void
context_numbers(void)
{
    struct team t = { .n = 0 };
    unsigned a, b;

    team_start(&t, ask_number, &a);
    team_start(&t, ask_number, &b);
    team_join(&t);
    assert(a != b && a < 2 && b < 2);
}

/* ---- layouts */

static void
format_with(const char *pattern, const char *text)
{
    struct layout *l = layout_new(pattern);
    struct event ev = plain;
    char line[LINE_LENGTH];

    ev.context = "ctx";
    layout_format(l, &ev, line, sizeof line);
    assert(strcmp(line, text) == 0);
    layout_free(l);
}

static void
layout_message(void)
{
    format_with("%m", "hello");
}

static void
layout_all(void)
{
    format_with("%l %c: %m", "info app: hello");
}

static void
layout_context(void)
{
    format_with("[%x] %m", "[ctx] hello");
}

static void
layout_percent(void)
{
    format_with("100%% %m", "100% hello");
}

static void
layout_order(void)
{
    format_with("%c %l", "app info");
}

static void
layout_cut(void)
{
    struct layout *l = layout_new("%l %c %m");
    char line[8];

    layout_format(l, &plain, line, sizeof line);
    assert(strlen(line) == 7);
    layout_free(l);
}

static void
layout_cache(void)
{
    struct layout *l = layout_new("%l %c: %m");

    format_one(l);
    format_one(l);
    format_one(l);
    assert(layout_hits(l) == 2 && layout_misses(l) == 1);
    layout_free(l);
}

static void
layout_no_cache(void)
{
    struct layout *l = layout_new("%m");

    format_plain(l);
    format_plain(l);
    assert(layout_hits(l) == 0 && layout_misses(l) == 0);
    layout_free(l);
}

static void
layout_two_levels(void)
{
    struct layout *l = layout_new("%l %c: %m");
    struct event ev = plain;
    char line[LINE_LENGTH];

    ev.level = LV_ERROR;
    layout_format(l, &ev, line, sizeof line);
    assert(strcmp(line, "error app: hello") == 0);
    format_one(l);
    assert(layout_misses(l) == 2);
    layout_free(l);
}

static void
layout_shared(void)
{
    struct layout *l = layout_new("%l %c: %m");
    struct team t = { .n = 0 };

    format_one(l);
    team_start(&t, format_one, l);
    team_start(&t, format_one, l);
    team_join(&t);
    assert(layout_misses(l) == 1);
    layout_free(l);
}

static void
layout_shared_main(void)
{
    struct layout *l = layout_new("%l %c: %m");
    struct team t = { .n = 0 };

    format_one(l);
    team_start(&t, format_one, l);
    format_one(l);
    team_join(&t);
    assert(layout_hits(l) <= 2);
    layout_free(l);
}

static void
layout_shared_plain(void)
{
    struct layout *l = layout_new("%m");
    struct team t = { .n = 0 };

    team_start(&t, format_plain, l);
    team_start(&t, format_plain, l);
    team_join(&t);
    layout_free(l);
}

static void
layout_before_threads(void)
{
    struct layout *l = layout_new("%l %c: %m");
    struct team t = { .n = 0 };

    format_one(l);
    format_one(l);
    team_start(&t, push_own, "a");
    team_start(&t, push_own, "b");
    team_join(&t);
    format_one(l);
    assert(layout_hits(l) == 2);
    layout_free(l);
}

/* ---- memory appenders */

static void
memory_keeps_last(void)
{
    struct appender *a = memory_new("m", NULL);

    for (int i = 0; i < 10; i++)
        appender_append(a, &plain);
    assert(memory_count(a) == 10);
    expect_line(a, 7, "hello");
    assert(!memory_line(a, 8, (char[LINE_LENGTH]){ 0 }, LINE_LENGTH));
    memory_free(a);
}

static void
memory_clears(void)
{
    struct appender *a = memory_new("m", NULL);

    appender_append(a, &plain);
    memory_clear(a);
    assert(memory_count(a) == 0);
    memory_free(a);
}

static void
memory_threshold(void)
{
    struct appender *a = memory_new("m", NULL);

    appender_set_threshold(a, LV_WARN);
    assert(!appender_append(a, &plain));
    appender_set_threshold(a, LV_DEBUG);
    assert(appender_append(a, &plain));
    assert(appender_accepted(a) == 1 && appender_rejected(a) == 1);
    memory_free(a);
}

static void
memory_closed(void)
{
    struct appender *a = memory_new("m", NULL);

    appender_close(a);
    appender_close(a);
    assert(appender_is_closed(a) && !appender_append(a, &plain));
    memory_free(a);
}

static void
memory_two_threads(void)
{
    struct appender *a = memory_new("m", NULL);
    struct team t = { .n = 0 };

    team_start(&t, append_one, a);
    team_start(&t, append_two, a);
    team_join(&t);
    assert(memory_count(a) == 3);
    memory_free(a);
}

static void
memory_disjoint(void)
{
    struct appender *a = memory_new("a", NULL);
    struct appender *b = memory_new("b", NULL);
    struct team t = { .n = 0 };

    team_start(&t, append_two, a);
    team_start(&t, append_one, b);
    team_join(&t);
    assert(memory_count(a) == 2 && memory_count(b) == 1);
    memory_free(a);
    memory_free(b);
}

static void *
close_it(void *arg)
{
    appender_close(arg);
    return NULL;
}

static void
memory_close_race(void)
{
    struct appender *a = memory_new("m", NULL);
    struct team t = { .n = 0 };

    team_start(&t, append_two, a);
    team_start(&t, close_it, a);
    team_join(&t);
    assert(memory_count(a) + appender_rejected(a) == 2);
    memory_free(a);
}

static void *
lower_threshold(void *arg)
{
    appender_set_threshold(arg, LV_WARN);
    return NULL;
}

static void
memory_threshold_threads(void)
{
    struct appender *a = memory_new("m", NULL);
    struct team t = { .n = 0 };

    team_start(&t, append_two, a);
    team_start(&t, lower_threshold, a);
    team_join(&t);
    assert(appender_accepted(a) + appender_rejected(a) == 2);
    memory_free(a);
}

/* ---- file appenders */

static void
file_fills(void)
{
    struct appender *a = file_new("f", NULL, 12);
    struct file_info info;

    for (int i = 0; i < 3; i++)
        appender_append(a, &plain);
    file_info(a, &info);
    assert(info.segments == 2 && info.bytes == 15 && info.flushes == 0);
    assert(file_rollovers(a) == 1);
    file_free(a);
}

static void
file_immediate_flush(void)
{
    struct appender *a = file_new("f", NULL, 64);
    struct file_info info;

    file_set_immediate(a, true);
    assert(file_immediate(a));
    append_two(a);
    file_info(a, &info);
    assert(info.flushes == 2);
    file_free(a);
}

static void
file_closes(void)
{
    struct appender *a = file_new("f", NULL, 64);
    struct file_info info;

    append_one(a);
    appender_close(a);
    file_info(a, &info);
    assert(info.flushes == 1 && info.bytes == 5);
    file_free(a);
}

static void
file_errors_flush(void)
{
    struct appender *a = file_new("f", NULL, 64);
    struct event ev = plain;
    struct file_info info;

    ev.level = LV_ERROR;
    appender_append(a, &ev);
    file_info(a, &info);
    assert(info.flushes == 1);
    file_free(a);
}

static void
file_two_writers(void)
{
    struct appender *a = file_new("f", NULL, 8);
    struct team t = { .n = 0 };

    team_start(&t, append_one, a);
    team_start(&t, append_two, a);
    team_join(&t);
    assert(file_rollovers(a) == 2);
    file_free(a);
}

static void *
read_info(void *arg)
{
    struct file_info info;

    file_info(arg, &info);
    assert(info.bytes % 5 == 0);
    return NULL;
}

static void
file_info_while_writing(void)
{
    struct appender *a = file_new("f", NULL, 64);
    struct team t = { .n = 0 };

    team_start(&t, append_one, a);
    team_start(&t, read_info, a);
    team_join(&t);
    file_free(a);
}

static void
file_info_of_main(void)
{
    struct appender *a = file_new("f", NULL, 8);
    struct team t = { .n = 0 };

    team_start(&t, append_two, a);
    read_info(a);
    team_join(&t);
    file_free(a);
}

static void
file_info_readers(void)
{
    struct appender *a = file_new("f", NULL, 64);
    struct team t = { .n = 0 };

    append_two(a);
    team_start(&t, read_info, a);
    team_start(&t, read_info, a);
    team_join(&t);
    file_free(a);
}

static void *
make_immediate(void *arg)
{
    file_set_immediate(arg, true);
    return NULL;
}

static void
file_settings_while_writing(void)
{
    struct appender *a = file_new("f", NULL, 8);
    struct team t = { .n = 0 };

    team_start(&t, append_two, a);
    team_start(&t, make_immediate, a);
    team_join(&t);
    assert(file_immediate(a) && file_rollovers(a) == 1);
    file_free(a);
}

static void *
ask_rollovers(void *arg)
{
    assert(file_rollovers(arg) <= 1);
    return NULL;
}

static void
file_settings_and_rollovers(void)
{
    struct appender *a = file_new("f", NULL, 8);
    struct team t = { .n = 0 };

    append_two(a);
    team_start(&t, ask_rollovers, a);
    team_start(&t, make_immediate, a);
    team_join(&t);
    file_free(a);
}

static void
file_settings_alone(void)
{
    struct appender *a = file_new("f", NULL, 8);
    struct team t = { .n = 0 };

    append_two(a);
    team_start(&t, make_immediate, a);
    team_join(&t);
    assert(file_rollovers(a) == 1 && file_immediate(a));
    file_free(a);
}

/* ---- asynchronous appenders */

static void
async_delivers(void)
{
    struct appender *m = memory_new("m", NULL);
    struct appender *a = async_new("a", m, 4, ASYNC_BLOCK);
    struct async_totals totals;

    append_one(a);
    async_stop(a, &totals);
    assert(totals.delivered == 1 && totals.discarded == 0);
    assert(memory_count(m) == 1);
    async_free(a);
    memory_free(m);
}

static void
async_waits_for_room(void)
{
    struct appender *m = memory_new("m", NULL);
    struct appender *a = async_new("a", m, 1, ASYNC_BLOCK);

    append_two(a);
    async_stop(a, NULL);
    assert(memory_count(m) == 2);
    async_free(a);
    memory_free(m);
}

static void
async_nothing(void)
{
    struct appender *m = memory_new("m", NULL);
    struct appender *a = async_new("a", m, 2, ASYNC_BLOCK);
    struct async_totals totals;

    async_stop(a, &totals);
    assert(totals.batches == 0);
    async_free(a);
    memory_free(m);
}

static void
async_drained(void)
{
    struct appender *m = memory_new("m", NULL);
    struct appender *a = async_new("a", m, 4, ASYNC_BLOCK);

    append_two(a);
    async_drain(a);
    assert(memory_count(m) == 2);
    async_stop(a, NULL);
    async_free(a);
    memory_free(m);
}

static void
async_discards(void)
{
    struct appender *m = memory_new("m", NULL);
    struct appender *a = async_new("a", m, 1, ASYNC_DISCARD);
    struct async_totals totals;

    append_two(a);
    async_stop(a, &totals);
    assert(totals.delivered + totals.discarded == 2);
    async_free(a);
    memory_free(m);
}

static void
async_discards_two(void)
{
    struct appender *m = memory_new("m", NULL);
    struct appender *a = async_new("a", m, 1, ASYNC_DISCARD);
    struct team t = { .n = 0 };
    struct async_totals totals;

    team_start(&t, append_one, a);
    team_start(&t, append_one, a);
    team_join(&t);
    async_stop(a, &totals);
    assert(totals.delivered + totals.discarded == 2);
    async_free(a);
    memory_free(m);
}

static void
async_discards_main(void)
{
    struct appender *m = memory_new("m", NULL);
    struct appender *a = async_new("a", m, 1, ASYNC_DISCARD);
    struct team t = { .n = 0 };

    team_start(&t, append_one, a);
    append_one(a);
    team_join(&t);
    async_drain(a);
    async_stop(a, NULL);
    async_free(a);
    memory_free(m);
}

static void
async_two_producers(void)
{
    struct appender *m = memory_new("m", NULL);
    struct appender *a = async_new("a", m, 2, ASYNC_BLOCK);
    struct team t = { .n = 0 };

    team_start(&t, append_one, a);
    team_start(&t, append_one, a);
    team_join(&t);
    async_stop(a, NULL);
    assert(memory_count(m) == 2);
    async_free(a);
    memory_free(m);
}

static void
async_large(void)
{
    struct appender *m = memory_new("m", NULL);
    struct appender *a = async_new("a", m, 8, ASYNC_BLOCK);

    append_two(a);
    append_one(a);
    async_stop(a, NULL);
    assert(memory_count(m) == 3);
    async_free(a);
    memory_free(m);
}

static void
async_large_producers(void)
{
    struct appender *m = memory_new("m", NULL);
    struct appender *a = async_new("a", m, 6, ASYNC_BLOCK);
    struct team t = { .n = 0 };

    team_start(&t, append_two, a);
    append_one(a);
    team_join(&t);
    async_drain(a);
    async_stop(a, NULL);
    assert(memory_count(m) == 3);
    async_free(a);
    memory_free(m);
}

/* ---- categories */

static void
category_tree(void)
{
    struct hierarchy *h = hierarchy_new();
    struct category *c = category_get(h, "net.http.client");

    assert(hierarchy_size(h) == 4);
    assert(category_get(h, "net.http.client") == c);
    assert(category_find(h, "net.http") != NULL && category_find(h, "net.ftp") == NULL);
    assert(strcmp(category_name(c), "net.http.client") == 0);
    hierarchy_free(h);
}

static void
category_inherits(void)
{
    struct hierarchy *h = hierarchy_new();
    struct category *c = category_get(h, "a.b");

    assert(category_level(c) == LV_DEBUG);
    category_set_level(category_get(h, "a"), LV_ERROR);
    assert(category_level(c) == LV_ERROR);
    category_set_level(c, LV_INFO);
    assert(category_level(c) == LV_INFO);
    hierarchy_free(h);
}

static void
category_additivity(void)
{
    struct fixture f;

    setup(&f, NULL);
    category_add_appender(f.h, f.c, f.a);
    assert(category_log(f.h, f.c, LV_INFO, "x") == 2);
    category_set_additive(f.h, f.c, false);
    assert(category_log(f.h, f.c, LV_INFO, "x") == 1);
    teardown(&f);
}

static void
category_thresholds(void)
{
    struct fixture f;

    setup(&f, NULL);
    hierarchy_set_threshold(f.h, LV_WARN);
    assert(category_log(f.h, f.c, LV_INFO, "x") == 0);
    assert(category_log(f.h, f.c, LV_WARN, "x") == 1);
    category_set_level(f.c, LV_OFF);
    assert(category_log(f.h, f.c, LV_ERROR, "x") == 0);
    teardown(&f);
}

static void
category_removes(void)
{
    struct fixture f;

    setup(&f, NULL);
    assert(category_remove_appender(f.h, hierarchy_root(f.h), f.a));
    assert(!category_remove_appender(f.h, hierarchy_root(f.h), f.a));
    assert(category_log(f.h, f.c, LV_INFO, "x") == 0);
    teardown(&f);
}

static void
category_full(void)
{
    struct fixture f;
    struct appender *more[4];

    setup(&f, NULL);
    for (int i = 0; i < 4; i++) {
        more[i] = memory_new("more", NULL);
        assert(category_add_appender(f.h, hierarchy_root(f.h), more[i]) == (i < 3));
    }
    assert(category_appenders(f.h, hierarchy_root(f.h)) == 4);
    teardown(&f);
    for (int i = 0; i < 4; i++)
        memory_free(more[i]);
}

static void
category_retires(void)
{
    struct fixture f;

    setup(&f, NULL);
    category_add_appender(f.h, f.c, f.a);
    assert(hierarchy_retire(f.h, f.a) == 2);
    assert(appender_is_closed(f.a) && category_log(f.h, f.c, LV_INFO, "x") == 0);
    teardown(&f);
}

static void *
make_left(void *arg)
{
    struct fixture *f = arg;

    assert(category_get(f->h, "app.left") != NULL);
    return NULL;
}

static void *
make_right(void *arg)
{
    struct fixture *f = arg;

    assert(category_get(f->h, "app.right") != NULL);
    return NULL;
}

static void
category_made_by_two(void)
{
    struct fixture f;
    struct team t = { .n = 0 };

    setup(&f, NULL);
    team_start(&t, make_left, &f);
    team_start(&t, make_right, &f);
    team_join(&t);
    assert(hierarchy_size(f.h) == 4);
    teardown(&f);
}

static void
category_made_twice(void)
{
    struct fixture f;
    struct team t = { .n = 0 };

    setup(&f, NULL);
    team_start(&t, make_left, &f);
    team_start(&t, make_left, &f);
    team_join(&t);
    assert(hierarchy_size(f.h) == 3);
    teardown(&f);
}

static void *
add_same(void *arg)
{
    struct fixture *f = arg;

    category_add_appender(f->h, f->c, f->a);
    return NULL;
}

static void
category_adds_while_logging(void)
{
    struct fixture f;
    struct team t = { .n = 0 };

    setup(&f, NULL);
    team_start(&t, log_one, &f);
    team_start(&t, add_same, &f);
    team_join(&t);
    assert(category_appenders(f.h, f.c) == 1);
    teardown(&f);
}

static void *
add_own(void *arg)
{
    struct fixture *f = arg;
    struct appender *a = memory_new("own", NULL);

    category_add_appender(f->h, f->c, a);
    category_remove_appender(f->h, f->c, a);
    memory_free(a);
    return NULL;
}

static void
category_adds_in_two(void)
{
    struct fixture f;
    struct team t = { .n = 0 };

    setup(&f, NULL);
    team_start(&t, add_own, &f);
    team_start(&t, add_same, &f);
    team_join(&t);
    assert(category_appenders(f.h, f.c) == 1);
    teardown(&f);
}

static void *
count_appenders(void *arg)
{
    struct fixture *f = arg;

    assert(category_appenders(f->h, f->c) <= 1);
    return NULL;
}

static void
category_counts_while_adding(void)
{
    struct fixture f;
    struct team t = { .n = 0 };

    setup(&f, NULL);
    team_start(&t, count_appenders, &f);
    add_same(&f);
    team_join(&t);
    teardown(&f);
}

static void
category_adds_before_threads(void)
{
    struct fixture f;
    struct team t = { .n = 0 };

    setup(&f, NULL);
    add_same(&f);
    team_start(&t, count_appenders, &f);
    team_start(&t, count_appenders, &f);
    team_join(&t);
    teardown(&f);
}

static void *
retire(void *arg)
{
    struct fixture *f = arg;

    hierarchy_retire(f->h, f->a);
    return NULL;
}

static void
retire_while_logging(void)
{
    struct fixture f;
    struct team t = { .n = 0 };

    setup(&f, NULL);
    team_start(&t, log_one, &f);
    team_start(&t, retire, &f);
    team_join(&t);
    assert(appender_is_closed(f.a));
    teardown(&f);
}

static void
retire_of_main(void)
{
    struct fixture f;
    struct team t = { .n = 0 };

    setup(&f, NULL);
    team_start(&t, log_two, &f);
    retire(&f);
    team_join(&t);
    assert(category_appenders(f.h, hierarchy_root(f.h)) == 0);
    teardown(&f);
}

static void
retire_after_join(void)
{
    struct fixture f;
    struct team t = { .n = 0 };

    setup(&f, NULL);
    team_start(&t, log_one, &f);
    team_start(&t, log_two, &f);
    team_join(&t);
    assert(hierarchy_retire(f.h, f.a) == 1);
    teardown(&f);
}

static void
log_two_threads(void)
{
    struct fixture f;
    struct team t = { .n = 0 };

    setup(&f, NULL);
    team_start(&t, log_one, &f);
    team_start(&t, log_two, &f);
    team_join(&t);
    assert(memory_count(f.a) == 3);
    teardown(&f);
}

static void
log_three_threads_layout(void)
{
    struct fixture f;
    struct team t = { .n = 0 };

    setup(&f, "%l %c: %m");
    team_start(&t, log_one, &f);
    team_start(&t, log_one, &f);
    log_one(&f);
    team_join(&t);
    expect_line(f.a, 0, "info app: one");
    teardown(&f);
}

static void
log_level_changes(void)
{
    struct fixture f;
    struct team t = { .n = 0 };

    setup(&f, NULL);
    team_start(&t, log_two, &f);
    category_set_level(f.c, LV_WARN);
    team_join(&t);
    assert(memory_count(f.a) <= 2);
    teardown(&f);
}

/* ---- statistics */

static void
stats_sequential(void)
{
    struct fixture f;

    setup(&f, NULL);
    f.s = stats_new();
    hierarchy_set_stats(f.h, f.s);
    log_two(&f);
    assert(stats_events(f.s) == 2 && stats_bytes(f.s) == 11);
    assert(stats_level(f.s, LV_WARN) == 1 && stats_peak(f.s) == 6);
    teardown(&f);
}

static void
stats_ignores_refused(void)
{
    struct fixture f;

    setup(&f, NULL);
    f.s = stats_new();
    hierarchy_set_stats(f.h, f.s);
    category_set_level(f.c, LV_ERROR);
    log_two(&f);
    assert(stats_events(f.s) == 0 && stats_peak(f.s) == 0);
    teardown(&f);
}

static void *
record_one(void *arg)
{
    stats_record(arg, LV_INFO, 10);
    return NULL;
}

static void
stats_two_threads(void)
{
    struct stats *s = stats_new();
    struct team t = { .n = 0 };

    team_start(&t, record_one, s);
    team_start(&t, record_one, s);
    team_join(&t);
    assert(stats_events(s) == 2 && stats_bytes(s) == 20);
    stats_free(s);
}

static void
stats_with_main(void)
{
    struct stats *s = stats_new();
    struct team t = { .n = 0 };

    team_start(&t, record_one, s);
    record_one(s);
    assert(stats_level(s, LV_INFO) >= 1);
    team_join(&t);
    assert(stats_events(s) == 2 && stats_peak(s) == 10);
    stats_free(s);
}

static void
stats_of_logging(void)
{
    struct fixture f;
    struct team t = { .n = 0 };

    setup(&f, NULL);
    f.s = stats_new();
    hierarchy_set_stats(f.h, f.s);
    team_start(&t, log_one, &f);
    team_start(&t, log_one, &f);
    team_join(&t);
    assert(stats_events(f.s) == 2);
    teardown(&f);
}

static void
stats_one_after_another(void)
{
    struct stats *s = stats_new();
    struct team t = { .n = 0 };

    team_start(&t, record_one, s);
    team_join(&t);
    team_start(&t, record_one, s);
    team_join(&t);
    record_one(s);
    assert(stats_events(s) == 3);
    stats_free(s);
}

static void *
read_peak(void *arg)
{
    assert(stats_peak(arg) <= 10);
    return NULL;
}

static void
stats_peak_read(void)
{
    struct stats *s = stats_new();
    struct team t = { .n = 0 };

    team_start(&t, read_peak, s);
    record_one(s);
    team_join(&t);
    stats_free(s);
}

static const struct test tests[] = {
    { "level_names", level_names },
    { "context_stack", context_stack },
    { "context_limit", context_limit },
    { "context_per_thread", context_per_thread },
    { "context_numbers", context_numbers },
    { "layout_message", layout_message },
    { "layout_all", layout_all },
    { "layout_context", layout_context },
    { "layout_percent", layout_percent },
    { "layout_order", layout_order },
    { "layout_cut", layout_cut },
    { "layout_cache", layout_cache },
    { "layout_no_cache", layout_no_cache },
    { "layout_two_levels", layout_two_levels },
    { "layout_shared", layout_shared },
    { "layout_shared_main", layout_shared_main },
    { "layout_shared_plain", layout_shared_plain },
    { "layout_before_threads", layout_before_threads },
    { "memory_keeps_last", memory_keeps_last },
    { "memory_clears", memory_clears },
    { "memory_threshold", memory_threshold },
    { "memory_closed", memory_closed },
    { "memory_two_threads", memory_two_threads },
    { "memory_disjoint", memory_disjoint },
    { "memory_close_race", memory_close_race },
    { "memory_threshold_threads", memory_threshold_threads },
    { "file_fills", file_fills },
    { "file_immediate_flush", file_immediate_flush },
    { "file_closes", file_closes },
    { "file_errors_flush", file_errors_flush },
    { "file_two_writers", file_two_writers },
    { "file_info_while_writing", file_info_while_writing },
    { "file_info_of_main", file_info_of_main },
    { "file_info_readers", file_info_readers },
    { "file_settings_while_writing", file_settings_while_writing },
    { "file_settings_and_rollovers", file_settings_and_rollovers },
    { "file_settings_alone", file_settings_alone },
    { "async_delivers", async_delivers },
    { "async_waits_for_room", async_waits_for_room },
    { "async_nothing", async_nothing },
    { "async_drained", async_drained },
    { "async_discards", async_discards },
    { "async_discards_two", async_discards_two },
    { "async_discards_main", async_discards_main },
    { "async_two_producers", async_two_producers },
    { "async_large", async_large },
    { "async_large_producers", async_large_producers },
    { "category_tree", category_tree },
    { "category_inherits", category_inherits },
    { "category_additivity", category_additivity },
    { "category_thresholds", category_thresholds },
    { "category_removes", category_removes },
    { "category_full", category_full },
    { "category_retires", category_retires },
    { "category_made_by_two", category_made_by_two },
    { "category_made_twice", category_made_twice },
    { "category_adds_while_logging", category_adds_while_logging },
    { "category_adds_in_two", category_adds_in_two },
    { "category_counts_while_adding", category_counts_while_adding },
    { "category_adds_before_threads", category_adds_before_threads },
    { "retire_while_logging", retire_while_logging },
    { "retire_of_main", retire_of_main },
    { "retire_after_join", retire_after_join },
    { "log_two_threads", log_two_threads },
    { "log_three_threads_layout", log_three_threads_layout },
    { "log_level_changes", log_level_changes },
    { "stats_sequential", stats_sequential },
    { "stats_ignores_refused", stats_ignores_refused },
    { "stats_two_threads", stats_two_threads },
    { "stats_with_main", stats_with_main },
    { "stats_of_logging", stats_of_logging },
    { "stats_one_after_another", stats_one_after_another },
    { "stats_peak_read", stats_peak_read },
};

int
main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: tests NAME | --list\n");
        return 2;
    }
    if (strcmp(argv[1], "--list") == 0)
        return test_list(tests, COUNT(tests));
    return test_run(tests, COUNT(tests), argv[1]);
}
