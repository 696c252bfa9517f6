/* SPDX-License-Identifier: Apache-2.0 */
/* Every line with NAME(x) must have a site whose variable is x. Read by test_instr.sh. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct account {
    int             id;
    long            balance;
    struct account *next;
    char            owner[16];
    union {
        int    whole;
        double part;
    } amount;
    struct {
        int hits, misses;
    } stats[4];
    unsigned flags : 3;
};

struct account  bank[8];
struct account *head;
struct {
    int hits, misses;
} stats;
int g_count;
int matrix[4][5];
static char buf[64];
_Thread_local int per_thread;
int *table[10];
typedef struct account account_t;
struct ops {
    int (*get)(struct account *);
} ops;

struct link {
    long  mid;
    void *what;
};
struct reader {
    long txn;
    int  pid;
};
union {
    unsigned first;
    int      second;
    struct link   *links;
    struct reader *reader;
} either;

/* Defined elsewhere: the compiler writes no debug type for it. */
extern struct settings {
    int level, limit;
    struct {
        int hits, misses;
    } stats;
    int          slots[4];
    struct link *last;
} settings;
extern struct link links[4];
#define SET settings

struct account *find(int id);
int use_extern(int i);
int use(account_t *acct, int *p, char *s, int i, const struct account *const *list);

struct account *
find(int id)
{
    for (struct account *a = head; a; a = a->next) /* NAME(a->next) */
        if (a->id == id)                           /* NAME(a->id) */
            return a;
    return NULL;
}

int
use(account_t *acct, int *p, char *s, int i, const struct account *const *list)
{
    static int calls;
    struct account copy;

    acct->balance += 1;           /* NAME(acct->balance) */
    either.second = 3;            /* NAME(either.second) */
    either . second ++;           /* NAME(either.second) */
    either.first = g_count;       /* NAME(either.first) */
    either.reader->pid = 1;       /* NAME(either.reader->pid) NAME(either.reader) */
    either.links->what = p;       /* NAME(either.links->what) */
    acct->id = 2;                 /* NAME(acct->id) */
    stats.hits++;                 /* NAME(stats.hits) */
    stats.misses++;               /* NAME(stats.misses) */
    g_count = 1;                  /* NAME(g_count) */
    buf[i] = 'x';                 /* NAME(buf[]) */
    buf[3] = 'y';                 /* NAME(buf[]) */
    *p = 1;                       /* NAME(*p) */
    p[i] = 2;                     /* NAME(p[]) */
    p[5] = 2;                     /* NAME(p[]) */
    s[i] = 0;                     /* NAME(s[]) */
    matrix[i][2] = 1;             /* NAME(matrix[]) */
    acct->next->balance = 0;      /* NAME(acct->next->balance) */
    acct->owner[i] = 'o';         /* NAME(acct->owner[]) */
    acct->owner[0] = 'o';         /* NAME(acct->owner[]) */
    acct->amount.part = 1.5;      /* NAME(acct->amount.part) */
    acct->amount.whole = 1;       /* NAME(acct->amount.whole) */
    acct->stats[i].misses = 4;    /* NAME(acct->stats[].misses) */
    acct->stats[2].hits = 4;      /* NAME(acct->stats[].hits) */
    acct->flags = 1;              /* NAME(acct->flags) */
    bank[i].balance = 7;          /* NAME(bank[].balance) */
    bank[3].owner[2] = 7;         /* NAME(bank[].owner[]) */
    bank[0].id = 7;               /* NAME(bank[].id) */
    head->next->next->id = 9;     /* NAME(head->next->next->id) */
    per_thread = 3;               /* NAME(per_thread) */
    *table[i] = 3;                /* NAME(*table[]) */
    calls++;                      /* NAME(calls) */
    find(3)->balance = 4;         /* NAME(find()->balance) */
    copy = *acct;                 /* NAME(*acct) */
    copy.next->id = 4;            /* NAME(copy.next->id) */
    memset(acct, 0, sizeof *acct); /* NAME(*acct) */
    strcpy(acct->owner, s);       /* NAME(acct->owner) */
    ops.get(acct);                /* NAME(ops.get) */
    free(acct);                   /* NAME(free) */
    return list[i]->id;           /* NAME(list[]->id) */
}

int
use_extern(int i)
{
    settings.level++; /* NAME(settings.level) */
    ++settings.limit; /* NAME(settings.limit) */
    settings.stats.misses = 3; /* NAME(settings.stats.misses) */
    settings.slots[i] = 1; /* NAME(settings.slots) */
    settings.slots[2] = settings.limit; /* NAME(settings.slots) NAME(settings.limit) */
    links[i].mid = 2; /* NAME(links[].mid) */
    settings.last->what = 0; /* NAME(settings.last) NAME(settings.last->?) */
    __atomic_fetch_add(&settings.stats.hits, 1, __ATOMIC_SEQ_CST); /* NAME(settings.stats.hits) */
    SET.level = settings.limit; /* NAME(settings) NAME(settings.limit) */
    return settings.slots[settings.level]; /* NAME(settings.slots) NAME(settings.level) */
}
