/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench/overhead/measure.c - runs a program once and prints what it cost.
 *
 *     measure [none|race|locpairs|race+locpairs|metrics|f1|f2|four|race+four] PROGRAM ARGS...
 *
 * "none" starts it as it is. The others make a control block for free mode, as `burl run` does,
 * with no more of a host around it than that, so that the figures are those of the program and the
 * runtime. "metrics" are all metrics of coverage, "f1" (AVIO, HBPAIRS, SYNCHRO) and "f2" (GOLDISC)
 * those of two fitness functions, "four" both. Prints: CPU seconds, kilobytes of the largest
 * resident set, distinct races, location pairs. Exit code: the program's, 3 when it could not be
 * run.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wire/control.h"

#define EVENTS_N 65536u

static struct burl_wire_ctl *
make_block(uint32_t observers)
{
    const uint64_t trace = (sizeof(struct burl_wire_ctl) + 4095) & ~4095ull;
    const uint64_t cover = trace + ((EVENTS_N * sizeof(struct burl_wire_event) + 4095) & ~4095ull);
    const uint64_t size = cover + sizeof(struct burl_wire_cover);
    int fd = memfd_create("burl-control", 0);
    struct burl_wire_ctl *c;
    char text[16];

    if (fd < 0 || ftruncate(fd, (off_t)size) != 0)
        return NULL;
    c = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (c == MAP_FAILED)
        return NULL;
    c->magic = BURL_WIRE_CTL_MAGIC;
    c->version = BURL_WIRE_VERSION;
    c->turn = BURL_TURN_TARGET;
    c->size_b = size;
    c->trace_off = trace;
    c->cover_off = cover;
    c->trace_n = EVENTS_N;
    c->engine = BURL_ENGINE_FREE;
    c->host_pid = (uint32_t)getpid();
    c->order.kind = BURL_ORDER_KIND_BATCH;
    c->order.observers = observers;
    snprintf(text, sizeof text, "%d", fd);
    setenv(BURL_WIRE_ENV_CTL, text, 1);
    return c;
}

static uint32_t
observers_of(const char *mode)
{
    const uint32_t f1 = BURL_OB(AVIO) | BURL_OB(HBPAIRS) | BURL_OB(SYNCHRO);
    const uint32_t f2 = BURL_OB(GOLDISC);
    uint32_t all = 0;

    if (strcmp(mode, "metrics") == 0) {
        for (uint32_t i = BURL_OBSERVER_LOCPAIRS; i < BURL_OBSERVER__N; i++)
            all |= 1u << i;
        return all;
    }
    if (strcmp(mode, "f1") == 0)
        return f1;
    if (strcmp(mode, "f2") == 0)
        return f2;
    return (strstr(mode, "four") != NULL ? f1 | f2 : 0) |
           (strncmp(mode, "race", 4) == 0 ? BURL_OB(RACE) : 0) |
           (strstr(mode, "locpairs") != NULL ? BURL_OB(LOCPAIRS) : 0);
}

int
main(int argc, char **argv)
{
    struct burl_wire_ctl *c = NULL;
    struct rusage u;
    int status;
    pid_t pid;

    if (argc < 3)
        return 3;
    if (strcmp(argv[1], "none") != 0) {
        c = make_block(observers_of(argv[1]));
        if (c == NULL) {
            perror("measure: control block");
            return 3;
        }
    }
    pid = fork();
    if (pid == 0) {
        personality(ADDR_NO_RANDOMIZE);
        execv(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &u) != pid)
        return 3;
    printf("%.3f %ld %u %llu\n",
           (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
               (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6,
           u.ru_maxrss, c != NULL ? c->result.n_failures : 0,
           (unsigned long long)(c != NULL ? c->result.n_pairs : 0));
    if (c != NULL && c->result.text[0] != '\0')
        fprintf(stderr, "measure: %s\n", c->result.text);
    if (!WIFEXITED(status)) {
        fprintf(stderr, "measure: %s: signal %d\n", argv[2], WTERMSIG(status));
        return 3;
    }
    return WEXITSTATUS(status);
}
