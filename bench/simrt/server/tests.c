/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests.c - tests of requests, connections, resources, cache and server: `./tests NAME`,
 * `./tests --list`.
 */
#include "../team.h"

#include "server.h"

/* ---- requests */

static void
request_get(void)
{
    struct request r;

    assert(request_parse(&r, "GET /docs/a"));
    assert(r.method == METHOD_GET && strcmp(r.path, "/docs/a") == 0 && !r.keep && r.session == 0);
}

static void
request_put(void)
{
    struct request r;

    assert(request_parse(&r, "PUT /a keep\nsome text"));
    assert(r.method == METHOD_PUT && r.keep && strcmp(r.body, "some text") == 0);
}

static void
request_session(void)
{
    struct request r;

    assert(request_parse(&r, "GET /whoami?session=42 keep"));
    assert(r.session == 42 && r.keep && strcmp(r.path, "/whoami") == 0);
    assert(!request_parse(&r, "GET /whoami?session="));
    assert(!request_parse(&r, "GET /whoami?user=2"));
}

static void
request_refused(void)
{
    struct request r;

    assert(!request_parse(&r, "") && r.method == METHOD_UNKNOWN);
    assert(!request_parse(&r, "POST /a"));
    assert(!request_parse(&r, "GET a"));
    assert(!request_parse(&r, "GET /a later"));
    assert(!request_parse(&r, "GET /a-path-that-is-much-too-long-for-it"));
}

static void
request_names(void)
{
    assert(strcmp(method_name(METHOD_DELETE), "DELETE") == 0);
    assert(strcmp(method_name(METHOD_UNKNOWN), "?") == 0);
}

static void
response_text(void)
{
    struct response r = { .status = 200, .body = "hi" };
    char text[16];

    assert(response_format(&r, text, sizeof text) == 6 && strcmp(text, "200 hi") == 0);
    r.session = 7;
    assert(response_format(&r, text, sizeof text) == 15);
}

static void *
parse_one(void *arg)
{
    struct request r;

    assert(request_parse(&r, arg));
    return NULL;
}

static void
request_threads(void)
{
    struct team t = { .n = 0 };

    team_start(&t, parse_one, "GET /a");
    team_start(&t, parse_one, "PUT /b\nx");
    team_join(&t);
}

/* ---- connections */

static void
connection_alone(void)
{
    struct connection *c = connection_new();
    char text[16];

    connection_send(c, "ping");
    assert(connection_read(c, text, sizeof text) && strcmp(text, "ping") == 0);
    connection_write(c, "pong");
    connection_close(c);
    assert(connection_receive(c, text, sizeof text) && strcmp(text, "pong") == 0);
    assert(!connection_receive(c, text, sizeof text));
    connection_free(c);
}

static void *
echo(void *arg)
{
    char text[16];

    while (connection_read(arg, text, sizeof text))
        connection_write(arg, text);
    return NULL;
}

static void
connection_echo(void)
{
    struct connection *c = connection_new();
    struct team t = { .n = 0 };
    char text[16];

    team_start(&t, echo, c);
    connection_send(c, "a");
    assert(connection_receive(c, text, sizeof text) && strcmp(text, "a") == 0);
    connection_close(c);
    team_join(&t);
    connection_free(c);
}

static void
connection_closed_early(void)
{
    struct connection *c = connection_new();
    struct team t = { .n = 0 };

    team_start(&t, echo, c);
    connection_close(c);
    team_join(&t);
    connection_free(c);
}

static void
pool_alone(void)
{
    struct pool *p = pool_new(2);
    struct connection *a = pool_take(p), *b = pool_take(p);

    assert(a != b && pool_try_take(p) == NULL);
    pool_give(p, a);
    assert(pool_try_take(p) == a);
    pool_give(p, a);
    pool_give(p, b);
    pool_free(p);
}

static void *
borrow(void *arg)
{
    struct connection *c = pool_take(arg);

    assert(c != NULL);
    pool_give(arg, c);
    return NULL;
}

static void
pool_of_one(void)
{
    struct pool *p = pool_new(1);
    struct team t = { .n = 0 };

    team_start(&t, borrow, p);
    team_start(&t, borrow, p);
    team_join(&t);
    pool_free(p);
}

static void
pool_of_two(void)
{
    struct pool *p = pool_new(2);
    struct team t = { .n = 0 };

    team_start(&t, borrow, p);
    borrow(p);
    team_join(&t);
    pool_free(p);
}

/* ---- the listener */

static void
listener_alone(void)
{
    struct listener *l = listener_new(1);
    struct connection *c = connection_new();

    assert(listener_connect(l, c) && !listener_connect(l, c));
    assert(listener_accept(l) == c && listener_refused(l) == 1);
    listener_stop(l);
    assert(listener_accept(l) == NULL && !listener_connect(l, c));
    listener_free(l);
    connection_free(c);
}

static void *
accept_all(void *arg)
{
    while (listener_accept(arg) != NULL)
        ;
    return NULL;
}

static void
listener_two_workers(void)
{
    struct listener *l = listener_new(4);
    struct connection *c = connection_new();
    struct team t = { .n = 0 };

    team_start(&t, accept_all, l);
    team_start(&t, accept_all, l);
    assert(listener_connect(l, c));
    listener_stop(l);
    team_join(&t);
    listener_free(l);
    connection_free(c);
}

/* ---- resources */

static void
tree_alone(void)
{
    struct tree *t = tree_new();
    char body[BODY_LENGTH];

    assert(tree_put(t, "/a", "1") && tree_put(t, "/docs/b", "2") && tree_put(t, "/a", "3"));
    assert(tree_get(t, "/a", body, sizeof body) && strcmp(body, "3") == 0);
    assert(tree_count(t, "") == 1 && tree_count(t, "docs") == 1 && tree_count(t, "x") == 0);
    assert(tree_version(t) == 3);
    tree_free(t);
}

static void
tree_refuses(void)
{
    struct tree *t = tree_new();
    char body[BODY_LENGTH];

    assert(!tree_put(t, "a", "") && !tree_put(t, "/", "") && !tree_put(t, "/dir/", ""));
    assert(!tree_put(t, "/a-directory-that-is-long/x", ""));
    assert(!tree_get(t, "/nothing", body, sizeof body) && !tree_get(t, "/no/where", body, 1));
    tree_free(t);
}

static void
tree_full(void)
{
    struct tree *t = tree_new();
    char path[] = "/d/0";

    for (int i = 0; i < 7; i++) {
        path[3] = (char)('0' + i);
        assert(tree_put(t, path, "") == (i < 6));
    }
    assert(tree_put(t, "/e/0", "") && tree_put(t, "/f/0", "") && !tree_put(t, "/g/0", ""));
    tree_free(t);
}

static void
tree_removes(void)
{
    struct tree *t = tree_new();

    tree_put(t, "/a", "1");
    tree_put(t, "/b", "2");
    assert(tree_remove(t, "/a") && !tree_remove(t, "/a") && !tree_remove(t, "/x/a"));
    assert(tree_count(t, "") == 1 && tree_version(t) == 3);
    tree_free(t);
}

static void
tree_moves(void)
{
    struct tree *t = tree_new();
    char body[BODY_LENGTH];

    tree_put(t, "/a", "1");
    assert(tree_move(t, "/a", "/d/b") && tree_move(t, "/d/b", "/d/c"));
    assert(!tree_move(t, "/a", "/d/x") && !tree_move(t, "/none/a", "/b"));
    assert(tree_get(t, "/d/c", body, sizeof body) && strcmp(body, "1") == 0);
    tree_free(t);
}

static void *
put_in_a(void *arg)
{
    tree_put(arg, "/a/x", "1");
    return NULL;
}

static void *
put_in_b(void *arg)
{
    tree_put(arg, "/b/y", "2");
    return NULL;
}

static void *
get_from_a(void *arg)
{
    char body[BODY_LENGTH];

    if (tree_get(arg, "/a/x", body, sizeof body))
        assert(strcmp(body, "1") == 0);
    return NULL;
}

static void *
remove_from_a(void *arg)
{
    tree_remove(arg, "/a/x");
    return NULL;
}

static void *
ask_version(void *arg)
{
    assert(tree_version(arg) <= 3);
    return NULL;
}

static void
tree_two_directories(void)
{
    struct tree *tree = tree_new();
    struct team t = { .n = 0 };

    team_start(&t, put_in_a, tree);
    team_start(&t, put_in_b, tree);
    team_join(&t);
    assert(tree_count(tree, "a") == 1 && tree_count(tree, "b") == 1);
    tree_free(tree);
}

static void
tree_version_read(void)
{
    struct tree *tree = tree_new();
    struct team t = { .n = 0 };

    team_start(&t, ask_version, tree);
    put_in_a(tree);
    team_join(&t);
    tree_free(tree);
}

static void
tree_reader_and_writer(void)
{
    struct tree *tree = tree_new();
    struct team t = { .n = 0 };

    team_start(&t, put_in_a, tree);
    team_start(&t, get_from_a, tree);
    team_join(&t);
    tree_free(tree);
}

static void
tree_readers(void)
{
    struct tree *tree = tree_new();
    struct team t = { .n = 0 };

    put_in_a(tree);
    team_start(&t, get_from_a, tree);
    team_start(&t, get_from_a, tree);
    team_join(&t);
    tree_free(tree);
}

static void
tree_remove_while_read(void)
{
    struct tree *tree = tree_new();
    struct team t = { .n = 0 };

    put_in_a(tree);
    team_start(&t, remove_from_a, tree);
    team_start(&t, get_from_a, tree);
    team_join(&t);
    assert(tree_count(tree, "a") == 0);
    tree_free(tree);
}

static void
tree_remove_twice(void)
{
    struct tree *tree = tree_new();
    struct team t = { .n = 0 };

    put_in_a(tree);
    team_start(&t, remove_from_a, tree);
    remove_from_a(tree);
    team_join(&t);
    assert(tree_count(tree, "a") == 0);
    tree_free(tree);
}

static void
tree_before_threads(void)
{
    struct tree *tree = tree_new();
    struct team t = { .n = 0 };

    put_in_a(tree);
    put_in_b(tree);
    remove_from_a(tree);
    team_start(&t, ask_version, tree);
    team_start(&t, ask_version, tree);
    team_join(&t);
    put_in_a(tree);
    tree_free(tree);
}

static void
tree_disjoint(void)
{
    struct tree *tree = tree_new(), *other = tree_new();
    struct team t = { .n = 0 };

    team_start(&t, put_in_a, tree);
    team_start(&t, put_in_b, other);
    team_join(&t);
    tree_free(tree);
    tree_free(other);
}

static void *
move_there(void *arg)
{
    tree_move(arg, "/a/x", "/b/z");
    return NULL;
}

static void *
move_back(void *arg)
{
    tree_move(arg, "/b/y", "/a/z");
    return NULL;
}

static void
tree_moves_crossing(void)
{
    struct tree *tree = tree_new();
    struct team t = { .n = 0 };

    put_in_a(tree);
    put_in_b(tree);
    team_start(&t, move_there, tree);
    team_start(&t, move_back, tree);
    team_join(&t);
    assert(tree_count(tree, "a") == 1 && tree_count(tree, "b") == 1);
    tree_free(tree);
}

static void
tree_moves_crossing_main(void)
{
    struct tree *tree = tree_new();
    struct team t = { .n = 0 };

    put_in_a(tree);
    put_in_b(tree);
    team_start(&t, move_there, tree);
    move_back(tree);
    team_join(&t);
    tree_free(tree);
}

static void
tree_moves_same_way(void)
{
    struct tree *tree = tree_new();
    struct team t = { .n = 0 };

    put_in_a(tree);
    put_in_b(tree);
    team_start(&t, move_there, tree);
    team_start(&t, move_there, tree);
    team_join(&t);
    assert(tree_count(tree, "b") == 2);
    tree_free(tree);
}

/* ---- the cache */

static void
cache_alone(void)
{
    struct cache *c = cache_new(2);
    char body[BODY_LENGTH];

    assert(!cache_get(c, "/a", body, sizeof body));
    cache_put(c, "/a", "1");
    cache_put(c, "/a", "2");
    assert(cache_get(c, "/a", body, sizeof body) && strcmp(body, "2") == 0);
    assert(cache_size(c) == 1 && cache_hits(c) == 1);
    cache_drop(c, "/a");
    assert(cache_size(c) == 0);
    cache_free(c);
}

static void
cache_evicts(void)
{
    struct cache *c = cache_new(2);
    char body[BODY_LENGTH];

    cache_put(c, "/a", "1");
    cache_put(c, "/b", "2");
    assert(cache_get(c, "/a", body, sizeof body));
    cache_put(c, "/c", "3");
    assert(cache_evictions(c) == 1 && cache_get(c, "/a", body, sizeof body));
    assert(!cache_get(c, "/b", body, sizeof body));
    cache_free(c);
}

static void
cache_without_room(void)
{
    struct cache *c = cache_new(0);
    char body[BODY_LENGTH];

    cache_put(c, "/a", "1");
    assert(!cache_get(c, "/a", body, sizeof body) && cache_size(c) == 0);
    cache_free(c);
}

static void *
cache_put_a(void *arg)
{
    cache_put(arg, "/a", "1");
    return NULL;
}

static void *
cache_put_b(void *arg)
{
    cache_put(arg, "/b", "2");
    return NULL;
}

static void *
cache_get_a(void *arg)
{
    char body[BODY_LENGTH];

    if (cache_get(arg, "/a", body, sizeof body))
        assert(strcmp(body, "1") == 0);
    return NULL;
}

static void
cache_two_writers(void)
{
    struct cache *c = cache_new(2);
    struct team t = { .n = 0 };

    team_start(&t, cache_put_a, c);
    team_start(&t, cache_put_b, c);
    team_join(&t);
    assert(cache_size(c) + cache_evictions(c) == 2);
    cache_free(c);
}

static void
cache_writer_and_reader(void)
{
    struct cache *c = cache_new(1);
    struct team t = { .n = 0 };

    cache_put_a(c);
    team_start(&t, cache_get_a, c);
    cache_put_b(c);
    team_join(&t);
    cache_free(c);
}

static void
cache_readers(void)
{
    struct cache *c = cache_new(1);
    struct team t = { .n = 0 };

    cache_put_a(c);
    team_start(&t, cache_get_a, c);
    team_start(&t, cache_get_a, c);
    team_join(&t);
    assert(cache_hits(c) == 2);
    cache_free(c);
}

static void *
cache_drop_a(void *arg)
{
    cache_drop(arg, "/a");
    return NULL;
}

static void
cache_dropped_while_read(void)
{
    struct cache *c = cache_new(2);
    struct team t = { .n = 0 };

    cache_put_a(c);
    cache_put_b(c);
    team_start(&t, cache_get_a, c);
    team_start(&t, cache_drop_a, c);
    team_join(&t);
    assert(cache_size(c) == 1);
    cache_free(c);
}

static void
cache_one_after_another(void)
{
    struct cache *c = cache_new(2);
    struct team t = { .n = 0 };

    team_start(&t, cache_put_a, c);
    team_join(&t);
    team_start(&t, cache_put_b, c);
    team_join(&t);
    assert(cache_size(c) == 2);
    cache_free(c);
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
handle_resources(void)
{
    struct server *s = server_new(&server_defaults);
    struct response rs;

    assert(ask(s, "GET /a", &rs) == 404);
    assert(ask(s, "PUT /a\nhello", &rs) == 201);
    assert(ask(s, "GET /a", &rs) == 200 && strcmp(rs.body, "hello") == 0);
    assert(ask(s, "GET /a", &rs) == 200 && cache_hits(server_cache(s)) == 1);
    assert(ask(s, "DELETE /a", &rs) == 204 && ask(s, "GET /a", &rs) == 404);
    server_free(s);
}

static void
handle_changes(void)
{
    struct server *s = server_new(&server_defaults);
    struct response rs;

    ask(s, "PUT /a\n1", &rs);
    ask(s, "GET /a", &rs);
    ask(s, "PUT /a\n2", &rs);
    assert(ask(s, "GET /a", &rs) == 200 && strcmp(rs.body, "2") == 0);
    assert(server_active(s) == 0);
    server_free(s);
}

static void
handle_errors(void)
{
    struct server *s = server_new(&server_defaults);
    struct response rs;

    assert(ask(s, "what", &rs) == 400);
    assert(ask(s, "PUT /x/\n", &rs) == 507);
    assert(ask(s, "DELETE /x", &rs) == 404);
    server_free(s);
}

static void
handle_name(void)
{
    assert(strcmp(server_name(), "simrt/1") == 0);
    assert(server_name() == server_name());
}

static void *
take_name(void *arg)
{
    (void)arg;
    assert(strcmp(server_name(), "simrt/1") == 0);
    return NULL;
}

static void
handle_name_threads(void)
{
    struct team t = { .n = 0 };

    team_start(&t, take_name, NULL);
    team_start(&t, take_name, NULL);
    team_join(&t);
}

/* ---- the server with workers */

static void
talk(struct server *s, const char *text, const char *expected)
{
    struct connection *c = connection_new();
    char answer[96];

    assert(server_connect(s, c));
    connection_send(c, text);
    assert(connection_receive(c, answer, sizeof answer));
    assert(expected == NULL || strcmp(answer, expected) == 0);
    connection_free(c);
}

struct client {
    struct server *server;
    const char *text;
};

static void *
client_main(void *arg)
{
    struct client *c = arg;

    talk(c->server, c->text, NULL);
    return NULL;
}

static void
serve_one(void)
{
    struct server *s = server_new(&server_defaults);
    struct totals sum;

    server_start(s);
    assert(server_is_ready(s));
    talk(s, "GET /a", "404 ");
    server_stop(s);
    server_totals(s, &sum);
    assert(sum.errors == 1 && sum.served == 0);
    server_free(s);
}

static void
serve_nothing(void)
{
    struct server *s = server_new(&server_defaults);
    struct totals sum;

    server_start(s);
    server_stop(s);
    server_totals(s, &sum);
    assert(sum.served == 0 && !server_is_ready(s));
    server_free(s);
}

static void
serve_two_requests(void)
{
    struct server *s = server_new(&server_defaults);
    struct totals sum;

    server_start(s);
    talk(s, "PUT /a\nx", "201 ");
    talk(s, "GET /a", "200 x");
    server_stop(s);
    server_totals(s, &sum);
    assert(sum.served == 2 && sum.bytes == 1);
    server_free(s);
}

static void
serve_keep_alive(void)
{
    struct server *s = server_new(&server_defaults);
    struct connection *c = connection_new();
    char answer[96];

    server_start(s);
    assert(server_connect(s, c));
    connection_send(c, "PUT /a keep\nx");
    assert(connection_receive(c, answer, sizeof answer));
    connection_send(c, "GET /a");
    assert(connection_receive(c, answer, sizeof answer) && strcmp(answer, "200 x") == 0);
    connection_close(c);
    server_stop(s);
    connection_free(c);
    server_free(s);
}

static void
serve_two_clients(void)
{
    struct server_options o = server_defaults;
    struct server *s;
    struct team t = { .n = 0 };
    struct client put;

    o.workers = 2;
    s = server_new(&o);
    server_start(s);
    put = (struct client){ s, "PUT /a\nx" };
    team_start(&t, client_main, &put);
    talk(s, "GET /b", "404 ");
    team_join(&t);
    server_stop(s);
    assert(tree_version(server_tree(s)) == 1);
    server_free(s);
}

static void
serve_two_idle_workers(void)
{
    struct server_options o = server_defaults;
    struct server *s;

    o.workers = 2;
    s = server_new(&o);
    server_start(s);
    server_stop(s);
    server_free(s);
}

static void
serve_monitored(void)
{
    struct server_options o = server_defaults;
    struct server *s;
    struct totals sum;

    o.monitor = true;
    s = server_new(&o);
    server_start(s);
    talk(s, "GET /a", "404 ");
    server_stop(s);
    server_totals(s, &sum);
    assert(sum.logged == 1);
    server_free(s);
}

static void
serve_monitored_two(void)
{
    struct server_options o = server_defaults;
    struct server *s;
    struct totals sum;

    o.workers = 2;
    o.monitor = true;
    s = server_new(&o);
    server_start(s);
    talk(s, "PUT /a\n1", "201 ");
    server_stop(s);
    server_totals(s, &sum);
    assert(sum.logged == 1 && sum.served == 1);
    server_free(s);
}

static const struct test tests[] = {
    { "request_get", request_get },
    { "request_put", request_put },
    { "request_session", request_session },
    { "request_refused", request_refused },
    { "request_names", request_names },
    { "response_text", response_text },
    { "request_threads", request_threads },
    { "connection_alone", connection_alone },
    { "connection_echo", connection_echo },
    { "connection_closed_early", connection_closed_early },
    { "pool_alone", pool_alone },
    { "pool_of_one", pool_of_one },
    { "pool_of_two", pool_of_two },
    { "listener_alone", listener_alone },
    { "listener_two_workers", listener_two_workers },
    { "tree_alone", tree_alone },
    { "tree_refuses", tree_refuses },
    { "tree_full", tree_full },
    { "tree_removes", tree_removes },
    { "tree_moves", tree_moves },
    { "tree_two_directories", tree_two_directories },
    { "tree_version_read", tree_version_read },
    { "tree_reader_and_writer", tree_reader_and_writer },
    { "tree_readers", tree_readers },
    { "tree_remove_while_read", tree_remove_while_read },
    { "tree_remove_twice", tree_remove_twice },
    { "tree_before_threads", tree_before_threads },
    { "tree_disjoint", tree_disjoint },
    { "tree_moves_crossing", tree_moves_crossing },
    { "tree_moves_crossing_main", tree_moves_crossing_main },
    { "tree_moves_same_way", tree_moves_same_way },
    { "cache_alone", cache_alone },
    { "cache_evicts", cache_evicts },
    { "cache_without_room", cache_without_room },
    { "cache_two_writers", cache_two_writers },
    { "cache_writer_and_reader", cache_writer_and_reader },
    { "cache_readers", cache_readers },
    { "cache_dropped_while_read", cache_dropped_while_read },
    { "cache_one_after_another", cache_one_after_another },
    { "handle_resources", handle_resources },
    { "handle_changes", handle_changes },
    { "handle_errors", handle_errors },
    { "handle_name", handle_name },
    { "handle_name_threads", handle_name_threads },
    { "serve_one", serve_one },
    { "serve_nothing", serve_nothing },
    { "serve_two_requests", serve_two_requests },
    { "serve_keep_alive", serve_keep_alive },
    { "serve_two_clients", serve_two_clients },
    { "serve_two_idle_workers", serve_two_idle_workers },
    { "serve_monitored", serve_monitored },
    { "serve_monitored_two", serve_monitored_two },
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
