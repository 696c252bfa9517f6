/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=300
 * BURL-ENGINES: both
 * BURL-WHY: The variable that is read is that of the reading thread.
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
    value = counter;
    t.join();
    return value < 0;
}
