/* SPDX-License-Identifier: Apache-2.0 */
/*
 * soak.c - the differential test of burl's proofs: random programs, all their reachable end states
 * by explore.c, and what burl claims of each.
 *
 * usage: proofs --burl=PATH --dir=DIR [--seeds=FROM..TO] [--jobs=N] [--shrink] [--quiet]
 *               [--avoid=INSTRUCTION,...] [--with=INSTRUCTION,...] [--no-spurious]
 *        proofs --print=SEED
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"
#include "prog.h"

enum { UNIT = 50, ATTEMPTS = 64, MAX_REASONS = 24, MAX_JOBS = 16, MAX_PATH = 512 };

struct reason {
    char text[96];
    uint32_t n;
};

/* Of one worker; shared with the parent. */
struct totals {
    uint32_t programs, threads, ends, alike, stuck;
    uint32_t asked, claims, complete, refused;
    uint32_t ends_asked, ends_found;
    uint32_t wrong_proofs, missed, unreachable, no_answer;
    uint32_t with[OP__N], proven_with[OP__N];
    struct reason reasons[MAX_REASONS];
};

struct soak {
    struct asker asker;
    const char *dir;
    uint64_t from, to;
    uint32_t jobs;
    bool shrink, quiet;
    bool avoid[OP__N];  /* programs with any of these instructions */
    bool wanted[OP__N]; /* only programs with one of these, if there are any */
    bool wants;
    struct totals *totals; /* of this worker */
    FILE *log;
};

/* ---- programs -------------------------------------------------------------------------------- */

/* Programs with one end only, or none, have little to get wrong: few of them are kept. */
static bool
is_worth_it(const struct ends *ends, uint64_t seed)
{
    uint64_t state = seed;
    const uint64_t dice = burl_rng_splitmix(&state) % 100;

    if (ends->too_many || ends->n == 0)
        return false;
    if (ends->n == 1)
        return dice < 10;
    return ends->n <= 8 || dice < 40;
}

static bool
has_any(const struct prog *p, const bool *ops)
{
    for (uint8_t b = 0; b < p->n_bodies; b++) {
        for (uint8_t i = 0; i < p->bodies[b].n; i++) {
            if (ops[p->bodies[b].ins[i].op])
                return true;
        }
    }
    return false;
}

/* The program of a seed: the first of a row that is worth it. False: there is none. */
static bool
program_of(const struct soak *k, struct prog *p, struct ends *ends, uint64_t seed)
{
    for (uint64_t i = 0; i < ATTEMPTS; i++) {
        prog_generate(p, seed * ATTEMPTS + i);
        p->seed = seed;
        if (has_any(p, k->avoid) || (k->wants && !has_any(p, k->wanted)))
            continue;
        prog_explore(p, k->asker.spurious, ends);
        if (is_worth_it(ends, seed * ATTEMPTS + i))
            return true;
    }
    return false;
}

/* ---- results --------------------------------------------------------------------------------- */

static void
count_reason(struct totals *t, const char *why, uint32_t n)
{
    struct reason *r = t->reasons;
    struct reason *const end = t->reasons + MAX_REASONS - 1;

    while (r < end && r->n > 0 && strcmp(r->text, why) != 0)
        r++;
    if (r->n == 0)
        snprintf(r->text, sizeof r->text, "%s", r < end ? why : "other reasons");
    r->n += n;
}

static void
save(const struct soak *k, const struct prog *p, const struct ends *ends, const char *name,
     const char *wrong, const char *command)
{
    const struct prog *const one[] = { p };
    char path[MAX_PATH];
    FILE *out;

    snprintf(path, sizeof path, "%s/failures/seed-%llu%s.c", k->dir, (unsigned long long)p->seed,
             name);
    out = fopen(path, "w");
    if (out == NULL)
        return;
    fprintf(out, "/* %s\n * burl cc -O1 -g %s -o program && burl test %s\n", wrong,
            strrchr(path, '/') + 1, command);
    for (uint32_t i = 0; i < ends->n; i++)
        fprintf(out, " * end %u%s\n", i, ends->must[i] ? "" : " (not every implementation has it)");
    if (ends->stuck_may)
        fprintf(out, " * can get stuck%s\n", ends->stuck_must ? "" : " (perhaps)");
    fprintf(out, " */\n");
    prog_emit_file(out, one, ends, 1);
    fclose(out);
}

static void
count_wrong(struct soak *k, const char *wrong)
{
    struct totals *t = k->totals;

    if (strncmp(wrong, "WRONG PROOF", 11) == 0)
        t->wrong_proofs++;
    else if (strncmp(wrong, "missed", 6) == 0)
        t->missed++;
    else if (strncmp(wrong, "unreachable", 11) == 0)
        t->unreachable++;
    else
        t->no_answer++;
}

static void
report(struct soak *k, const struct prog *p, const struct ends *ends, const char *wrong,
       const struct answer *x, const char *asked, const char *options)
{
    char command[256];

    count_wrong(k, wrong);
    snprintf(command, sizeof command, "%s ./program 0 %s", options, asked);
    save(k, p, ends, "", wrong, command);
    fprintf(k->log, "seed %llu: %s (asked %s; found %x%s%s; %s %s)\n", (unsigned long long)p->seed,
            wrong, asked, x->found, x->stuck ? " stuck" : "", x->other ? " other" : "", x->why,
            x->kinds);
    if (k->shrink && strcmp(wrong, "no answer") != 0) {
        struct prog small = *p;
        struct ends left;

        prog_shrink(&small, &k->asker, wrong);
        prog_explore(&small, k->asker.spurious, &left);
        save(k, &small, &left, "-small", wrong, command);
    }
}

/* ---- questions ------------------------------------------------------------------------------- */

/* One question, judged and counted. True: burl claims to have explored everything. */
static bool
question(struct soak *k, const char *program, uint32_t which, const struct prog *p,
         const struct ends *ends, int end, const char *options)
{
    struct totals *t = k->totals;
    const char *wrong;
    char asked[16];
    struct answer x;

    snprintf(asked, sizeof asked, end == ASK_ALL ? "all" : end == ASK_NONE ? "none" : "%d", end);
    x = ask(&k->asker, program, which, asked, options);
    wrong = ask_judge(&x, ends, end);
    if (wrong == NULL && end == ASK_ALL)
        wrong = ask_judge_delays(&x, ends, p->n_threads);
    t->asked++;
    t->claims += x.complete || x.delays > 0;
    t->ends_asked += end == ASK_ALL ? ends->n : end >= 0;
    t->ends_found += (uint32_t)__builtin_popcount(x.found);
    if (wrong != NULL)
        report(k, p, ends, wrong, &x, asked, options);
    else if (!x.complete && x.delays < 0)
        count_reason(t, x.why[0] != '\0' ? x.why : "no search", 1);
    return x.complete;
}

static void
count_program(struct totals *t, const struct prog *p, const struct ends *ends, bool complete)
{
    bool seen[OP__N] = { false };
    bool alike = false;

    t->programs++;
    t->threads += p->n_threads;
    t->ends += ends->n;
    t->stuck += ends->stuck_must;
    t->complete += complete;
    for (uint8_t a = 1; a < p->n_threads; a++) {
        for (uint8_t b = (uint8_t)(a + 1); b < p->n_threads; b++)
            alike |= p->body_of[a] == p->body_of[b] && p->arg_of[a] == p->arg_of[b];
    }
    t->alike += alike;
    for (uint8_t b = 0; b < p->n_bodies; b++) {
        for (uint8_t i = 0; i < p->bodies[b].n; i++)
            seen[p->bodies[b].ins[i].op] = true;
    }
    for (uint8_t op = 0; op < OP__N; op++) {
        t->with[op] += seen[op];
        t->proven_with[op] += seen[op] && complete;
    }
}

/* The delay strategy counts its delays in scheduling points, and learns which accesses are
 * points only from executions that last long enough. */
static bool
joins_all(const struct prog *p)
{
    uint32_t joins = 0;

    for (uint8_t b = 0; b < p->n_bodies; b++) {
        for (uint8_t i = 0; i < p->bodies[b].n; i++)
            joins += p->bodies[b].ins[i].op == OP_JOIN;
    }
    return joins + 1 >= p->n_threads;
}

/* Schedules by delays say nothing about which of several waiters is woken, or when time passes. */
static bool
fits_delays(const struct prog *p, const struct ends *ends)
{
    static const bool open[OP__N] = {
        [OP_SIGNAL] = true,    [OP_TIMEDLOCK] = true, [OP_SEMTIMED] = true,
        [OP_CONDTIMED] = true, [OP_CONDWAIT] = true,  [OP_WAITEQ] = true,
        [OP_TAKE] = true,      [OP_TRYLOOP] = true,   [OP_CANCEL] = true
    };

    return ends->n_states < 150 && !ends->stuck_may && !has_any(p, open) && joins_all(p);
}

/* All ends at once, which shows whether the search meets each of them; then some by themselves,
 * since a search that meets no failure makes the claim that users read. */
static void
check_program(struct soak *k, const char *program, uint32_t which, const struct prog *p,
              const struct ends *ends)
{
    static const char exhaustive[] = "--strategy=exhaustive --detect=none";
    uint64_t dice = p->seed;
    const uint64_t throw = burl_rng_splitmix(&dice);
    const int one = (int)(throw / 64 % ends->n);
    const bool all = question(k, program, which, p, ends, ASK_ALL, exhaustive);

    count_program(k->totals, p, ends, all);
    if (!k->quiet)
        fprintf(k->log, "seed %llu: %u threads, %u ends%s, %u states%s\n",
                (unsigned long long)p->seed, p->n_threads, ends->n,
                ends->stuck_must ? " and stuck" : "", ends->n_states, all ? ", complete" : "");
    if (!all)
        return;
    switch (throw % 6) {
    case 0:
        question(k, program, which, p, ends, ASK_NONE, exhaustive);
        break;
    case 1:
    case 2:
        question(k, program, which, p, ends, one, exhaustive);
        break;
    case 3:
        question(k, program, which, p, ends, one, "");
        break;
    case 4:
        if (fits_delays(p, ends))
            question(k, program, which, p, ends, ASK_ALL, "--strategy=delay --detect=none");
        break;
    default:
        break;
    }
}

static void
check_unit(struct soak *k, uint64_t first)
{
    static struct prog progs[UNIT];
    static struct ends ends[UNIT];
    const struct prog *list[UNIT];
    char source[MAX_PATH], program[MAX_PATH];
    uint32_t n = 0;
    FILE *out;

    for (uint64_t s = first; s <= k->to && s < first + UNIT; s++) {
        if (!program_of(k, &progs[n], &ends[n], s))
            continue;
        list[n] = &progs[n];
        n++;
    }
    snprintf(source, sizeof source, "%s/unit.c", k->asker.dir);
    snprintf(program, sizeof program, "%s/unit", k->asker.dir);
    out = fopen(source, "w");
    if (out == NULL)
        return;
    prog_emit_file(out, list, ends, n);
    fclose(out);
    if (!ask_build(&k->asker, source, program)) {
        fprintf(k->log, "seeds %llu...: does not build\n", (unsigned long long)first);
        k->totals->no_answer++;
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        check_program(k, program, i, &progs[i], &ends[i]);
        fflush(k->log);
    }
}

/* ---- workers --------------------------------------------------------------------------------- */

static int
work(struct soak *k, uint32_t job)
{
    static char scratch[MAX_PATH];
    char path[MAX_PATH];

    snprintf(scratch, sizeof scratch, "%s/job-%u", k->dir, job);
    mkdir(scratch, 0777);
    k->asker.dir = scratch;
    snprintf(path, sizeof path, "%s/log-%u", k->dir, job);
    k->log = fopen(path, "w");
    if (k->log == NULL)
        return 1;
    for (uint64_t s = k->from + (uint64_t)job * UNIT; s <= k->to; s += (uint64_t)k->jobs * UNIT)
        check_unit(k, s);
    fclose(k->log);
    return 0;
}

static void
sum(struct totals *to, const struct totals *from)
{
    uint32_t *a = (uint32_t *)to;
    const uint32_t *b = (const uint32_t *)from;

    for (size_t i = 0; i < offsetof(struct totals, reasons) / sizeof *a; i++)
        a[i] += b[i];
    for (uint32_t i = 0; i < MAX_REASONS; i++) {
        if (from->reasons[i].n > 0)
            count_reason(to, from->reasons[i].text, from->reasons[i].n);
    }
}

static int
by_number(const void *a, const void *b)
{
    const struct reason *x = a;
    const struct reason *y = b;

    return x->n < y->n ? 1 : x->n > y->n ? -1 : 0;
}

static void
summarize(const struct soak *k, struct totals *t)
{
    const uint32_t n = t->programs > 0 ? t->programs : 1;

    printf("seeds %llu..%llu: %u programs, %.1f threads and %.1f end states each; %u with alike "
           "threads, %u can get stuck\n",
           (unsigned long long)k->from, (unsigned long long)k->to, t->programs,
           (double)t->threads / n, (double)t->ends / n, t->alike, t->stuck);
    printf("spurious wakeups of condition waits: %s\n",
           k->asker.spurious ? "included" : "not included");
    printf("%u questions, %u claims to have explored everything; %u end states asked for\n",
           t->asked, t->claims, t->ends_asked);
    printf("searched to the end: %u programs of %u (%u%%)\n", t->complete, t->programs,
           t->complete * 100 / n);
    qsort(t->reasons, MAX_REASONS, sizeof *t->reasons, by_number);
    for (uint32_t i = 0; i < MAX_REASONS && t->reasons[i].n > 0 && i < 8; i++)
        printf("  not complete, %u: %s\n", t->reasons[i].n, t->reasons[i].text);
    if (!k->quiet) {
        printf("searched to the end, by instruction:");
        for (uint8_t op = 1; op < OP__N; op++) {
            if (t->with[op] > 0)
                printf(" %s %u/%u", op_name(op), t->proven_with[op], t->with[op]);
        }
        printf("\n");
    }
    printf("%u wrong proofs, %u misses that burl noticed, %u unreachable findings, %u without an "
           "answer\n",
           t->wrong_proofs, t->missed, t->unreachable, t->no_answer);
}

static int
run(struct soak *k)
{
    const size_t size = MAX_JOBS * sizeof(struct totals);
    struct totals *shared =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    static struct totals all;
    char path[MAX_PATH];
    bool failed = false;

    if (shared == MAP_FAILED)
        return 3;
    mkdir(k->dir, 0777);
    snprintf(path, sizeof path, "%s/failures", k->dir);
    mkdir(path, 0777);
    for (uint32_t j = 0; j < k->jobs; j++) {
        const pid_t pid = fork();

        if (pid == 0) {
            k->totals = &shared[j];
            _exit(work(k, j));
        }
        failed |= pid < 0;
    }
    for (uint32_t j = 0; j < k->jobs; j++) {
        int code = 0;

        wait(&code);
        failed |= code != 0;
    }
    for (uint32_t j = 0; j < k->jobs; j++)
        sum(&all, &shared[j]);
    summarize(k, &all);
    if (failed) {
        fprintf(stderr, "proofs: a worker failed\n");
        return 3;
    }
    if (all.wrong_proofs + all.missed + all.unreachable + all.no_answer > 0) {
        printf("the programs are in %s/failures\n", k->dir);
        return 1;
    }
    return 0;
}

static bool
has_spurious(const char *burl)
{
    char command[MAX_PATH + 64];

    snprintf(command, sizeof command, "'%s' test --help | grep -q -e --no-spurious", burl);
    return system(command) == 0;
}

static int
print_one(const struct soak *k, uint64_t seed)
{
    static struct prog p;
    const struct prog *const one[] = { &p };
    struct ends ends;

    if (!program_of(k, &p, &ends, seed))
        return 1;
    prog_emit_file(stdout, one, &ends, 1);
    return 0;
}

static bool
is_listed(const char *list, const char *name)
{
    const size_t n = strlen(name);

    for (const char *at = list; at != NULL; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        if (strncmp(at, name, n) == 0 && (at[n] == ',' || at[n] == '\0'))
            return true;
    }
    return false;
}

int
main(int argc, char **argv)
{
    struct soak k = { .asker = { .burl = "build/burl", .runs = 20000 },
                      .dir = "proofs.d",
                      .from = 1,
                      .to = 10000,
                      .jobs = 1 };
    uint64_t print = 0;

    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        const char *value = strchr(a, '=') ? strchr(a, '=') + 1 : "";

        if (strncmp(a, "--burl=", 7) == 0) {
            k.asker.burl = value;
        } else if (strncmp(a, "--dir=", 6) == 0) {
            k.dir = value;
        } else if (strncmp(a, "--jobs=", 7) == 0) {
            k.jobs = (uint32_t)strtoul(value, NULL, 10);
        } else if (strncmp(a, "--runs=", 7) == 0) {
            k.asker.runs = (uint32_t)strtoul(value, NULL, 10);
        } else if (strncmp(a, "--seeds=", 8) == 0) {
            char *end;

            k.from = k.to = strtoull(value, &end, 10);
            if (strncmp(end, "..", 2) == 0)
                k.to = strtoull(end + 2, NULL, 10);
        } else if (strncmp(a, "--print=", 8) == 0) {
            print = strtoull(value, NULL, 10);
        } else if (strncmp(a, "--avoid=", 8) == 0) {
            for (uint8_t op = 0; op < OP__N; op++)
                k.avoid[op] = is_listed(value, op_name(op));
        } else if (strncmp(a, "--with=", 7) == 0) {
            k.wants = true;
            for (uint8_t op = 0; op < OP__N; op++)
                k.wanted[op] = is_listed(value, op_name(op));
        } else if (strcmp(a, "--shrink") == 0) {
            k.shrink = true;
        } else if (strcmp(a, "--no-spurious") == 0) {
            k.asker.no_spurious = true;
        } else if (strcmp(a, "--quiet") == 0) {
            k.quiet = true;
        } else {
            fprintf(stderr, "proofs: unknown option %s\n", a);
            return 2;
        }
    }
    if (k.jobs == 0 || k.jobs > MAX_JOBS)
        k.jobs = 1;
    k.asker.spurious = !k.asker.no_spurious && has_spurious(k.asker.burl);
    return print != 0 ? print_one(&k, print) : run(&k);
}
