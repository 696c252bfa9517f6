/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests_unit.c - unit tests of each module, in one thread: `./tests_unit NAME`,
 * `./tests_unit --list`.
 *
 * A server of these tests has no workers: requests are served by the calling thread.
 */
#include "../team.h"

#include "server.h"

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

/* ---- requests and responses */

static void
request_delete(void)
{
    struct request r;

    assert(request_parse(&r, "DELETE /docs/a?session=7"));
    assert(r.method == METHOD_DELETE && r.session == 7 && !r.keep && r.body[0] == 0);
}

static void
request_method_words(void)
{
    struct request r;

    assert(!request_parse(&r, "GETT /a") && !request_parse(&r, "GE /a"));
    assert(!request_parse(&r, "get /a") && !request_parse(&r, "GET/a"));
    assert(!request_parse(&r, "GET  /a") && r.method == METHOD_UNKNOWN);
    assert(request_parse(&r, "GET /") && strcmp(r.path, "/") == 0);
}

static void
request_path_limit(void)
{
    struct request r;
    char text[64];

    snprintf(text, sizeof text, "GET /%s", text_of(PATH_LENGTH - 2));
    assert(request_parse(&r, text) && strlen(r.path) == PATH_LENGTH - 1);
    snprintf(text, sizeof text, "GET /%s", text_of(PATH_LENGTH - 1));
    assert(!request_parse(&r, text) && r.method == METHOD_UNKNOWN);
}

static void
request_bodies(void)
{
    struct request r;
    char text[64];

    assert(request_parse(&r, "PUT /a\n") && r.body[0] == 0);
    assert(request_parse(&r, "PUT /a\nx\ny keep") && strcmp(r.body, "x\ny keep") == 0 && !r.keep);
    snprintf(text, sizeof text, "PUT /a\n%s", text_of(BODY_LENGTH - 1));
    assert(request_parse(&r, text) && strlen(r.body) == BODY_LENGTH - 1);
}

static void
request_session_numbers(void)
{
    struct request r;

    assert(request_parse(&r, "GET /a?session=0") && r.session == 0);
    assert(request_parse(&r, "GET /a?session=12\nb") && r.session == 12);
    assert(!request_parse(&r, "GET /a?session=x") && !request_parse(&r, "GET /a?session=3x"));
    assert(!request_parse(&r, "GET /a keep?session=3") && !request_parse(&r, "GET /a?"));
}

static void
request_parsed_again(void)
{
    struct request r;

    assert(request_parse(&r, "PUT /long/path?session=5 keep\nbody"));
    assert(request_parse(&r, "GET /a"));
    assert(r.method == METHOD_GET && strcmp(r.path, "/a") == 0);
    assert(r.session == 0 && !r.keep && r.body[0] == 0);
}

static void
response_limits(void)
{
    struct response r = { .status = 404 };
    char text[16];

    assert(response_format(&r, text, sizeof text) == 4 && strcmp(text, "404 ") == 0);
    snprintf(r.body, sizeof r.body, "abc");
    assert(response_format(&r, text, 8) == 7 && strcmp(text, "404 abc") == 0);
    assert(response_format(&r, text, 7) == 6 && strcmp(text, "404 ab") == 0);
    assert(response_format(&r, text, 1) == 0 && text[0] == 0);
}

static void
response_with_session(void)
{
    struct response r = { .status = 200, .session = 12, .body = "ann" };
    char text[32];

    assert(response_format(&r, text, sizeof text) == 18);
    assert(strcmp(text, "200 session=12 ann") == 0);
}

/* ---- connections and their pool */

static void
connection_two_directions(void)
{
    struct connection *c = connection_new();
    char text[16];

    connection_write(c, "down");
    connection_send(c, "up");
    assert(connection_read(c, text, sizeof text) && strcmp(text, "up") == 0);
    assert(connection_receive(c, text, sizeof text) && strcmp(text, "down") == 0);
    connection_send(c, "again");
    assert(connection_read(c, text, sizeof text) && strcmp(text, "again") == 0);
    connection_free(c);
}

static void
connection_after_close(void)
{
    struct connection *c = connection_new();
    char text[16];

    connection_send(c, "early");
    connection_close(c);
    connection_close(c);
    connection_write(c, "late");
    assert(connection_read(c, text, sizeof text) && strcmp(text, "early") == 0);
    assert(!connection_read(c, text, sizeof text) && !connection_receive(c, text, sizeof text));
    assert(strcmp(text, "early") == 0);
    connection_free(c);
}

static void
connection_long_text(void)
{
    struct connection *c = connection_new();
    char text[128], part[4];

    connection_send(c, text_of(120));
    assert(connection_read(c, text, sizeof text) && strlen(text) == 95);
    connection_send(c, "abcdef");
    assert(connection_read(c, part, sizeof part) && strcmp(part, "abc") == 0);
    connection_free(c);
}

static void
pool_sizes(void)
{
    struct pool *none = pool_new(0), *many = pool_new(9);
    struct connection *c[4];

    assert(pool_try_take(none) == NULL);
    for (size_t i = 0; i < COUNT(c); i++) {
        c[i] = pool_try_take(many);
        assert(c[i] != NULL && (i == 0 || c[i] != c[i - 1]));
    }
    assert(pool_try_take(many) == NULL);
    pool_give(many, c[2]);
    pool_give(many, c[0]);
    assert(pool_take(many) == c[0] && pool_take(many) == c[2]);
    for (size_t i = 0; i < COUNT(c); i++)
        pool_give(many, c[i]);
    pool_free(none);
    pool_free(many);
}

/* ---- the listener */

static void
listener_order(void)
{
    struct listener *l = listener_new(3);
    struct connection *a = connection_new(), *b = connection_new();

    /* More often than the ring has places. */
    for (int i = 0; i < 10; i++) {
        assert(listener_connect(l, a) && listener_connect(l, b));
        assert(listener_accept(l) == a && listener_accept(l) == b);
    }
    assert(listener_refused(l) == 0);
    listener_free(l);
    connection_free(a);
    connection_free(b);
}

static void
listener_backlogs(void)
{
    struct listener *none = listener_new(0), *many = listener_new(100);
    struct connection *c = connection_new();

    assert(!listener_connect(none, c) && listener_refused(none) == 1);
    for (int i = 0; i < 8; i++)
        assert(listener_connect(many, c));
    assert(!listener_connect(many, c) && listener_refused(many) == 1);
    assert(listener_accept(many) == c && listener_connect(many, c));
    listener_free(none);
    listener_free(many);
    connection_free(c);
}

static void
listener_stopped_with_waiting(void)
{
    struct listener *l = listener_new(4);
    struct connection *a = connection_new(), *b = connection_new();

    assert(listener_connect(l, a) && listener_connect(l, b));
    listener_stop(l);
    assert(!listener_connect(l, a) && listener_refused(l) == 1);
    assert(listener_accept(l) == a && listener_accept(l) == b && listener_accept(l) == NULL);
    listener_free(l);
    connection_free(a);
    connection_free(b);
}

/* ---- resources */

static void
expect_body(struct tree *t, const char *path, const char *text)
{
    char body[BODY_LENGTH];

    assert(tree_get(t, path, body, sizeof body));
    assert(strcmp(body, text) == 0);
}

static void
tree_bodies(void)
{
    struct tree *t = tree_new();
    char part[3], body[BODY_LENGTH];

    assert(tree_put(t, "/a", "long text") && tree_put(t, "/a", ""));
    expect_body(t, "/a", "");
    assert(tree_put(t, "/b", text_of(100)));
    assert(tree_get(t, "/b", body, sizeof body) && strlen(body) == BODY_LENGTH - 1);
    assert(tree_get(t, "/b", part, sizeof part) && strcmp(part, "xx") == 0);
    assert(tree_count(t, "") == 2 && tree_version(t) == 3);
    tree_free(t);
}

static void
tree_names(void)
{
    struct tree *t = tree_new();
    char path[64];

    snprintf(path, sizeof path, "/%s", text_of(15));
    assert(tree_put(t, path, "1"));
    snprintf(path, sizeof path, "/%s", text_of(16));
    assert(!tree_put(t, path, "2"));
    snprintf(path, sizeof path, "/%s/a", text_of(15));
    assert(tree_put(t, path, "3"));
    assert(tree_count(t, "") == 1 && tree_count(t, text_of(15)) == 1 && tree_version(t) == 2);
    expect_body(t, path, "3");
    tree_free(t);
}

static void
tree_directories_apart(void)
{
    struct tree *t = tree_new();

    assert(tree_put(t, "/a", "1") && tree_put(t, "/d/a", "2") && tree_put(t, "/d/e/a", "3"));
    expect_body(t, "/a", "1");
    expect_body(t, "/d/a", "2");
    expect_body(t, "/d/e/a", "3");
    assert(tree_remove(t, "/d/a") && tree_count(t, "d") == 0 && tree_count(t, "d/e") == 1);
    expect_body(t, "/a", "1");
    tree_free(t);
}

static void
tree_remove_keeps_others(void)
{
    struct tree *t = tree_new();
    char body[BODY_LENGTH];

    assert(tree_put(t, "/a", "1") && tree_put(t, "/b", "2") && tree_put(t, "/c", "3"));
    assert(tree_remove(t, "/a") && !tree_get(t, "/a", body, sizeof body));
    expect_body(t, "/b", "2");
    expect_body(t, "/c", "3");
    assert(tree_remove(t, "/c") && tree_remove(t, "/b") && tree_count(t, "") == 0);
    tree_free(t);
}

static void
tree_room_after_remove(void)
{
    struct tree *t = tree_new();
    char path[] = "/a";

    for (int i = 0; i < 6; i++, path[1]++)
        assert(tree_put(t, path, "old"));
    assert(!tree_put(t, "/more", "") && tree_put(t, "/a", "new"));
    assert(tree_remove(t, "/b") && tree_put(t, "/more", "x"));
    expect_body(t, "/a", "new");
    expect_body(t, "/more", "x");
    assert(tree_count(t, "") == 6 && tree_version(t) == 9);
    tree_free(t);
}

static void
tree_move_onto_another(void)
{
    struct tree *t = tree_new();

    assert(tree_put(t, "/a", "1") && tree_put(t, "/d/b", "2"));
    assert(!tree_move(t, "/a", "/d/b") && !tree_move(t, "/a", "/a"));
    expect_body(t, "/a", "1");
    expect_body(t, "/d/b", "2");
    assert(tree_version(t) == 2);
    tree_free(t);
}

static void
tree_move_and_full_directories(void)
{
    struct tree *t = tree_new();
    char path[] = "/d/a";

    for (int i = 0; i < 6; i++, path[3]++)
        assert(tree_put(t, path, "x"));
    assert(tree_put(t, "/z", "z") && !tree_move(t, "/z", "/d/z"));
    assert(tree_move(t, "/d/a", "/d/new") && tree_count(t, "d") == 6);
    assert(tree_move(t, "/d/new", "/a") && tree_move(t, "/z", "/d/z"));
    expect_body(t, "/d/z", "z");
    assert(tree_count(t, "") == 1 && tree_count(t, "d") == 6 && tree_version(t) == 10);
    tree_free(t);
}

static void
tree_move_refuses(void)
{
    struct tree *t = tree_new();

    assert(tree_put(t, "/a", "1"));
    assert(!tree_move(t, "a", "/b") && !tree_move(t, "/a", "b") && !tree_move(t, "/a", "/d/"));
    assert(!tree_move(t, "/b", "/c") && !tree_move(t, "/none/b", "/c"));
    assert(tree_version(t) == 1 && tree_count(t, "") == 1);
    tree_free(t);
}

/* ---- the cache */

static bool
cached(struct cache *c, const char *path, const char *text)
{
    char body[BODY_LENGTH];

    return cache_get(c, path, body, sizeof body) && strcmp(body, text) == 0;
}

static void
cache_largest(void)
{
    struct cache *c = cache_new(9);
    char path[] = "/a";

    for (int i = 0; i < 5; i++, path[1]++)
        cache_put(c, path, path + 1);
    assert(cache_size(c) == 4 && cache_evictions(c) == 1);
    assert(!cached(c, "/a", "a") && cached(c, "/b", "b") && cached(c, "/e", "e"));
    assert(cache_hits(c) == 2);
    cache_free(c);
}

static void
cache_order_of_eviction(void)
{
    struct cache *c = cache_new(3);

    cache_put(c, "/a", "1");
    cache_put(c, "/b", "2");
    cache_put(c, "/c", "3");
    cache_put(c, "/a", "4"); /* used again */
    cache_put(c, "/d", "5");
    assert(!cached(c, "/b", "2") && cached(c, "/c", "3"));
    cache_put(c, "/e", "6");
    assert(!cached(c, "/a", "4") && cached(c, "/c", "3") && cached(c, "/d", "5"));
    assert(cache_evictions(c) == 2);
    cache_free(c);
}

static void
cache_drop_makes_room(void)
{
    struct cache *c = cache_new(2);

    cache_put(c, "/a", "1");
    cache_put(c, "/b", "2");
    cache_drop(c, "/x");
    assert(cache_size(c) == 2);
    cache_drop(c, "/b");
    cache_put(c, "/c", "3");
    assert(cache_evictions(c) == 0 && cached(c, "/a", "1") && cached(c, "/c", "3"));
    assert(!cached(c, "/b", "2") && cache_hits(c) == 2);
    cache_free(c);
}

static void
cache_replaces(void)
{
    struct cache *c = cache_new(1);

    cache_put(c, "/a", "1");
    cache_put(c, "/a", text_of(BODY_LENGTH + 5));
    assert(cached(c, "/a", text_of(BODY_LENGTH - 1)));
    assert(cache_size(c) == 1 && cache_evictions(c) == 0);
    cache_put(c, "/b", "2");
    assert(!cached(c, "/a", "1") && cached(c, "/b", "2") && cache_evictions(c) == 1);
    cache_free(c);
}

/* ---- sessions */

static bool
is_user(struct sessions *s, unsigned id, const char *name)
{
    char user[32];

    return sessions_user(s, id, user, sizeof user) && strcmp(user, name) == 0;
}

static void
sessions_slot_used_again(void)
{
    struct sessions *s = sessions_new(5);
    unsigned ids[4], more;

    for (size_t i = 0; i < COUNT(ids); i++) {
        ids[i] = sessions_open(s, "old");
        assert(ids[i] == i + 1);
    }
    assert(sessions_close(s, ids[1]) && sessions_count(s) == 3);
    more = sessions_open(s, "new");
    assert(more == 5 && is_user(s, more, "new") && !is_user(s, ids[1], "old"));
    assert(is_user(s, ids[3], "old") && sessions_open(s, "x") == 0);
    sessions_free(s);
}

static void
sessions_expire_after_lifetime(void)
{
    struct sessions *s = sessions_new(5), *short_lived = sessions_new(0);
    unsigned id = sessions_open(s, "ann");

    assert(sessions_tick(s, 5) == 0 && sessions_count(s) == 1);
    assert(sessions_tick(s, 1) == 1 && sessions_count(s) == 0);
    assert(sessions_tick(s, 100) == 0 && !sessions_close(s, id));
    id = sessions_open(short_lived, "bob");
    assert(sessions_tick(short_lived, 0) == 0 && is_user(short_lived, id, "bob"));
    assert(sessions_tick(short_lived, 1) == 1 && !is_user(short_lived, id, "bob"));
    sessions_free(s);
    sessions_free(short_lived);
}

static void
sessions_room_after_expiry(void)
{
    struct sessions *s = sessions_new(2);

    for (int i = 0; i < 4; i++)
        assert(sessions_open(s, "x") != 0);
    assert(sessions_open(s, "y") == 0);
    assert(is_user(s, 2, "x") && sessions_tick(s, 2) == 0);
    assert(is_user(s, 2, "x") && sessions_tick(s, 1) == 3);
    assert(sessions_open(s, "y") == 5 && sessions_count(s) == 2 && is_user(s, 2, "x"));
    sessions_free(s);
}

static void
sessions_long_names(void)
{
    struct sessions *s = sessions_new(5);
    unsigned a = sessions_open(s, text_of(20)), b = sessions_open(s, "");
    char part[3];

    assert(is_user(s, a, text_of(USER_LENGTH - 1)) && is_user(s, b, ""));
    assert(sessions_user(s, a, part, sizeof part) && strcmp(part, "xx") == 0);
    sessions_free(s);
}

/* ---- filters */

/* A filter that counts its calls and denies from the limit on. */
struct counter {
    unsigned calls;
    unsigned limit;
};

static enum verdict
deny_after(void *arg, const struct request *r)
{
    struct counter *c = arg;

    assert(r->method == METHOD_GET);
    return ++c->calls > c->limit ? DENY : PASS;
}

static void
filters_stop_at_first_denial(void)
{
    struct filters *f = filters_new();
    struct counter a = { 0, 9 }, b = { 0, 1 }, c = { 0, 9 };
    struct request r = { .method = METHOD_GET };

    assert(filters_add(f, deny_after, &a) && filters_add(f, deny_after, &b) &&
           filters_add(f, deny_after, &c));
    assert(filters_run(f, &r) == PASS && filters_denied(f) == 0);
    assert(filters_run(f, &r) == DENY && filters_denied(f) == 1);
    assert(a.calls == 2 && b.calls == 2 && c.calls == 1);
    filters_free(f);
}

static void
filters_removed_by_argument(void)
{
    struct filters *f = filters_new();
    struct counter a = { 0, 9 }, b = { 0, 0 }, c = { 0, 9 };
    struct request r = { .method = METHOD_GET };

    assert(filters_add(f, deny_after, &a) && filters_add(f, deny_after, &b) &&
           filters_add(f, deny_after, &c));
    assert(filters_remove(f, deny_after, &b) && !filters_remove(f, deny_after, &r));
    assert(filters_run(f, &r) == PASS);
    assert(a.calls == 1 && b.calls == 0 && c.calls == 1);
    filters_free(f);
}

static void
filters_room_after_remove(void)
{
    struct filters *f = filters_new();
    struct counter c[5] = { { 0, 9 }, { 0, 9 }, { 0, 9 }, { 0, 9 }, { 0, 0 } };
    struct request r = { .method = METHOD_GET };

    for (int i = 0; i < 4; i++)
        assert(filters_add(f, deny_after, &c[i]));
    assert(!filters_add(f, deny_after, &c[4]) && filters_run(f, &r) == PASS);
    assert(filters_remove(f, deny_after, &c[0]) && filters_add(f, deny_after, &c[4]));
    assert(filters_run(f, &r) == DENY && c[0].calls == 1 && c[3].calls == 2 && c[4].calls == 1);
    filters_free(f);
}

/* ---- the access log */

static void
log_limits(void)
{
    struct access_log *a = access_log_new();
    char path[16] = "old";

    assert(access_log_count(a) == 0 && access_log_status(a, 0) == 0);
    assert(!access_log_path(a, 0, path, sizeof path) && strcmp(path, "old") == 0);
    for (int i = 0; i < 17; i++)
        access_log_add(a, "/x", 200 + i);
    assert(access_log_status(a, 15) == 215 && access_log_status(a, 16) == 0);
    assert(access_log_path(a, 15, path, sizeof path) && !access_log_path(a, 16, path, 1));
    access_log_free(a);
}

static void
log_long_paths(void)
{
    struct access_log *a = access_log_new();
    char path[32], part[3];

    access_log_add(a, "/1234567890", 200);
    access_log_add(a, "/12345678901", 201);
    access_log_add(a, "/a/b", 202);
    assert(access_log_path(a, 0, path, sizeof path) && strcmp(path, "/1234567890") == 0);
    assert(access_log_path(a, 1, path, sizeof path) && strcmp(path, "/1234567890") == 0);
    assert(access_log_path(a, 2, path, sizeof path) && strcmp(path, "/a/b") == 0);
    assert(access_log_path(a, 2, part, sizeof part) && strcmp(part, "/a") == 0);
    access_log_free(a);
}

/* ---- requests served by the calling thread */

static int
ask(struct server *s, const char *text, struct response *rs)
{
    struct request rq;

    request_parse(&rq, text);
    server_handle(s, &rq, rs);
    return rs->status;
}

static void
handle_fills_cache(void)
{
    struct server *s = server_new(&server_defaults);
    struct response rs;

    assert(ask(s, "PUT /a\n1", &rs) == 201 && cache_size(server_cache(s)) == 0);
    assert(ask(s, "GET /none", &rs) == 404 && cache_size(server_cache(s)) == 0);
    assert(ask(s, "GET /a", &rs) == 200 && cache_size(server_cache(s)) == 1);
    assert(ask(s, "DELETE /a", &rs) == 204 && cache_size(server_cache(s)) == 0);
    assert(ask(s, "DELETE /a", &rs) == 404 && cache_hits(server_cache(s)) == 0);
    server_free(s);
}

static void
handle_more_than_the_cache(void)
{
    struct server *s = server_new(&server_defaults);
    struct response rs;

    assert(ask(s, "PUT /a\n1", &rs) == 201 && ask(s, "PUT /b\n2", &rs) == 201 &&
           ask(s, "PUT /c\n3", &rs) == 201);
    for (int i = 0; i < 2; i++) {
        assert(ask(s, "GET /a", &rs) == 200 && strcmp(rs.body, "1") == 0);
        assert(ask(s, "GET /b", &rs) == 200 && strcmp(rs.body, "2") == 0);
        assert(ask(s, "GET /c", &rs) == 200 && strcmp(rs.body, "3") == 0);
    }
    assert(cache_hits(server_cache(s)) == 0 && cache_evictions(server_cache(s)) == 4);
    server_free(s);
}

static void
handle_without_cache(void)
{
    struct server_options o = server_defaults;
    struct server *s;
    struct response rs;

    o.cache = 0;
    s = server_new(&o);
    assert(ask(s, "PUT /d/a\nx", &rs) == 201 && rs.body[0] == 0);
    assert(ask(s, "GET /d/a", &rs) == 200 && ask(s, "GET /d/a", &rs) == 200);
    assert(strcmp(rs.body, "x") == 0 && cache_hits(server_cache(s)) == 0);
    server_free(s);
}

static void
handle_full_tree(void)
{
    struct server *s = server_new(&server_defaults);
    struct response rs;
    char text[] = "PUT /a\nx";

    for (int i = 0; i < 6; i++, text[5]++)
        assert(ask(s, text, &rs) == 201);
    assert(ask(s, text, &rs) == 507 && ask(s, "PUT /a\ny", &rs) == 201);
    assert(tree_count(server_tree(s), "") == 6);
    server_free(s);
}

static void
handle_sessions(void)
{
    struct server *s = server_new(&server_defaults);
    struct response rs;

    assert(ask(s, "GET /whoami", &rs) == 401 && rs.body[0] == 0);
    for (unsigned i = 1; i <= 4; i++)
        assert(ask(s, "GET /login/ann", &rs) == 200 && rs.session == i);
    assert(ask(s, "GET /login/bob", &rs) == 503 && rs.session == 0);
    assert(sessions_tick(server_sessions(s), 10) == 0);
    assert(ask(s, "GET /whoami?session=3", &rs) == 200 && strcmp(rs.body, "ann") == 0);
    assert(sessions_tick(server_sessions(s), 1) == 3);
    assert(ask(s, "GET /whoami?session=1", &rs) == 401);
    assert(ask(s, "GET /login/bob", &rs) == 200 && rs.session == 5);
    server_free(s);
}

static void
handle_logs_all(void)
{
    struct server *s = server_new(&server_defaults);
    struct counter c = { 0, 2 };
    struct response rs;
    char path[16];

    assert(filters_add(server_filters(s), deny_after, &c));
    assert(ask(s, "POST /a", &rs) == 400 && ask(s, "GET /a", &rs) == 404 &&
           ask(s, "GET /login/x", &rs) == 200 && ask(s, "GET /login/y", &rs) == 403);
    assert(access_log_status(server_log(s), 0) == 400 &&
           access_log_status(server_log(s), 1) == 404);
    assert(access_log_status(server_log(s), 2) == 200 &&
           access_log_status(server_log(s), 3) == 403);
    assert(access_log_path(server_log(s), 3, path, sizeof path) && strcmp(path, "/login/y") == 0);
    assert(sessions_count(server_sessions(s)) == 1 && filters_denied(server_filters(s)) == 1);
    assert(access_log_count(server_log(s)) == 4 && server_active(s) == 0);
    server_free(s);
}

static void
server_backlog(void)
{
    struct server *s = server_new(&server_defaults);
    struct connection *c = connection_new();

    assert(!server_is_ready(s));
    for (int i = 0; i < 4; i++)
        assert(server_connect(s, c));
    assert(!server_connect(s, c));
    server_free(s);
    connection_free(c);
}

static void
server_stopped_without_workers(void)
{
    struct server_options o = server_defaults;
    struct server *s;
    struct connection *c = connection_new();
    struct response rs;
    struct totals sum;

    o.workers = 0;
    o.monitor = true;
    s = server_new(&o);
    assert(ask(s, "GET /a", &rs) == 404 && server_connect(s, c));
    server_stop(s);
    server_totals(s, &sum);
    assert(sum.logged == 1 && sum.served == 0 && sum.errors == 0);
    assert(!server_is_ready(s) && !server_connect(s, c));
    server_free(s);
    connection_free(c);
}

static const struct test tests[] = {
    { "request_delete", request_delete },
    { "request_method_words", request_method_words },
    { "request_path_limit", request_path_limit },
    { "request_bodies", request_bodies },
    { "request_session_numbers", request_session_numbers },
    { "request_parsed_again", request_parsed_again },
    { "response_limits", response_limits },
    { "response_with_session", response_with_session },
    { "connection_two_directions", connection_two_directions },
    { "connection_after_close", connection_after_close },
    { "connection_long_text", connection_long_text },
    { "pool_sizes", pool_sizes },
    { "listener_order", listener_order },
    { "listener_backlogs", listener_backlogs },
    { "listener_stopped_with_waiting", listener_stopped_with_waiting },
    { "tree_bodies", tree_bodies },
    { "tree_names", tree_names },
    { "tree_directories_apart", tree_directories_apart },
    { "tree_remove_keeps_others", tree_remove_keeps_others },
    { "tree_room_after_remove", tree_room_after_remove },
    { "tree_move_onto_another", tree_move_onto_another },
    { "tree_move_and_full_directories", tree_move_and_full_directories },
    { "tree_move_refuses", tree_move_refuses },
    { "cache_largest", cache_largest },
    { "cache_order_of_eviction", cache_order_of_eviction },
    { "cache_drop_makes_room", cache_drop_makes_room },
    { "cache_replaces", cache_replaces },
    { "sessions_slot_used_again", sessions_slot_used_again },
    { "sessions_expire_after_lifetime", sessions_expire_after_lifetime },
    { "sessions_room_after_expiry", sessions_room_after_expiry },
    { "sessions_long_names", sessions_long_names },
    { "filters_stop_at_first_denial", filters_stop_at_first_denial },
    { "filters_removed_by_argument", filters_removed_by_argument },
    { "filters_room_after_remove", filters_room_after_remove },
    { "log_limits", log_limits },
    { "log_long_paths", log_long_paths },
    { "handle_fills_cache", handle_fills_cache },
    { "handle_more_than_the_cache", handle_more_than_the_cache },
    { "handle_without_cache", handle_without_cache },
    { "handle_full_tree", handle_full_tree },
    { "handle_sessions", handle_sessions },
    { "handle_logs_all", handle_logs_all },
    { "server_backlog", server_backlog },
    { "server_stopped_without_workers", server_stopped_without_workers },
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
