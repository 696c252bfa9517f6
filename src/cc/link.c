/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cc/link.c - the runtime's part of a link.
 *
 * libburl_rt.so is named before the user's libraries, so that it comes before
 * them and libc in the order the dynamic loader looks symbols up; --no-as-needed
 * keeps it there even when only libraries are instrumented. It is named behind
 * the user's objects: a variable of the user that has the name of a function
 * would make the linker warn that the symbol changes its type. burl_hot.o, in every
 * output, has the hooks that must be called directly (rt/hooks/hot.c). -z now: a lazy
 * binding would run the loader inside a hook. The symbol defined here is the one
 * instrumented objects ask for, so that any other link fails with its name.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cc/cc_int.h"

#define LINK_SYMBOL "burl_objects_must_be_linked_with_burl_cc"

static bool
mentions_runtime(const char *path)
{
    struct stat st;
    bool found = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return false;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        size_t n = (size_t)st.st_size;
        void *p = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p != MAP_FAILED) {
            /* Symbol names are plain bytes in objects, archives and bitcode alike. */
            found = memmem(p, n, LINK_SYMBOL, strlen(LINK_SYMBOL)) != NULL;
            munmap(p, n);
        }
    }
    close(fd);
    return found;
}

bool
burl__cc_wants_runtime(const struct burl__cc *cc)
{
    if (cc->relocatable || cc->is_static)
        return false;
    if (!cc->nostdlib)
        return true;
    /* Kernels and loaders say -nostdlib, but so does libtool for C++ libraries: look inside. */
    for (size_t i = 0; i < cc->words.n; i++) {
        const struct burl__word *w = &cc->words.v[i];
        if (w->is_input && (w->kind == BURL__IN_SOURCE || mentions_runtime(w->text)))
            return true;
    }
    return false;
}

static bool
names_library(const struct burl__word *w)
{
    const char *dot = strrchr(w->text, '.');

    if (w->is_input)
        return w->kind == BURL__IN_OBJECT && (!dot || strcmp(dot, ".o") != 0);
    if (strncmp(w->text, "-Wl,", 4) == 0)
        return strstr(w->text, ",-l") || strstr(w->text, ".so") || strstr(w->text, ".a");
    return strncmp(w->text, "-l", 2) == 0;
}

size_t
burl__cc_link_place(const struct burl__cc *cc)
{
    size_t i = 0;

    while (i < cc->words.n && !names_library(&cc->words.v[i]))
        i++;
    return i;
}

void
burl__cc_link_runtime(const struct burl__cc *cc, struct burl__argv *a)
{
    burl__argv_add(a, "-Wl,--push-state,--no-as-needed");
    burl__argv_addf(a, "%s/burl_hot.o", cc->tools->lib_dir);
    burl__argv_addf(a, "%s/libburl_rt.so", cc->tools->lib_dir);
    burl__argv_add(a, "-Wl,--pop-state");
}

void
burl__cc_link_tail(const struct burl__cc *cc, struct burl__argv *a)
{
    burl__argv_adds(a, "-Wl,--defsym=" LINK_SYMBOL "=0", "-Wl,-z,now", "-Xlinker", "-rpath",
                    "-Xlinker", cc->tools->lib_dir, NULL);
}
