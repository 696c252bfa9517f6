/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ARGS: --runs=1000 --no-spurious
 * BURL-ROWS: cnd_init cnd_wait cnd_timedwait cnd_signal cnd_broadcast cnd_destroy
 * Waiting must give the mutex back and let the others run.
 */
#include <assert.h>
#include <stddef.h>
#include <threads.h>
#include <time.h>

static mtx_t m;
static cnd_t asked;
static cnd_t answered;
static int question;
static int answer;

static struct timespec
soon(void)
{
    struct timespec ts;

    assert(timespec_get(&ts, TIME_UTC) == TIME_UTC);
    ts.tv_nsec += 20000000;
    if (ts.tv_nsec >= 1000000000) {
        ts.tv_nsec -= 1000000000;
        ts.tv_sec++;
    }
    return ts;
}

static int
answer_one(void *arg)
{
    (void)arg;
    assert(mtx_lock(&m) == thrd_success);
    while (question == 0)
        assert(cnd_wait(&asked, &m) == thrd_success);
    question--;
    answer++;
    assert(cnd_signal(&answered) == thrd_success);
    assert(mtx_unlock(&m) == thrd_success);
    return 0;
}

int
main(void)
{
    struct timespec ts;
    thrd_t t[2];

    assert(mtx_init(&m, mtx_timed) == thrd_success);
    assert(cnd_init(&asked) == thrd_success && cnd_init(&answered) == thrd_success);
    for (int i = 0; i < 2; i++)
        assert(thrd_create(&t[i], answer_one, NULL) == thrd_success);
    assert(mtx_lock(&m) == thrd_success);
    ts = soon();
    assert(cnd_timedwait(&answered, &m, &ts) == thrd_timedout); /* no thread was asked */
    question = 2;
    assert(cnd_broadcast(&asked) == thrd_success);
    while (answer < 2)
        assert(cnd_wait(&answered, &m) == thrd_success);
    assert(mtx_unlock(&m) == thrd_success);
    for (int i = 0; i < 2; i++)
        assert(thrd_join(t[i], NULL) == thrd_success);
    cnd_destroy(&asked);
    cnd_destroy(&answered);
    mtx_destroy(&m);
    return 0;
}
