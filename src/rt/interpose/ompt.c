/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ompt.c - regions, barriers and tasks of OpenMP, in both modes.
 *
 * The OpenMP library (LLVM's libomp) is not instrumented: its threads meet in barriers and hand
 * over tasks by atomic operations that no hook sees. It announces them to a tool by the interface
 * that OpenMP 5 defines (OMPT), and the runtime is that tool while it is supervised. What is
 * announced becomes happens-before edges. The numbers and structures below are those of the
 * OpenMP specification, which no later version may change.
 *
 * Every edge out of a thread is made by an event that comes before others are let go, every edge
 * into one by an event that comes after it waited. Events for locks come too late for the former;
 * openmp.c has these.
 *
 * Regions and tasks have nodes in memory of ours, used again when they end. The addresses of a
 * node's fields are the objects of the edges.
 */
#include "ompt.h"
#include "interpose_int.h"
#include "rt/core/core.h"

/* ---- the interface of OpenMP ----------------------------------------------------------------- */

union data {
    uint64_t value;
    void *ptr;
};

struct dependence {
    union data variable;
    int type;
};

struct tool {
    int (*initialize)(void *(*lookup)(const char *), int device, union data *tool);
    void (*finalize)(union data *tool);
    union data data;
};

enum callback {
    ON_PARALLEL_BEGIN = 3,
    ON_PARALLEL_END = 4,
    ON_TASK_CREATE = 5,
    ON_TASK_SCHEDULE = 6,
    ON_IMPLICIT_TASK = 7,
    ON_SYNC_REGION_WAIT = 16,
    ON_DEPENDENCES = 18,
    ON_SYNC_REGION = 23
};

enum endpoint { BEGINS = 1, ENDS = 2, BOTH = 3 };

enum region { TASKWAIT = 5, TASKGROUP = 6, REDUCTION = 7 }; /* all others are barriers */

enum task_flag { INITIAL = 0x1, UNDEFERRED = 0x08000000, TASK_TASKWAIT = 0x10000000 };

enum task_status {
    COMPLETE = 1,
    CANCEL = 3,
    EARLY_FULFILL = 5,
    LATE_FULFILL = 6,
    TASKWAIT_COMPLETE = 8
};

enum dependence_type { DEPEND_IN = 1, DEPEND_SOURCE = 5, DEPEND_SINK = 6, DEPEND_INOUTSET = 7 };

/* Of LLVM, for `depend(out: omp_all_memory)`. */
#define DEPEND_ALL_MEMORY 34

static int (*get_parallel_info)(int level, union data **parallel, int *n_threads);
static int (*get_task_info)(int level, int *flags, union data **task, void **frame,
                            union data **parallel, int *index);
static int (*get_task_memory)(void **addr, size_t *n, int block);

/* ---- nodes ----------------------------------------------------------------------------------- */

#define NODE_B 192u
#define NODES 512u /* at a time */
#define DEPENDS 8u

struct depend {
    uintptr_t addr;
    int type;
};

/* A team, a task, a task group, or more dependences of a task. */
struct node {
    struct node *next;  /* unused ones; of a task: its further dependences */
    struct node *outer; /* of a task: the parent; of a group: the one around it */
    struct node *team;
    struct node *group;
    uint32_t refs;
    uint32_t pending; /* of a task: children, of a group: members that are not complete */
    uint8_t round;    /* of its barriers: they alternate between two objects */
    bool started;
    bool included;  /* executed by its parent's thread at once */
    bool fulfilled; /* its event came before its end */
    uint8_t n_depends;
    char began; /* objects from here on */
    char waited;
    char barrier[2];
    char order[BURL__OMP_ORDER__N];
    struct depend depends[DEPENDS];
};

static_assert(sizeof(struct node) <= NODE_B, "one size for all");

static struct node *unused;
static uint32_t lock; /* in free mode */
static char *chunk;   /* the part of the last one that was never used */
static uint32_t n_left;
static bool in_main;

static void
take_lock(void)
{
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE) != 0)
        __builtin_ia32_pause();
}

static void
give_lock(void)
{
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); /* pairs with the exchange above */
}

/* The program's memory is as it was before main when an execution begins, so the nodes of the last
 * one are gone; those of constructors are not. */
void
burl__omp_reset(void)
{
    unused = NULL;
    n_left = 0;
}

void
burl__omp_mark_start(void)
{
    in_main = true;
    burl__omp_reset();
}

static char *
chunk_new(void)
{
    /* controlled: memory of this execution, which is gone with it */
    return burl_self != NULL && in_main ? burl_exec_alloc(NODES * NODE_B)
                                        : burl__mem_map(NODES * NODE_B);
}

static struct node *
node_new(void)
{
    struct node *n;

    take_lock();
    n = unused;
    if (n != NULL) {
        unused = n->next;
    } else {
        if (n_left == 0) {
            chunk = chunk_new();
            n_left = NODES;
        }
        n = (struct node *)(chunk + (size_t)(NODES - n_left--) * NODE_B);
    }
    give_lock();
    memset(n, 0, sizeof *n);
    n->refs = 1;
    return n;
}

static void
forget(const volatile void *object)
{
    BURL_IN_CALL(if (burl_ob_mask != 0) burl_ob_forget_object(burl_ob_user_object(object)));
}

static void
node_free(struct node *n)
{
    burl_free_object_new(n, sizeof *n);
    for (const char *p = &n->began; p < n->order + BURL__OMP_ORDER__N; p++)
        forget(p);
    take_lock();
    n->next = unused;
    unused = n;
    give_lock();
}

static void
task_free(struct node *t)
{
    while (t != NULL && __atomic_sub_fetch(&t->refs, 1, __ATOMIC_ACQ_REL) == 0) {
        struct node *outer = t->outer;

        for (struct node *d = t->next, *next; d != NULL; d = next) {
            next = d->next;
            node_free(d);
        }
        node_free(t);
        t = outer;
    }
}

static struct node *
node_of(const union data *d)
{
    return d != NULL ? d->ptr : NULL;
}

void
burl__omp_new_memory(const volatile void *p, size_t n)
{
    if (p == NULL || n == 0)
        return;
    if (burl_free_me != NULL)
        burl_free_mapped((uintptr_t)p, n);
    BURL_IN_CALL(if (burl_ob_mask != 0) burl_ob_forget((uintptr_t)p, n));
}

/* ---- regions --------------------------------------------------------------------------------- */

static void
on_parallel_begin(union data *parent, const void *frame, union data *parallel, unsigned requested,
                  int flags, const void *code)
{
    struct node *team = node_new();

    (void)parent, (void)frame, (void)requested, (void)flags, (void)code;
    parallel->ptr = team;
    burl__order_before(&team->began);
}

static void
on_parallel_end(union data *parallel, union data *task, int flags, const void *code)
{
    struct node *team = node_of(parallel);

    (void)task, (void)flags, (void)code;
    if (team == NULL)
        return;
    burl__order_after(&team->barrier[0]);
    burl__order_after(&team->barrier[1]);
    parallel->ptr = NULL;
    node_free(team);
}

static struct node *
task_new(union data *data, struct node *team, struct node *parent)
{
    struct node *t = node_new();

    t->team = team;
    t->outer = parent;
    if (parent != NULL) {
        t->round = parent->round;
        t->group = parent->group;
        __atomic_add_fetch(&parent->refs, 1, __ATOMIC_RELAXED); /* the caller has a reference */
    }
    data->ptr = t;
    return t;
}

static void
on_implicit_task(int endpoint, union data *parallel, union data *task, unsigned n_threads,
                 unsigned index, int flags)
{
    struct node *team = node_of(parallel);

    (void)n_threads, (void)index, (void)flags;
    if (endpoint == BEGINS) {
        if (team == NULL && parallel != NULL)
            parallel->ptr = team = node_new(); /* around the whole program */
        (void)task_new(task, team, NULL);
        if (team != NULL)
            burl__order_after(&team->began);
    } else if (endpoint == ENDS && task != NULL) {
        task_free(node_of(task));
        task->ptr = NULL;
    }
}

static void
group_end(struct node *t)
{
    struct node *group = t->group;

    if (group == NULL)
        return;
    burl__order_after(&group->waited);
    t->group = group->outer;
    node_free(group);
}

static void
region_begins(int kind, struct node *t)
{
    if (kind == TASKGROUP) {
        struct node *group = node_new();

        group->outer = t->group;
        t->group = group;
    } else if (kind != TASKWAIT && kind != REDUCTION && t->team != NULL) {
        burl__order_before(&t->team->barrier[t->round]);
    }
}

/* No region: the barrier was the last one, and the team is gone. */
static void
region_ends(int kind, struct node *t, bool team)
{
    if (kind == TASKGROUP) {
        group_end(t);
    } else if (kind == TASKWAIT) {
        burl__order_after(&t->waited);
    } else if (kind != REDUCTION) {
        if (team && t->team != NULL)
            burl__order_after(&t->team->barrier[t->round]);
        /* A thread may be in the next barrier before all have left this one, but not in the one
         * after that. */
        t->round ^= 1;
    }
}

static void
on_sync_region(int kind, int endpoint, union data *parallel, union data *task, const void *code)
{
    struct node *t = node_of(task);

    (void)code;
    if (t == NULL)
        return;
    if ((endpoint & BEGINS) != 0)
        region_begins(kind, t);
    if ((endpoint & ENDS) != 0)
        region_ends(kind, t, parallel != NULL);
}

/* The end of a task group combines the copies of its reductions after the wait and before the end
 * of the region. */
static void
on_sync_region_wait(int kind, int endpoint, union data *parallel, union data *task,
                    const void *code)
{
    const struct node *t = node_of(task);

    (void)parallel, (void)code;
    if (t != NULL && (endpoint & ENDS) != 0 && kind == TASKGROUP && t->group != NULL)
        burl__order_after(&t->group->waited);
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static void
count_pending(struct node *t, int change)
{
    /* relaxed: used in controlled mode only, where one thread runs at a time */
    if (t->outer != NULL)
        __atomic_add_fetch(&t->outer->pending, (uint32_t)change, __ATOMIC_RELAXED);
    if (t->group != NULL)
        __atomic_add_fetch(&t->group->pending, (uint32_t)change, __ATOMIC_RELAXED);
}

static void
on_task_create(union data *parent, const void *frame, union data *task, int flags, int depends,
               const void *code)
{
    struct node *p = node_of(parent);
    struct node *t;

    (void)frame, (void)depends, (void)code;
    if ((flags & INITIAL) != 0) {
        union data *parallel = NULL;
        int n = 1;

        if (get_parallel_info != NULL)
            (void)get_parallel_info(0, &parallel, &n);
        if (parallel != NULL && parallel->ptr == NULL)
            parallel->ptr = node_new();
        (void)task_new(task, node_of(parallel), NULL);
        return;
    }
    t = task_new(task, p != NULL ? p->team : NULL, p);
    t->included = (flags & (UNDEFERRED | TASK_TASKWAIT)) != 0;
    if (t->included)
        return;
    count_pending(t, 1);
    burl__order_before(&t->began);
}

/* Dependences name storage; each address has one object for those that read it, one for those that
 * write it and one for sets. Of different parents, too: an edge too many. */
enum { OF_OUT, OF_IN, OF_SET };

static const volatile void *
depend_object(uintptr_t addr, unsigned which)
{
    return (const void *)(0x100000000000ull | ((addr * 4 + which) & 0xfffffffffffull));
}

static unsigned
depend_class(int type)
{
    if (type == DEPEND_IN)
        return OF_IN;
    return type == DEPEND_INOUTSET ? OF_SET : OF_OUT;
}

#define FOR_DEPENDS(task, d)                                        \
    for (const struct node *n_ = (task); n_ != NULL; n_ = n_->next) \
        for (const struct depend *d = n_->depends; d < n_->depends + n_->n_depends; d++)

/* Storage of all tasks with dependences. */
#define ALL_MEMORY 0

static void
acquire_depends(const struct node *t)
{
    if (t->n_depends != 0)
        burl__order_after(depend_object(ALL_MEMORY, OF_OUT));
    FOR_DEPENDS(t, d)
    {
        const unsigned own = depend_class(d->type);

        for (unsigned k = OF_OUT; k <= OF_SET; k++) {
            if (k != own || k == OF_OUT)
                burl__order_after(depend_object(d->addr, k));
        }
    }
}

static void
release_depends(const struct node *t)
{
    if (t->n_depends != 0)
        burl__order_before(depend_object(ALL_MEMORY, OF_IN));
    FOR_DEPENDS(t, d)
    burl__order_before(depend_object(d->addr, depend_class(d->type)));
}

static void
on_dependences(union data *task, const struct dependence *deps, int n)
{
    struct node *t = node_of(task);
    struct node *at = t;

    if (t == NULL || n <= 0 || deps[0].type == DEPEND_SOURCE || deps[0].type == DEPEND_SINK)
        return;
    for (int i = 0; i < n; i++) {
        bool all = deps[i].type >= DEPEND_ALL_MEMORY;

        if (at->n_depends == DEPENDS) {
            at->next = node_new();
            at = at->next;
        }
        at->depends[at->n_depends++] =
            (struct depend){ .addr = all ? ALL_MEMORY : (uintptr_t)deps[i].variable.ptr,
                             .type = deps[i].type };
    }
    burl__order_before(&t->began);
}

static void
complete(struct node *t)
{
    if (t->fulfilled)
        burl__order_after(&t->began);
    if (!t->included) {
        if (t->team != NULL)
            burl__order_before(&t->team->barrier[t->round]);
        if (t->outer != NULL)
            burl__order_before(&t->outer->waited);
        if (t->group != NULL)
            burl__order_before(&t->group->waited);
        count_pending(t, -1);
    }
    release_depends(t);
}

/* The memory of a task holds its arguments. The library copies it without notice when it divides a
 * loop into tasks. */
static void
start(struct node *t)
{
    void *p = NULL;
    size_t n = 0;

    if (!t->started) {
        t->started = true;
        acquire_depends(t);
        if (get_task_memory != NULL && t->outer != NULL && !t->included &&
            get_task_memory(&p, &n, 0) == 0)
            burl__omp_new_memory(p, n);
    }
    burl__order_after(&t->began);
}

static void
on_task_schedule(union data *first, int status, union data *second)
{
    struct node *from = node_of(first);
    struct node *to = node_of(second);

    if (from == NULL)
        return;
    switch (status) {
    case EARLY_FULFILL:
        burl__order_before(&from->began);
        from->fulfilled = true;
        return;
    case TASKWAIT_COMPLETE:
        acquire_depends(from);
        task_free(from);
        return;
    case LATE_FULFILL:
        burl__order_after(&from->began);
        complete(from);
        task_free(from);
        return;
    case COMPLETE:
    case CANCEL:
        complete(from);
        task_free(from);
        break;
    default: /* it goes on later, perhaps in another thread */
        burl__order_before(&from->began);
        break;
    }
    if (to != NULL && status != COMPLETE)
        start(to);
}

/* ---- for openmp.c ---------------------------------------------------------------------------- */

static struct node *
current_team(void)
{
    union data *parallel = NULL;
    int n = 0;

    return get_parallel_info != NULL && get_parallel_info(0, &parallel, &n) > 0 ? node_of(parallel)
                                                                                : NULL;
}

bool
burl__omp_is_waiting(enum burl__omp_wait what)
{
    union data *task = NULL;
    union data *parallel = NULL;
    void *frame = NULL;
    const struct node *t;
    int flags = 0;
    int index = 0;

    if (get_task_info == NULL || get_task_info(0, &flags, &task, &frame, &parallel, &index) <= 0)
        return false;
    t = node_of(task);
    if (what == BURL__OMP_GROUP)
        t = t != NULL ? t->group : NULL;
    return t != NULL && t->pending != 0;
}

const volatile void *
burl__omp_team_object(enum burl__omp_order which)
{
    static const char of_none[BURL__OMP_ORDER__N];
    struct node *team = current_team();

    return team != NULL ? &team->order[which] : &of_none[which];
}

#define ITERATIONS 4096u /* objects for all iterations of all loops */

const volatile void *
burl__omp_iteration_object(const int64_t *index, uint32_t n)
{
    uint64_t h = (uintptr_t)current_team();

    for (uint32_t i = 0; i < n; i++)
        h = (h ^ (uint64_t)index[i]) * 0x9e3779b97f4a7c15ull;
    return (const void *)(0x300000000000ull | (h >> 32) % ITERATIONS << 3);
}

/* ---- the tool -------------------------------------------------------------------------------- */

uintptr_t burl__omp_code;
size_t burl__omp_code_b;

static void
find_code(uintptr_t pc)
{
    const struct burl_wire_ctl *ctl = burl_rt.ctl;

    for (uint32_t i = 0; i < ctl->n_objects; i++) {
        const struct burl_wire_object *o = &ctl->objects[i];

        if (pc - o->text_start < o->text_end - o->text_start) {
            burl__omp_code = o->text_start;
            burl__omp_code_b = o->text_end - o->text_start;
        }
    }
}

static void
on_finalize(union data *tool)
{
    (void)tool;
}

static int
initialize(void *(*lookup)(const char *), int device, union data *tool)
{
    int (*set)(int, void (*)(void)) = (int (*)(int, void (*)(void)))lookup("ompt_set_callback");

    (void)device, (void)tool;
    if (set == NULL)
        return 0;
    find_code((uintptr_t)lookup);
    get_parallel_info = (int (*)(int, union data **, int *))lookup("ompt_get_parallel_info");
    get_task_info = (int (*)(int, int *, union data **, void **, union data **, int *))lookup(
        "ompt_get_task_info");
    get_task_memory = (int (*)(void **, size_t *, int))lookup("ompt_get_task_memory");
    set(ON_PARALLEL_BEGIN, (void (*)(void))on_parallel_begin);
    set(ON_PARALLEL_END, (void (*)(void))on_parallel_end);
    set(ON_IMPLICIT_TASK, (void (*)(void))on_implicit_task);
    set(ON_SYNC_REGION, (void (*)(void))on_sync_region);
    set(ON_SYNC_REGION_WAIT, (void (*)(void))on_sync_region_wait);
    set(ON_TASK_CREATE, (void (*)(void))on_task_create);
    set(ON_TASK_SCHEDULE, (void (*)(void))on_task_schedule);
    set(ON_DEPENDENCES, (void (*)(void))on_dependences);
    burl_free_has_fences();
    return 1;
}

/* One process has one tool: while burl watches, a tool of the program's own is not started. */
BURL_DEFINE(void *ompt_start_tool(unsigned version, const char *runtime))
{
    static struct tool ours = { .initialize = initialize, .finalize = on_finalize };

    if (burl_self != NULL || burl_free_me != NULL)
        return &ours;
    return BURL_REAL(ompt_start_tool)(version, runtime);
}
