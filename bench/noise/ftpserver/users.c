/* SPDX-License-Identifier: Apache-2.0 */
/*
 * users.c - accounts and the limit of logins.
 *
 * The bug: whether there is room and the login are two critical sections; two clients that see
 * the last place both get it. The twin does both in one.
 */
#include "ftp.h"

static const struct {
    const char *name, *password;
} accounts[] = { { "anonymous", NULL }, { "alice", "wonder" }, { "bob", "builder" } };

void
users_init(struct users *u, unsigned limit)
{
    memset(u, 0, sizeof *u);
    u->limit = limit;
    pthread_mutex_init(&u->lock, NULL);
}

void
users_deinit(struct users *u)
{
    pthread_mutex_destroy(&u->lock);
}

static bool
knows(const char *name, const char *password)
{
    for (unsigned i = 0; i < sizeof accounts / sizeof accounts[0]; i++)
        if (strcmp(accounts[i].name, name) == 0)
            return accounts[i].password == NULL || strcmp(accounts[i].password, password) == 0;
    return false;
}

static bool
has_room(struct users *u)
{
    bool has;

    pthread_mutex_lock(&u->lock);
    has = u->active < u->limit;
    pthread_mutex_unlock(&u->lock);
    return has;
}

/* False: there is no room. */
static bool
enter(struct users *u)
{
    bool entered;

    pthread_mutex_lock(&u->lock);
    entered = !TWIN || u->active < u->limit;
    if (entered) {
        u->active++;
        u->n_logins++;
        if (u->active > u->peak)
            u->peak = u->active;
    } else {
        u->n_refused++;
    }
    pthread_mutex_unlock(&u->lock);
    return entered;
}

enum login
users_login(struct users *u, const char *name, const char *password)
{
    if (!knows(name, password))
        return LOGIN_WRONG;
    if (!has_room(u) || !enter(u))
        return LOGIN_FULL;
    return LOGIN_DONE;
}

void
users_logout(struct users *u)
{
    pthread_mutex_lock(&u->lock);
    u->active--;
    pthread_mutex_unlock(&u->lock);
}
