/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alias/main.c - `burl-cc` and `burl-c++`: the compilers of burl under one word each.
 *
 * Runs in the host, in place of the user's compiler, and becomes `burl cc` or `burl c++` at once.
 * Build systems that put CC between quotes, or call ${CMAKE_C_COMPILER} with arguments of their
 * own, need a compiler of one word. Which of the two this is, is compiled in, and burl is looked
 * for beside the executable itself: neither depends on argv[0], so links of any name and odd paths
 * work.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* BURL_ALIAS is the command, "cc" or "c++"; set by the Makefile. */
#define NAME "burl-" BURL_ALIAS

/* As `burl` itself exits when a part of it is missing. */
enum { EXIT_ENVIRONMENT = 3, MAX_PATH_B = 1 << 16 };

static int
fail(const char *what, const char *path)
{
    fprintf(stderr, NAME ": error: %s %s: %s\n", what, path, strerror(errno));
    return EXIT_ENVIRONMENT;
}

int
main(int argc, char **argv)
{
    static const char self[] = "/proc/self/exe";
    static char path[MAX_PATH_B];
    char **words;
    ssize_t n = readlink(self, path, sizeof path - sizeof "burl");

    if (n < 0)
        return fail("cannot read", self);
    path[n] = '\0';
    memcpy(strrchr(path, '/') + 1, "burl", sizeof "burl");
    words = calloc((size_t)argc + 3, sizeof *words);
    if (!words)
        return fail("cannot start", path);
    words[0] = path;
    words[1] = BURL_ALIAS;
    /* Without any word (argc 0 is possible) burl says that there are no input files. */
    if (argc > 1)
        memcpy(words + 2, argv + 1, (size_t)(argc - 1) * sizeof *words);
    execv(path, words);
    fail("cannot run", path);
    free(words);
    fputs(
        NAME
        " runs the burl that is installed beside it; install burl again, or use a symbolic link in "
        "place of the copy\n",
        stderr);
    return EXIT_ENVIRONMENT;
}
