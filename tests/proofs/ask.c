/* SPDX-License-Identifier: Apache-2.0 */
/* ask.c - runs burl on a program and compares what it says with what the explorer knows. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "prog.h"

enum { MAX_COMMAND = 2048, ASK_SECONDS = 120, EXIT_NOT_DONE = 4 };

bool
ask_build(const struct asker *a, const char *source, const char *program)
{
    char command[MAX_COMMAND];

    snprintf(command, sizeof command, "'%s' cc -O1 -g -w '%s' -o '%s'", a->burl, source, program);
    return system(command) == 0;
}

/* The value of `"key": "value"` in a line, without its quotes; false: another key. */
static bool
string_of(const char *line, const char *key, char *value, size_t size)
{
    const size_t n = strlen(key);
    const char *at = line + strspn(line, " ");
    size_t k = 0;

    if (at[0] != '"' || strncmp(at + 1, key, n) != 0 || strncmp(at + 1 + n, "\": \"", 4) != 0)
        return false;
    for (at += n + 5; *at != '\0' && *at != '"' && k + 1 < size; at++) {
        if (*at == '\\' && at[1] != '\0')
            at++;
        value[k++] = *at;
    }
    value[k] = '\0';
    return true;
}

/* Kinds of findings have two parts; patterns and objects have one. */
static void
note_kind(struct answer *x, const char *kind)
{
    const size_t n = strlen(x->kinds);

    if (strchr(kind, '.') == NULL)
        return;
    if (strncmp(kind, "deadlock.", 9) == 0 || strncmp(kind, "hang.", 5) == 0 ||
        strncmp(kind, "misuse.", 7) == 0)
        x->stuck = true;
    else if (strncmp(kind, "race.", 5) == 0)
        x->race = true;
    else if (strcmp(kind, "crash.abort") != 0)
        x->other = true;
    if (strcmp(kind, "crash.abort") != 0 && strstr(x->kinds, kind) == NULL)
        snprintf(x->kinds + n, sizeof x->kinds - n, "%s%.60s", n > 0 ? " " : "", kind);
}

/* Of each finding the line with its kind comes before the line with its title. */
static void
read_document(struct answer *x, FILE *in)
{
    char *line = NULL;
    size_t size = 0;
    char text[512];
    bool in_search = false;
    bool in_delay = false;
    bool in_findings = false;

    while (getline(&line, &size, in) > 0) {
        const char *at = line + strspn(line, " ");

        if (strncmp(at, "\"delay\": {", 10) == 0)
            in_delay = true;
        else if (at[0] == '}')
            in_delay = false;
        else if (in_delay && strncmp(at, "\"complete\": ", 12) == 0)
            x->delays = atoi(at + 12);
        else if (strncmp(at, "\"search\": {", 11) == 0)
            in_search = true;
        else if (strncmp(at, "\"findings\": [", 13) == 0)
            in_findings = true;
        else if (strncmp(at, "\"memory\": {", 11) == 0)
            in_findings = false;
        else if (in_search && strncmp(at, "\"complete\": true", 16) == 0)
            x->complete = true;
        else if (in_search && string_of(line, "why", x->why, sizeof x->why))
            in_search = false;
        else if (in_findings && string_of(line, "kind", text, sizeof text))
            note_kind(x, text);
        else if (in_findings && string_of(line, "title", text, sizeof text)) {
            const char *end = strstr(text, "\"end ");

            if (end != NULL && end[5] >= '0' && end[5] <= '9')
                x->found |= 1u << strtoul(end + 5, NULL, 10);
            else if (end != NULL || strstr(text, "assertion") != NULL)
                x->other = true;
        }
        if (strncmp(at, "\"command\": \"test\"", 17) == 0)
            x->ran = true;
        if (strncmp(at, "\"error\": \"", 10) == 0)
            x->ran = false;
    }
    free(line);
}

struct answer
ask(const struct asker *a, const char *program, uint32_t which, const char *ends,
    const char *options)
{
    struct answer x = { .delays = -1 };
    char command[MAX_COMMAND];
    FILE *in;
    int code;

    snprintf(command, sizeof command,
             "timeout -k 5 %d '%s' test --seed=1 --fresh -j1 --no-minimize --confirm-tries=1 "
             "--json --runs=%u "
             "--dir='%s/store' %s %s '%s' %u %s 2>'%s/stderr'",
             ASK_SECONDS, a->burl, a->runs, a->dir, a->no_spurious ? "--no-spurious" : "", options,
             program, which, ends, a->dir);
    in = popen(command, "r");
    if (in == NULL)
        return x;
    read_document(&x, in);
    code = pclose(in);
    /* An exhaustive search that was cut, and found nothing. */
    if (!WIFEXITED(code) || (WEXITSTATUS(code) > 1 && WEXITSTATUS(code) != EXIT_NOT_DONE))
        x.ran = false;
    return x;
}

/* A delay passes the thread over that would go on, and there are n_threads - 1 others: so many
 * delays produce every switch. */
const char *
ask_judge_delays(const struct answer *x, const struct ends *ends, uint32_t n_threads)
{
    for (uint32_t i = 0; i < ends->n && x->delays >= 0; i++) {
        if (ends->must[i] && (x->found >> i & 1) == 0 &&
            (uint64_t)ends->switches[i] * (n_threads - 1) <= (uint64_t)x->delays)
            return "WRONG PROOF: end missed with delays";
    }
    return NULL;
}

const char *
ask_judge(const struct answer *x, const struct ends *ends, int end)
{
    if (!x->ran)
        return "no answer";
    if (x->other && !ends->misuse)
        return "unreachable end";
    for (uint32_t i = 0; i < MAX_ENDS; i++) {
        if ((x->found >> i & 1) != 0 && (i >= ends->n || (end != ASK_ALL && (int)i != end)))
            return "unreachable end";
    }
    if (x->stuck && !ends->stuck_may)
        return "unreachable hang";
    if (strstr(x->why, "did not reproduce a failure") != NULL)
        return "missed, and noticed";
    if (!x->complete || x->race) /* with a race found, no claim is made that nothing fails */
        return NULL;
    if (ends->stuck_must && !x->stuck)
        return "WRONG PROOF: hang missed";
    for (uint32_t i = 0; i < ends->n; i++) {
        if (ends->must[i] && (x->found >> i & 1) == 0 && (end == ASK_ALL || (int)i == end))
            return "WRONG PROOF: end missed";
    }
    return NULL;
}
