/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests_unit.c - unit tests of each module, in one thread: `./tests_unit NAME`,
 * `./tests_unit --list`.
 *
 * The configuration is in tests_unit_config.c. Asynchronous appenders start a thread when they are
 * made; they are in tests.c.
 */
#include "../team.h"

#include "logger.h"

static struct event
event(enum level level, const char *message)
{
    return (struct event){ .level = level, .category = "app", .message = message, .context = "" };
}

static bool
append(struct appender *a, enum level level, const char *message)
{
    struct event ev = event(level, message);

    return appender_append(a, &ev);
}

static void
expect_format(struct layout *l, const struct event *ev, const char *text)
{
    char line[LINE_LENGTH];
    size_t length = layout_format(l, ev, line, sizeof line);

    assert(strcmp(line, text) == 0);
    assert(length == strlen(text));
}

static void
expect_pattern(const char *pattern, const char *text)
{
    struct layout *l = layout_new(pattern);
    struct event ev = event(LV_INFO, "hello");

    expect_format(l, &ev, text);
    layout_free(l);
}

static void
expect_line(struct appender *a, unsigned back, const char *text)
{
    char line[LINE_LENGTH];

    assert(memory_line(a, back, line, sizeof line));
    assert(strcmp(line, text) == 0);
}

static void
expect_file(struct appender *a, unsigned segments, unsigned bytes, unsigned flushes)
{
    struct file_info info;

    file_info(a, &info);
    assert(info.segments == segments);
    assert(info.bytes == bytes);
    assert(info.flushes == flushes);
    assert(file_rollovers(a) == segments - 1);
}

/* A text of `length` characters. */
static const char *
text_of(size_t length)
{
    static char text[128];

    assert(length < sizeof text);
    memset(text, 'x', length);
    text[length] = 0;
    return text;
}

/* ---- levels and contexts */

static void
level_parse_whole_words(void)
{
    assert(level_parse("warning", 4) == LV_WARN);
    assert(level_parse("warning", 7) == LV_INHERIT);
    assert(level_parse("warn", 3) == LV_INHERIT);
    assert(level_parse("", 0) == LV_INHERIT);
    assert(level_parse("Warn", 4) == LV_INHERIT);
}

static void
context_pushed_again(void)
{
    for (int i = 0; i < 4; i++)
        assert(context_push("old"));
    assert(context_pop() && context_push("new"));
    assert(strcmp(context_top(), "new") == 0 && context_depth() == 4);
    for (int i = 0; i < 4; i++)
        assert(context_pop());
    assert(!context_pop() && context_depth() == 0);
}

static void
context_first_number(void)
{
    assert(context_thread() == 0);
    assert(context_thread() == 0);
}

/* ---- layouts */

static void
layout_without_fields(void)
{
    expect_pattern("", "");
    expect_pattern("plain", "plain");
}

static void
layout_odd_percents(void)
{
    expect_pattern("%m%", "hello%");
    expect_pattern("%q%m", "qhello");
    expect_pattern("%", "%");
}

static void
layout_repeated_field(void)
{
    expect_pattern("%m, %m, %c", "hello, hello, app");
}

static void
layout_empty_parts(void)
{
    struct layout *l = layout_new("%l %c: %m[%x]");
    struct event ev = event(LV_TRACE, "");

    ev.category = "";
    expect_format(l, &ev, "trace : []");
    layout_free(l);
}

static void
layout_buffer_sizes(void)
{
    struct layout *l = layout_new("%m");
    struct event ev = event(LV_INFO, "hello");
    char line[8];

    assert(layout_format(l, &ev, line, 6) == 5 && strcmp(line, "hello") == 0);
    assert(layout_format(l, &ev, line, 5) == 4 && strcmp(line, "hell") == 0);
    assert(layout_format(l, &ev, line, 1) == 0 && line[0] == 0);
    layout_free(l);
}

static void
layout_cut_prefix_stays_whole_in_cache(void)
{
    struct layout *l = layout_new("%l %c: %m");
    struct event ev = event(LV_INFO, "hello");
    char line[6];

    assert(layout_format(l, &ev, line, sizeof line) == 5 && strcmp(line, "info ") == 0);
    expect_format(l, &ev, "info app: hello");
    assert(layout_hits(l) == 1 && layout_misses(l) == 1);
    layout_free(l);
}

static void
layout_other_prefix_is_not_cached(void)
{
    struct layout *l = layout_new("%l-%c %m");
    struct event ev = event(LV_INFO, "hello");

    expect_format(l, &ev, "info-app hello");
    expect_format(l, &ev, "info-app hello");
    assert(layout_hits(l) == 0 && layout_misses(l) == 0);
    layout_free(l);
}

static void
layout_many_prefixes(void)
{
    static const char *const categories[] = { "a", "b", "net", "net.http", "disk", "ui", "db" };
    struct layout *l = layout_new("%l %c: %m");
    unsigned formatted = 0;

    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < COUNT(categories); i++) {
            for (int level = LV_TRACE; level <= LV_ERROR; level++) {
                struct event ev = event((enum level)level, "m");
                char text[LINE_LENGTH];

                ev.category = categories[i];
                snprintf(text, sizeof text, "%s %s: m", level_name(ev.level), ev.category);
                expect_format(l, &ev, text);
                formatted++;
            }
        }
    }
    assert(layout_hits(l) + layout_misses(l) == formatted);
    assert(layout_misses(l) >= formatted / 2);
    layout_free(l);
}

/* ---- appenders, and those in memory */

static void
memory_empty(void)
{
    struct appender *a = memory_new("m", NULL);
    char line[LINE_LENGTH] = "old";

    assert(memory_count(a) == 0 && !memory_line(a, 0, line, sizeof line));
    assert(strcmp(line, "old") == 0 && !appender_is_closed(a));
    memory_free(a);
}

static void
memory_order_of_lines(void)
{
    struct appender *a = memory_new("m", NULL);

    assert(append(a, LV_INFO, "a") && append(a, LV_INFO, "b") && append(a, LV_INFO, "c"));
    expect_line(a, 0, "c");
    expect_line(a, 1, "b");
    expect_line(a, 2, "a");
    memory_free(a);
}

static void
memory_overwrites_oldest(void)
{
    struct appender *a = memory_new("m", NULL);
    char digit[2] = "0", line[LINE_LENGTH];

    for (int i = 0; i < 9; i++) {
        digit[0] = (char)('0' + i);
        append(a, LV_INFO, digit);
    }
    expect_line(a, 0, "8");
    expect_line(a, 7, "1");
    assert(!memory_line(a, 8, line, sizeof line) && memory_count(a) == 9);
    memory_free(a);
}

static void
memory_used_after_clear(void)
{
    struct appender *a = memory_new("m", NULL);
    char line[LINE_LENGTH];

    append(a, LV_INFO, "old");
    memory_clear(a);
    append(a, LV_INFO, "new");
    expect_line(a, 0, "new");
    assert(!memory_line(a, 1, line, sizeof line) && appender_accepted(a) == 2);
    memory_free(a);
}

static void
memory_long_message(void)
{
    struct appender *a = memory_new("m", NULL);
    char line[LINE_LENGTH], part[4];

    append(a, LV_INFO, text_of(LINE_LENGTH - 1));
    assert(memory_line(a, 0, line, sizeof line) && strlen(line) == LINE_LENGTH - 1);
    append(a, LV_INFO, text_of(100));
    assert(memory_line(a, 0, line, sizeof line) && strlen(line) == LINE_LENGTH - 1);
    assert(memory_line(a, 0, part, sizeof part) && strcmp(part, "xxx") == 0);
    memory_free(a);
}

static void
appender_threshold_boundary(void)
{
    struct appender *a = memory_new("m", NULL);

    appender_set_threshold(a, LV_WARN);
    assert(!append(a, LV_INFO, "x") && append(a, LV_WARN, "x") && append(a, LV_ERROR, "x"));
    appender_set_threshold(a, LV_OFF);
    assert(!append(a, LV_ERROR, "x"));
    appender_set_threshold(a, LV_ALL);
    assert(append(a, LV_TRACE, "x"));
    assert(appender_accepted(a) == 3 && appender_rejected(a) == 2);
    memory_free(a);
}

static void
appender_counts_after_close(void)
{
    struct appender *a = memory_new("m", NULL);

    append(a, LV_INFO, "kept");
    appender_close(a);
    assert(!append(a, LV_ERROR, "lost"));
    assert(appender_accepted(a) == 1 && appender_rejected(a) == 1);
    expect_line(a, 0, "kept");
    memory_free(a);
}

/* A kind of appender that notes how it was called. */
struct probe {
    struct appender base;
    unsigned writes;
    unsigned stops;
    bool lock_was_free;
};

static void
probe_write(struct appender *a, const struct event *ev, const char *line, size_t length)
{
    struct probe *p = (struct probe *)a;

    assert(length == strlen(line) && strcmp(line, ev->message) == 0);
    p->lock_was_free = pthread_mutex_trylock(&a->lock) == 0;
    if (p->lock_was_free)
        pthread_mutex_unlock(&a->lock);
    p->writes++;
}

static void
probe_stop(struct appender *a)
{
    ((struct probe *)a)->stops++;
}

static void
appender_stops_once(void)
{
    static const struct appender_ops ops = { .write = probe_write, .stop = probe_stop };
    struct probe p = { .writes = 0 };

    appender_init(&p.base, &ops, "probe", NULL);
    assert(append(&p.base, LV_INFO, "x") && p.writes == 1 && !p.lock_was_free);
    assert(p.stops == 0);
    appender_close(&p.base);
    appender_close(&p.base);
    assert(p.stops == 1 && !append(&p.base, LV_INFO, "x") && p.writes == 1);
    appender_deinit(&p.base);
}

static void
appender_that_locks_itself(void)
{
    static const struct appender_ops ops = { .write = probe_write, .locks_itself = true };
    struct probe p = { .writes = 0 };

    appender_init(&p.base, &ops, "probe", NULL);
    assert(append(&p.base, LV_INFO, "x") && p.writes == 1 && p.lock_was_free);
    appender_set_threshold(&p.base, LV_ERROR);
    assert(!append(&p.base, LV_INFO, "x") && p.writes == 1);
    appender_close(&p.base);
    assert(appender_is_closed(&p.base));
    appender_deinit(&p.base);
}

/* ---- file appenders */

static void
file_empty(void)
{
    struct appender *a = file_new("f", NULL, 64);

    expect_file(a, 1, 0, 0);
    assert(!file_immediate(a));
    appender_close(a);
    expect_file(a, 1, 0, 0);
    file_free(a);
}

static void
file_exact_fit(void)
{
    struct appender *a = file_new("f", NULL, 10);

    append(a, LV_INFO, "hello");
    append(a, LV_INFO, "hello");
    expect_file(a, 1, 10, 0);
    append(a, LV_INFO, "");
    expect_file(a, 1, 10, 0);
    append(a, LV_INFO, "x");
    expect_file(a, 2, 11, 0);
    file_free(a);
}

static void
file_long_line(void)
{
    struct appender *a = file_new("f", NULL, 3);

    append(a, LV_INFO, "hello");
    expect_file(a, 1, 3, 0);
    append(a, LV_INFO, "hello");
    expect_file(a, 2, 6, 0);
    file_free(a);
}

static void
file_overwrites_segments(void)
{
    struct appender *a = file_new("f", NULL, 5);

    for (int i = 0; i < 9; i++)
        append(a, LV_INFO, "hello");
    expect_file(a, 9, 45, 0);
    assert(appender_accepted(a) == 9);
    file_free(a);
}

static void
file_largest_segment(void)
{
    struct appender *a = file_new("f", NULL, 1000);

    append(a, LV_INFO, text_of(63));
    append(a, LV_INFO, text_of(63));
    expect_file(a, 1, 126, 0);
    append(a, LV_INFO, text_of(3));
    expect_file(a, 2, 129, 0);
    file_free(a);
    a = file_new("f", NULL, 127);
    append(a, LV_INFO, text_of(63));
    append(a, LV_INFO, text_of(63));
    append(a, LV_INFO, "xy");
    expect_file(a, 2, 128, 0);
    file_free(a);
}

static void
file_flush_by_level(void)
{
    struct appender *a = file_new("f", NULL, 64);

    append(a, LV_WARN, "w");
    expect_file(a, 1, 1, 0);
    append(a, LV_ERROR, "e");
    expect_file(a, 1, 2, 1);
    appender_close(a);
    expect_file(a, 1, 2, 1); /* nothing was left to flush */
    file_free(a);
}

static void
file_immediate_off_again(void)
{
    struct appender *a = file_new("f", NULL, 2);

    file_set_immediate(a, true);
    append(a, LV_INFO, "ab");
    file_set_immediate(a, false);
    append(a, LV_INFO, "cd");
    assert(!file_immediate(a));
    expect_file(a, 2, 4, 1);
    file_set_immediate(a, true);
    assert(file_immediate(a));
    expect_file(a, 2, 4, 1);
    file_free(a);
}

static void
file_used_after_close(void)
{
    struct appender *a = file_new("f", NULL, 64);

    append(a, LV_INFO, "hello");
    appender_close(a);
    appender_close(a);
    expect_file(a, 1, 5, 1);
    assert(!append(a, LV_ERROR, "late"));
    expect_file(a, 1, 5, 1);
    assert(appender_rejected(a) == 1);
    file_free(a);
}

/* ---- categories */

static void
category_root(void)
{
    struct hierarchy *h = hierarchy_new();

    assert(hierarchy_size(h) == 1);
    assert(category_get(h, "") == hierarchy_root(h) && hierarchy_size(h) == 1);
    assert(category_name(hierarchy_root(h))[0] == 0);
    assert(category_level(hierarchy_root(h)) == LV_DEBUG);
    hierarchy_free(h);
}

static void
category_siblings(void)
{
    struct hierarchy *h = hierarchy_new();
    struct category *a = category_get(h, "net.http"), *b = category_get(h, "net.ftp");

    assert(a != b && hierarchy_size(h) == 4);
    category_set_level(category_find(h, "net"), LV_ERROR);
    category_set_level(a, LV_TRACE);
    assert(category_level(a) == LV_TRACE && category_level(b) == LV_ERROR);
    assert(category_find(h, "net.h") == NULL && category_find(h, "http") == NULL);
    hierarchy_free(h);
}

static void
category_limit(void)
{
    struct hierarchy *h = hierarchy_new();
    char name[] = "a";

    for (int i = 0; i < 22; i++, name[0]++)
        assert(category_get(h, name) != hierarchy_root(h));
    assert(hierarchy_size(h) == 23);
    /* One is left: the parent is made, and stands for its child. */
    assert(category_get(h, "y.z") == category_find(h, "y") && category_find(h, "y") != NULL);
    assert(category_find(h, "y.z") == NULL && hierarchy_size(h) == 24);
    assert(category_get(h, "other") == hierarchy_root(h));
    hierarchy_free(h);
}

static void
category_long_name(void)
{
    struct hierarchy *h = hierarchy_new();
    struct category *c = category_get(h, text_of(40));

    assert(strlen(category_name(c)) == NAME_MAX_LENGTH - 1);
    assert(category_find(h, text_of(NAME_MAX_LENGTH - 1)) == c);
    hierarchy_free(h);
}

static void
category_level_cleared(void)
{
    struct hierarchy *h = hierarchy_new();
    struct category *c = category_get(h, "a.b.c");

    category_set_level(c, LV_ERROR);
    category_set_level(c, LV_INHERIT);
    assert(category_level(c) == LV_DEBUG);
    category_set_level(hierarchy_root(h), LV_WARN);
    assert(category_level(c) == LV_WARN);
    hierarchy_free(h);
}

static void
category_log_boundary(void)
{
    struct hierarchy *h = hierarchy_new();
    struct category *c = category_get(h, "a");
    struct appender *a = memory_new("m", NULL);

    assert(category_add_appender(h, c, a));
    category_set_level(c, LV_WARN);
    assert(category_log(h, c, LV_INFO, "x") == 0 && category_log(h, c, LV_WARN, "x") == 1);
    hierarchy_set_threshold(h, LV_ERROR);
    assert(category_log(h, c, LV_WARN, "x") == 0 && category_log(h, c, LV_ERROR, "x") == 1);
    assert(memory_count(a) == 2 && appender_rejected(a) == 0);
    hierarchy_free(h);
    memory_free(a);
}

static void
category_log_without_appenders(void)
{
    struct hierarchy *h = hierarchy_new();
    struct stats *s = stats_new();

    hierarchy_set_stats(h, s);
    assert(category_log(h, category_get(h, "a.b"), LV_INFO, "four") == 0);
    assert(stats_events(s) == 1 && stats_bytes(s) == 4);
    hierarchy_free(h);
    stats_free(s);
}

/* A line of categories "", "a", "a.b", with an appender each. */
struct line {
    struct hierarchy *h;
    struct category *c[3];
    struct appender *a[3];
};

static void
line_init(struct line *l)
{
    static const char *const names[] = { "", "a", "a.b" };

    l->h = hierarchy_new();
    for (int i = 0; i < 3; i++) {
        l->c[i] = category_get(l->h, names[i]);
        l->a[i] = memory_new("m", NULL);
        assert(category_add_appender(l->h, l->c[i], l->a[i]));
    }
}

static void
line_deinit(struct line *l)
{
    hierarchy_free(l->h);
    for (int i = 0; i < 3; i++)
        memory_free(l->a[i]);
}

static void
category_log_goes_up(void)
{
    struct line l;

    line_init(&l);
    assert(category_log(l.h, l.c[2], LV_INFO, "low") == 3);
    assert(category_log(l.h, l.c[0], LV_INFO, "high") == 1);
    expect_line(l.a[0], 0, "high");
    expect_line(l.a[0], 1, "low");
    expect_line(l.a[2], 0, "low");
    line_deinit(&l);
}

static void
category_additivity_in_the_middle(void)
{
    struct line l;

    line_init(&l);
    category_set_additive(l.h, l.c[1], false);
    assert(category_log(l.h, l.c[2], LV_INFO, "x") == 2 && memory_count(l.a[0]) == 0);
    category_set_additive(l.h, l.c[1], true);
    assert(category_log(l.h, l.c[2], LV_INFO, "x") == 3 && memory_count(l.a[0]) == 1);
    line_deinit(&l);
}

static void
category_remove_keeps_others(void)
{
    struct line l;

    line_init(&l);
    assert(category_add_appender(l.h, l.c[0], l.a[1]) &&
           category_add_appender(l.h, l.c[0], l.a[2]));
    assert(category_remove_appender(l.h, l.c[0], l.a[0]));
    assert(category_appenders(l.h, l.c[0]) == 2);
    assert(category_log(l.h, l.c[0], LV_INFO, "x") == 2);
    assert(memory_count(l.a[0]) == 0 && memory_count(l.a[1]) == 1 && memory_count(l.a[2]) == 1);
    line_deinit(&l);
}

static void
category_log_with_context(void)
{
    struct hierarchy *h = hierarchy_new();
    struct layout *l = layout_new("%x|%m");
    struct appender *a = memory_new("m", l);

    assert(category_add_appender(h, hierarchy_root(h), a));
    assert(context_push("outer") && context_push("inner"));
    category_log(h, hierarchy_root(h), LV_INFO, "1");
    context_pop();
    category_log(h, hierarchy_root(h), LV_INFO, "2");
    context_pop();
    category_log(h, hierarchy_root(h), LV_INFO, "3");
    expect_line(a, 2, "inner|1");
    expect_line(a, 1, "outer|2");
    expect_line(a, 0, "|3");
    hierarchy_free(h);
    memory_free(a);
    layout_free(l);
}

static void
retire_keeps_others(void)
{
    struct line l;

    line_init(&l);
    assert(category_add_appender(l.h, l.c[0], l.a[2]));
    assert(hierarchy_retire(l.h, l.a[2]) == 2);
    assert(!appender_is_closed(l.a[0]) && !appender_is_closed(l.a[1]));
    assert(category_log(l.h, l.c[2], LV_INFO, "x") == 2 && memory_count(l.a[2]) == 0);
    assert(hierarchy_retire(l.h, l.a[2]) == 0);
    line_deinit(&l);
}

static void
retire_flushes_file(void)
{
    struct hierarchy *h = hierarchy_new();
    struct appender *a = file_new("f", NULL, 64);

    assert(category_add_appender(h, hierarchy_root(h), a));
    assert(category_log(h, hierarchy_root(h), LV_INFO, "hello") == 1);
    assert(hierarchy_retire(h, a) == 1);
    expect_file(a, 1, 5, 1);
    appender_close(a);
    expect_file(a, 1, 5, 1);
    hierarchy_free(h);
    file_free(a);
}

/* ---- statistics */

static void
stats_empty(void)
{
    struct stats *s = stats_new();

    assert(stats_events(s) == 0 && stats_bytes(s) == 0 && stats_peak(s) == 0);
    for (int i = LV_ALL; i <= LV_OFF; i++)
        assert(stats_level(s, (enum level)i) == 0);
    stats_free(s);
}

static void
stats_peak_keeps_largest(void)
{
    struct stats *s = stats_new();

    stats_record(s, LV_INFO, 5);
    assert(stats_peak(s) == 5);
    stats_record(s, LV_INFO, 5);
    stats_record(s, LV_INFO, 3);
    assert(stats_peak(s) == 5);
    stats_record(s, LV_INFO, 6);
    assert(stats_peak(s) == 6 && stats_bytes(s) == 19);
    stats_free(s);
}

static void
stats_by_level(void)
{
    struct stats *s = stats_new();

    for (int i = LV_TRACE; i <= LV_ERROR; i++) {
        for (int k = 0; k < i; k++)
            stats_record(s, (enum level)i, 0);
    }
    for (int i = LV_TRACE; i <= LV_ERROR; i++)
        assert(stats_level(s, (enum level)i) == (unsigned)i);
    assert(stats_events(s) == 15 && stats_bytes(s) == 0);
    stats_free(s);
}

static const struct test tests[] = {
    { "level_parse_whole_words", level_parse_whole_words },
    { "context_pushed_again", context_pushed_again },
    { "context_first_number", context_first_number },
    { "layout_without_fields", layout_without_fields },
    { "layout_odd_percents", layout_odd_percents },
    { "layout_repeated_field", layout_repeated_field },
    { "layout_empty_parts", layout_empty_parts },
    { "layout_buffer_sizes", layout_buffer_sizes },
    { "layout_cut_prefix_stays_whole_in_cache", layout_cut_prefix_stays_whole_in_cache },
    { "layout_other_prefix_is_not_cached", layout_other_prefix_is_not_cached },
    { "layout_many_prefixes", layout_many_prefixes },
    { "memory_empty", memory_empty },
    { "memory_order_of_lines", memory_order_of_lines },
    { "memory_overwrites_oldest", memory_overwrites_oldest },
    { "memory_used_after_clear", memory_used_after_clear },
    { "memory_long_message", memory_long_message },
    { "appender_threshold_boundary", appender_threshold_boundary },
    { "appender_counts_after_close", appender_counts_after_close },
    { "appender_stops_once", appender_stops_once },
    { "appender_that_locks_itself", appender_that_locks_itself },
    { "file_empty", file_empty },
    { "file_exact_fit", file_exact_fit },
    { "file_long_line", file_long_line },
    { "file_overwrites_segments", file_overwrites_segments },
    { "file_largest_segment", file_largest_segment },
    { "file_flush_by_level", file_flush_by_level },
    { "file_immediate_off_again", file_immediate_off_again },
    { "file_used_after_close", file_used_after_close },
    { "category_root", category_root },
    { "category_siblings", category_siblings },
    { "category_limit", category_limit },
    { "category_long_name", category_long_name },
    { "category_level_cleared", category_level_cleared },
    { "category_log_boundary", category_log_boundary },
    { "category_log_without_appenders", category_log_without_appenders },
    { "category_log_goes_up", category_log_goes_up },
    { "category_additivity_in_the_middle", category_additivity_in_the_middle },
    { "category_remove_keeps_others", category_remove_keeps_others },
    { "category_log_with_context", category_log_with_context },
    { "retire_keeps_others", retire_keeps_others },
    { "retire_flushes_file", retire_flushes_file },
    { "stats_empty", stats_empty },
    { "stats_peak_keeps_largest", stats_peak_keeps_largest },
    { "stats_by_level", stats_by_level },
};

int
main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: tests_unit NAME | --list\n");
        return 2;
    }
    if (strcmp(argv[1], "--list") == 0)
        return test_list(tests, COUNT(tests));
    return test_run(tests, COUNT(tests), argv[1]);
}
