/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openmp.c - functions of the OpenMP library that compiled code calls, in both modes: critical
 * sections, locks, `ordered`, reductions, waits for tasks, flush, and memory of tasks.
 *
 * The real functions do the work. In controlled mode they wait by sched_yield() and condition
 * variables, which are scheduling points. Regions, barriers and tasks: ompt.c. In both modes the
 * edge of a release is made before the real function lets others in, that of an acquisition after
 * it.
 */
#include "interpose_int.h"
#include "ompt.h"
#include "rt/core/core.h"

/* ---- locks ----------------------------------------------------------------------------------- */

/*
 * Locks and critical sections are alike. The library spins for them without a call in between, so
 * a controlled thread first takes a lock of ours with the same address, as in spin.c, and then
 * finds the library's free. In free mode only the edges are ours.
 */
static bool
is_free(const struct burl_obj *o, const struct burl_thread *t)
{
    (void)t;
    return o->owner == BURL_TID_NONE;
}

static struct burl_obj *
lock_object(const void *lock)
{
    return burl_obj_get(lock, BURL_OBJ_SPIN, NULL);
}

static void
own(struct burl_thread *t, struct burl_obj *o, bool by_try)
{
    o->owner = t->tid;
    burl__lock_taken(t, o, BURL_LOCK_EXCLUSIVE, by_try);
    burl_obj_changed(o);
}

static void
model_take(struct burl_thread *t, const void *lock)
{
    const struct burl_op op = burl__op(t, BURL_OP_LOCK, lock, 0);
    struct burl_obj *o = lock_object(lock);

    if (o->owner == t->tid) {
        burl_sched_point(t, &op);
        burl_rt_misuse(BURL_VERDICT_MISUSE_RELOCK, o,
                       "a thread waits for an OpenMP lock or critical section that it holds");
        burl__note_result(t, EBUSY);
        burl__wait_misused(t, &op, o, is_free);
    } else {
        burl__notify_request(t, (void *)o->addr, BURL_LOCK_EXCLUSIVE);
        burl__wait(t, &op, o, is_free, BURL_TIME_NEVER, false);
    }
    own(t, lock_object(lock), false);
}

static int
model_try(struct burl_thread *t, const void *lock)
{
    const struct burl_op op = burl__op(t, BURL_OP_TRYLOCK, lock, 0);
    struct burl_obj *o;
    int r = EBUSY;

    burl__point_or_yield(t, &op);
    o = lock_object(lock);
    if (is_free(o, t)) {
        own(t, o, true);
        r = 0;
    } else {
        burl__try_failed(t);
        burl__gave_up(t);
    }
    burl__notify_tried(t, lock, r);
    burl__note_result(t, r);
    return r;
}

static void
model_drop(struct burl_thread *t, const void *lock)
{
    burl__point(t, BURL_OP_UNLOCK, lock, 0);
    burl__lock_dropped(t, lock_object(lock),
                       "a thread releases an OpenMP lock that no thread holds",
                       "a thread releases an OpenMP lock that another thread holds");
}

static void
before_taking(const void *lock)
{
    burl_noise_call();
    burl_free_requesting(lock, BURL_LOCK_EXCLUSIVE);
    BURL_IN_CALL(model_take(t, lock));
}

static void
taken(const void *lock, bool by_try)
{
    burl_free_acquired(lock, BURL_LOCK_EXCLUSIVE, by_try);
    burl_noise_call();
}

static void
before_dropping(const void *lock)
{
    burl_noise_call();
    burl_free_releasing(lock);
}

/* The library may yield while it releases its own. */
static void
dropped(const void *lock)
{
    BURL_IN_CALL(model_drop(t, lock));
    burl_noise_call();
}

static bool
may_try(const void *lock)
{
    int r = 0;

    burl_noise_call();
    BURL_IN_CALL(r = model_try(t, lock));
    return r == 0;
}

BURL_DEFINE(void __kmpc_critical(void *loc, int32_t gtid, void *name))
{
    before_taking(name);
    BURL_REAL(__kmpc_critical)(loc, gtid, name);
    taken(name, false);
}

BURL_DEFINE(void __kmpc_critical_with_hint(void *loc, int32_t gtid, void *name, uint32_t hint))
{
    before_taking(name);
    BURL_REAL(__kmpc_critical_with_hint)(loc, gtid, name, hint);
    taken(name, false);
}

BURL_DEFINE(void __kmpc_end_critical(void *loc, int32_t gtid, void *name))
{
    before_dropping(name);
    BURL_REAL(__kmpc_end_critical)(loc, gtid, name);
    dropped(name);
}

BURL_DEFINE(void omp_set_lock(void *lock))
{
    before_taking(lock);
    BURL_REAL(omp_set_lock)(lock);
    taken(lock, false);
}

BURL_DEFINE(int omp_test_lock(void *lock))
{
    int got = may_try(lock) ? BURL_REAL(omp_test_lock)(lock) : 0;

    if (got != 0)
        taken(lock, true);
    return got;
}

BURL_DEFINE(void omp_unset_lock(void *lock))
{
    before_dropping(lock);
    BURL_REAL(omp_unset_lock)(lock);
    dropped(lock);
}

/* ---- locks that nest: the outermost level takes and releases --------------------------------- */

/* How often the calling thread holds a lock. In a thread that holds more different ones at a time
 * each level is taken for the outermost: in free mode that costs an edge too many. */
#define NESTED 32u

static __thread struct {
    const void *lock;
    uint32_t levels;
} nested[NESTED];

static uint32_t *
levels_of(const void *lock)
{
    uint32_t *none = NULL;

    for (uint32_t i = 0; i < NESTED; i++) {
        if (nested[i].levels != 0 && nested[i].lock == lock)
            return &nested[i].levels;
        if (nested[i].levels == 0 && none == NULL) {
            nested[i].lock = lock;
            none = &nested[i].levels;
        }
    }
    return none;
}

BURL_DEFINE(void omp_set_nest_lock(void *lock))
{
    uint32_t *levels = levels_of(lock);
    bool outermost = levels == NULL || *levels == 0;

    if (outermost)
        before_taking(lock);
    BURL_REAL(omp_set_nest_lock)(lock);
    if (outermost)
        taken(lock, false);
    if (levels != NULL)
        *levels_of(lock) += 1;
}

BURL_DEFINE(int omp_test_nest_lock(void *lock))
{
    uint32_t *levels = levels_of(lock);
    bool outermost = levels == NULL || *levels == 0;
    int got;

    if (outermost && !may_try(lock))
        return 0;
    got = BURL_REAL(omp_test_nest_lock)(lock);
    if (got != 0 && outermost)
        taken(lock, true);
    if (got != 0 && levels != NULL)
        *levels_of(lock) += 1;
    return got;
}

BURL_DEFINE(void omp_unset_nest_lock(void *lock))
{
    uint32_t *levels = levels_of(lock);
    bool outermost = levels == NULL || *levels <= 1;

    if (levels != NULL && *levels != 0)
        *levels -= 1;
    if (outermost)
        before_dropping(lock);
    BURL_REAL(omp_unset_nest_lock)(lock);
    if (outermost)
        dropped(lock);
}

/* ---- ordered --------------------------------------------------------------------------------- */

BURL_DEFINE(void __kmpc_ordered(void *loc, int32_t gtid))
{
    burl_noise_call();
    BURL_REAL(__kmpc_ordered)(loc, gtid);
    burl__order_after(burl__omp_team_object(BURL__OMP_ORDERED));
    burl_noise_call();
}

BURL_DEFINE(void __kmpc_end_ordered(void *loc, int32_t gtid))
{
    burl_noise_call();
    burl__order_before(burl__omp_team_object(BURL__OMP_ORDERED));
    BURL_REAL(__kmpc_end_ordered)(loc, gtid);
    burl_noise_call();
}

static __thread uint32_t n_dimensions; /* of the loop with `ordered(n)` */

BURL_DEFINE(void __kmpc_doacross_init(void *loc, int32_t gtid, int32_t n, const void *dims))
{
    n_dimensions = n > 0 ? (uint32_t)n : 0;
    BURL_REAL(__kmpc_doacross_init)(loc, gtid, n, dims);
}

BURL_DEFINE(void __kmpc_doacross_wait(void *loc, int32_t gtid, const int64_t *index))
{
    burl_noise_call();
    BURL_REAL(__kmpc_doacross_wait)(loc, gtid, index);
    burl__order_after(burl__omp_iteration_object(index, n_dimensions));
    burl_noise_call();
}

BURL_DEFINE(void __kmpc_doacross_post(void *loc, int32_t gtid, const int64_t *index))
{
    burl_noise_call();
    burl__order_before(burl__omp_iteration_object(index, n_dimensions));
    BURL_REAL(__kmpc_doacross_post)(loc, gtid, index);
    burl_noise_call();
}

/* ---- reductions ------------------------------------------------------------------------------ */

/*
 * The library chooses one of three ways: it combines the threads' copies itself, in a tree, by the
 * function that the compiler wrote, and one thread gets 1 and adds the result; or every thread gets
 * 1 inside a lock; or every thread gets 2 and adds its copy by atomic operations.
 */
typedef void reduce_fn(void *into, void *from);

static __thread reduce_fn *reduce_by;

static void
reduce_ordered(void *into, void *from)
{
    const volatile void *object = burl__omp_team_object(BURL__OMP_REDUCTION);

    burl__order_after(object);
    reduce_by(into, from);
    burl__order_before(object);
}

/* 0: the others have the result, and this thread waited for it unless `nowait`. */
static int32_t
reduced(int32_t r, bool nowait)
{
    if (r == 1 || (r == 0 && !nowait))
        burl__order_after(burl__omp_team_object(BURL__OMP_REDUCTION));
    return r;
}

BURL_DEFINE(int32_t __kmpc_reduce(void *loc, int32_t gtid, int32_t n, size_t size, void *data,
                                  reduce_fn *fn, void *lock))
{
    burl_noise_call();
    reduce_by = fn;
    burl__order_before(burl__omp_team_object(BURL__OMP_REDUCTION));
    return reduced(BURL_REAL(__kmpc_reduce)(loc, gtid, n, size, data, reduce_ordered, lock), false);
}

BURL_DEFINE(int32_t __kmpc_reduce_nowait(void *loc, int32_t gtid, int32_t n, size_t size,
                                         void *data, reduce_fn *fn, void *lock))
{
    burl_noise_call();
    reduce_by = fn;
    burl__order_before(burl__omp_team_object(BURL__OMP_REDUCTION));
    return reduced(BURL_REAL(__kmpc_reduce_nowait)(loc, gtid, n, size, data, reduce_ordered, lock),
                   true);
}

BURL_DEFINE(void __kmpc_end_reduce(void *loc, int32_t gtid, void *lock))
{
    burl__order_before(burl__omp_team_object(BURL__OMP_REDUCTION));
    BURL_REAL(__kmpc_end_reduce)(loc, gtid, lock);
    burl_noise_call();
}

BURL_DEFINE(void __kmpc_end_reduce_nowait(void *loc, int32_t gtid, void *lock))
{
    burl__order_before(burl__omp_team_object(BURL__OMP_REDUCTION));
    BURL_REAL(__kmpc_end_reduce_nowait)(loc, gtid, lock);
    burl_noise_call();
}

/* ---- waiting for tasks ----------------------------------------------------------------------- */

/*
 * The library waits for tasks in a loop that looks for tasks to execute and makes no call when
 * there are none. In controlled mode no other thread would run then: the wait is made here of calls
 * that execute what there is, with yields in between, and the library finds nothing left to wait
 * for.
 */
#define WAITS 20000u /* then it is the library's turn, and the time limit of the execution */

BURL_DEFINE(int32_t __kmpc_omp_taskyield(void *loc, int32_t gtid, int end_part))
{
    burl_noise_call();
    return BURL_REAL(__kmpc_omp_taskyield)(loc, gtid, end_part);
}

static void
let_others_run(void)
{
    BURL_IN_CALL({
        const struct burl_op op = burl__op(t, BURL_OP_YIELD, NULL, 0);

        burl_sched_yield(t, &op);
    });
}

static void
await_tasks(enum burl__omp_wait what, void *loc, int32_t gtid)
{
    burl_noise_call();
    if (burl_self == NULL)
        return;
    for (uint32_t i = 0; i < WAITS && burl__omp_is_waiting(what); i++) {
        (void)BURL_REAL(__kmpc_omp_taskyield)(loc, gtid, 0);
        if (burl__omp_is_waiting(what))
            let_others_run();
    }
}

BURL_DEFINE(int32_t __kmpc_omp_taskwait(void *loc, int32_t gtid))
{
    await_tasks(BURL__OMP_CHILDREN, loc, gtid);
    return BURL_REAL(__kmpc_omp_taskwait)(loc, gtid);
}

BURL_DEFINE(void __kmpc_end_taskgroup(void *loc, int32_t gtid))
{
    await_tasks(BURL__OMP_GROUP, loc, gtid);
    BURL_REAL(__kmpc_end_taskgroup)(loc, gtid);
}

/* Which children are waited for is known to the library alone: in controlled mode all of them. */
BURL_DEFINE(void __kmpc_omp_wait_deps(void *loc, int32_t gtid, int32_t n, void *deps, int32_t n_no,
                                      void *no_alias))
{
    await_tasks(BURL__OMP_CHILDREN, loc, gtid);
    BURL_REAL(__kmpc_omp_wait_deps)(loc, gtid, n, deps, n_no, no_alias);
}

BURL_DEFINE(void __kmpc_omp_taskwait_deps_51(void *loc, int32_t gtid, int32_t n, void *deps,
                                             int32_t n_no, void *no_alias, int32_t no_wait))
{
    if (no_wait == 0)
        await_tasks(BURL__OMP_CHILDREN, loc, gtid);
    BURL_REAL(__kmpc_omp_taskwait_deps_51)(loc, gtid, n, deps, n_no, no_alias, no_wait);
}

/* The group around the tasks of a loop, which the library would make and wait for by itself. */
BURL_DEFINE(void __kmpc_taskgroup(void *loc, int32_t gtid))
{
    burl_noise_call();
    BURL_REAL(__kmpc_taskgroup)(loc, gtid);
}

static bool
takes_group(void *loc, int32_t gtid, int nogroup)
{
    if (nogroup != 0 || burl_self == NULL)
        return false;
    __kmpc_taskgroup(loc, gtid);
    return true;
}

BURL_DEFINE(void __kmpc_taskloop(void *loc, int gtid, void *task, int if_val, uint64_t *lb,
                                 uint64_t *ub, int64_t st, int nogroup, int sched,
                                 uint64_t grainsize, void *dup))
{
    bool group = takes_group(loc, gtid, nogroup);

    BURL_REAL(__kmpc_taskloop)(loc, gtid, task, if_val, lb, ub, st, group ? 1 : nogroup, sched,
                               grainsize, dup);
    if (group)
        __kmpc_end_taskgroup(loc, gtid);
}

BURL_DEFINE(void __kmpc_taskloop_5(void *loc, int gtid, void *task, int if_val, uint64_t *lb,
                                   uint64_t *ub, int64_t st, int nogroup, int sched,
                                   uint64_t grainsize, int modifier, void *dup))
{
    bool group = takes_group(loc, gtid, nogroup);

    BURL_REAL(__kmpc_taskloop_5)(loc, gtid, task, if_val, lb, ub, st, group ? 1 : nogroup, sched,
                                 grainsize, modifier, dup);
    if (group)
        __kmpc_end_taskgroup(loc, gtid);
}

/* ---- flush ----------------------------------------------------------------------------------- */

BURL_DEFINE(void __kmpc_flush(void *loc))
{
    static const struct burl_wire_site site = { .kind = BURL_SITE_FENCE, .order = BURL_MO_SEQ_CST };

    burl_noise_call();
    if (burl_free_self != NULL)
        burl_free_fence(burl_free_self, &site);
    BURL_IN_CALL(if (burl_ob_mask != 0 && t->watch != NULL)
                     burl_ob_fence(t->watch, BURL_MO_SEQ_CST));
    BURL_REAL(__kmpc_flush)(loc);
}

/* ---- memory ---------------------------------------------------------------------------------- */

BURL_DEFINE(void *__kmpc_omp_task_alloc(void *loc, int32_t gtid, int32_t flags, size_t size,
                                        size_t shareds, void *entry))
{
    void *task = BURL_REAL(__kmpc_omp_task_alloc)(loc, gtid, flags, size, shareds, entry);

    burl__omp_new_memory(task, size);
    if (shareds != 0 && task != NULL) /* its first field */
        burl__omp_new_memory(*(void **)task, shareds);
    return task;
}

static void *
fresh(void *p, size_t n)
{
    burl__omp_new_memory(p, n);
    return p;
}

BURL_DEFINE(void *omp_alloc(size_t n, uintptr_t allocator))
{
    return fresh(BURL_REAL(omp_alloc)(n, allocator), n);
}

BURL_DEFINE(void *omp_aligned_alloc(size_t align, size_t n, uintptr_t allocator))
{
    return fresh(BURL_REAL(omp_aligned_alloc)(align, n, allocator), n);
}

BURL_DEFINE(void *omp_calloc(size_t k, size_t n, uintptr_t allocator))
{
    return fresh(BURL_REAL(omp_calloc)(k, n, allocator), k * n);
}

BURL_DEFINE(void *__kmpc_alloc(int gtid, size_t n, uintptr_t allocator))
{
    return fresh(BURL_REAL(__kmpc_alloc)(gtid, n, allocator), n);
}

BURL_DEFINE(void *__kmpc_aligned_alloc(int gtid, size_t align, size_t n, uintptr_t allocator))
{
    return fresh(BURL_REAL(__kmpc_aligned_alloc)(gtid, align, n, allocator), n);
}
