/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-ALSO: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000
 * BURL-WHY: The look-up counts its hits in the shared entry while it holds the lock for reading
 *   only; two readers lose a count.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N_ENTRIES = 4, N_READERS = 2 };

struct entry {
    int key;
    int value;
    int hits;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER; /* guards dns */
static struct entry dns[N_ENTRIES];

static int
look_up(int key)
{
    int value = -1;

    pthread_rwlock_rdlock(&lock);
    for (int i = 0; i < N_ENTRIES; i++) {
        if (dns[i].key == key) {
            value = dns[i].value;
            dns[i].hits++;
            break;
        }
    }
    pthread_rwlock_unlock(&lock);
    return value;
}

static void *
resolve(void *arg)
{
    (void)arg;
    assert(look_up(12) == 120);
    assert(look_up(99) == -1);
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_READERS];

    pthread_rwlock_wrlock(&lock);
    for (int i = 0; i < N_ENTRIES; i++) {
        dns[i].key = 10 + i;
        dns[i].value = 100 + 10 * i;
    }
    pthread_rwlock_unlock(&lock);
    for (int i = 0; i < N_READERS; i++)
        pthread_create(&threads[i], NULL, resolve, NULL);
    for (int i = 0; i < N_READERS; i++)
        pthread_join(threads[i], NULL);
    assert(dns[2].hits == N_READERS);
    return 0;
}
