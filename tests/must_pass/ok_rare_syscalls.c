/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=6000 --detect=none --strategy=random
 * BURL-ENGINES: both
 * BURL-WHY: Most executions touch one page and call no kernel, so that undoing them is cut short
 *   (rt/reset/guard.c). In some a thread comes first that does what must not be noticed: the kernel
 *   writes into a page that no execution had written, the thread writes into another, a descriptor
 *   is left open, a line is printed. All of it must work, and be gone in the next execution.
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { PAGE_B = 4096, N_PAGES = 16, MOST_FDS = 16 };

static char pages[N_PAGES][PAGE_B] __attribute__((aligned(4096)));
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int turns; /* guarded by mutex */

static int
take_turn(void)
{
    int turn;

    pthread_mutex_lock(&mutex);
    turn = turns++;
    pthread_mutex_unlock(&mutex);
    return turn;
}

static void
use_kernel(void)
{
    int fd = open("/dev/null", O_RDONLY);

    assert(fd >= 0 && fd < MOST_FDS);
    assert(uname((struct utsname *)(void *)pages[3]) == 0);
    assert(pages[3][0] != '\0');
    assert(getcwd(pages[5], PAGE_B) != NULL);
    assert(pages[5][0] == '/');
    puts("the kernel was called");
}

static void *
work(void *arg)
{
    int mine[3];

    for (int i = 0; i < 3; i++)
        mine[i] = take_turn();
    if (mine[0] == 1 && mine[1] == 3 && mine[2] == 5 && arg != NULL)
        use_kernel();
    else if (mine[0] == 0 && mine[1] == 3)
        pages[9][17] = 1;
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < N_PAGES; i++) {
        for (int k = 0; k < PAGE_B; k += 1024)
            assert(pages[i][k] == 0);
        assert(pages[i][17] == 0);
    }
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, work, &threads[1]);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(turns == 6);
    return 0;
}
