/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: sem_open sem_close sem_unlink
 * Names: one semaphore by two openings, creation that insists on being first, removal while open.
 * The one that is left behind at the end must be gone in the next execution: natively the
 * program removes it first.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

#define NAME "/burl-test-sem-named"
#define LEFT "/burl-test-sem-left"

static void *
post_by_name(void *arg)
{
    sem_t *s = sem_open(NAME, 0);

    (void)arg;
    assert(s != SEM_FAILED);
    assert(sem_post(s) == 0);
    assert(sem_close(s) == 0);
    return NULL;
}

int
main(void)
{
    sem_t *a;
    sem_t *b;
    pthread_t t;
    int value;

    (void)sem_unlink(NAME);
    (void)sem_unlink(LEFT);
    assert(sem_open(NAME, 0) == SEM_FAILED && errno == ENOENT);
    assert(sem_unlink(NAME) == -1 && errno == ENOENT);
    assert(sem_open("/", O_CREAT, 0600, 0) == SEM_FAILED && errno == EINVAL);
    a = sem_open(NAME, O_CREAT | O_EXCL, 0600, 0);
    assert(a != SEM_FAILED);
    assert(sem_open(NAME, O_CREAT | O_EXCL, 0600, 5) == SEM_FAILED && errno == EEXIST);
    b = sem_open(NAME, O_CREAT, 0600, 5); /* exists: the value is not looked at */
    assert(b == a);
    assert(sem_getvalue(b, &value) == 0 && value == 0);
    assert(sem_close(b) == 0);

    assert(pthread_create(&t, NULL, post_by_name, NULL) == 0);
    assert(sem_wait(a) == 0);
    assert(pthread_join(t, NULL) == 0);

    assert(sem_unlink(NAME) == 0);
    assert(sem_open(NAME, 0) == SEM_FAILED && errno == ENOENT);
    assert(sem_post(a) == 0); /* still open */
    b = sem_open(NAME, O_CREAT, 0600, 7);
    assert(b != SEM_FAILED && b != a);
    assert(sem_getvalue(b, &value) == 0 && value == 7);
    assert(sem_close(a) == 0 && sem_close(b) == 0);
    assert(sem_unlink(NAME) == 0);

    a = sem_open(LEFT, O_CREAT | O_EXCL, 0600, 1);
    assert(a != SEM_FAILED);
    assert(sem_close(a) == 0);
    a = sem_open(LEFT, 0);
    assert(a != SEM_FAILED && sem_trywait(a) == 0);
    return 0;
}
