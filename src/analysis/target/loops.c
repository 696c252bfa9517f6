/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/loops.c - which join must end what a create started.
 *
 * Runs in burl-analyze. Two shapes are recognized, which are nearly all that C tests have:
 *     pthread_t t; pthread_create(&t, ...); ... pthread_join(t, ...);   (or std::thread, or t[2])
 *     for (i = A; i < N; i++) pthread_create(&t[i], ...);
 *     for (i = A; i < N; i++) pthread_join(t[i], ...);
 * with the same A and N (or creates by number, and the joins between two numbers), where nothing
 * else touches t, the loop of joins has no other exit, each iteration joins, and no handle is
 * written again before. Everything else counts as never joined: the target is then larger than
 * necessary.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/target/steps.h"

static LLVMValueRef
strip_casts(LLVMValueRef v)
{
    while (LLVMIsASExtInst(v) || LLVMIsAZExtInst(v) || LLVMIsATruncInst(v))
        v = LLVMGetOperand(v, 0);
    return v;
}

LLVMValueRef
burl__loop_test(LLVMValueRef phi, bool (*is_step)(LLVMValueRef next, LLVMValueRef phi),
                struct burl__loop *l)
{
    bool found = false;

    if (!LLVMIsAPHINode(phi) || LLVMCountIncoming(phi) != 2)
        return NULL;
    for (unsigned k = 0; k < 2 && !found; k++) {
        l->from = LLVMGetIncomingValue(phi, 1 - k);
        found = is_step(LLVMGetIncomingValue(phi, k), phi);
    }
    l->head = LLVMGetInstructionParent(phi);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(l->head);
    if (!found || !LLVMIsABranchInst(end) || !LLVMIsConditional(end))
        return NULL;
    l->body = LLVMGetSuccessor(end, 0);
    l->behind = LLVMGetSuccessor(end, 1);
    return LLVMIsAICmpInst(LLVMGetCondition(end));
}

static bool
adds_one(LLVMValueRef next, LLVMValueRef phi)
{
    return LLVMIsABinaryOperator(next) && LLVMGetInstructionOpcode(next) == LLVMAdd &&
           LLVMGetOperand(next, 0) == phi && burl_ir_is_int(LLVMGetOperand(next, 1), 1);
}

bool
burl__match_loop(LLVMValueRef index, struct burl__loop *l)
{
    LLVMValueRef phi = strip_casts(index);
    LLVMValueRef test = burl__loop_test(phi, adds_one, l);

    if (!test || strip_casts(LLVMGetOperand(test, 0)) != phi)
        return false;
    LLVMIntPredicate p = LLVMGetICmpPredicate(test);
    l->to = strip_casts(LLVMGetOperand(test, 1));
    return p == LLVMIntSLT || p == LLVMIntULT || p == LLVMIntNE;
}

bool
burl__each_turn_passes(const struct burl__loop *l, LLVMBasicBlockRef through)
{
    return l->body == through || (l->body != l->head && !burl__reaches(l->body, l->head, through));
}

/* The test at the top is the only exit of the loop. */
static bool
has_one_exit(const struct burl__loop *l)
{
    struct burl__walk w = { 0 };
    bool ok = true;

    burl_valmap_add(&w.seen, l->head);
    burl__walk_visit(&w, l->body);
    for (LLVMBasicBlockRef b = burl__walk_next(&w); b && ok; b = burl__walk_next(&w)) {
        ok = !burl__leaves_function(b);
        burl__walk_successors(&w, b);
    }
    ok = ok && !burl_valmap_has(&w.seen, l->behind);
    burl__walk_deinit(&w);
    return ok;
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
        if (!burl_ir_is_int(LLVMGetOperand(ptr, (unsigned)i), 0))
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
    if (!LLVMIsAInstruction(user) || !burl_ir_is_call(user))
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
    if (!LLVMIsAAllocaInst(handles) && !(LLVMIsAInstruction(handles) && burl_ir_is_call(handles)))
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

/* A handle that is written again before it was joined is lost: the join is then that of another
 * thread. */
static bool
overwrites_handle(LLVMValueRef create, LLVMBasicBlockRef joined)
{
    LLVMBasicBlockRef home = LLVMGetInstructionParent(create);

    return home != joined && burl__reaches(home, home, joined);
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
        burl_ir_n_predecessors(l.behind) != 1)
        return NULL;
    if (created ? burl__reaches(created->behind, created->head, l.behind)
                : overwrites_handle(create, l.behind))
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
    if (!create_ix != !join_ix)
        return NULL;
    if (create_ix == join_ix && (!create_ix || LLVMIsAConstantInt(create_ix)))
        return overwrites_handle(create, LLVMGetInstructionParent(join)) ? NULL : join;
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
    LLVMBasicBlockRef b = LLVMGetInstructionParent(s->call);
    LLVMValueRef i = LLVMGetNextInstruction(s->call);
    struct burl__walk w = { 0 };
    bool ok = created_pointer(sp, s->call) != NULL;

    while (ok && b) {
        bool joined = false;
        for (; i && ok && !joined; i = LLVMGetNextInstruction(i)) {
            ok = i != s->call;
            joined = burl_ir_is_call(i) && burl__sp_closing(sp, s->call, i) == i;
        }
        if (!joined) {
            ok = ok && !burl__leaves_function(b);
            burl__walk_successors(&w, b);
        }
        b = burl__walk_next(&w);
        i = b ? LLVMGetFirstInstruction(b) : NULL;
    }
    burl__walk_deinit(&w);
    return ok;
}
