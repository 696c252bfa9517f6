/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script.c - commands of control threads.
 *
 *     add KIND NAME X Y SIZE INK       move NAME DX DY FRAMES      pause      wait US
 *     remove NAME                      grow NAME N FRAMES          resume     speed US
 *
 * A number may be a range A..B, from which one is drawn.
 */
#include "animator.h"

#define WORDS_MAX 8
#define LINE_LENGTH 80

static const char *const kind_names[SHAPE__N] = { "dot", "line", "box", "disk", "text" };

/* Splits a copy of the line. The number of words, 0: too long. */
static unsigned
split(const char *line, char *copy, char **words)
{
    unsigned n = 0;
    char *rest = NULL;

    if (strlen(line) >= LINE_LENGTH)
        return 0;
    strcpy(copy, line);
    for (char *w = strtok_r(copy, " ", &rest); w != NULL; w = strtok_r(NULL, " ", &rest)) {
        if (n == WORDS_MAX)
            return 0;
        words[n++] = w;
    }
    return n;
}

static bool
number(struct control *c, const char *word, int *out)
{
    char *end;
    long from = strtol(word, &end, 10), to = from;

    if (end == word)
        return false;
    if (strncmp(end, "..", 2) == 0)
        to = strtol(end + 2, &end, 10);
    if (*end != '\0' || to < from)
        return false;
    *out = (int)from + (int)(next_random(&c->random) % (uint64_t)(to - from + 1));
    return true;
}

static bool
name_of(char *out, const char *word)
{
    size_t length = strlen(word);

    if (length == 0 || length >= NAME_LENGTH)
        return false;
    memset(out, 0, NAME_LENGTH);
    memcpy(out, word, length);
    return true;
}

static bool
do_add(struct control *c, char **words)
{
    struct look l = { .kind = SHAPE__N, .ink = words[6][0] };

    for (unsigned k = 0; k < SHAPE__N; k++)
        if (strcmp(words[1], kind_names[k]) == 0)
            l.kind = (enum shape_kind)k;
    if (l.kind == SHAPE__N || !name_of(l.name, words[2]) || !number(c, words[3], &l.x) ||
        !number(c, words[4], &l.y) || !number(c, words[5], &l.size))
        return false;
    if (!scene_add(c->scene, &l))
        c->n_refused++;
    return true;
}

static bool
do_transition(struct control *c, char **words, unsigned n)
{
    struct transition t = { 0 };
    int frames;
    bool grow = strcmp(words[0], "grow") == 0;

    if (n != (grow ? 4u : 5u) || !name_of(t.name, words[1]))
        return false;
    if (!number(c, words[n - 1], &frames) || frames < 1)
        return false;
    if (grow ? !number(c, words[2], &t.grow)
             : !number(c, words[2], &t.dx) || !number(c, words[3], &t.dy))
        return false;
    t.frames = (unsigned)frames;
    if (!transitions_add(c->transitions, &t))
        c->n_refused++;
    return true;
}

static bool
do_with_number(struct control *c, char **words)
{
    int us;

    if (!number(c, words[1], &us) || us < 0)
        return false;
    if (strcmp(words[0], "wait") == 0)
        pause_us((unsigned)us);
    else
        player_speed(c->player, (unsigned)us);
    return true;
}

bool
script_do(struct control *c, const char *line)
{
    char copy[LINE_LENGTH];
    char *words[WORDS_MAX];
    unsigned n = split(line, copy, words);

    if (n == 0)
        return false;
    c->n_commands++;
    if (strcmp(words[0], "add") == 0)
        return n == 7 && do_add(c, words);
    if (strcmp(words[0], "move") == 0 || strcmp(words[0], "grow") == 0)
        return do_transition(c, words, n);
    if (strcmp(words[0], "wait") == 0 || strcmp(words[0], "speed") == 0)
        return n == 2 && do_with_number(c, words);
    if (n == 1 && (strcmp(words[0], "pause") == 0 || strcmp(words[0], "resume") == 0)) {
        player_pause(c->player, strcmp(words[0], "pause") == 0);
        return true;
    }
    if (n == 2 && strcmp(words[0], "remove") == 0) {
        if (!scene_remove(c->scene, words[1]))
            c->n_refused++;
        return true;
    }
    return false;
}

void *
script_run(void *control)
{
    struct control *c = control;

    for (const char *const *line = c->lines; *line != NULL; line++)
        if (!script_do(c, *line)) {
            printf("no command: %s\n", *line);
            c->n_errors++;
        }
    return NULL;
}
