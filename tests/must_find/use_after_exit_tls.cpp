/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: memory.use-after-exit
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=300
 * BURL-ENGINES: both
 * BURL-SEQUENTIAL: yes
 * BURL-WHY: A thread-local variable of a thread that was joined is read through a pointer.
 */
#include <semaphore.h>

#include <thread>

static thread_local int counter;
static int *published;
static sem_t done;

int
main()
{
    int value = 0;

    sem_init(&done, 0, 0);
    std::thread t([] {
        counter = 7;
        published = &counter;
        sem_post(&done);
    });
    sem_wait(&done);
    t.join();
    value = *published;
    return value < 0;
}
