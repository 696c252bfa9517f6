/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests.c - tests of the crawler: `./tests NAME`, `./tests --list`.
 *
 * main() differs between the versions, so that techniques that select by changed code select all
 * tests.
 */
#include "../team.h"

#include "crawler.h"

static struct url
url(const char *text)
{
    struct url u;
    bool ok = url_parse(&u, text);

    assert(ok);
    return u;
}

static void
expect_path(const char *text, const char *path)
{
    struct url u = url(text);

    assert(strcmp(u.path, path) == 0);
}

/* ---- URLs */

static void
url_parts(void)
{
    struct url u = url("http://a.org/dir/page");

    assert(strcmp(u.host, "a.org") == 0 && strcmp(u.path, "/dir/page") == 0);
}

static void
url_root(void)
{
    expect_path("http://a.org", "/");
    expect_path("http://a.org/", "/");
    expect_path("http://a.org#top", "/");
}

static void
url_fragment(void)
{
    expect_path("http://a.org/x#y", "/x");
}

static void
url_refused(void)
{
    struct url u;

    assert(!url_parse(&u, "ftp://a.org/"));
    assert(!url_parse(&u, "http:///x"));
    assert(!url_parse(&u, "http://a-name-that-is-too-long.org/"));
    assert(!url_parse(&u, "http://a.org/a-path-that-is-much-too-long-for-it"));
}

static void
url_relative(void)
{
    struct url base = url("http://a.org/dir/page"), u;

    assert(url_resolve(&u, &base, "other") && strcmp(u.path, "/dir/other") == 0);
    assert(url_resolve(&u, &base, "/top") && strcmp(u.path, "/top") == 0);
    assert(url_resolve(&u, &base, "#here") && url_equal(&u, &base));
}

static void
url_absolute(void)
{
    struct url base = url("http://a.org/"), u;

    assert(url_resolve(&u, &base, "http://b.org/x") && strcmp(u.host, "b.org") == 0);
    assert(!url_resolve(&u, &base, "mailto:me"));
}

static void
url_compares(void)
{
    struct url a = url("http://a.org/x"), b = url("http://a.org/y"), c = url("http://b.org/x");

    assert(url_equal(&a, &a) && !url_equal(&a, &b) && !url_equal(&a, &c));
    assert(url_hash(&a) + 1 == url_hash(&b));
}

static void *
parse_many(void *arg)
{
    struct url base = url(arg), page, u;

    assert(url_resolve(&page, &base, "a/b"));
    assert(url_resolve(&u, &page, "c") && strcmp(u.path, "/a/c") == 0);
    return NULL;
}

static void
url_threads(void)
{
    struct team t = { .n = 0 };

    team_start(&t, parse_many, "http://a.org/");
    team_start(&t, parse_many, "http://b.org/");
    team_join(&t);
}

/* ---- the web */

static struct web *
small_web(void)
{
    struct web *w = web_new();

    web_add(w, "http://a.org/", "<title>A</title><a href=\"/x\"><a href=\"/y\">", 0);
    web_add(w, "http://a.org/x", "<title>X</title>", 0);
    web_add(w, "http://a.org/y", "<a href=\"http://b.org/\">", 0);
    web_add(w, "http://b.org/", "<title>B</title><a href=\"http://a.org/\">", 0);
    return w;
}

static void
web_answers(void)
{
    struct web *w = small_web();
    struct url x = url("http://a.org/x"), z = url("http://a.org/z");

    assert(web_fetch(w, &x).status == 200);
    assert(web_fetch(w, &z).status == 404);
    assert(web_fetches(w) == 2);
    web_free(w);
}

static void
web_fails_first(void)
{
    struct web *w = web_new();
    struct url u = url("http://a.org/");

    web_add(w, "http://a.org/", "", 2);
    assert(web_fetch(w, &u).status == 503);
    assert(web_fetch(w, &u).status == 503);
    assert(web_fetch(w, &u).status == 200);
    web_free(w);
}

static void *
fetch_root(void *arg)
{
    struct url u = url("http://a.org/");

    web_fetch(arg, &u);
    return NULL;
}

static void
web_fails_once_for_two(void)
{
    struct web *w = web_new();
    struct team t = { .n = 0 };
    struct url u = url("http://a.org/");

    web_add(w, "http://a.org/", "", 2);
    team_start(&t, fetch_root, w);
    team_start(&t, fetch_root, w);
    team_join(&t);
    assert(web_fetch(w, &u).status == 200);
    assert(web_fetches(w) == 3);
    web_free(w);
}

/* ---- pages */

struct links {
    char last[48];
    unsigned n;
};

static void
keep_link(void *arg, const char *link)
{
    struct links *l = arg;

    snprintf(l->last, sizeof l->last, "%s", link);
    l->n++;
}

static void
parser_links(void)
{
    struct links l = { .n = 0 };

    assert(parse_links("<a href=\"/x\">one</a> <a href=\"y#z\">two</a>", keep_link, &l) == 2);
    assert(l.n == 2 && strcmp(l.last, "y#z") == 0);
}

static void
parser_none(void)
{
    struct links l = { .n = 0 };

    assert(parse_links("no links, no href", keep_link, &l) == 0 && l.n == 0);
}

static void
parser_open_quote(void)
{
    struct links l = { .n = 0 };

    assert(parse_links("<a href=\"/x", keep_link, &l) == 0);
}

static void
parser_long_link(void)
{
    struct links l = { .n = 0 };

    assert(parse_links("<a href=\"0123456789012345678901234567890123456789012345678901234567\">"
                       "<a href=\"b\">",
                       keep_link, &l) == 1);
}

static void
parser_titles(void)
{
    char title[8];

    assert(parse_title("<html><title>Hi</title>", title, sizeof title));
    assert(strcmp(title, "Hi") == 0);
    assert(!parse_title("<title>open", title, sizeof title));
    assert(parse_title("<title>much too long</title>", title, sizeof title));
    assert(strlen(title) == 7);
}

static void *
parse_page(void *arg)
{
    struct links l = { .n = 0 };

    assert(parse_links(arg, keep_link, &l) == 1);
    return NULL;
}

static void
parser_threads(void)
{
    struct team t = { .n = 0 };
    char page[] = "<a href=\"q\">";

    team_start(&t, parse_page, page);
    team_start(&t, parse_page, page);
    team_join(&t);
}

/* ---- hosts */

static void
hosts_limit(void)
{
    struct hosts *h = hosts_new(5, 2);

    assert(hosts_reserve(h, "a") && hosts_reserve(h, "a") && !hosts_reserve(h, "a"));
    assert(hosts_reserve(h, "b"));
    assert(hosts_requests(h, "a") == 2 && hosts_count(h) == 2);
    hosts_free(h);
}

static void
hosts_delay(void)
{
    struct hosts *h = hosts_new(5, 9);

    assert(hosts_when(h, "a") == 0);
    hosts_reserve(h, "a");
    assert(hosts_when(h, "a") == 5 && hosts_when(h, "b") == 0);
    hosts_advance(h, 7);
    hosts_reserve(h, "a");
    assert(hosts_when(h, "a") == 12);
    hosts_free(h);
}

static void
hosts_clock(void)
{
    struct hosts *h = hosts_new(1, 1);

    hosts_advance(h, 4);
    hosts_advance(h, 2);
    assert(hosts_now(h) == 4);
    hosts_free(h);
}

static void
hosts_many(void)
{
    struct hosts *h = hosts_new(1, 100);
    char name[4] = "h0";

    for (int i = 0; i < 10; i++) {
        name[1] = (char)('0' + i);
        hosts_reserve(h, name);
    }
    assert(hosts_count(h) == 8);
    hosts_free(h);
}

static void *
reserve_a(void *arg)
{
    hosts_reserve(arg, "a");
    return NULL;
}

static void *
reserve_b(void *arg)
{
    hosts_reserve(arg, "b");
    return NULL;
}

static void
hosts_shared_limit(void)
{
    struct hosts *h = hosts_new(5, 1);
    struct team t = { .n = 0 };

    team_start(&t, reserve_a, h);
    team_start(&t, reserve_a, h);
    team_join(&t);
    assert(hosts_requests(h, "a") == 1 && hosts_when(h, "a") == 5);
    hosts_free(h);
}

static void
hosts_shared_delay(void)
{
    struct hosts *h = hosts_new(5, 9);
    struct team t = { .n = 0 };

    team_start(&t, reserve_a, h);
    reserve_a(h);
    team_join(&t);
    assert(hosts_requests(h, "a") == 2 && hosts_when(h, "a") == 5);
    hosts_free(h);
}

static void
hosts_when_while_reserved(void)
{
    struct hosts *h = hosts_new(5, 9);
    struct team t = { .n = 0 };

    team_start(&t, reserve_a, h);
    assert(hosts_when(h, "a") % 5 == 0);
    team_join(&t);
    hosts_free(h);
}

static void
hosts_disjoint(void)
{
    struct hosts *h = hosts_new(5, 9);
    struct team t = { .n = 0 };

    team_start(&t, reserve_a, h);
    team_start(&t, reserve_b, h);
    team_join(&t);
    assert(hosts_count(h) == 2);
    hosts_free(h);
}

static void *
advance_time(void *arg)
{
    hosts_advance(arg, 3);
    return NULL;
}

static void
hosts_clock_threads(void)
{
    struct hosts *h = hosts_new(1, 1);
    struct team t = { .n = 0 };

    team_start(&t, advance_time, h);
    hosts_advance(h, 2);
    team_join(&t);
    assert(hosts_now(h) == 3);
    hosts_free(h);
}

static void
hosts_before_threads(void)
{
    struct hosts *h = hosts_new(5, 9);
    struct team t = { .n = 0 };

    reserve_a(h);
    team_start(&t, advance_time, h);
    team_join(&t);
    reserve_a(h);
    assert(hosts_when(h, "a") == 8);
    hosts_free(h);
}

/* ---- the queue */

struct queue {
    struct hosts *h;
    struct frontier *f;
};

static void
queue_init(struct queue *q)
{
    q->h = hosts_new(2, 9);
    q->f = frontier_new(q->h);
}

static void
queue_deinit(struct queue *q)
{
    frontier_free(q->f);
    hosts_free(q->h);
}

static void
push(struct queue *q, const char *text, unsigned depth)
{
    struct url u = url(text);

    frontier_push(q->f, &u, depth);
}

static void
frontier_depth_first(void)
{
    struct queue q;
    struct item it;

    queue_init(&q);
    push(&q, "http://a/2", 2);
    push(&q, "http://b/1", 1);
    assert(frontier_length(q.f) == 2 && frontier_next(q.f, &it) && it.depth == 1);
    assert(frontier_next(q.f, &it) && it.depth == 2);
    frontier_done(q.f);
    frontier_done(q.f);
    assert(!frontier_next(q.f, &it) && frontier_peak(q.f) == 2);
    queue_deinit(&q);
}

static void
frontier_waits_for_host(void)
{
    struct queue q;
    struct item it;

    queue_init(&q);
    hosts_reserve(q.h, "a");
    push(&q, "http://a/", 0);
    push(&q, "http://b/", 4);
    assert(frontier_next(q.f, &it) && strcmp(it.url.host, "b") == 0 && hosts_now(q.h) == 0);
    assert(frontier_next(q.f, &it) && strcmp(it.url.host, "a") == 0 && hosts_now(q.h) == 2);
    queue_deinit(&q);
}

static void
frontier_closed(void)
{
    struct queue q;
    struct item it;
    struct url u = url("http://a/");

    queue_init(&q);
    push(&q, "http://a/", 0);
    frontier_close(q.f);
    assert(!frontier_next(q.f, &it) && !frontier_push(q.f, &u, 0));
    queue_deinit(&q);
}

static void
frontier_full(void)
{
    struct queue q;
    struct url u = url("http://a/");

    queue_init(&q);
    for (int i = 0; i < 32; i++)
        assert(frontier_push(q.f, &u, 0));
    assert(!frontier_push(q.f, &u, 0));
    queue_deinit(&q);
}

static void
frontier_again(void)
{
    struct queue q;
    struct item it;

    queue_init(&q);
    push(&q, "http://a/", 0);
    assert(frontier_next(q.f, &it));
    frontier_requeue(q.f, &it);
    assert(frontier_next(q.f, &it) && frontier_length(q.f) == 0);
    queue_deinit(&q);
}

static void
frontier_penalty(void)
{
    struct queue q;
    struct item it;

    queue_init(&q);
    push(&q, "http://a/", 0);
    while (frontier_next(q.f, &it))
        hosts_penalize(q.h, q.f, &it);
    assert(hosts_failures(q.h, "a") == 3);
    queue_deinit(&q);
}

static void *
take_one(void *arg)
{
    struct queue *q = arg;
    struct item it;

    if (frontier_next(q->f, &it))
        frontier_done(q->f);
    return NULL;
}

static void *
take_and_fail(void *arg)
{
    struct queue *q = arg;
    struct item it;

    if (frontier_next(q->f, &it))
        hosts_penalize(q->h, q->f, &it);
    return NULL;
}

static void *
push_one(void *arg)
{
    push(arg, "http://c/", 0);
    return NULL;
}

static void
frontier_two_takers(void)
{
    struct queue q;
    struct team t = { .n = 0 };

    queue_init(&q);
    push(&q, "http://a/", 0);
    team_start(&t, take_one, &q);
    team_start(&t, take_one, &q);
    team_join(&t);
    assert(frontier_length(q.f) == 0);
    queue_deinit(&q);
}

static void
frontier_push_and_take(void)
{
    struct queue q;
    struct team t = { .n = 0 };

    queue_init(&q);
    push(&q, "http://a/", 0);
    team_start(&t, push_one, &q);
    team_start(&t, take_one, &q);
    team_join(&t);
    assert(frontier_length(q.f) == 1);
    queue_deinit(&q);
}

static void *
close_queue(void *arg)
{
    struct queue *q = arg;

    frontier_close(q->f);
    return NULL;
}

static void
frontier_close_wakes(void)
{
    struct queue q;
    struct team t = { .n = 0 };
    struct item it;

    queue_init(&q);
    push(&q, "http://a/", 0);
    assert(frontier_next(q.f, &it));
    team_start(&t, take_one, &q);
    team_start(&t, close_queue, &q);
    team_join(&t);
    queue_deinit(&q);
}

static void
frontier_done_wakes(void)
{
    struct queue q;
    struct team t = { .n = 0 };
    struct item it;

    queue_init(&q);
    push(&q, "http://a/", 0);
    assert(frontier_next(q.f, &it));
    team_start(&t, take_one, &q);
    frontier_done(q.f);
    team_join(&t);
    queue_deinit(&q);
}

static void
frontier_penalty_while_taken(void)
{
    struct queue q;
    struct team t = { .n = 0 };

    queue_init(&q);
    push(&q, "http://a/1", 0);
    push(&q, "http://a/2", 0);
    team_start(&t, take_and_fail, &q);
    team_start(&t, take_one, &q);
    team_join(&t);
    assert(hosts_failures(q.h, "a") == 1);
    queue_deinit(&q);
}

static void
frontier_two_penalties(void)
{
    struct queue q;
    struct team t = { .n = 0 };

    queue_init(&q);
    push(&q, "http://a/1", 0);
    push(&q, "http://a/2", 0);
    team_start(&t, take_and_fail, &q);
    take_and_fail(&q);
    team_join(&t);
    assert(hosts_failures(q.h, "a") == 2 && frontier_length(q.f) == 2);
    queue_deinit(&q);
}

/* ---- URLs that were seen */

static void *
visit_a(void *arg)
{
    struct url u = url("http://a/a");

    visited_add(arg, &u);
    return NULL;
}

static void *
visit_e(void *arg)
{
    struct url u = url("http://a/e");

    visited_add(arg, &u);
    return NULL;
}

static void *
visit_b(void *arg)
{
    struct url u = url("http://a/b");

    visited_add(arg, &u);
    return NULL;
}

static void
visited_alone(void)
{
    struct visited *v = visited_new();
    struct url a = url("http://a/a"), b = url("http://a/b");

    assert(visited_add(v, &a) && !visited_add(v, &a));
    assert(visited_has(v, &a) && !visited_has(v, &b));
    assert(visited_count(v) == 1);
    visited_free(v);
}

static void
visited_groups(void)
{
    struct visited *v = visited_new();

    visit_a(v);
    visit_b(v);
    visit_e(v);
    assert(visited_count(v) == 3);
    visited_free(v);
}

static void
visited_same_by_two(void)
{
    struct visited *v = visited_new();
    struct team t = { .n = 0 };

    team_start(&t, visit_a, v);
    team_start(&t, visit_a, v);
    team_join(&t);
    assert(visited_count(v) == 1);
    visited_free(v);
}

static void
visited_group_by_two(void)
{
    struct visited *v = visited_new();
    struct team t = { .n = 0 };

    team_start(&t, visit_a, v);
    team_start(&t, visit_e, v);
    team_join(&t);
    assert(visited_count(v) == 2);
    visited_free(v);
}

static void *
count_visited(void *arg)
{
    assert(visited_count(arg) <= 2);
    return NULL;
}

static void
visited_count_while_added(void)
{
    struct visited *v = visited_new();
    struct team t = { .n = 0 };

    team_start(&t, visit_e, v);
    team_start(&t, count_visited, v);
    team_join(&t);
    visited_free(v);
}

static void
visited_other_groups(void)
{
    struct visited *v = visited_new();
    struct team t = { .n = 0 };

    team_start(&t, visit_a, v);
    team_start(&t, visit_b, v);
    team_join(&t);
    assert(visited_count(v) == 2);
    visited_free(v);
}

static void
visited_before_threads(void)
{
    struct visited *v = visited_new();
    struct team t = { .n = 0 };

    visit_a(v);
    visit_e(v);
    team_start(&t, count_visited, v);
    team_start(&t, count_visited, v);
    team_join(&t);
    visited_free(v);
}

/* ---- the store */

static void *
put_x(void *arg)
{
    struct url u = url("http://a/x");

    store_put(arg, &u, "<title>X</title>");
    return NULL;
}

static void *
put_y(void *arg)
{
    struct url u = url("http://a/y");

    store_put(arg, &u, "<title>Y</title>");
    return NULL;
}

static void *
read_x(void *arg)
{
    struct url u = url("http://a/x");
    char title[8];

    if (store_title(arg, &u, title, sizeof title))
        assert(strcmp(title, "X") == 0);
    return NULL;
}

static void *
sum_bytes(void *arg)
{
    assert(store_bytes(arg) % 16 == 0);
    return NULL;
}

static void *
remove_x(void *arg)
{
    struct url u = url("http://a/x");

    store_remove(arg, &u);
    return NULL;
}

static void
store_alone(void)
{
    struct store *s = store_new();
    struct url x = url("http://a/x");

    put_x(s);
    put_x(s);
    put_y(s);
    assert(store_count(s) == 2 && store_bytes(s) == 32 && store_has(s, &x));
    store_free(s);
}

static void
store_removes(void)
{
    struct store *s = store_new();

    put_x(s);
    put_y(s);
    remove_x(s);
    remove_x(s);
    assert(store_count(s) == 1 && store_bytes(s) == 16);
    assert(store_compact(s) == 1 && store_count(s) == 1);
    assert(store_compact(s) == 0);
    store_free(s);
}

static void
store_titles(void)
{
    struct store *s = store_new();
    struct url x = url("http://a/x"), z = url("http://a/z");
    char title[8];

    put_x(s);
    assert(store_title(s, &x, title, sizeof title) && strcmp(title, "X") == 0);
    assert(!store_title(s, &z, title, sizeof title));
    store_free(s);
}

static void
store_full(void)
{
    struct store *s = store_new();
    struct url u = url("http://a/0");

    for (int i = 0; i < 16; i++) {
        u.path[1] = (char)('a' + i);
        assert(store_put(s, &u, ""));
    }
    u.path[1] = 'Z';
    assert(!store_put(s, &u, "") && store_count(s) == 16);
    store_free(s);
}

static void
store_two_writers(void)
{
    struct store *s = store_new();
    struct team t = { .n = 0 };

    team_start(&t, put_x, s);
    team_start(&t, put_y, s);
    team_join(&t);
    assert(store_count(s) == 2);
    store_free(s);
}

static void
store_same_page(void)
{
    struct store *s = store_new();
    struct team t = { .n = 0 };

    team_start(&t, put_x, s);
    team_start(&t, put_x, s);
    team_join(&t);
    assert(store_count(s) == 1);
    store_free(s);
}

static void
store_sum_while_put(void)
{
    struct store *s = store_new();
    struct team t = { .n = 0 };

    put_x(s);
    team_start(&t, sum_bytes, s);
    put_y(s);
    team_join(&t);
    store_free(s);
}

static void
store_readers(void)
{
    struct store *s = store_new();
    struct team t = { .n = 0 };

    put_x(s);
    team_start(&t, read_x, s);
    team_start(&t, read_x, s);
    team_join(&t);
    store_free(s);
}

static void
store_remove_while_put(void)
{
    struct store *s = store_new();
    struct team t = { .n = 0 };

    put_x(s);
    team_start(&t, remove_x, s);
    team_start(&t, put_y, s);
    team_join(&t);
    assert(store_count(s) == 1);
    store_free(s);
}

static void
store_disjoint(void)
{
    struct store *s = store_new(), *other = store_new();
    struct team t = { .n = 0 };

    team_start(&t, put_x, s);
    team_start(&t, put_y, other);
    team_join(&t);
    assert(store_count(s) == 1 && store_count(other) == 1);
    store_free(s);
    store_free(other);
}

/* ---- statistics */

static void *
flush_one(void *arg)
{
    struct counters own = { .fetched = 1, .links = 2 };

    stats_flush(arg, &own);
    return NULL;
}

static void
stats_alone(void)
{
    struct stats *s = stats_new();
    struct counters sum;

    flush_one(s);
    flush_one(s);
    stats_get(s, &sum);
    assert(sum.fetched == 2 && sum.links == 4);
    stats_free(s);
}

static void
stats_threads(void)
{
    struct stats *s = stats_new();
    struct team t = { .n = 0 };
    struct counters sum;

    team_start(&t, flush_one, s);
    team_start(&t, flush_one, s);
    team_join(&t);
    stats_get(s, &sum);
    assert(sum.fetched == 2 && sum.links == 4);
    stats_free(s);
}

static void
stats_one_after_another(void)
{
    struct stats *s = stats_new();
    struct team t = { .n = 0 };

    team_start(&t, flush_one, s);
    team_join(&t);
    flush_one(s);
    stats_free(s);
}

/* ---- crawls */

static struct crawler *
crawl(struct web *w, const struct options *opts, struct counters *sum)
{
    struct crawler *c = crawler_new(w, opts);
    bool ok = crawler_seed(c, "http://a.org/");

    assert(ok);
    crawler_run(c);
    crawler_counters(c, sum);
    return c;
}

static void
crawl_alone(void)
{
    struct web *w = small_web();
    struct options o = options_default;
    struct counters sum;
    struct crawler *c;

    o.workers = 0;
    c = crawl(w, &o, &sum);
    assert(sum.fetched == 4 && sum.links == 4 && sum.missing == 0);
    assert(crawler_visited(c) == 4 && store_count(crawler_store(c)) == 4);
    assert(crawler_time(c) == 2 && crawler_longest(c) == 42);
    crawler_free(c);
    web_free(w);
}

static void
crawl_alone_depth(void)
{
    struct web *w = small_web();
    struct options o = options_default;
    struct counters sum;

    o.workers = 0;
    o.max_depth = 1;
    crawler_free(crawl(w, &o, &sum));
    assert(sum.fetched == 3);
    web_free(w);
}

static void
crawl_alone_pages(void)
{
    struct web *w = small_web();
    struct options o = options_default;
    struct counters sum;

    o.workers = 0;
    o.max_pages = 2;
    crawler_free(crawl(w, &o, &sum));
    assert(sum.fetched == 2 && sum.refused == 1);
    web_free(w);
}

static void
crawl_alone_host(void)
{
    struct web *w = small_web();
    struct options o = options_default;
    struct counters sum;

    o.workers = 0;
    o.per_host = 1;
    crawler_free(crawl(w, &o, &sum));
    assert(sum.fetched == 1 && sum.refused == 2);
    web_free(w);
}

static void
crawl_alone_missing(void)
{
    struct web *w = web_new();
    struct options o = options_default;
    struct counters sum;

    web_add(w, "http://a.org/", "<a href=\"gone\">", 0);
    o.workers = 0;
    crawler_free(crawl(w, &o, &sum));
    assert(sum.fetched == 1 && sum.missing == 1);
    web_free(w);
}

static void
crawl_alone_retry(void)
{
    struct web *w = web_new();
    struct options o = options_default;
    struct counters sum;

    web_add(w, "http://a.org/", "", 1);
    o.workers = 0;
    o.compact = true;
    crawler_free(crawl(w, &o, &sum));
    assert(sum.fetched == 1 && sum.retried == 1);
    web_free(w);
}

static void
crawl_alone_stopped(void)
{
    struct web *w = small_web();
    struct options o = options_default;
    struct crawler *c;
    struct counters sum;

    o.workers = 0;
    c = crawler_new(w, &o);
    crawler_stop(c);
    assert(crawler_seed(c, "http://a.org/") && !crawler_seed(c, "http://a.org/#x"));
    crawler_run(c);
    crawler_counters(c, &sum);
    assert(sum.fetched == 0);
    crawler_free(c);
    web_free(w);
}

/* A root with links to two pages: two workers have one each. */
static struct web *
fork_web(int failures)
{
    struct web *w = web_new();

    web_add(w, "http://a.org/", "<a href=\"/a\"><a href=\"http://b/e\">", 0);
    web_add(w, "http://a.org/a", "<title>a</title>", failures);
    web_add(w, "http://b/e", "", 0);
    return w;
}

static void
crawl_one_worker(void)
{
    struct web *w = fork_web(0);
    struct options o = options_default;
    struct counters sum;

    o.workers = 1;
    crawler_free(crawl(w, &o, &sum));
    assert(sum.fetched == 3 && sum.links == 2);
    web_free(w);
}

static void
crawl_two_workers(void)
{
    struct web *w = fork_web(0);
    struct counters sum;
    struct crawler *c = crawl(w, &options_default, &sum);

    assert(sum.fetched == 3 && store_count(crawler_store(c)) == 3);
    crawler_free(c);
    web_free(w);
}

static void
crawl_two_pages(void)
{
    struct web *w = fork_web(0);
    struct options o = options_default;
    struct counters sum;

    o.max_pages = 2;
    crawler_free(crawl(w, &o, &sum));
    assert(sum.fetched == 2 && sum.refused == 1);
    web_free(w);
}

static void
crawl_two_seeds(void)
{
    struct web *w = fork_web(0);
    struct options o = options_default;
    struct crawler *c;
    struct counters sum;

    o.max_pages = 1;
    o.max_depth = 0;
    c = crawler_new(w, &o);
    assert(crawler_seed(c, "http://a.org/a") && crawler_seed(c, "http://b/e"));
    crawler_run(c);
    crawler_counters(c, &sum);
    assert(sum.fetched == 1 && sum.refused == 1);
    crawler_free(c);
    web_free(w);
}

static void
crawl_one_slot(void)
{
    struct web *w = fork_web(0);
    struct options o = options_default;
    struct counters sum;

    o.slots = 1;
    crawler_free(crawl(w, &o, &sum));
    assert(sum.fetched == 3);
    web_free(w);
}

static void
crawl_retry(void)
{
    struct web *w = fork_web(1);
    struct counters sum;

    crawler_free(crawl(w, &options_default, &sum));
    assert(sum.fetched == 3 && sum.retried == 1);
    web_free(w);
}

static void
crawl_compact(void)
{
    struct web *w = fork_web(0);
    struct options o = options_default;
    struct counters sum;
    struct crawler *c;

    o.workers = 1;
    o.compact = true;
    c = crawl(w, &o, &sum);
    assert(store_count(crawler_store(c)) == 3);
    crawler_free(c);
    web_free(w);
}

static void
crawl_compact_two(void)
{
    struct web *w = fork_web(0);
    struct options o = options_default;
    struct counters sum;

    o.compact = true;
    o.max_depth = 0;
    crawler_free(crawl(w, &o, &sum));
    assert(sum.fetched == 1);
    web_free(w);
}

static void *
stop(void *arg)
{
    crawler_stop(arg);
    return NULL;
}

static void
crawl_stopped(void)
{
    struct web *w = fork_web(0);
    struct options o = options_default;
    struct crawler *c;
    struct team t = { .n = 0 };

    o.workers = 1;
    c = crawler_new(w, &o);
    crawler_seed(c, "http://a.org/");
    team_start(&t, stop, c);
    crawler_run(c);
    team_join(&t);
    crawler_free(c);
    web_free(w);
}

static void
crawl_stopped_alone(void)
{
    struct web *w = fork_web(0);
    struct options o = options_default;
    struct crawler *c;
    struct team t = { .n = 0 };

    o.workers = 0;
    c = crawler_new(w, &o);
    crawler_seed(c, "http://a.org/");
    team_start(&t, stop, c);
    crawler_run(c);
    team_join(&t);
    crawler_free(c);
    web_free(w);
}

static void
crawl_stopped_before(void)
{
    struct web *w = fork_web(0);
    struct crawler *c = crawler_new(w, &options_default);
    struct counters sum;

    crawler_stop(c);
    crawler_seed(c, "http://a.org/");
    crawler_run(c);
    crawler_counters(c, &sum);
    assert(sum.fetched == 0);
    crawler_free(c);
    web_free(w);
}

static void
crawl_nothing(void)
{
    struct web *w = web_new();
    struct crawler *c = crawler_new(w, &options_default);
    struct counters sum;

    crawler_run(c);
    crawler_counters(c, &sum);
    assert(sum.fetched == 0 && crawler_visited(c) == 0);
    crawler_free(c);
    web_free(w);
}

static const struct test tests[] = {
    { "url_parts", url_parts },
    { "url_root", url_root },
    { "url_fragment", url_fragment },
    { "url_refused", url_refused },
    { "url_relative", url_relative },
    { "url_absolute", url_absolute },
    { "url_compares", url_compares },
    { "url_threads", url_threads },
    { "web_answers", web_answers },
    { "web_fails_first", web_fails_first },
    { "web_fails_once_for_two", web_fails_once_for_two },
    { "parser_links", parser_links },
    { "parser_none", parser_none },
    { "parser_open_quote", parser_open_quote },
    { "parser_long_link", parser_long_link },
    { "parser_titles", parser_titles },
    { "parser_threads", parser_threads },
    { "hosts_limit", hosts_limit },
    { "hosts_delay", hosts_delay },
    { "hosts_clock", hosts_clock },
    { "hosts_many", hosts_many },
    { "hosts_shared_limit", hosts_shared_limit },
    { "hosts_shared_delay", hosts_shared_delay },
    { "hosts_when_while_reserved", hosts_when_while_reserved },
    { "hosts_disjoint", hosts_disjoint },
    { "hosts_clock_threads", hosts_clock_threads },
    { "hosts_before_threads", hosts_before_threads },
    { "frontier_depth_first", frontier_depth_first },
    { "frontier_waits_for_host", frontier_waits_for_host },
    { "frontier_closed", frontier_closed },
    { "frontier_full", frontier_full },
    { "frontier_again", frontier_again },
    { "frontier_penalty", frontier_penalty },
    { "frontier_two_takers", frontier_two_takers },
    { "frontier_push_and_take", frontier_push_and_take },
    { "frontier_close_wakes", frontier_close_wakes },
    { "frontier_done_wakes", frontier_done_wakes },
    { "frontier_penalty_while_taken", frontier_penalty_while_taken },
    { "frontier_two_penalties", frontier_two_penalties },
    { "visited_alone", visited_alone },
    { "visited_groups", visited_groups },
    { "visited_same_by_two", visited_same_by_two },
    { "visited_group_by_two", visited_group_by_two },
    { "visited_count_while_added", visited_count_while_added },
    { "visited_other_groups", visited_other_groups },
    { "visited_before_threads", visited_before_threads },
    { "store_alone", store_alone },
    { "store_removes", store_removes },
    { "store_titles", store_titles },
    { "store_full", store_full },
    { "store_two_writers", store_two_writers },
    { "store_same_page", store_same_page },
    { "store_sum_while_put", store_sum_while_put },
    { "store_readers", store_readers },
    { "store_remove_while_put", store_remove_while_put },
    { "store_disjoint", store_disjoint },
    { "stats_alone", stats_alone },
    { "stats_threads", stats_threads },
    { "stats_one_after_another", stats_one_after_another },
    { "crawl_alone", crawl_alone },
    { "crawl_alone_depth", crawl_alone_depth },
    { "crawl_alone_pages", crawl_alone_pages },
    { "crawl_alone_host", crawl_alone_host },
    { "crawl_alone_missing", crawl_alone_missing },
    { "crawl_alone_retry", crawl_alone_retry },
    { "crawl_alone_stopped", crawl_alone_stopped },
    { "crawl_one_worker", crawl_one_worker },
    { "crawl_two_workers", crawl_two_workers },
    { "crawl_two_pages", crawl_two_pages },
    { "crawl_two_seeds", crawl_two_seeds },
    { "crawl_one_slot", crawl_one_slot },
    { "crawl_retry", crawl_retry },
    { "crawl_compact", crawl_compact },
    { "crawl_compact_two", crawl_compact_two },
    { "crawl_stopped", crawl_stopped },
    { "crawl_stopped_alone", crawl_stopped_alone },
    { "crawl_stopped_before", crawl_stopped_before },
    { "crawl_nothing", crawl_nothing },
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
#if VERSION >= 2
    if (strcmp(argv[1], "--count") == 0) {
        printf("%zu\n", COUNT(tests));
        return 0;
    }
#endif
    return test_run(tests, COUNT(tests), argv[1]);
}
