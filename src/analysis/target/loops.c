/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/loops.c - which join surely ends what a create started.
 *
 * Runs in burl-analyze. Two shapes are recognized, which are nearly all that C tests have:
 *     pthread_t t; pthread_create(&t, ...); ... pthread_join(t, ...);   (or std::thread, or t[2])
 *     for (i = A; i < N; i++) pthread_create(&t[i], ...);
 *     for (i = A; i < N; i++) pthread_join(t[i], ...);
 * with the same A and N (or creates by number, and the joins between two numbers), where nothing
 * else touches t, the loop of joins has no other way out, each turn joins, and no handle is written
 * again before. Everything else counts as never joined: the target is then larger than need be.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/target/sp_int.h"

static LLVMValueRef
strip_casts(LLVMValueRef v)
{
    while (LLVMIsASExtInst(v) || LLVMIsAZExtInst(v) || LLVMIsATruncInst(v))
        v = LLVMGetOperand(v, 0);
    return v;
}

static bool
is_const(LLVMValueRef v, long long x)
{
    return LLVMIsAConstantInt(v) && LLVMConstIntGetSExtValue(v) == x;
}

bool
burl__match_loop(LLVMValueRef index, struct burl__loop *l)
{
    LLVMValueRef phi = strip_casts(index);
    bool found = false;

    if (!LLVMIsAPHINode(phi) || LLVMCountIncoming(phi) != 2)
        return false;
    for (unsigned k = 0; k < 2 && !found; k++) {
        LLVMValueRef next = LLVMGetIncomingValue(phi, k);
        l->from = LLVMGetIncomingValue(phi, 1 - k);
        found = LLVMIsABinaryOperator(next) && LLVMGetInstructionOpcode(next) == LLVMAdd &&
                LLVMGetOperand(next, 0) == phi && is_const(LLVMGetOperand(next, 1), 1);
    }
    l->head = LLVMGetInstructionParent(phi);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(l->head);
    if (!found || !LLVMIsABranchInst(end) || !LLVMIsConditional(end))
        return false;
    LLVMValueRef test = LLVMGetCondition(end);
    if (!LLVMIsAICmpInst(test) || strip_casts(LLVMGetOperand(test, 0)) != phi)
        return false;
    LLVMIntPredicate p = LLVMGetICmpPredicate(test);
    if (p != LLVMIntSLT && p != LLVMIntULT && p != LLVMIntNE)
        return false;
    l->to = strip_casts(LLVMGetOperand(test, 1));
    l->body = LLVMGetSuccessor(end, 0);
    l->behind = LLVMGetSuccessor(end, 1);
    return true;
}

struct walk {
    struct burl_valmap seen;
    LLVMBasicBlockRef *todo;
    size_t n, cap;
};

static void
visit(struct walk *w, LLVMBasicBlockRef b)
{
    uint32_t unused;

    if (burl_valmap_get(&w->seen, b, &unused))
        return;
    burl_valmap_set(&w->seen, b, 1);
    w->todo = burl_vec_grow(w->todo, &w->cap, w->n, 1, sizeof *w->todo);
    w->todo[w->n++] = b;
}

static void
visit_next(struct walk *w, LLVMBasicBlockRef b)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
    unsigned n = end ? LLVMGetNumSuccessors(end) : 0;

    for (unsigned i = 0; i < n; i++)
        visit(w, LLVMGetSuccessor(end, i));
}

static void
end_walk(struct walk *w)
{
    burl_valmap_deinit(&w->seen);
    free(w->todo);
}

static bool
leaves_function(LLVMBasicBlockRef b)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);

    return end && (LLVMIsAReturnInst(end) || LLVMIsAResumeInst(end));
}

/* Every path from the body back to the head passes `through`. */
bool
burl__each_turn_passes(const struct burl__loop *l, LLVMBasicBlockRef through)
{
    struct walk w = { 0 };
    uint32_t unused;

    if (l->body != through)
        visit(&w, l->body);
    while (w.n > 0) {
        LLVMBasicBlockRef b = w.todo[--w.n];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        for (unsigned i = 0; end && i < LLVMGetNumSuccessors(end); i++)
            if (LLVMGetSuccessor(end, i) != through)
                visit(&w, LLVMGetSuccessor(end, i));
        if (burl_valmap_get(&w.seen, l->head, &unused))
            break;
    }
    bool ok = !burl_valmap_get(&w.seen, l->head, &unused);
    end_walk(&w);
    return ok;
}

/* The test at the top is the only exit of the loop. */
static bool
has_one_exit(const struct burl__loop *l)
{
    struct walk w = { 0 };
    bool ok = true;
    uint32_t unused;

    burl_valmap_set(&w.seen, l->head, 1);
    visit(&w, l->body);
    while (w.n > 0 && ok) {
        LLVMBasicBlockRef b = w.todo[--w.n];
        ok = !leaves_function(b);
        visit_next(&w, b);
    }
    ok = ok && !burl_valmap_get(&w.seen, l->behind, &unused);
    end_walk(&w);
    return ok;
}

bool
burl__has_one_way_in(LLVMBasicBlockRef b)
{
    unsigned n = 0;

    for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(b)); u; u = LLVMGetNextUse(u))
        n += LLVMIsATerminatorInst(LLVMGetUser(u)) != NULL;
    return n == 1;
}

bool
burl__sp_is_cxx_create(const struct burl__sp *sp, LLVMValueRef call)
{
    return burl__callee_facts(sp, call).thread == BURL_FN_STD_CREATE;
}

static LLVMValueRef
created_pointer(const struct burl__sp *sp, LLVMValueRef call)
{
    const uint8_t role = burl__callee_facts(sp, call).thread;

    if ((role != BURL_FN_CREATE && role != BURL_FN_STD_CREATE) || LLVMGetNumArgOperands(call) < 1)
        return NULL;
    return LLVMGetOperand(call, 0);
}

/* Base and last index of &t[i]; index NULL for &t. */
static LLVMValueRef
handle_base(LLVMValueRef ptr, LLVMValueRef *index)
{
    *index = NULL;
    if (!LLVMIsAGetElementPtrInst(ptr))
        return ptr;
    int n = LLVMGetNumOperands(ptr);
    for (int i = 1; i < n - 1; i++)
        if (!is_const(LLVMGetOperand(ptr, (unsigned)i), 0))
            return NULL;
    *index = LLVMGetOperand(ptr, (unsigned)n - 1);
    return LLVMGetOperand(ptr, 0);
}

/* pthread_create(&t[1], ...), which leaves t[0] alone. */
static bool
creates_another(const struct burl__sp *sp, LLVMValueRef user, LLVMValueRef create)
{
    LLVMValueRef a = created_pointer(sp, user), b = created_pointer(sp, create), i, k;

    if (!a || !b || !handle_base(a, &i) || !handle_base(b, &k) || !i || !k)
        return false;
    return LLVMIsAConstantInt(i) && LLVMIsAConstantInt(k) &&
           LLVMConstIntGetZExtValue(i) != LLVMConstIntGetZExtValue(k);
}

/* Leaves a std::thread what it is, or ends it. */
static bool
keeps_thread(uint8_t role)
{
    return role == BURL_FN_STD_JOIN || role == BURL_FN_STD_END || role == BURL_FN_STD_JOINABLE ||
           role == BURL_FN_STD_QUERY;
}

/* Is every use of the handles one of: creating, joining, freeing, taking an element? */
static bool
is_plain_use(const struct burl__sp *sp, LLVMValueRef user, LLVMValueRef v, LLVMValueRef create,
             int depth)
{
    if (LLVMIsALoadInst(user) || LLVMIsAICmpInst(user))
        return true;
    if (LLVMIsAGetElementPtrInst(user) && depth < 2) {
        for (LLVMUseRef u = LLVMGetFirstUse(user); u; u = LLVMGetNextUse(u))
            if (!is_plain_use(sp, LLVMGetUser(u), user, create, depth + 1))
                return false;
        return true;
    }
    if (!LLVMIsAInstruction(user) || !burl__is_call(user))
        return false;
    const char *name = burl__callee_name(sp, user);
    if (burl__sp_is_cxx_create(sp, create) && LLVMGetOperand(user, 0) == v &&
        keeps_thread(burl__callee_facts(sp, user).thread))
        return true;
    return ((user == create || creates_another(sp, user, create)) &&
            LLVMGetOperand(user, 0) == v) ||
           burl__is_marker(name) || strcmp(name, "free") == 0;
}

static bool
is_only_for(const struct burl__sp *sp, LLVMValueRef handles, LLVMValueRef create)
{
    if (!LLVMIsAAllocaInst(handles) && !(LLVMIsAInstruction(handles) && burl__is_call(handles)))
        return false;
    for (LLVMUseRef u = LLVMGetFirstUse(handles); u; u = LLVMGetNextUse(u))
        if (!is_plain_use(sp, LLVMGetUser(u), handles, create, 0))
            return false;
    return true;
}

/* The address of the joined handle, or NULL. */
static LLVMValueRef
joined_pointer(const struct burl__sp *sp, LLVMValueRef call)
{
    if (LLVMGetNumArgOperands(call) < 1)
        return NULL;
    LLVMValueRef h = LLVMGetOperand(call, 0);
    const uint8_t role = burl__callee_facts(sp, call).thread;
    if (role == BURL_FN_STD_JOIN)
        return h;
    return role == BURL_FN_JOIN && LLVMIsALoadInst(h) ? LLVMGetOperand(h, 0) : NULL;
}

/* Is there a path from the end of one block to another that avoids a third? */
static bool
comes_to(LLVMBasicBlockRef from, LLVMBasicBlockRef to, LLVMBasicBlockRef avoid)
{
    struct walk w = { 0 };
    uint32_t found;

    burl_valmap_set(&w.seen, avoid, 0);
    visit_next(&w, from);
    while (w.n > 0)
        visit_next(&w, w.todo[--w.n]);
    bool ok = to != avoid && burl_valmap_get(&w.seen, to, &found);
    end_walk(&w);
    return ok;
}

/* A handle that is written again before it was joined is lost: the join is then that of another
 * thread. */
static bool
overwrites(LLVMValueRef create, LLVMBasicBlockRef joined)
{
    LLVMBasicBlockRef home = LLVMGetInstructionParent(create);

    return home != joined && comes_to(home, home, joined);
}

/* Does the loop come to all that the other one created, or to the element of that number? */
static bool
joins_all(const struct burl__loop *l, const struct burl__loop *created, LLVMValueRef number)
{
    if (created)
        return l->from == created->from && l->to == created->to && l->head != created->head;
    return LLVMIsAConstantInt(l->from) && LLVMIsAConstantInt(l->to) &&
           LLVMConstIntGetSExtValue(l->from) <= LLVMConstIntGetSExtValue(number) &&
           LLVMConstIntGetSExtValue(number) < LLVMConstIntGetSExtValue(l->to);
}

/* The point at which everything that `create` started in `loop` is joined, NULL this is not it. */
static void *
closing_loop(const struct burl__loop *created, LLVMValueRef create, LLVMValueRef number,
             LLVMValueRef index, LLVMValueRef join)
{
    struct burl__loop l;

    if (!burl__match_loop(index, &l) || !joins_all(&l, created, number) ||
        !burl__each_turn_passes(&l, LLVMGetInstructionParent(join)) || !has_one_exit(&l) ||
        !burl__has_one_way_in(l.behind))
        return NULL;
    if (created ? comes_to(created->behind, created->head, l.behind) : overwrites(create, l.behind))
        return NULL;
    return l.behind;
}

void *
burl__sp_closing(const struct burl__sp *sp, LLVMValueRef create, LLVMValueRef join)
{
    LLVMValueRef at = created_pointer(sp, create), of = joined_pointer(sp, join);
    LLVMValueRef create_ix, join_ix;
    struct burl__loop l;

    if (!at || !of)
        return NULL;
    if (burl__sp_is_cxx_create(sp, create) !=
        (burl__callee_facts(sp, join).thread == BURL_FN_STD_JOIN))
        return NULL;
    LLVMValueRef base = handle_base(at, &create_ix);
    if (!base || handle_base(of, &join_ix) != base || !is_only_for(sp, base, create))
        return NULL;
    if (!create_ix && !join_ix)
        return overwrites(create, LLVMGetInstructionParent(join)) ? NULL : join;
    if (!create_ix || !join_ix)
        return NULL;
    if (create_ix == join_ix && LLVMIsAConstantInt(create_ix))
        return overwrites(create, LLVMGetInstructionParent(join)) ? NULL : join;
    if (LLVMIsAConstantInt(join_ix))
        return NULL;
    if (LLVMIsAConstantInt(create_ix))
        return closing_loop(NULL, create, create_ix, join_ix, join);
    return burl__match_loop(create_ix, &l) ? closing_loop(&l, create, NULL, join_ix, join) : NULL;
}

/* Does every path from the create reach a join of the same thread before the create or the end? */
bool
burl__sp_is_joined(const struct burl__sp *sp, const struct burl__spawn *s)
{
    LLVMBasicBlockRef home = LLVMGetInstructionParent(s->call);
    struct walk w = { 0 };
    bool ok = created_pointer(sp, s->call) != NULL, first = true;

    w.todo = burl_vec_grow(w.todo, &w.cap, w.n, 1, sizeof *w.todo);
    w.todo[w.n++] = home;
    while (ok && w.n > 0) {
        LLVMBasicBlockRef b = w.todo[--w.n];
        LLVMValueRef i = first ? LLVMGetNextInstruction(s->call) : LLVMGetFirstInstruction(b);
        bool joined = false;
        first = false;
        for (; i && ok && !joined; i = LLVMGetNextInstruction(i)) {
            ok = i != s->call;
            joined = burl__is_call(i) && burl__sp_closing(sp, s->call, i) == i;
        }
        if (joined)
            continue;
        ok = ok && !leaves_function(b);
        visit_next(&w, b);
    }
    end_walk(&w);
    return ok;
}
