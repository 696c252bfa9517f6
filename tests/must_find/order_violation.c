/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.signal
 * BURL-ALSO: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000
 * BURL-WHY: The logger thread uses the sink that main sets only after it has created the thread.
 *   When the thread is faster, it dereferences a null pointer.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct sink {
    int lines;
    int bytes;
};

struct logger {
    pthread_t thread;
    struct sink *sink;
};

static void *
run_logger(void *arg)
{
    struct logger *log = arg;

    for (int i = 0; i < 3; i++) {
        log->sink->lines++;
        log->sink->bytes += 80;
    }
    return NULL;
}

static void
logger_start(struct logger *log, struct sink *sink)
{
    pthread_create(&log->thread, NULL, run_logger, log);
    log->sink = sink;
}

int
main(void)
{
    struct logger *log = calloc(1, sizeof *log);
    struct sink *sink = calloc(1, sizeof *sink);
    int ok;

    logger_start(log, sink);
    pthread_join(log->thread, NULL);
    ok = sink->lines == 3 && sink->bytes == 240;
    free(sink);
    free(log);
    return ok ? 0 : 1;
}
