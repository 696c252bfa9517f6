/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: malloc calloc realloc reallocarray free posix_memalign aligned_alloc memalign valloc
 *   pvalloc malloc_usable_size
 * BURL-NATIVE: no
 * BURL-CFLAGS: -D_GNU_SOURCE -fno-builtin -Wno-deprecated-declarations
 * BURL-WHY: each function gives memory of the controlled heap's address range with the contents and
 *   alignment it promises; a freed block is not handed out again at once, as libc would.
 */
#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *
ours(void *p, size_t align)
{
    assert(p != NULL);
    assert((uintptr_t)p >> 40 == 0x60);
    assert((uintptr_t)p % align == 0);
    return p;
}

int
main(void)
{
    char *a = ours(malloc(10), 16);
    char *b = ours(calloc(3, 7), 16);
    char *old;
    void *p = NULL;

    assert(malloc_usable_size(a) == 24); /* as glibc */
    for (int i = 0; i < 21; i++)
        assert(b[i] == 0);
    strcpy(a, "123456789");
    memset(a + 10, 7, 14);
    old = a;
    a = ours(realloc(a, 1000), 16);
    assert(strcmp(a, "123456789") == 0 && a != old && a[10] == 7 && a[23] == 7);
    a = ours(reallocarray(a, 30, 100), 16);
    assert(strcmp(a, "123456789") == 0);
    assert(reallocarray(a, SIZE_MAX / 2, 3) == NULL && errno == ENOMEM);
    free(a);
    assert(malloc(3000) != a);
    assert(posix_memalign(&p, 256, 100) == 0);
    ours(p, 256);
    assert(posix_memalign(&p, 3, 100) == EINVAL);
    ours(aligned_alloc(64, 128), 64);
    ours(memalign(4096, 10), 4096);
    ours(valloc(10), 4096);
    p = ours(pvalloc(10), 4096);
    assert(malloc_usable_size(p) == 4104);
    errno = 0;
    assert(malloc(SIZE_MAX / 2) == NULL && errno == ENOMEM);
    free(NULL);
    return 0;
}
