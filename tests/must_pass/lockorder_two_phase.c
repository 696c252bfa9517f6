/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: Both threads take the locks in the same order.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t users = PTHREAD_MUTEX_INITIALIZER;  /* guards n_users */
static pthread_mutex_t groups = PTHREAD_MUTEX_INITIALIZER; /* guards n_groups */
static int n_users;
static int n_groups;

static void
work_elsewhere(int rounds)
{
    static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER; /* guards n */
    static int n;

    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&other);
        n++;
        pthread_mutex_unlock(&other);
    }
}

static void *
add_user(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&users);
    pthread_mutex_lock(&groups);
    n_users++;
    n_groups++;
    pthread_mutex_unlock(&groups);
    pthread_mutex_unlock(&users);
    work_elsewhere(10);
    return NULL;
}

static void *
add_group(void *arg)
{
    (void)arg;
    work_elsewhere(10);
    pthread_mutex_lock(&users);
    pthread_mutex_lock(&groups);
    n_groups++;
    n_users++;
    pthread_mutex_unlock(&groups);
    pthread_mutex_unlock(&users);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, add_user, NULL);
    pthread_create(&threads[1], NULL, add_group, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return n_users == 2 && n_groups == 2 ? 0 : 1;
}
