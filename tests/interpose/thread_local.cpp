/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: __cxa_thread_atexit_impl
 * BURL-WHY: destructors of thread_local objects run when their thread ends, newest first, and
 *   before those of keys; main's run at exit, before the handlers of atexit.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static int dead;
static int main_dead;
static pthread_t main_thread;

struct counted {
    int rank;

    explicit counted(int r) : rank(r) {}
    ~counted()
    {
        if (pthread_equal(pthread_self(), main_thread)) {
            main_dead++;
            return;
        }
        assert(pthread_getspecific(key) != nullptr);
        pthread_mutex_lock(&m);
        dead += rank;
        pthread_mutex_unlock(&m);
    }
};

static thread_local counted one(1);
static thread_local counted ten(10);

static void
at_exit()
{
    if (main_dead != 1)
        _exit(3);
}

static void *
run(void *)
{
    pthread_setspecific(key, &key);
    one.rank = 1;
    ten.rank = 10;
    return nullptr;
}

int
main()
{
    pthread_t t[2];

    main_thread = pthread_self();
    assert(atexit(at_exit) == 0);
    assert(pthread_key_create(&key, nullptr) == 0);
    one.rank = 1; /* both are constructed here */
    main_dead = -1;
    for (pthread_t &x : t)
        assert(pthread_create(&x, nullptr, run, nullptr) == 0);
    for (pthread_t &x : t)
        assert(pthread_join(x, nullptr) == 0);
    assert(dead == 22);
    return 0;
}
