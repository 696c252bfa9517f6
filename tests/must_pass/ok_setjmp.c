/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: Each thread jumps back within its own stack, over frames that hold no lock.
 */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stddef.h>

struct parser {
    jmp_buf on_error;
    const char *input;
    int depth;
};

static atomic_int n_errors;

static void
parse(struct parser *p)
{
    for (; *p->input != '\0'; p->input++) {
        if (*p->input == '(') {
            p->depth++;
            p->input++;
            parse(p);
            return;
        }
        if (*p->input == ')' && --p->depth < 0)
            longjmp(p->on_error, 3);
    }
    if (p->depth != 0)
        longjmp(p->on_error, 4);
}

static void *
check(void *arg)
{
    struct parser p = { .input = arg };

    if (setjmp(p.on_error) == 0)
        parse(&p);
    else
        atomic_fetch_add(&n_errors, 1);
    return NULL;
}

int
main(void)
{
    static char *texts[3] = { "(a(b))", "a)", "((x)" };
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, check, texts[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(atomic_load(&n_errors) == 2);
    return 0;
}
