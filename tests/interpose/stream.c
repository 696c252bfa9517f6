/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: flockfile ftrylockfile funlockfile
 * The holder must run on while others wait for the stream: with fibers libc's own wait would block
 * it too. What the lock protects is no data race. The lock is recursive.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

static FILE *f;
static atomic_int trying;
static int counter;

static void *
append(void *arg)
{
    (void)arg;
    assert(ftrylockfile(f) != 0);
    atomic_fetch_add(&trying, 1);
    flockfile(f);
    counter++;
    fputc('a', f);
    assert(ftrylockfile(f) == 0);
    fputc('b', f);
    funlockfile(f);
    counter++;
    funlockfile(f);
    return NULL;
}

int
main(void)
{
    static const char want[] = "abab";
    pthread_t t[2];

    f = tmpfile();
    assert(f != NULL);
    flockfile(f);
    flockfile(f);
    for (int i = 0; i < 2; i++)
        assert(pthread_create(&t[i], NULL, append, NULL) == 0);
    while (atomic_load(&trying) < 2)
        sched_yield();
    funlockfile(f);
    assert(counter == 0);
    funlockfile(f);
    for (int i = 0; i < 2; i++)
        assert(pthread_join(t[i], NULL) == 0);
    assert(counter == 4);
    assert(ftrylockfile(f) == 0);
    rewind(f);
    for (int i = 0; i < 4; i++)
        assert(fgetc(f) == want[i]);
    funlockfile(f);
    fclose(f);
    return 0;
}
