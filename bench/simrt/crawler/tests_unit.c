/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests_unit.c - unit tests of each module, in one thread: `./tests_unit NAME`,
 * `./tests_unit --list`.
 *
 * Crawls are made without workers, by the calling thread. main() differs between the versions as
 * that of tests.c does.
 */
#include "../team.h"

#include "crawler.h"

static struct url
at(const char *text)
{
    struct url u;

    assert(url_parse(&u, text));
    return u;
}

/* ---- URLs */

static void
url_host_limit(void)
{
    struct url u;

    assert(url_parse(&u, "http://123456789012345/") && strlen(u.host) == HOST_LENGTH - 1);
    assert(!url_parse(&u, "http://1234567890123456/"));
}

static void
url_path_limit(void)
{
    struct url u;

    assert(url_parse(&u, "http://a/123456789012345678901234567890"));
    assert(strlen(u.path) == PATH_LENGTH - 1);
    assert(!url_parse(&u, "http://a/1234567890123456789012345678901"));
    /* What is not kept does not count. */
    assert(url_parse(&u, "http://a/1#234567890123456789012345678901"));
    assert(strcmp(u.path, "/1") == 0);
}

static void
url_without_parts(void)
{
    struct url u;

    assert(!url_parse(&u, "") && !url_parse(&u, "http://") && !url_parse(&u, "http://#x"));
    assert(!url_parse(&u, "a.org/x") && !url_parse(&u, "HTTP://a.org/"));
}

static void
url_round_trip(void)
{
    static const char *const texts[] = { "http://a/", "http://a.org/x", "http://b.org/x/y/" };

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct url u = at(texts[i]), again;
        char text[HOST_LENGTH + PATH_LENGTH + 8];

        snprintf(text, sizeof text, "http://%s%s", u.host, u.path);
        assert(strcmp(text, texts[i]) == 0);
        again = at(text);
        assert(url_equal(&u, &again) && url_hash(&u) == url_hash(&again));
    }
}

static void
url_resolve_in_directory(void)
{
    struct url directory = at("http://a/dir/"), root = at("http://a"), u;

    assert(url_resolve(&u, &directory, "x#y") && strcmp(u.path, "/dir/x") == 0);
    assert(url_resolve(&u, &root, "x/y") && strcmp(u.path, "/x/y") == 0);
    assert(url_resolve(&u, &directory, "") && url_equal(&u, &directory));
    assert(url_resolve(&u, &directory, "/") && url_equal(&u, &root));
}

static void
url_resolve_refuses(void)
{
    struct url base = at("http://a/123456789012345/"), u;

    assert(url_resolve(&u, &base, "12345678901234") && strlen(u.path) == PATH_LENGTH - 1);
    assert(!url_resolve(&u, &base, "123456789012345"));
    assert(!url_resolve(&u, &base, "ftp://a/") && !url_resolve(&u, &base, "javascript:x"));
    assert(!url_resolve(&u, &base, "http://"));
}

/* ---- pages and the web */

struct list {
    char text[64]; /* all links, with a comma after each */
    unsigned n;
};

static void
list_link(void *arg, const char *link)
{
    struct list *l = arg;
    size_t used = strlen(l->text);

    snprintf(l->text + used, sizeof l->text - used, "%s,", link);
    l->n++;
}

static void
expect_links(const char *body, const char *text, unsigned n)
{
    struct list l = { .n = 0 };

    assert(parse_links(body, list_link, &l) == n);
    assert(l.n == n && strcmp(l.text, text) == 0);
}

static void
parser_order_of_links(void)
{
    expect_links("<a href=\"1\"><b><a id=\"q\" href=\"2\">text</a><a href=\"3\">", "1,2,3,", 3);
}

static void
parser_empty_link(void)
{
    expect_links("", "", 0);
    expect_links("<a href=\"\"><a href=\"x\">", ",x,", 2);
    expect_links("<a href=x><a href>", "", 0);
}

static void
parser_odd_titles(void)
{
    char title[4] = "old";

    assert(!parse_title("", title, sizeof title));
    assert(!parse_title("</title><title>", title, sizeof title) && strcmp(title, "old") == 0);
    assert(parse_title("<title></title>", title, sizeof title) && title[0] == 0);
    assert(parse_title("<title>abc</title><title>d</title>", title, sizeof title));
    assert(strcmp(title, "abc") == 0);
    assert(parse_title("<title>abcd</title>", title, sizeof title) && strcmp(title, "abc") == 0);
}

static void
web_bodies(void)
{
    struct web *w = web_new();
    struct url a = at("http://a/"), b = at("http://b/");

    web_add(w, "http://a/", "first", 0);
    web_add(w, "http://a/#again", "second", 0);
    web_add(w, "no url", "third", 0);
    web_add(w, "http://b/", "fourth", 1);
    assert(strcmp(web_fetch(w, &a).body, "first") == 0);
    assert(web_fetch(w, &b).body[0] == 0 && strcmp(web_fetch(w, &b).body, "fourth") == 0);
    assert(web_fetches(w) == 3);
    web_free(w);
}

static void
web_full(void)
{
    struct web *w = web_new();
    char text[] = "http://a/a";
    struct url u;

    for (int i = 0; i < 17; i++, text[9]++)
        web_add(w, text, "", 0);
    u = at("http://a/p");
    assert(web_fetch(w, &u).status == 200);
    u = at("http://a/q");
    assert(web_fetch(w, &u).status == 404);
    web_free(w);
}

/* ---- hosts */

static void
hosts_zero_limits(void)
{
    struct hosts *none = hosts_new(5, 0), *quick = hosts_new(0, 2);

    assert(!hosts_reserve(none, "a"));
    assert(hosts_requests(none, "a") == 0 && hosts_when(none, "a") == 0);
    assert(hosts_reserve(quick, "a") && hosts_reserve(quick, "a") && !hosts_reserve(quick, "a"));
    assert(hosts_when(quick, "a") == 0);
    hosts_free(none);
    hosts_free(quick);
}

static void
hosts_refused_keeps_time(void)
{
    struct hosts *h = hosts_new(5, 1);

    assert(hosts_reserve(h, "a"));
    hosts_advance(h, 100);
    assert(!hosts_reserve(h, "a") && hosts_when(h, "a") == 5);
    assert(hosts_reserve(h, "b") && hosts_when(h, "b") == 105);
    hosts_free(h);
}

static void
hosts_last_stands_for_others(void)
{
    struct hosts *h = hosts_new(1, 100);
    char name[] = "a";

    for (int i = 0; i < 8; i++, name[0]++)
        assert(hosts_reserve(h, name));
    assert(hosts_reserve(h, "y") && hosts_reserve(h, "z"));
    assert(hosts_requests(h, "a") == 1 && hosts_requests(h, "h") == 3);
    assert(hosts_requests(h, "y") == 3 && hosts_count(h) == 8);
    hosts_free(h);
}

/* ---- the queue */

struct queue {
    struct hosts *h;
    struct frontier *f;
};

static void
queue_init(struct queue *q, unsigned delay)
{
    q->h = hosts_new(delay, 99);
    q->f = frontier_new(q->h);
}

static void
queue_deinit(struct queue *q)
{
    frontier_free(q->f);
    hosts_free(q->h);
}

static bool
push(struct queue *q, const char *text, unsigned depth)
{
    struct url u = at(text);

    return frontier_push(q->f, &u, depth);
}

static void
expect_next(struct queue *q, const char *text)
{
    struct url u = at(text);
    struct item it;

    assert(frontier_next(q->f, &it));
    assert(url_equal(&it.url, &u));
}

static void
frontier_same_depth_in_order(void)
{
    struct queue q;

    queue_init(&q, 0);
    assert(push(&q, "http://a/1", 1) && push(&q, "http://b/2", 1) && push(&q, "http://a/3", 0) &&
           push(&q, "http://c/4", 1));
    expect_next(&q, "http://a/3");
    expect_next(&q, "http://a/1");
    expect_next(&q, "http://b/2");
    expect_next(&q, "http://c/4");
    assert(frontier_length(q.f) == 0 && hosts_now(q.h) == 0);
    queue_deinit(&q);
}

static void
frontier_soonest_host(void)
{
    struct queue q;

    queue_init(&q, 3);
    hosts_reserve(q.h, "b");
    hosts_advance(q.h, 1);
    hosts_reserve(q.h, "a");
    assert(push(&q, "http://a/", 0) && push(&q, "http://b/", 9));
    expect_next(&q, "http://b/");
    assert(hosts_now(q.h) == 3);
    expect_next(&q, "http://a/");
    assert(hosts_now(q.h) == 4);
    queue_deinit(&q);
}

static void
frontier_peak_stays(void)
{
    struct queue q;

    queue_init(&q, 0);
    assert(push(&q, "http://a/1", 0) && push(&q, "http://a/2", 0));
    expect_next(&q, "http://a/1");
    expect_next(&q, "http://a/2");
    assert(push(&q, "http://a/3", 0));
    assert(frontier_length(q.f) == 1 && frontier_peak(q.f) == 2);
    queue_deinit(&q);
}

static void
frontier_room_after_next(void)
{
    struct queue q;

    queue_init(&q, 0);
    for (int i = 0; i < 32; i++)
        assert(push(&q, "http://a/", 1));
    assert(!push(&q, "http://a/more", 0) && frontier_peak(q.f) == 32);
    expect_next(&q, "http://a/");
    assert(push(&q, "http://a/more", 0));
    expect_next(&q, "http://a/more");
    assert(frontier_length(q.f) == 31);
    queue_deinit(&q);
}

static void
frontier_requeued_after_close(void)
{
    struct queue q;
    struct item it;

    queue_init(&q, 0);
    assert(push(&q, "http://a/1", 0) && push(&q, "http://a/2", 0));
    assert(frontier_next(q.f, &it));
    frontier_close(q.f);
    frontier_requeue(q.f, &it);
    assert(frontier_length(q.f) == 1 && !frontier_next(q.f, &it));
    queue_deinit(&q);
}

static void
frontier_failure_delays_host(void)
{
    struct queue q;
    struct item it;

    queue_init(&q, 2);
    assert(push(&q, "http://a/1", 0) && push(&q, "http://b/2", 7));
    assert(frontier_next(q.f, &it));
    hosts_penalize(q.h, q.f, &it);
    assert(hosts_failures(q.h, "a") == 1 && hosts_failures(q.h, "b") == 0);
    assert(hosts_when(q.h, "a") >= 4 && hosts_when(q.h, "b") == 0);
    expect_next(&q, "http://b/2"); /* although it is deeper */
    expect_next(&q, "http://a/1");
    assert(hosts_now(q.h) == hosts_when(q.h, "a"));
    queue_deinit(&q);
}

/* ---- URLs that were seen */

static void
visited_same_hash(void)
{
    struct visited *v = visited_new();
    struct url a = at("http://a/xy"), b = at("http://a/yx"), c = at("http://x/ay");

    assert(url_hash(&a) == url_hash(&b) && url_hash(&b) == url_hash(&c));
    assert(visited_count(v) == 0 && !visited_has(v, &a));
    assert(visited_add(v, &a) && !visited_has(v, &b) && !visited_has(v, &c));
    assert(visited_add(v, &b) && visited_add(v, &c) && !visited_add(v, &b));
    assert(visited_count(v) == 3);
    visited_free(v);
}

static void
visited_full_bucket(void)
{
    struct visited *v = visited_new();
    struct url u = at("http://a/0yz");

    /* Steps of 8 stay in one bucket. */
    for (int i = 0; i < 8; i++) {
        u.path[1] = (char)('0' + 8 * i);
        assert(visited_add(v, &u) && visited_has(v, &u));
    }
    u = at("http://a/0zy");
    /* It is new, but there is no room to remember it. */
    assert(visited_add(v, &u) && !visited_has(v, &u) && visited_add(v, &u));
    assert(visited_count(v) == 8);
    visited_free(v);
}

/* ---- the store */

static void
store_keeps_first_body(void)
{
    struct store *s = store_new();
    struct url u = at("http://a/");
    char title[4];

    assert(!store_has(s, &u) && store_count(s) == 0 && store_bytes(s) == 0);
    assert(store_put(s, &u, "<title>1</title>") && !store_put(s, &u, "<title>22</title>"));
    assert(store_title(s, &u, title, sizeof title) && strcmp(title, "1") == 0);
    assert(store_count(s) == 1 && store_bytes(s) == 16);
    store_free(s);
}

static void
store_put_after_remove(void)
{
    struct store *s = store_new();
    struct url u = at("http://a/");

    assert(!store_remove(s, &u) && store_put(s, &u, "1") && store_remove(s, &u));
    assert(!store_has(s, &u) && store_bytes(s) == 0);
    assert(store_put(s, &u, "22") && store_count(s) == 1 && store_bytes(s) == 2);
    assert(store_remove(s, &u) && !store_remove(s, &u) && store_bytes(s) == 0);
    assert(store_compact(s) == 2 && store_count(s) == 0);
    store_free(s);
}

static void
store_full_until_compacted(void)
{
    struct store *s = store_new();
    struct url u = at("http://a/a"), first = u, more = at("http://b/");

    for (int i = 0; i < 16; i++, u.path[1]++)
        assert(store_put(s, &u, "12"));
    assert(!store_put(s, &more, "3") && store_remove(s, &first));
    assert(!store_put(s, &more, "3") && store_bytes(s) == 30);
    assert(store_compact(s) == 1 && store_put(s, &more, "3"));
    assert(store_count(s) == 16 && store_bytes(s) == 31 && !store_has(s, &first));
    store_free(s);
}

static void
store_compact_keeps_pages(void)
{
    struct store *s = store_new();
    struct url a = at("http://a/"), b = at("http://b/"), c = at("http://c/");
    char title[4];

    assert(store_put(s, &a, "<title>a</title>") && store_put(s, &b, "no title") &&
           store_put(s, &c, "<title>c</title>"));
    assert(store_remove(s, &a) && store_compact(s) == 1);
    assert(store_has(s, &b) && !store_title(s, &b, title, sizeof title));
    assert(store_title(s, &c, title, sizeof title) && strcmp(title, "c") == 0);
    assert(store_count(s) == 2 && store_bytes(s) == 24);
    store_free(s);
}

/* ---- statistics */

static void
stats_all_counters(void)
{
    struct stats *s = stats_new();
    struct counters one = { 1, 2, 3, 4, 5 }, sum, later;

    stats_get(s, &sum);
    assert(sum.fetched + sum.missing + sum.retried + sum.refused + sum.links == 0);
    stats_flush(s, &one);
    stats_flush(s, &(struct counters){ .missing = 10 });
    stats_get(s, &sum);
    assert(sum.fetched == 1 && sum.missing == 12 && sum.retried == 3 && sum.refused == 4 &&
           sum.links == 5);
    sum.fetched = 99; /* a copy */
    stats_get(s, &later);
    assert(later.fetched == 1);
    stats_free(s);
}

/* ---- crawls by the calling thread */

static struct crawler *
crawl(struct web *w, struct options o, struct counters *sum)
{
    struct crawler *c;

    o.workers = 0;
    c = crawler_new(w, &o);
    assert(crawler_seed(c, "http://a/"));
    crawler_run(c);
    crawler_counters(c, sum);
    return c;
}

static void
crawl_alone_cycle(void)
{
    struct web *w = web_new();
    struct counters sum;
    struct crawler *c;

    web_add(w, "http://a/", "<a href=\"/\"><a href=\"b\"><a href=\"#x\">", 0);
    web_add(w, "http://a/b", "<a href=\"http://a\"><a href=\"b\">", 0);
    c = crawl(w, options_default, &sum);
    assert(sum.fetched == 2 && sum.links == 5 && sum.missing == 0);
    assert(crawler_visited(c) == 2 && web_fetches(w) == 2);
    crawler_free(c);
    web_free(w);
}

static void
crawl_alone_gives_up(void)
{
    struct web *w = web_new();
    struct counters sum;
    struct crawler *c;

    web_add(w, "http://a/", "never seen", 9);
    c = crawl(w, options_default, &sum);
    assert(sum.fetched == 0 && sum.retried == 3 && web_fetches(w) == 3);
    assert(store_count(crawler_store(c)) == 0 && crawler_longest(c) == 0);
    assert(crawler_time(c) >= 4); /* two delays of a host that failed */
    crawler_free(c);
    web_free(w);
}

static void
crawl_alone_no_pages(void)
{
    struct web *w = web_new();
    struct options o = options_default;
    struct counters sum;

    web_add(w, "http://a/", "", 0);
    o.max_pages = 0;
    crawler_free(crawl(w, o, &sum));
    assert(sum.fetched == 0 && sum.refused == 1 && web_fetches(w) == 0);
    web_free(w);
}

static void
crawl_alone_bad_links(void)
{
    struct web *w = web_new();
    struct counters sum;
    struct crawler *c;

    web_add(w, "http://a/", "<a href=\"mailto:x\"><a href=\"http://\"><a href=\"b\">", 0);
    c = crawl(w, options_default, &sum);
    assert(sum.links == 3 && sum.fetched == 1 && sum.missing == 1);
    assert(crawler_visited(c) == 2 && !crawler_seed(c, "ftp://a/"));
    crawler_free(c);
    web_free(w);
}

static void
crawl_alone_store(void)
{
    struct web *w = web_new();
    struct options o = options_default;
    struct url b = at("http://b/");
    struct counters sum;
    struct crawler *c;
    char title[8];

    web_add(w, "http://a/", "<a href=\"http://b/\">", 0);
    web_add(w, "http://b/", "<title>other</title>", 0);
    o.compact = true;
    c = crawl(w, o, &sum);
    assert(store_title(crawler_store(c), &b, title, sizeof title) && strcmp(title, "other") == 0);
    assert(store_bytes(crawler_store(c)) == 40 && crawler_longest(c) == 20);
    assert(crawler_time(c) == 0); /* different hosts need not wait */
    crawler_free(c);
    web_free(w);
}

static void
crawl_alone_breadth_first(void)
{
    struct web *w = web_new();
    struct options o = options_default;
    struct url deep = at("http://a/b/c"), wide = at("http://a/d");
    struct counters sum;
    struct crawler *c;

    web_add(w, "http://a/", "<a href=\"b/\"><a href=\"d\">", 0);
    web_add(w, "http://a/b/", "<a href=\"c\">", 0);
    web_add(w, "http://a/b/c", "", 0);
    web_add(w, "http://a/d", "", 0);
    o.max_pages = 3;
    o.delay = 0;
    c = crawl(w, o, &sum);
    assert(sum.fetched == 3 && sum.refused == 1);
    assert(store_has(crawler_store(c), &wide) && !store_has(crawler_store(c), &deep));
    crawler_free(c);
    web_free(w);
}

static const struct test tests[] = {
    { "url_host_limit", url_host_limit },
    { "url_path_limit", url_path_limit },
    { "url_without_parts", url_without_parts },
    { "url_round_trip", url_round_trip },
    { "url_resolve_in_directory", url_resolve_in_directory },
    { "url_resolve_refuses", url_resolve_refuses },
    { "parser_order_of_links", parser_order_of_links },
    { "parser_empty_link", parser_empty_link },
    { "parser_odd_titles", parser_odd_titles },
    { "web_bodies", web_bodies },
    { "web_full", web_full },
    { "hosts_zero_limits", hosts_zero_limits },
    { "hosts_refused_keeps_time", hosts_refused_keeps_time },
    { "hosts_last_stands_for_others", hosts_last_stands_for_others },
    { "frontier_same_depth_in_order", frontier_same_depth_in_order },
    { "frontier_soonest_host", frontier_soonest_host },
    { "frontier_peak_stays", frontier_peak_stays },
    { "frontier_room_after_next", frontier_room_after_next },
    { "frontier_requeued_after_close", frontier_requeued_after_close },
    { "frontier_failure_delays_host", frontier_failure_delays_host },
    { "visited_same_hash", visited_same_hash },
    { "visited_full_bucket", visited_full_bucket },
    { "store_keeps_first_body", store_keeps_first_body },
    { "store_put_after_remove", store_put_after_remove },
    { "store_full_until_compacted", store_full_until_compacted },
    { "store_compact_keeps_pages", store_compact_keeps_pages },
    { "stats_all_counters", stats_all_counters },
    { "crawl_alone_cycle", crawl_alone_cycle },
    { "crawl_alone_gives_up", crawl_alone_gives_up },
    { "crawl_alone_no_pages", crawl_alone_no_pages },
    { "crawl_alone_bad_links", crawl_alone_bad_links },
    { "crawl_alone_store", crawl_alone_store },
    { "crawl_alone_breadth_first", crawl_alone_breadth_first },
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
#if VERSION >= 2
    if (strcmp(argv[1], "--count") == 0) {
        printf("%zu\n", COUNT(tests));
        return 0;
    }
#endif
    return test_run(tests, COUNT(tests), argv[1]);
}
