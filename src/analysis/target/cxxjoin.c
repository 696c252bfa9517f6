/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/cxxjoin.c - where the threads that a C++ object holds must have exited.
 *
 * Runs in burl-analyze. loops.c handles a std::thread that is made in place and joined by name.
 * Most C++ programs keep theirs in a std::vector, a std::array or an array, put them there by
 * emplace_back, push_back or assignment, and join them in a loop over all; or they are jthreads,
 * which join when they are destroyed. A destroyed std::thread was joined as well, else the program
 * ends there. So the threads of such an object have exited after a loop that joins each element,
 * and after its destructor, unless a thread leaves the object in another way: every use of the
 * object and of its elements must be one that is known here, by its mangled name (libstdc++).
 * Everything else counts as never joined: the target is then larger than necessary.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/target/steps.h"

#define IS_ONE_OF(name, list) burl__is_one_of(name, list, sizeof(list) / sizeof *(list))

/* Members of std::vector and std::array of threads, without the name of the class. */
static const char *const member_harmless[] = { "C1Ev",      "C2Ev",       "C1EmRKS1_",
                                               "C2EmRKS1_", "7reserveEm", "8capacityEv",
                                               "4sizeEv",   "5emptyEv" };
static const char *const member_ends[] = { "D1Ev", "D2Ev", "5clearEv" };
static const char *const member_element[] = { "ixEm", "2atEm", "5frontEv", "4backEv" };
static const char emplace_back[] = "12emplace_backI";
static const char emplace_moved[] = "12emplace_backIJS0_E";
static const char push_back[] = "9push_backEOS0_";

/* What is known of an object that holds threads. */
struct look {
    const struct burl__sp *sp;
    LLVMValueRef whole;      /* pointer to it */
    struct burl_valmap seen; /* pointers into it that were looked at */
    BURL_VEC(LLVMValueRef)
    makers, joins, ends; /* calls that start what is put there, join one, end the whole */
};

static bool uses_elements(struct look *k, LLVMValueRef v);

/* ---- names ---- */

/* The rest of a name after `text`; NULL it does not begin so. */
static const char *
rest_after(const char *name, const char *text)
{
    return name && burl_ir_begins(name, text) ? name + strlen(text) : NULL;
}

static const char *
rest_after_thread(const char *name)
{
    const char *rest = rest_after(name, "St6thread");

    return rest ? rest : rest_after(name, "St7jthread");
}

/* The name of a member function without "_ZN", and without the K of a const one. */
static const char *
member_name(const char *name)
{
    const char *rest = rest_after(name, "_ZNK");

    return rest ? rest : rest_after(name, "_ZN");
}

/* "5beginEv" of the member of a vector or array of threads that is called; NULL it is no such. */
static const char *
member_called(const struct look *k, LLVMValueRef call, bool *is_array)
{
    const char *name = member_name(burl__callee_name(k->sp, call));
    const char *length = rest_after(rest_after_thread(rest_after(name, "St5arrayI")), "Lm");

    *is_array = length != NULL;
    if (length)
        return rest_after(length + strspn(length, "0123456789"), "EE");
    return rest_after(rest_after_thread(rest_after(name, "St6vectorI")), "SaIS0_EE");
}

static bool
is_member(const struct look *k, LLVMValueRef v, const char *member)
{
    bool is_array;
    const char *m = burl_ir_is_call(v) ? member_called(k, v, &is_array) : NULL;

    return m && strcmp(m, member) == 0;
}

/* operator* and so on of the iterator of a vector of threads. */
static bool
is_iterator_op(const char *name, const char *op)
{
    const char *rest =
        rest_after_thread(rest_after(member_name(name), "9__gnu_cxx17__normal_iteratorIP"));
    size_t n = rest ? strlen(rest) : 0, m = strlen(op);

    return n > m && strcmp(rest + n - m, op) == 0;
}

static bool
is_comparison(const char *name, const char *op)
{
    return rest_after_thread(rest_after(rest_after(rest_after(name, "_ZN9__gnu_cxx"), op), "IP")) !=
           NULL;
}

bool
burl__sp_is_cxx_keeping(const struct burl__sp *sp, LLVMValueRef call)
{
    struct look k = { .sp = sp };
    bool is_array;
    const char *m = member_called(&k, call, &is_array);

    return burl__callee_facts(sp, call).thread == BURL_FN_STD_CREATE_J ||
           (m && strncmp(m, emplace_back, sizeof emplace_back - 1) == 0);
}

/* ---- is every use one that is known? ---- */

static LLVMValueRef
after_call(LLVMValueRef call)
{
    return LLVMIsAInvokeInst(call) ? LLVMGetFirstInstruction(LLVMGetNormalDest(call))
                                   : LLVMGetNextInstruction(call);
}

/* From `call` straight on to `to`, with nothing in between that could join or start a thread. */
static bool
is_next(const struct look *k, LLVMValueRef call, LLVMValueRef to)
{
    LLVMValueRef i = after_call(call);

    for (int n = 0; i && n < 64; n++) {
        bool is_array;
        if (i == to)
            return true;
        if (burl_ir_is_call(i)) {
            const char *m = member_called(k, i, &is_array);
            if (LLVMIsAInvokeInst(i) || (!burl__is_marker(burl__callee_name(k->sp, i)) &&
                                         !(m && IS_ONE_OF(m, member_element))))
                return false;
        }
        if (LLVMIsATerminatorInst(i)) {
            if (!LLVMIsABranchInst(i) || LLVMGetNumSuccessors(i) != 1)
                return false;
            i = LLVMGetFirstInstruction(LLVMGetSuccessor(i, 0));
            continue;
        }
        i = LLVMGetNextInstruction(i);
    }
    return false;
}

/* A temporary whose thread `move` takes over as soon as it is made. */
static bool
is_moved_at_once(struct look *k, LLVMValueRef tmp, LLVMValueRef move)
{
    if (!LLVMIsAAllocaInst(tmp))
        return false;
    for (LLVMUseRef u = LLVMGetFirstUse(tmp); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (user == move)
            continue;
        if (!burl_ir_is_call(user))
            return false;
        if (burl__is_marker(burl__callee_name(k->sp, user)))
            continue;
        if (LLVMGetOperand(user, 0) != tmp)
            return false;
        if (burl__sp_is_cxx_create(k->sp, user)) {
            if (!is_next(k, user, move))
                return false;
            BURL_VEC_PUSH(&k->makers, user);
            continue;
        }
        if (burl__callee_facts(k->sp, user).thread != BURL_FN_STD_END)
            return false;
    }
    return true;
}

static bool
is_operand(LLVMValueRef call, LLVMValueRef v, unsigned from)
{
    for (unsigned i = from; i < LLVMGetNumArgOperands(call); i++)
        if (LLVMGetOperand(call, i) == v)
            return true;
    return false;
}

static bool
element_call(struct look *k, LLVMValueRef call, LLVMValueRef v)
{
    if (burl__is_marker(burl__callee_name(k->sp, call)))
        return true;
    if (LLVMGetNumArgOperands(call) < 1 || LLVMGetOperand(call, 0) != v || is_operand(call, v, 1))
        return false;
    switch (burl__callee_facts(k->sp, call).thread) {
    case BURL_FN_STD_JOIN:
        BURL_VEC_PUSH(&k->joins, call);
        return true;
    case BURL_FN_STD_CREATE:
    case BURL_FN_STD_CREATE_J:
        BURL_VEC_PUSH(&k->makers, call);
        return true;
    case BURL_FN_STD_ASSIGN:
        return is_moved_at_once(k, LLVMGetOperand(call, 1), call) && uses_elements(k, call);
    case BURL_FN_STD_END:
        if (v == k->whole)
            BURL_VEC_PUSH(&k->ends, call);
        return true;
    case BURL_FN_STD_JOINABLE:
    case BURL_FN_STD_EMPTY:
    case BURL_FN_STD_QUERY:
        return true;
    default:
        return false;
    }
}

/* Does `ok` hold for every use of a pointer into the object? Looked at once. */
static bool
every_use(struct look *k, LLVMValueRef v,
          bool (*ok)(struct look *k, LLVMValueRef user, LLVMValueRef v))
{
    if (!burl_valmap_add(&k->seen, v))
        return true;
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u))
        if (!ok(k, LLVMGetUser(u), v))
            return false;
    return true;
}

static bool
element_use(struct look *k, LLVMValueRef user, LLVMValueRef v)
{
    if (LLVMIsAGetElementPtrInst(user) || LLVMIsAPHINode(user))
        return uses_elements(k, user);
    return LLVMIsAICmpInst(user) || (burl_ir_is_call(user) && element_call(k, user, v));
}

/* A pointer to an element, or to the first of several. */
static bool
uses_elements(struct look *k, LLVMValueRef v)
{
    return every_use(k, v, element_use);
}

/* &it, or the address of the pointer that it consists of: the same. */
static LLVMValueRef
iterator_of(LLVMValueRef ptr)
{
    if (LLVMIsAGetElementPtrInst(ptr) && LLVMGetNumOperands(ptr) <= 3) {
        for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(ptr); i++)
            if (!burl_ir_is_int(LLVMGetOperand(ptr, i), 0))
                return NULL;
        ptr = LLVMGetOperand(ptr, 0);
    }
    return LLVMIsAAllocaInst(ptr) ? ptr : NULL;
}

static bool
iterator_use(struct look *k, LLVMValueRef user, LLVMValueRef v)
{
    if (LLVMIsAGetElementPtrInst(user))
        return iterator_of(user) != NULL && every_use(k, user, iterator_use);
    if (LLVMIsAStoreInst(user))
        return LLVMGetOperand(user, 1) == v;
    if (!burl_ir_is_call(user))
        return false;
    const char *name = burl__callee_name(k->sp, user);
    if (burl__is_marker(name) || is_comparison(name, "ne") || is_comparison(name, "eq"))
        return true;
    if (is_iterator_op(name, "deEv") || is_iterator_op(name, "ptEv"))
        return uses_elements(k, user);
    return is_iterator_op(name, "ppEv") && !LLVMGetFirstUse(user);
}

/* begin() or end() of a vector: put into an iterator, and nothing else. */
static bool
begin_use(struct look *k, LLVMValueRef user, LLVMValueRef v)
{
    LLVMValueRef it = LLVMIsAStoreInst(user) ? iterator_of(LLVMGetOperand(user, 1)) : NULL;

    (void)v;
    return it && every_use(k, it, iterator_use);
}

static bool
member_use(struct look *k, LLVMValueRef call, LLVMValueRef v)
{
    bool is_array;
    const char *m = burl_ir_is_call(call) ? member_called(k, call, &is_array) : NULL;

    if (!burl_ir_is_call(call))
        return false;
    if (burl__is_marker(burl__callee_name(k->sp, call)))
        return true;
    if (!m || LLVMGetOperand(call, 0) != v || is_operand(call, v, 1))
        return false;
    if (IS_ONE_OF(m, member_ends)) {
        BURL_VEC_PUSH(&k->ends, call);
        return true;
    }
    if (strcmp(m, push_back) == 0)
        return is_moved_at_once(k, LLVMGetOperand(call, 1), call);
    if (strncmp(m, emplace_moved, sizeof emplace_moved - 1) == 0)
        return is_moved_at_once(k, LLVMGetOperand(call, 1), call) && uses_elements(k, call);
    if (strncmp(m, emplace_back, sizeof emplace_back - 1) == 0) {
        BURL_VEC_PUSH(&k->makers, call);
        return uses_elements(k, call);
    }
    if (strcmp(m, "5beginEv") == 0 || strcmp(m, "3endEv") == 0)
        return every_use(k, call, is_array ? element_use : begin_use);
    if (IS_ONE_OF(m, member_element))
        return uses_elements(k, call);
    return IS_ONE_OF(m, member_harmless);
}

/* ---- loops over all elements ---- */

/* The first element: the array itself, &t[0], t.begin(). */
static bool
is_first(const struct look *k, LLVMValueRef v)
{
    if (v == k->whole)
        return true;
    if (is_member(k, v, "5beginEv"))
        return LLVMGetOperand(v, 0) == k->whole;
    if (!LLVMIsAGetElementPtrInst(v))
        return false;
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(v); i++)
        if (!burl_ir_is_int(LLVMGetOperand(v, i), 0))
            return false;
    return is_first(k, LLVMGetOperand(v, 0));
}

static uint64_t
array_length(LLVMValueRef whole)
{
    LLVMTypeRef t = LLVMIsAAllocaInst(whole) ? LLVMGetAllocatedType(whole) : NULL;

    return t && LLVMGetTypeKind(t) == LLVMArrayTypeKind ? LLVMGetArrayLength2(t) : 0;
}

/* After the last one. */
static bool
is_end(const struct look *k, LLVMValueRef v)
{
    uint64_t n = array_length(k->whole);

    if (is_member(k, v, "3endEv"))
        return LLVMGetOperand(v, 0) == k->whole;
    return n > 0 && LLVMIsAGetElementPtrInst(v) && LLVMGetNumOperands(v) == 2 &&
           burl_ir_is_int(LLVMGetOperand(v, 1), (int64_t)n) && is_first(k, LLVMGetOperand(v, 0));
}

static bool
steps_to_next(LLVMValueRef next, LLVMValueRef phi)
{
    return LLVMIsAGetElementPtrInst(next) && LLVMGetNumOperands(next) == 2 &&
           LLVMGetOperand(next, 0) == phi && burl_ir_is_int(LLVMGetOperand(next, 1), 1);
}

/* for (p = first; p != end; p++) */
static bool
pointer_loop(const struct look *k, LLVMValueRef phi, struct burl__loop *l)
{
    LLVMValueRef test = burl__loop_test(phi, steps_to_next, l);

    return test && is_first(k, l->from) && LLVMGetICmpPredicate(test) == LLVMIntNE &&
           LLVMGetOperand(test, 0) == phi && is_end(k, LLVMGetOperand(test, 1));
}

/* The only thing that is stored in an iterator, when it is `member` of the whole; NULL not so. */
static LLVMValueRef
only_store(const struct look *k, LLVMValueRef it, const char *member)
{
    LLVMValueRef found = NULL;

    for (LLVMUseRef u = LLVMGetFirstUse(it); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        LLVMValueRef store = LLVMIsAStoreInst(user) ? user : NULL;
        for (LLVMUseRef x = LLVMIsAGetElementPtrInst(user) ? LLVMGetFirstUse(user) : NULL; x;
             x = LLVMGetNextUse(x)) {
            if (store)
                return NULL;
            store = LLVMIsAStoreInst(LLVMGetUser(x)) ? LLVMGetUser(x) : NULL;
        }
        if (store && found)
            return NULL;
        found = store ? store : found;
    }
    if (!found || !is_member(k, LLVMGetOperand(found, 0), member) ||
        LLVMGetOperand(LLVMGetOperand(found, 0), 0) != k->whole)
        return NULL;
    return found;
}

/* The only call of that sort with the iterator as its first argument. */
static LLVMValueRef
only_call(const struct look *k, LLVMValueRef it, bool (*is)(const char *name))
{
    LLVMValueRef found = NULL;

    for (LLVMUseRef u = LLVMGetFirstUse(it); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!burl_ir_is_call(user) || !is(burl__callee_name(k->sp, user)))
            continue;
        if (found || LLVMGetOperand(user, 0) != it)
            return NULL;
        found = user;
    }
    return found;
}

static bool
is_step(const char *name)
{
    return is_iterator_op(name, "ppEv");
}

static bool
is_test(const char *name)
{
    return is_comparison(name, "ne") || is_comparison(name, "eq");
}

/* Does the block end in a jump to `to`, and nothing from `from` on call anything unknown? */
static bool
goes_on_to(const struct look *k, LLVMValueRef from, LLVMBasicBlockRef to)
{
    for (LLVMValueRef i = from; i; i = LLVMGetNextInstruction(i)) {
        if (LLVMIsATerminatorInst(i))
            return LLVMIsABranchInst(i) && LLVMGetNumSuccessors(i) == 1 &&
                   LLVMGetSuccessor(i, 0) == to;
        if (burl_ir_is_call(i) && !burl__is_marker(burl__callee_name(k->sp, i)) &&
            !is_member(k, i, "5beginEv") && !is_member(k, i, "3endEv") &&
            !is_step(burl__callee_name(k->sp, i)))
            return false;
    }
    return false;
}

/* `test` decides over going on in the block it is in: where to, and where else. */
static bool
split_at(LLVMValueRef test, bool is_equal, struct burl__loop *l)
{
    l->head = LLVMGetInstructionParent(test);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(l->head);
    if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end))
        return false;
    LLVMValueRef c = LLVMGetCondition(end);
    if (LLVMIsABinaryOperator(c) && LLVMGetInstructionOpcode(c) == LLVMXor &&
        burl_ir_int_or_0(LLVMGetOperand(c, 1)) == 1) {
        c = LLVMGetOperand(c, 0);
        is_equal = !is_equal;
    }
    if (c != test)
        return false;
    l->body = LLVMGetSuccessor(end, is_equal ? 1 : 0);
    l->behind = LLVMGetSuccessor(end, is_equal ? 0 : 1);
    return true;
}

/* for (it = v.begin(), e = v.end(); it != e; ++it) */
static bool
iterator_loop(const struct look *k, LLVMValueRef it, struct burl__loop *l)
{
    LLVMValueRef test = only_call(k, it, is_test), step = only_call(k, it, is_step);

    if (!test || !step || !LLVMIsAAllocaInst(LLVMGetOperand(test, 1)) ||
        !split_at(test, is_comparison(burl__callee_name(k->sp, test), "eq"), l))
        return false;
    LLVMValueRef from = only_store(k, it, "5beginEv");
    LLVMValueRef to = only_store(k, LLVMGetOperand(test, 1), "3endEv");
    return from && to && LLVMGetInstructionParent(from) == LLVMGetInstructionParent(to) &&
           LLVMGetInstructionParent(LLVMGetOperand(from, 0)) == LLVMGetInstructionParent(from) &&
           goes_on_to(k, LLVMGetOperand(from, 0), l->head) && goes_on_to(k, step, l->head) &&
           burl_ir_n_predecessors(l->head) == 2;
}

/* for (i = 0; i < v.size(); i++) v[i], or i < N over an array */
static bool
index_loop(const struct look *k, LLVMValueRef element, struct burl__loop *l)
{
    if (is_member(k, element, "ixEm") || is_member(k, element, "2atEm"))
        return LLVMGetOperand(element, 0) == k->whole &&
               burl__match_loop(LLVMGetOperand(element, 1), l) && burl_ir_is_int(l->from, 0) &&
               is_member(k, l->to, "4sizeEv") && LLVMGetOperand(l->to, 0) == k->whole;
    return LLVMIsAGetElementPtrInst(element) && LLVMGetOperand(element, 0) == k->whole &&
           LLVMGetNumOperands(element) == 3 && burl_ir_is_int(LLVMGetOperand(element, 1), 0) &&
           burl__match_loop(LLVMGetOperand(element, 2), l) && burl_ir_is_int(l->from, 0) &&
           array_length(k->whole) > 0 && burl_ir_is_int(l->to, (int64_t)array_length(k->whole));
}

/* The block that each iteration passes when it joins what can be joined: that of the join, or of
 * `if (t.joinable())` before it. */
static LLVMBasicBlockRef
joining_block(const struct look *k, LLVMValueRef join)
{
    LLVMBasicBlockRef b = LLVMGetInstructionParent(join);
    struct burl__loop l;

    if (burl_ir_n_predecessors(b) != 1)
        return b;
    LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(b));
    while (u && !LLVMIsATerminatorInst(LLVMGetUser(u)))
        u = LLVMGetNextUse(u);
    LLVMValueRef end = u ? LLVMGetUser(u) : NULL;
    LLVMValueRef test =
        end && LLVMIsABranchInst(end) && LLVMIsConditional(end) ? LLVMGetCondition(end) : NULL;
    if (!test || !burl_ir_is_call(test) ||
        burl__callee_facts(k->sp, test).thread != BURL_FN_STD_JOINABLE ||
        LLVMGetOperand(test, 0) != LLVMGetOperand(join, 0) || !split_at(test, false, &l) ||
        l.body != b)
        return b;
    return l.head;
}

/* Where all elements have been joined because of `join`; NULL not known. */
static void *
closing_of(const struct look *k, LLVMValueRef join)
{
    LLVMValueRef v = LLVMGetOperand(join, 0);
    struct burl__loop l;
    bool ok;

    if (v == k->whole && array_length(v) == 0)
        return join;
    if (burl_ir_is_call(v) && (is_iterator_op(burl__callee_name(k->sp, v), "deEv") ||
                               is_iterator_op(burl__callee_name(k->sp, v), "ptEv")))
        ok = iterator_loop(k, LLVMGetOperand(v, 0), &l);
    else
        ok = pointer_loop(k, v, &l) || index_loop(k, v, &l);
    if (!ok || !burl__each_turn_passes(&l, joining_block(k, join)) ||
        burl_ir_n_predecessors(l.behind) != 1 ||
        (LLVMIsAInvokeInst(join) && (LLVMGetUnwindDest(join) == l.head ||
                                     burl__reaches(LLVMGetUnwindDest(join), l.head, NULL))))
        return NULL;
    return l.behind;
}

static void
close_makers(struct burl__sp *sp, const struct look *k, void *at)
{
    for (size_t i = 0; i < k->makers.n; i++)
        for (uint32_t m = 0; m < sp->spawns.n; m++)
            if (sp->spawns.v[m].call == k->makers.v[i] && sp->spawns.v[m].callee != UINT32_MAX)
                burl__sp_close(sp, at, m);
}

static void
clear_look(struct look *k)
{
    burl_valmap_deinit(&k->seen);
    BURL_VEC_FREE(&k->makers);
    BURL_VEC_FREE(&k->joins);
    BURL_VEC_FREE(&k->ends);
}

static void
look_at(struct burl__sp *sp, LLVMValueRef object)
{
    struct look k = { .sp = sp, .whole = object };
    bool ok = every_use(&k, object, member_use) && k.makers.n > 0;

    if (!ok) {
        clear_look(&k);
        k = (struct look){ .sp = sp, .whole = object };
        ok = uses_elements(&k, object) && k.makers.n > 0;
    }
    for (size_t i = 0; ok && i < k.joins.n; i++) {
        void *at = closing_of(&k, k.joins.v[i]);
        if (at)
            close_makers(sp, &k, at);
    }
    for (size_t i = 0; ok && i < k.ends.n; i++)
        close_makers(sp, &k, k.ends.v[i]);
    clear_look(&k);
}

void
burl__sp_cxx_closings(struct burl__sp *sp)
{
    for (size_t f = 0; f < sp->fns.n; f++) {
        if (sp->fns.v[f].roots.n == 0 || !sp->fns.v[f].spawns)
            continue;
        for (LLVMValueRef i = burl_ir_first(sp->fns.v[f].fn); i; i = burl_ir_next(i))
            if (LLVMIsAAllocaInst(i))
                look_at(sp, i);
    }
}
