/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cve_2013_1792.c - ConVul: two threads want the keyrings of one user, which the first
 * makes.
 *
 * The first keyring is stored before the second is there. A reader of the first takes both for made
 * and follows a null pointer to the second. FIXED: readers hold the lock.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct keyring {
    int usage;
};

static struct {
    pthread_mutex_t lock;
    struct keyring *own;
    struct keyring *session;
} user = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct keyring *
keyring_new(void)
{
    struct keyring *k = calloc(1, sizeof *k);

    k->usage = 1;
    return k;
}

static void
install_keyrings(void)
{
#ifndef FIXED
    if (user.own != NULL)
        return;
#endif
    pthread_mutex_lock(&user.lock);
    if (user.own == NULL) {
        user.own = keyring_new();
        user.session = keyring_new();
    }
    pthread_mutex_unlock(&user.lock);
}

static void *
look_up(void *arg)
{
    (void)arg;
    install_keyrings();
    pthread_mutex_lock(&user.lock);
    user.own->usage++;
    pthread_mutex_unlock(&user.lock);
    return NULL;
}

static void *
look_up_session(void *arg)
{
    struct keyring *k;

    (void)arg;
    install_keyrings();
    k = user.session;
    __atomic_fetch_add(&k->usage, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, look_up, NULL);
    pthread_create(&threads[1], NULL, look_up_session, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(user.own);
    free(user.session);
    return 0;
}
