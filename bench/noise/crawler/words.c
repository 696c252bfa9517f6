/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.c - counts words.
 */
#include "crawler.h"

void
words_init(struct words *w)
{
    memset(w, 0, sizeof *w);
    pthread_mutex_init(&w->lock, NULL);
}

void
words_deinit(struct words *w)
{
    pthread_mutex_destroy(&w->lock);
}

static void
count_locked(struct words *w, const char *word, size_t length)
{
    unsigned i;

    if (length >= WORD_LENGTH)
        length = WORD_LENGTH - 1;
    for (i = 0; i < w->n; i++)
        if (strlen(w->list[i].word) == length && strncmp(w->list[i].word, word, length) == 0)
            break;
    if (i == WORDS_MAX)
        return;
    if (i == w->n) {
        memcpy(w->list[i].word, word, length);
        w->n++;
    }
    w->list[i].total++;
}

void
words_add(struct words *w, const char *text)
{
    pthread_mutex_lock(&w->lock);
    while (*text != '\0') {
        size_t length;

        if (*text == '<') {
            text += strcspn(text, ">");
            continue;
        }
        length = strspn(text, "abcdefghijklmnopqrstuvwxyz");
        if (length > 0)
            count_locked(w, text, length);
        text += length > 0 ? length : 1;
    }
    pthread_mutex_unlock(&w->lock);
}
