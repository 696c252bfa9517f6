/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-ALSO: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000
 * BURL-WHY: The text and its length are updated in two steps without a lock, so two appends
 *   write to the same place and the length no longer fits the text.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { CAPACITY = 32, N_APPENDS = 2 };

struct builder {
    pthread_mutex_t mutex; /* guards the rest */
    size_t length;
    char text[CAPACITY];
};

static struct builder builder = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static void
append(struct builder *b, const char *word)
{
    size_t at;
    size_t n = 0;

    at = b->length;
    for (; word[n] != '\0'; n++)
        b->text[at + n] = word[n];
    pthread_mutex_lock(&b->mutex);
    b->length += n;
    pthread_mutex_unlock(&b->mutex);
}

static void *
write_words(void *arg)
{
    for (int i = 0; i < N_APPENDS; i++)
        append(&builder, arg);
    return NULL;
}

int
main(void)
{
    pthread_t a;
    pthread_t b;
    size_t n = 0;

    pthread_create(&a, NULL, write_words, "ab");
    pthread_create(&b, NULL, write_words, "xyz");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    while (n < CAPACITY && builder.text[n] != '\0')
        n++;
    assert(builder.length == 2 * (2 + 3));
    assert(n == builder.length);
    return 0;
}
