/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.c - plans from text.
 */
#include "rover.h"

#define LINE_LENGTH 128

static bool
find_device(enum device_kind *out, const char *name)
{
    for (unsigned k = 0; k < DEVICES; k++)
        if (strcmp(device_name((enum device_kind)k), name) == 0) {
            *out = (enum device_kind)k;
            return true;
        }
    return false;
}

bool
plan_add(struct plan *p, unsigned number, const char *text)
{
    struct node n = { .number = number };
    char copy[LINE_LENGTH];
    char *rest = NULL, *word;
    bool ended = false;

    if (p->n == NODES_MAX || strlen(text) >= LINE_LENGTH)
        return false;
    strcpy(copy, text);
    word = strtok_r(copy, " ", &rest);
    if (word == NULL || !find_device(&n.device, word))
        return false;
    word = strtok_r(NULL, " ", &rest);
    if (word == NULL)
        return false;
    n.argument = (int)strtol(word, NULL, 10);
    word = strtok_r(NULL, " ", &rest);
    if (word == NULL || strcmp(word, "when") != 0)
        return false;
    while ((word = strtok_r(NULL, " ", &rest)) != NULL && strcmp(word, "until") != 0)
        if (n.n_start == CONDITIONS_MAX || !condition_parse(&n.start[n.n_start++], word))
            return false;
    if (word != NULL && (word = strtok_r(NULL, " ", &rest)) != NULL)
        ended = condition_parse(&n.end, word) && strtok_r(NULL, " ", &rest) == NULL;
    if (!ended)
        return false;
    p->nodes[p->n++] = n;
    return true;
}
