/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.cycle
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: A reader of the catalog asks for the log; the thread that has the log asks to write the
 *   catalog.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t catalog = PTHREAD_RWLOCK_INITIALIZER; /* guards n_books */
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;    /* guards n_lines */
static int n_books = 3;
static int n_lines;

static void *
list_books(void *arg)
{
    (void)arg;
    pthread_rwlock_rdlock(&catalog);
    pthread_mutex_lock(&log_lock);
    n_lines += n_books;
    pthread_mutex_unlock(&log_lock);
    pthread_rwlock_unlock(&catalog);
    return NULL;
}

static void *
check_log(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&log_lock);
    pthread_rwlock_wrlock(&catalog);
    n_books++;
    pthread_rwlock_unlock(&catalog);
    pthread_mutex_unlock(&log_lock);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, list_books, NULL);
    pthread_create(&threads[1], NULL, check_log, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return n_lines >= 3 ? 0 : 1;
}
