/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/support/await.c - waits for an event, so that scripts need neither sleep nor poll.
 *
 *   await [-t SECONDS] [-p PID] DIR COMMAND...   until COMMAND succeeds
 *   await [-t SECONDS] exit PID...               until these processes have exited
 *
 * COMMAND is run at once, and again whenever something below DIR changes, and every second, for
 * what inotify does not report. Exit code: 0 it happened; 1 not within the time (default 60 s,
 * multiplied by BURL_TEST_SLOW unless given), or process PID exited first; 2 usage.
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EVENTS (IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_DELETE | IN_CLOSE_WRITE | IN_ATTRIB)

static long long end_ms;

static long long
now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* Watches a folder and those below it; one that is already watched is not watched twice. */
static void
watch(int fd, const char *dir)
{
    DIR *d;
    struct dirent *e;

    if (inotify_add_watch(fd, dir, EVENTS) < 0)
        return;
    d = opendir(dir);
    if (!d)
        return;
    while ((e = readdir(d)) != NULL) {
        char path[4096];

        if (e->d_type != DT_DIR || strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if ((size_t)snprintf(path, sizeof path, "%s/%s", dir, e->d_name) < sizeof path)
            watch(fd, path);
    }
    closedir(d);
}

static int
succeeds(char **command)
{
    int status;
    const pid_t pid = fork();

    if (pid == 0) {
        execvp(command[0], command);
        perror(command[0]);
        _exit(127);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

/* A descriptor that becomes readable when the process exits; -1 when there is no such process. */
static int
open_process(const char *pid)
{
    return (int)syscall(SYS_pidfd_open, (pid_t)atoi(pid), 0);
}

static int
await_exit(char **pids)
{
    for (; *pids; pids++) {
        struct pollfd p = { .fd = open_process(*pids), .events = POLLIN };
        const long long left = end_ms - now_ms();

        if (p.fd < 0)
            continue;
        if (poll(&p, 1, left > 0 ? (int)left : 0) <= 0)
            return 1;
        close(p.fd);
    }
    return 0;
}

static int
await_change(const char *dir, char **command, const char *pid)
{
    struct pollfd p[2] = { { .fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), .events = POLLIN },
                           { .fd = -1, .events = POLLIN } };
    int exited = 0;

    if (pid) {
        p[1].fd = open_process(pid);
        exited = p[1].fd < 0;
    }
    for (;;) {
        char events[8192];
        long long left;

        /* In this order: a change after the command ran must not be missed. */
        watch(p[0].fd, dir);
        while (read(p[0].fd, events, sizeof events) > 0)
            ;
        if (succeeds(command))
            return 0;
        left = end_ms - now_ms();
        if (exited || left <= 0)
            return 1;
        if (poll(p, 2, left < 1000 ? (int)left : 1000) < 0 && errno != EINTR)
            return 1;
        exited = (p[1].revents & POLLIN) != 0;
        poll(NULL, 0, 10); /* one run for a burst of changes; COMMAND itself may make some */
    }
}

int
main(int argc, char **argv)
{
    const char *slow = getenv("BURL_TEST_SLOW");
    double seconds = 60 * (slow && atoi(slow) > 0 ? atoi(slow) : 1);
    const char *pid = NULL;
    int c;

    while ((c = getopt(argc, argv, "+t:p:")) != -1) {
        if (c == 't')
            seconds = atof(optarg);
        else if (c == 'p')
            pid = optarg;
        else
            return 2;
    }
    argv += optind;
    if (!argv[0]) {
        fprintf(stderr, "usage: await [-t SECONDS] [-p PID] DIR COMMAND... | exit PID...\n");
        return 2;
    }
    end_ms = now_ms() + (long long)(seconds * 1000);
    if (strcmp(argv[0], "exit") == 0)
        return await_exit(argv + 1);
    return argv[1] ? await_change(argv[0], argv + 1, pid) : 2;
}
