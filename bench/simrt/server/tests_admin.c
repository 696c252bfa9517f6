/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests_admin.c - tests of sessions, filters and the access log: `./tests_admin NAME`,
 * `./tests_admin --list`.
 */
#include "../team.h"

#include "server.h"

/* ---- sessions */

static void
sessions_alone(void)
{
    struct sessions *s = sessions_new(5);
    unsigned id = sessions_open(s, "ann");
    char user[USER_LENGTH];

    assert(id != 0 && sessions_user(s, id, user, sizeof user) && strcmp(user, "ann") == 0);
    assert(!sessions_user(s, id + 1, user, sizeof user) && !sessions_user(s, 0, user, sizeof user));
    assert(sessions_close(s, id) && !sessions_close(s, id) && sessions_count(s) == 0);
    sessions_free(s);
}

static void
sessions_expire(void)
{
    struct sessions *s = sessions_new(5);
    unsigned a = sessions_open(s, "ann"), b;
    char user[USER_LENGTH];

    assert(sessions_tick(s, 3) == 0);
    b = sessions_open(s, "bob");
    assert(sessions_tick(s, 3) == 1);
    assert(!sessions_user(s, a, user, sizeof user) && sessions_user(s, b, user, sizeof user));
    sessions_free(s);
}

static void
sessions_renewed(void)
{
    struct sessions *s = sessions_new(5);
    unsigned id = sessions_open(s, "ann");
    char user[USER_LENGTH];

    sessions_tick(s, 4);
    assert(sessions_user(s, id, user, sizeof user));
    assert(sessions_tick(s, 4) == 0 && sessions_tick(s, 4) == 1);
    sessions_free(s);
}

static void
sessions_full(void)
{
    struct sessions *s = sessions_new(5);

    for (int i = 0; i < 4; i++)
        assert(sessions_open(s, "x") != 0);
    assert(sessions_open(s, "y") == 0 && sessions_count(s) == 4);
    sessions_free(s);
}

struct login {
    struct sessions *sessions;
    unsigned id;
};

static void *
open_session(void *arg)
{
    struct login *l = arg;

    l->id = sessions_open(l->sessions, "eve");
    assert(l->id != 0);
    return NULL;
}

static void *
use_session(void *arg)
{
    struct login *l = arg;
    char user[USER_LENGTH];

    assert(sessions_user(l->sessions, l->id, user, sizeof user));
    return NULL;
}

static void *
tick(void *arg)
{
    sessions_tick(arg, 1);
    return NULL;
}

static void *
count_sessions(void *arg)
{
    assert(sessions_count(arg) <= 2);
    return NULL;
}

static void
sessions_opened_by_two(void)
{
    struct sessions *s = sessions_new(5);
    struct login a = { s, 0 }, b = { s, 0 };
    struct team t = { .n = 0 };

    team_start(&t, open_session, &a);
    team_start(&t, open_session, &b);
    team_join(&t);
    assert(a.id != b.id && sessions_count(s) == 2);
    sessions_free(s);
}

static void
sessions_opened_with_main(void)
{
    struct sessions *s = sessions_new(5);
    struct login a = { s, 0 }, b = { s, 0 };
    struct team t = { .n = 0 };

    team_start(&t, open_session, &a);
    open_session(&b);
    team_join(&t);
    assert(a.id != b.id);
    sessions_free(s);
}

static void
sessions_opened_while_counted(void)
{
    struct sessions *s = sessions_new(5);
    struct login a = { s, 0 };
    struct team t = { .n = 0 };

    team_start(&t, open_session, &a);
    team_start(&t, count_sessions, s);
    team_join(&t);
    sessions_free(s);
}

static void
sessions_used_by_two(void)
{
    struct sessions *s = sessions_new(5);
    struct login a = { s, sessions_open(s, "ann") };
    struct team t = { .n = 0 };

    team_start(&t, use_session, &a);
    team_start(&t, use_session, &a);
    team_join(&t);
    sessions_free(s);
}

static void
sessions_used_with_main(void)
{
    struct sessions *s = sessions_new(5);
    struct login a = { s, sessions_open(s, "ann") }, b = { s, sessions_open(s, "bob") };
    struct team t = { .n = 0 };

    team_start(&t, use_session, &a);
    use_session(&b);
    team_join(&t);
    sessions_free(s);
}

static void
sessions_used_while_time_passes(void)
{
    struct sessions *s = sessions_new(5);
    struct login a = { s, sessions_open(s, "ann") };
    struct team t = { .n = 0 };

    team_start(&t, use_session, &a);
    team_start(&t, tick, s);
    team_join(&t);
    assert(sessions_count(s) == 1);
    sessions_free(s);
}

static void
sessions_before_threads(void)
{
    struct sessions *s = sessions_new(5);
    struct login a = { s, sessions_open(s, "ann") };
    struct team t = { .n = 0 };

    use_session(&a);
    team_start(&t, tick, s);
    team_start(&t, count_sessions, s);
    team_join(&t);
    use_session(&a);
    sessions_free(s);
}

/* ---- filters */

static enum verdict
deny_puts(void *arg, const struct request *r)
{
    (void)arg;
    return r->method == METHOD_PUT ? DENY : PASS;
}

static enum verdict
deny_path(void *arg, const struct request *r)
{
    return strcmp(r->path, arg) == 0 ? DENY : PASS;
}

static struct request
request(const char *text)
{
    struct request r;
    bool ok = request_parse(&r, text);

    assert(ok);
    return r;
}

static void
filters_alone(void)
{
    struct filters *f = filters_new();
    struct request put = request("PUT /a\n"), get = request("GET /b");

    assert(filters_run(f, &put) == PASS);
    assert(filters_add(f, deny_puts, NULL) && filters_add(f, deny_path, "/b"));
    assert(filters_run(f, &put) == DENY && filters_run(f, &get) == DENY);
    assert(filters_remove(f, deny_path, "/b") && !filters_remove(f, deny_path, "/b"));
    assert(filters_run(f, &get) == PASS && filters_denied(f) == 2);
    filters_free(f);
}

static void
filters_full(void)
{
    struct filters *f = filters_new();

    for (int i = 0; i < 4; i++)
        assert(filters_add(f, deny_puts, NULL));
    assert(!filters_add(f, deny_puts, NULL));
    filters_free(f);
}

static void
filters_in_server(void)
{
    struct server *s = server_new(&server_defaults);
    struct request put = request("PUT /a\n");
    struct response rs;

    filters_add(server_filters(s), deny_puts, NULL);
    server_handle(s, &put, &rs);
    assert(rs.status == 403 && tree_version(server_tree(s)) == 0);
    server_free(s);
}

static void *
run_filters(void *arg)
{
    struct request put = request("PUT /a\n");

    filters_run(arg, &put);
    return NULL;
}

static void *
add_filter(void *arg)
{
    filters_add(arg, deny_puts, NULL);
    return NULL;
}

static void *
remove_filter(void *arg)
{
    filters_remove(arg, deny_puts, NULL);
    return NULL;
}

static void
filters_added_while_run(void)
{
    struct filters *f = filters_new();
    struct team t = { .n = 0 };

    team_start(&t, add_filter, f);
    team_start(&t, run_filters, f);
    team_join(&t);
    assert(filters_denied(f) <= 1);
    filters_free(f);
}

static void
filters_removed_while_run(void)
{
    struct filters *f = filters_new();
    struct team t = { .n = 0 };

    add_filter(f);
    team_start(&t, remove_filter, f);
    run_filters(f);
    team_join(&t);
    filters_free(f);
}

static void
filters_run_by_two(void)
{
    struct filters *f = filters_new();
    struct team t = { .n = 0 };

    add_filter(f);
    team_start(&t, run_filters, f);
    team_start(&t, run_filters, f);
    team_join(&t);
    assert(filters_denied(f) == 2);
    filters_free(f);
}

static void
filters_added_by_two(void)
{
    struct filters *f = filters_new();
    struct team t = { .n = 0 };

    team_start(&t, add_filter, f);
    team_start(&t, add_filter, f);
    team_join(&t);
    assert(filters_remove(f, deny_puts, NULL) && filters_remove(f, deny_puts, NULL));
    filters_free(f);
}

/* ---- the access log */

static void
log_alone(void)
{
    struct access_log *a = access_log_new();
    char path[16];

    access_log_add(a, "/a", 200);
    access_log_add(a, "/b", 404);
    assert(access_log_count(a) == 2 && access_log_status(a, 1) == 404);
    assert(access_log_path(a, 0, path, sizeof path) && strcmp(path, "/a") == 0);
    assert(!access_log_path(a, 2, path, sizeof path) && access_log_status(a, 99) == 0);
    access_log_free(a);
}

static void
log_full(void)
{
    struct access_log *a = access_log_new();

    for (int i = 0; i < 20; i++)
        access_log_add(a, "/", 200);
    assert(access_log_count(a) == 16);
    access_log_free(a);
}

static void *
log_one(void *arg)
{
    access_log_add(arg, "/a", 200);
    return NULL;
}

static void *
read_status(void *arg)
{
    int status = access_log_status(arg, 0);

    assert(status == 0 || status == 200);
    return NULL;
}

static void *
read_path(void *arg)
{
    char path[16];

    if (access_log_path(arg, 0, path, sizeof path))
        assert(strcmp(path, "/a") == 0);
    return NULL;
}

static void
log_two_writers(void)
{
    struct access_log *a = access_log_new();
    struct team t = { .n = 0 };

    team_start(&t, log_one, a);
    team_start(&t, log_one, a);
    team_join(&t);
    assert(access_log_count(a) == 2 && access_log_status(a, 1) == 200);
    access_log_free(a);
}

static void
log_status_read(void)
{
    struct access_log *a = access_log_new();
    struct team t = { .n = 0 };

    team_start(&t, log_one, a);
    team_start(&t, read_status, a);
    team_join(&t);
    access_log_free(a);
}

static void
log_path_read(void)
{
    struct access_log *a = access_log_new();
    struct team t = { .n = 0 };

    team_start(&t, log_one, a);
    read_path(a);
    team_join(&t);
    access_log_free(a);
}

static void
log_read_after_join(void)
{
    struct access_log *a = access_log_new();
    struct team t = { .n = 0 };

    team_start(&t, log_one, a);
    team_join(&t);
    read_path(a);
    read_status(a);
    access_log_free(a);
}

static void
log_readers(void)
{
    struct access_log *a = access_log_new();
    struct team t = { .n = 0 };

    log_one(a);
    team_start(&t, read_path, a);
    team_start(&t, read_status, a);
    team_join(&t);
    access_log_free(a);
}

/* ---- handled together */

struct call {
    struct server *server;
    struct request request;
    struct response response;
};

static void *
handle(void *arg)
{
    struct call *c = arg;

    server_handle(c->server, &c->request, &c->response);
    return NULL;
}

static void
handle_login(void)
{
    struct server *s = server_new(&server_defaults);
    struct call login = { .server = s, .request = request("GET /login/ann") };
    struct call who = { .server = s, .request = request("GET /whoami?session=1") };

    handle(&login);
    handle(&who);
    assert(login.response.session == 1 && strcmp(who.response.body, "ann") == 0);
    who.request = request("GET /whoami?session=2");
    handle(&who);
    assert(who.response.status == 401);
    server_free(s);
}

static void
handle_two_logins(void)
{
    struct server *s = server_new(&server_defaults);
    struct call a = { .server = s, .request = request("GET /login/ann") };
    struct call b = { .server = s, .request = request("GET /login/bob") };
    struct team t = { .n = 0 };

    team_start(&t, handle, &a);
    handle(&b);
    team_join(&t);
    assert(sessions_count(server_sessions(s)) == 2 && access_log_count(server_log(s)) == 2);
    server_free(s);
}

static void
handle_get_and_filter(void)
{
    struct server *s = server_new(&server_defaults);
    struct call a = { .server = s, .request = request("GET /a") };
    struct team t = { .n = 0 };

    team_start(&t, handle, &a);
    filters_add(server_filters(s), deny_path, "/a");
    team_join(&t);
    assert(a.response.status == 404 || a.response.status == 403);
    server_free(s);
}

static const struct test tests[] = {
    { "sessions_alone", sessions_alone },
    { "sessions_expire", sessions_expire },
    { "sessions_renewed", sessions_renewed },
    { "sessions_full", sessions_full },
    { "sessions_opened_by_two", sessions_opened_by_two },
    { "sessions_opened_with_main", sessions_opened_with_main },
    { "sessions_opened_while_counted", sessions_opened_while_counted },
    { "sessions_used_by_two", sessions_used_by_two },
    { "sessions_used_with_main", sessions_used_with_main },
    { "sessions_used_while_time_passes", sessions_used_while_time_passes },
    { "sessions_before_threads", sessions_before_threads },
    { "filters_alone", filters_alone },
    { "filters_full", filters_full },
    { "filters_in_server", filters_in_server },
    { "filters_added_while_run", filters_added_while_run },
    { "filters_removed_while_run", filters_removed_while_run },
    { "filters_run_by_two", filters_run_by_two },
    { "filters_added_by_two", filters_added_by_two },
    { "log_alone", log_alone },
    { "log_full", log_full },
    { "log_two_writers", log_two_writers },
    { "log_status_read", log_status_read },
    { "log_path_read", log_path_read },
    { "log_read_after_join", log_read_after_join },
    { "log_readers", log_readers },
    { "handle_login", handle_login },
    { "handle_two_logins", handle_two_logins },
    { "handle_get_and_filter", handle_get_and_filter },
};

int
main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: tests_admin NAME | --list\n");
        return 2;
    }
    if (strcmp(argv[1], "--list") == 0)
        return test_list(tests, COUNT(tests));
    return test_run(tests, COUNT(tests), argv[1]);
}
