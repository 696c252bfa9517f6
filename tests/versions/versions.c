/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/versions/versions.c - prints random programs in two versions, for scripts/soak-regress.sh.
 *
 *     versions SEED base|edited       C source on standard output
 *     versions SEED edit              the name of the edit, and whether it is harmless
 *
 * A program has shared variables, each guarded by one lock, functions that access them, and tests:
 * test N starts two or three threads that call some of the functions. The base version has no race
 * by construction: every access is in a region of the lock of its variable, is atomic, is to the
 * element of an array that belongs to the thread, or is made by main while it is alone. One random
 * edit makes the other version. Most edits make some accesses racy, and only some tests execute
 * them in two threads.
 *
 * The same seed gives the same programs.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VARS = 6, MAX_LOCKS = 3, MAX_FNS = 8, MAX_STMTS = 5, TESTS = 10, CALLS = 3 };

enum edit {
    EDIT_DROP_LOCK,
    EDIT_SHRINK_REGION,
    EDIT_OTHER_LOCK,
    EDIT_READ_LOCK,
    EDIT_ADD_ACCESS,
    EDIT_ADD_FUNCTION,
    EDIT_EMPTY_WRAPPER,
    EDIT_CONDITION,
    EDIT_PLAIN,
    EDIT_DROP_JOIN,
    EDIT_CALL_WITHOUT_LOCK,
    EDIT_TABLE,
    EDIT_INDEX,
    EDIT_ADD_THREAD,
    EDIT_THREAD_LOCAL,
    EDIT_EARLY_CREATE,
    EDIT_RENAME_LOCAL,
    EDIT_MOVE_FUNCTION,
    EDIT_COMMENT,
    EDIT_FIELD,
    EDIT__N
};

static const char *const edit_names[EDIT__N] = {
    "drop-lock",         "shrink-region", "other-lock",    "read-lock",  "add-access",
    "add-function",      "empty-wrapper", "condition",     "plain",      "drop-join",
    "call-without-lock", "table",         "index",         "add-thread", "thread-local",
    "early-create",      "rename-local",  "move-function", "comment",    "add-field",
};

enum lock_kind { MUTEX, RWLOCK, SPIN, C11, SEMAPHORE, LOCK_KINDS };

enum stmt_kind {
    STMT_REGION,  /* lock, accesses to var, unlock */
    STMT_WRAPPED, /* the same through functions that lock and unlock */
    STMT_HELPER,  /* lock, call of a function that relies on it, unlock */
    STMT_ATOMIC,  /* an atomic read-modify-write */
    STMT_OWN,     /* the array element of this thread */
    STMT_LOCAL,   /* no shared variable */
    STMT_CHOICE,  /* a local decides which lock is taken: always the right one */
    STMT_TABLE,   /* a call through a table of functions */
    STMT_TLS,     /* thread-local */
    STMT_KINDS
};

struct stmt {
    enum stmt_kind kind;
    unsigned var;
    unsigned n; /* accesses, or a constant */
    bool write;
};

struct fn {
    unsigned n;
    struct stmt stmts[MAX_STMTS];
};

struct program {
    unsigned n_vars, n_locks, n_fns;
    enum lock_kind lock_kinds[MAX_LOCKS];
    bool heap[MAX_VARS]; /* a field of a struct that a global points to */
    struct fn fns[MAX_FNS];
    unsigned threads[TESTS];
    unsigned calls[TESTS][3][CALLS];
    enum edit edit;
    unsigned edit_fn, edit_stmt;
};

static uint64_t state;

static unsigned
below(unsigned n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)((state >> 33) % n);
}

static unsigned
lock_of(const struct program *p, unsigned var)
{
    return var % p->n_locks;
}

/* The edits that need a statement of one kind: the first such statement, or none. */
static int
wanted_kind(enum edit e)
{
    switch (e) {
    case EDIT_DROP_LOCK:
    case EDIT_SHRINK_REGION:
    case EDIT_OTHER_LOCK:
    case EDIT_READ_LOCK:
        return STMT_REGION;
    case EDIT_EMPTY_WRAPPER:
        return STMT_WRAPPED;
    case EDIT_CONDITION:
        return STMT_CHOICE;
    case EDIT_PLAIN:
        return STMT_ATOMIC;
    case EDIT_CALL_WITHOUT_LOCK:
        return STMT_HELPER;
    case EDIT_TABLE:
        return STMT_TABLE;
    case EDIT_INDEX:
        return STMT_OWN;
    case EDIT_THREAD_LOCAL:
        return STMT_TLS;
    default:
        return -1;
    }
}

/* Chooses the statement to edit; gives the function one of the kind if it has none. */
static void
place_edit(struct program *p)
{
    int kind = wanted_kind(p->edit);
    struct fn *f;

    p->edit_fn = below(p->n_fns);
    f = &p->fns[p->edit_fn];
    p->edit_stmt = below(f->n);
    if (kind < 0)
        return;
    for (unsigned i = 0; i < f->n; i++) {
        if ((int)f->stmts[i].kind == kind) {
            p->edit_stmt = i;
            return;
        }
    }
    f->stmts[p->edit_stmt].kind = (enum stmt_kind)kind;
}

static void
make_program(struct program *p, uint64_t seed)
{
    memset(p, 0, sizeof *p);
    state = seed * 2654435761u + 12345;
    for (int i = 0; i < 8; i++)
        below(2);
    p->n_vars = 2 + below(MAX_VARS - 1);
    p->n_locks = 1 + below(MAX_LOCKS);
    p->n_fns = 3 + below(MAX_FNS - 2);
    for (unsigned i = 0; i < MAX_LOCKS; i++)
        p->lock_kinds[i] = (enum lock_kind)below(LOCK_KINDS);
    for (unsigned i = 0; i < MAX_VARS; i++)
        p->heap[i] = below(2) == 0;
    for (unsigned i = 0; i < p->n_fns; i++) {
        struct fn *f = &p->fns[i];

        f->n = 1 + below(MAX_STMTS);
        for (unsigned j = 0; j < f->n; j++)
            f->stmts[j] = (struct stmt){ .kind = (enum stmt_kind)below(STMT_KINDS),
                                         .var = below(p->n_vars),
                                         .n = 1 + below(3),
                                         .write = below(3) != 0 };
    }
    for (unsigned t = 0; t < TESTS; t++) {
        p->threads[t] = t == 0 ? 1 : 2 + below(2);
        for (unsigned i = 0; i < 3; i++)
            for (unsigned j = 0; j < CALLS; j++)
                p->calls[t][i][j] = below(p->n_fns + 1); /* n_fns: none */
    }
    p->edit = (enum edit)below(EDIT__N);
    place_edit(p);
}

static void
print_head(const struct program *p, bool edited)
{
    printf("#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n"
           "#include <stdlib.h>\n#include <threads.h>\n\n");
    printf("struct state {\n");
    for (unsigned v = 0; v < p->n_vars; v++) {
        if (edited && p->edit == EDIT_FIELD && v == 0)
            printf("    long unused_field;\n");
        if (p->heap[v])
            printf("    int field%u;\n", v);
    }
    printf("    int last;\n};\n\nstatic struct state *state;\n");
    for (unsigned v = 0; v < p->n_vars; v++) {
        if (!p->heap[v])
            printf("static int var%u;\n", v);
        printf("static %sint counter%u;\n", edited && p->edit == EDIT_PLAIN ? "" : "_Atomic ", v);
    }
    printf("static int own[4];\nstatic int result;\n");
    printf("static %sint scratch;\n",
           edited && p->edit == EDIT_THREAD_LOCAL ? "" : "_Thread_local ");
    for (unsigned l = 0; l < p->n_locks; l++) {
        static const char *const decls[LOCK_KINDS] = {
            "pthread_mutex_t lock%u = PTHREAD_MUTEX_INITIALIZER",
            "pthread_rwlock_t lock%u = PTHREAD_RWLOCK_INITIALIZER",
            "pthread_spinlock_t lock%u",
            "mtx_t lock%u",
            "sem_t lock%u",
        };
        printf("static ");
        printf(decls[p->lock_kinds[l]], l);
        printf(";\n");
    }
    printf("\n");
}

static void
print_init(const struct program *p)
{
    printf("static void\ninit(void)\n{\n    state = calloc(1, sizeof *state);\n");
    for (unsigned l = 0; l < p->n_locks; l++) {
        if (p->lock_kinds[l] == SPIN)
            printf("    pthread_spin_init(&lock%u, 0);\n", l);
        else if (p->lock_kinds[l] == C11)
            printf("    mtx_init(&lock%u, mtx_plain);\n", l);
        else if (p->lock_kinds[l] == SEMAPHORE)
            printf("    sem_init(&lock%u, 0, 1);\n", l);
    }
    printf("}\n\n");
}

static void
print_lock(const struct program *p, unsigned l, bool take, bool read)
{
    static const char *const calls[LOCK_KINDS][2] = {
        { "pthread_mutex_unlock", "pthread_mutex_lock" },
        { "pthread_rwlock_unlock", "pthread_rwlock_wrlock" },
        { "pthread_spin_unlock", "pthread_spin_lock" },
        { "mtx_unlock", "mtx_lock" },
        { "sem_post", "sem_wait" },
    };
    const char *call = calls[p->lock_kinds[l]][take];

    if (read && take && p->lock_kinds[l] == RWLOCK)
        call = "pthread_rwlock_rdlock";
    printf("    %s(&lock%u);\n", call, l);
}

static void
print_var(const struct program *p, unsigned v)
{
    if (p->heap[v])
        printf("state->field%u", v);
    else
        printf("var%u", v);
}

static void
print_access(const struct program *p, unsigned v, bool write, const char *local)
{
    printf("    ");
    if (write) {
        print_var(p, v);
        printf(" += %s + 1;\n", local);
    } else {
        printf("%s += ", local);
        print_var(p, v);
        printf(";\n");
    }
}

static bool
is_edited(const struct program *p, bool edited, enum edit e, unsigned f, unsigned s)
{
    return edited && p->edit == e && p->edit_fn == f && p->edit_stmt == s;
}

/* A region that takes the lock itself. */
static void
print_region(const struct program *p, unsigned f, unsigned s, bool edited, const char *local)
{
    const struct stmt *st = &p->fns[f].stmts[s];
    unsigned l = lock_of(p, st->var);
    bool drop = is_edited(p, edited, EDIT_DROP_LOCK, f, s);
    bool shrink = is_edited(p, edited, EDIT_SHRINK_REGION, f, s);

    if (is_edited(p, edited, EDIT_OTHER_LOCK, f, s))
        l = (l + 1) % p->n_locks;
    if (!drop)
        print_lock(p, l, true, is_edited(p, edited, EDIT_READ_LOCK, f, s));
    for (unsigned i = 0; i + shrink < st->n; i++)
        print_access(p, st->var, st->write, local);
    if (!drop)
        print_lock(p, l, false, false);
    if (shrink)
        print_access(p, st->var, st->write, local);
}

static void
print_choice(const struct program *p, unsigned f, unsigned s, bool edited, const char *local)
{
    const struct stmt *st = &p->fns[f].stmts[s];
    unsigned l = lock_of(p, st->var);
    bool changed = is_edited(p, edited, EDIT_CONDITION, f, s);

    printf("    int careful%u = id %s 0;\n    if (careful%u)\n    ", s, changed ? "<" : ">=", s);
    print_lock(p, l, true, false);
    print_access(p, st->var, st->write, local);
    printf("    if (careful%u)\n    ", s);
    print_lock(p, l, false, false);
}

static void
print_stmt(const struct program *p, unsigned f, unsigned s, bool edited, const char *local)
{
    const struct stmt *st = &p->fns[f].stmts[s];
    unsigned l = lock_of(p, st->var);

    switch (st->kind) {
    case STMT_REGION:
        print_region(p, f, s, edited, local);
        break;
    case STMT_WRAPPED:
        printf("    enter%u();\n", l);
        print_access(p, st->var, st->write, local);
        printf("    leave%u();\n", l);
        break;
    case STMT_HELPER:
        if (!is_edited(p, edited, EDIT_CALL_WITHOUT_LOCK, f, s))
            print_lock(p, l, true, false);
        printf("    %s += helper%u(%u);\n", local, st->var, st->n);
        if (!is_edited(p, edited, EDIT_CALL_WITHOUT_LOCK, f, s))
            print_lock(p, l, false, false);
        break;
    case STMT_ATOMIC:
        printf("    counter%u += %u;\n", st->var, st->n);
        break;
    case STMT_OWN:
        printf("    own[%s] += %u;\n", is_edited(p, edited, EDIT_INDEX, f, s) ? "id & 2" : "id",
               st->n);
        break;
    case STMT_LOCAL:
        printf("    %s = %s * 3 + %u;\n", local, local, st->n);
        break;
    case STMT_CHOICE:
        print_choice(p, f, s, edited, local);
        break;
    case STMT_TABLE:
        printf("    %s += table[%u](id);\n", local, st->var % 2);
        break;
    case STMT_TLS:
        printf("    scratch += %u;\n    %s += scratch;\n", st->n, local);
        break;
    case STMT_KINDS:
        break;
    }
}

static void
print_helpers(const struct program *p, bool edited)
{
    for (unsigned l = 0; l < p->n_locks; l++) {
        bool empty = edited && p->edit == EDIT_EMPTY_WRAPPER &&
                     l == lock_of(p, p->fns[p->edit_fn].stmts[p->edit_stmt].var);

        printf("static void\nenter%u(void)\n{\n", l);
        if (!empty)
            print_lock(p, l, true, false);
        printf("}\n\nstatic void\nleave%u(void)\n{\n", l);
        if (!empty)
            print_lock(p, l, false, false);
        printf("}\n\n");
    }
    for (unsigned v = 0; v < p->n_vars; v++) {
        printf("/* Called with the lock held. */\nstatic int\nhelper%u(int n)\n{\n", v);
        print_access(p, v, true, "n");
        printf("    return n;\n}\n\n");
    }
    printf("static int\nquiet(int id)\n{\n    return id + 1;\n}\n\n"
           "static int\nloud(int id)\n{\n    return helper0(id);\n}\n\n"
           "static int (*table[2])(int) = { quiet, %s };\n\n",
           edited && p->edit == EDIT_TABLE ? "loud" : "quiet");
    printf("int (*volatile keep)(int) = loud;\n\n");
    if (edited && p->edit == EDIT_ADD_FUNCTION) {
        printf("static void\nfresh(void)\n{\n    int n = 0;\n\n");
        print_access(p, p->fns[p->edit_fn].stmts[p->edit_stmt].var, true, "n");
        printf("    result = result;\n}\n\n");
    }
}

static void
print_function(const struct program *p, unsigned f, bool edited)
{
    const char *local = edited && p->edit == EDIT_RENAME_LOCAL && p->edit_fn == f ? "renamed" : "x";

    printf("static int\nfn%u(int id)\n{\n    int %s = id;\n\n", f, local);
    for (unsigned s = 0; s < p->fns[f].n; s++) {
        if (is_edited(p, edited, EDIT_COMMENT, f, s))
            printf("    /* A comment\n     * of two lines. */\n");
        if (is_edited(p, edited, EDIT_ADD_ACCESS, f, s))
            print_access(p, p->fns[f].stmts[s].var, true, local);
        if (is_edited(p, edited, EDIT_ADD_FUNCTION, f, s))
            printf("    fresh();\n");
        print_stmt(p, f, s, edited, local);
    }
    printf("    return %s;\n}\n\n", local);
}

static void
print_functions(const struct program *p, bool edited)
{
    unsigned late = edited && p->edit == EDIT_MOVE_FUNCTION ? p->edit_fn : p->n_fns;

    for (unsigned f = 0; f < p->n_fns; f++) {
        if (f != late)
            print_function(p, f, edited);
    }
    if (late < p->n_fns)
        print_function(p, late, edited);
    printf("static int (*fns[])(int) = {");
    for (unsigned f = 0; f < p->n_fns; f++)
        printf(" fn%u,", f);
    printf(" };\n\n");
}

static void
print_tests(const struct program *p)
{
    printf("static const unsigned char n_threads[] = {");
    for (unsigned t = 0; t < TESTS; t++)
        printf(" %u,", p->threads[t]);
    printf(" };\nstatic const unsigned char calls[][3][%d] = {\n", CALLS);
    for (unsigned t = 0; t < TESTS; t++) {
        printf("    {");
        for (unsigned i = 0; i < 3; i++) {
            printf(" {");
            for (unsigned j = 0; j < CALLS; j++)
                printf(" %u,", p->calls[t][i][j]);
            printf(" },");
        }
        printf(" },\n");
    }
    printf("};\nstatic int test;\n\n");
}

/* A switch and not a table of pointers: the static call graph stays exact. */
static void
print_threads(const struct program *p)
{
    printf("static void *\nthread(void *arg)\n{\n    int id = *(int *)arg;\n\n"
           "    for (int i = 0; i < %d; i++) {\n"
           "        unsigned f = calls[test][id][i];\n\n"
           "        if (f < %u)\n            fns[f](id);\n    }\n    return NULL;\n}\n\n",
           CALLS, p->n_fns);
}

static void
print_main(const struct program *p, bool edited)
{
    printf("int\nmain(int argc, char **argv)\n{\n    pthread_t t[4];\n    int ids[4] = { 0, 1, 2, "
           "3 };\n"
           "    int n;\n\n    (void)argc;\n    test = atoi(argv[1]);\n    n = n_threads[test];\n");
    if (edited && p->edit == EDIT_EARLY_CREATE)
        printf("    state = calloc(1, sizeof *state);\n");
    else
        printf("    init();\n    result = 1;\n");
    printf("    for (int i = 1; i < n; i++)\n"
           "        pthread_create(&t[i], NULL, thread, &ids[i]);\n");
    if (edited && p->edit == EDIT_EARLY_CREATE)
        printf("    init();\n    result = 1;\n");
    if (edited && p->edit == EDIT_ADD_THREAD)
        printf("    pthread_create(&t[0], NULL, thread, &ids[2]);\n");
    printf("    thread(&ids[0]);\n");
    if (edited && p->edit == EDIT_DROP_JOIN)
        printf("    result += own[1] + own[2];\n");
    printf("    for (int i = 1; i < n; i++)\n        pthread_join(t[i], NULL);\n");
    if (edited && p->edit == EDIT_ADD_THREAD)
        printf("    pthread_join(t[0], NULL);\n");
    if (!(edited && p->edit == EDIT_DROP_JOIN))
        printf("    result += own[1] + own[2];\n");
    for (unsigned v = 0; v < p->n_vars; v++) {
        printf("    result += ");
        print_var(p, v);
        printf(";\n");
    }
    printf("    return 0;\n}\n");
}

static void
print_program(const struct program *p, bool edited)
{
    print_head(p, edited);
    print_init(p);
    print_helpers(p, edited);
    print_functions(p, edited);
    print_tests(p);
    print_threads(p);
    print_main(p, edited);
}

int
main(int argc, char **argv)
{
    struct program p;

    if (argc != 3) {
        fprintf(stderr, "usage: versions SEED base|edited|edit\n");
        return 2;
    }
    make_program(&p, strtoull(argv[1], NULL, 10));
    if (strcmp(argv[2], "edit") == 0)
        printf("%s %s\n", edit_names[p.edit], p.edit >= EDIT_RENAME_LOCAL ? "harmless" : "real");
    else
        print_program(&p, strcmp(argv[2], "edited") == 0);
    return 0;
}
