/* SPDX-License-Identifier: Apache-2.0 */
/*
 * phrase.c - one operation in words.
 *
 * Runs in the host. The words are interface: they are part of every report and of golden tests, and
 * are the same in the columns of a finding, in the trace and in JSON. Short, because threads share
 * the width of a terminal; the result of an operation (woken threads, whether it blocked) is added
 * where it explains a bug.
 */
#include "base/number.h"
#include "report/finding/words.h"
#include "wire/site.h"

/* What a library keeps for itself has names of its own, which say nothing to its users. */
#define LIBRARY_MEMORY "library memory"

/* The number of an event of the trace; SIZE_MAX for any other. */
static size_t
event_index(const struct burl__report_walk *w, const struct burl_wire_event *ev)
{
    return w->run->n_events > 0 && ev >= w->run->events && ev < w->run->events + w->run->n_events
               ? (size_t)(ev - w->run->events)
               : SIZE_MAX;
}

/* The operation in one or two words, where its object follows. */
static const char *
op_words(uint8_t kind)
{
    return kind == BURL_OP_RWUNLOCK ? "unlock" : burl_op_text(kind);
}

const char *
burl__report_pending_words(uint8_t kind)
{
    return kind == BURL_OP_BARRIER_LEAVE ? "barrier wait" : op_words(kind);
}

const char *
burl__report_loop_name(const char *variable)
{
    return strncmp(variable, "__range", 7) == 0   ? "loop range"
           : strncmp(variable, "__begin", 7) == 0 ? "loop iterator"
           : strncmp(variable, "__end", 5) == 0   ? "loop end"
                                                  : NULL;
}

/* What the user's code accesses at the site, as it is written there. */
static void
put_own(const struct burl__report_walk *w, const struct burl_site_info *site, struct burl_buf *out)
{
    const char *loop = burl__report_loop_name(site->variable);

    if (loop != NULL)
        burl_buf_str_append(out, loop);
    else
        burl__report_put_spelled(w->sites, site->id, site->variable, out);
}

static void
put_variable(const struct burl__report_walk *w, const struct burl_wire_event *ev,
             struct burl_buf *out)
{
    const struct burl_site_info *info = burl_sites_get(w->sites, ev->site);

    if (!burl_site_is_call(info) &&
        burl__report_put_access(w, ev->site, ev->addr, burl__report_extent(ev), event_index(w, ev),
                                out))
        return;
    if (burl_site_is_system(info) && !burl_site_is_call(info))
        burl_buf_str_append(out, LIBRARY_MEMORY);
    else if (info->variable[0] != '\0' && !burl_site_is_call(info))
        put_own(w, info, out);
    else if (ev->addr != 0)
        burl_buf_printf(out, "[0x%llx]", (unsigned long long)ev->addr);
    else
        burl_buf_str_append(out, "memory");
}

static void
put_object(const struct burl__report_walk *w, uint64_t addr, struct burl_buf *out)
{
    const char *name = burl__report_object_name(&w->objects, addr);

    if (name[0] != '\0')
        burl_buf_str_append(out, name);
    else
        burl_buf_printf(out, "[0x%llx]", (unsigned long long)addr);
}

static void
put_duration(uint64_t ns, struct burl_buf *out)
{
    static const char *const units[] = { "ns", "us", "ms", "s" };
    unsigned i = 0;

    for (; i < 3 && ns % 1000 == 0; i++)
        ns /= 1000;
    burl_buf_printf(out, "%llu %s", (unsigned long long)ns, units[i]);
}

void
burl__report_what(const struct burl__report_walk *w, const struct burl_wire_event *ev,
                  struct burl_buf *out)
{
    char count[BURL_COUNT_B];
    const unsigned long long aux = ev->aux;
    const char *signal;

    if (burl__report_is_access(ev->kind)) {
        put_variable(w, ev, out);
        return;
    }
    switch (ev->kind) {
    case BURL_OP_CREATE:
    case BURL_OP_JOIN:
    case BURL_OP_CANCEL:
        if (!(ev->flags & BURL_EV_F_INJECTED))
            burl_buf_printf(out, "T%llu", aux);
        break;
    case BURL_OP_ALLOC:
        burl_buf_str_append(out, burl_count(aux, "byte", count));
        break;
    case BURL_OP_FREE:
        if (!burl_source_argument(w->sites, burl_sites_get(w->sites, ev->site), 0, out))
            burl_buf_str_append(out, w->block_known && ev->addr == w->block_addr ? "the block"
                                                                                 : "a block");
        break;
    case BURL_OP_IO:
        burl_buf_printf(out, "descriptor %llu", (unsigned long long)ev->addr);
        break;
    case BURL_OP_SIGNAL:
        signal = burl__report_signal_name((int)aux);
        if (signal != NULL)
            burl_buf_str_append(out, signal);
        else
            burl_buf_printf(out, "%llu", aux);
        break;
    default:
        burl_buf_str_append(out, burl__report_object_name(&w->objects, ev->addr));
        break;
    }
}

static void
put_access(const struct burl__report_walk *w, const struct burl_wire_event *ev,
           struct burl_buf *out)
{
    char count[BURL_COUNT_B];
    size_t mark;

    /* "total: 100 -> 110" is a write without the word. */
    if (ev->kind != BURL_OP_WRITE || !(ev->flags & BURL_EV_F_AFTER) || ev->value == ev->after ||
        burl__report_old(w, ev) != BURL__OLD_KNOWN || !burl__report_has_values(w, ev))
        burl_buf_printf(out, "%s ", burl_op_text(ev->kind));
    mark = out->n;
    put_variable(w, ev, out);
    /* The address in a reference that a lambda captured is no value of the user's. */
    if (out->n > mark && out->p[mark] == '&')
        return;
    if (ev->kind == BURL_OP_ATOMIC_CAS && (ev->flags & BURL_EV_F_FAILED)) {
        burl_buf_str_append(out, ": fails");
        if (ev->flags & BURL_EV_F_VALUE) {
            burl_buf_str_append(out, ", it is ");
            burl__report_value(out, ev->value, ev->size_b, BURL_VALUE_UNKNOWN);
        }
        return;
    }
    burl__report_put_values(w, ev, out);
    if (ev->size_b == 255)
        burl_buf_printf(out, " (%s)", burl_count(ev->aux, "byte", count));
}

/* The rest of the sentence after "op name". */
static void
put_outcome(const struct burl__report_walk *w, const struct burl_wire_event *ev,
            struct burl_buf *out)
{
    if (ev->flags & BURL_EV_F_TIMEOUT)
        burl_buf_str_append(out, ": times out");
    else if (ev->kind == BURL_OP_FUTEX_WOKEN && ev->flags & BURL_EV_F_SPURIOUS)
        burl_buf_str_append(out, ": spurious wakeup");
    else if (ev->flags & BURL_EV_F_FAILED)
        burl_buf_str_append(out, ev->kind == BURL_OP_TRYLOCK ? ": busy" : ": fails");
    switch (ev->kind) {
    case BURL_OP_COND_WAIT:
        if (ev->aux != 0) {
            burl_buf_str_append(out, ", releases ");
            put_object(w, ev->aux, out);
        }
        break;
    case BURL_OP_COND_SIGNAL:
    case BURL_OP_COND_BROADCAST:
    case BURL_OP_FUTEX_WAKE:
        if (ev->aux == 0)
            burl_buf_str_append(out, ": no waiter");
        else
            burl_buf_printf(out, ": wakes %llu", (unsigned long long)ev->aux);
        break;
    case BURL_OP_LOCK:
    case BURL_OP_TIMEDLOCK:
    case BURL_OP_RDLOCK:
    case BURL_OP_WRLOCK:
    case BURL_OP_SEM_WAIT:
    case BURL_OP_JOIN:
        if (ev->flags & BURL_EV_F_BLOCKED)
            burl_buf_str_append(out, " (blocked)");
        break;
    default:
        break;
    }
}

/* "malloc(40) fails (injected)" */
static void
put_fault(const struct burl__report_walk *w, const struct burl_wire_event *ev, struct burl_buf *out)
{
    char count[BURL_COUNT_B];
    const struct burl_site_info *info = burl_sites_get(w->sites, ev->site);
    const bool named = info->kind == BURL_SITE_CALL && info->variable[0] != '\0';

    burl_buf_str_append(out, named ? info->variable : burl_op_text(ev->kind));
    if (ev->kind == BURL_OP_ALLOC && named && strcmp(info->variable, "malloc") == 0)
        burl_buf_printf(out, "(%llu)", (unsigned long long)ev->aux);
    else if (ev->kind == BURL_OP_ALLOC)
        burl_buf_printf(out, " of %s", burl_count(ev->aux, "byte", count));
    burl_buf_str_append(out, " fails (injected)");
}

void
burl__report_phrase(const struct burl__report_walk *w, const struct burl_wire_event *ev,
                    struct burl_buf *out)
{
    size_t mark;

    if (burl__report_is_access(ev->kind)) {
        put_access(w, ev, out);
        return;
    }
    if (ev->flags & BURL_EV_F_INJECTED) {
        put_fault(w, ev, out);
        return;
    }
    switch (ev->kind) {
    case BURL_OP_START:
        burl_buf_str_append(out, "starts");
        return;
    case BURL_OP_EXIT_THREAD:
        burl_buf_str_append(out, "exits");
        return;
    case BURL_OP_EXIT_PROCESS:
        burl_buf_printf(out, "exit(%d)", (int)ev->aux);
        return;
    case BURL_OP_SLEEP:
        burl_buf_str_append(out, "sleep ");
        put_duration(ev->aux, out);
        return;
    case BURL_OP_COND_WAKE:
        burl_buf_str_append(out, ev->flags & BURL_EV_F_TIMEOUT    ? "times out, reacquires "
                                 : ev->flags & BURL_EV_F_SPURIOUS ? "spurious wakeup, reacquires "
                                                                  : "woken, reacquires ");
        put_object(w, ev->addr, out);
        return;
    case BURL_OP_ENTER:
    case BURL_OP_LEAVE:
        burl_buf_printf(out, "%s %s", burl_op_text(ev->kind),
                        burl_sites_get(w->sites, ev->site)->func);
        return;
    default:
        break;
    }
    burl_buf_printf(out, "%s ", op_words(ev->kind));
    mark = out->n;
    burl__report_what(w, ev, out);
    if (out->n == mark && !out->full)
        burl_buf_truncate(out, mark - 1);
    put_outcome(w, ev, out);
}

void
burl__report_put_memory(const struct burl__report_walk *w, uint32_t site, uint64_t addr,
                        const struct burl__report_frame *frames, size_t n, struct burl_buf *out)
{
    const struct burl_site_info *info = burl_sites_get(w->sites, site);
    const struct burl_wire_side side = { .site = site,
                                         .addr = addr,
                                         .size_b = info->size_b > 0 ? info->size_b : 1 };

    if (burl_site_is_call(info))
        burl_buf_str_append(out, "memory");
    else if (burl__report_put_side_access(w, &side, SIZE_MAX, frames, n, false, out))
        return;
    else if (burl_site_is_system(info))
        burl_buf_str_append(out, LIBRARY_MEMORY);
    else if (info->variable[0] != '\0')
        put_own(w, info, out);
    else
        burl_buf_str_append(out, "memory");
}

/* The name of the object of a pending operation; nothing if it is not known. */
static void
put_pending_object(const struct burl__report_walk *w, uint8_t kind, uint32_t site, uint64_t addr,
                   struct burl_buf *out)
{
    const struct burl_site_info *info = burl_sites_get(w->sites, site);

    if (burl__report_is_access(kind) && !burl_site_is_call(info) && addr != 0 &&
        burl__report_put_access(w, site, addr, info->size_b > 0 ? info->size_b : 1, SIZE_MAX, out))
        return;
    if (burl__report_is_access(kind) && burl_site_is_system(info) && !burl_site_is_call(info))
        burl_buf_str_append(out, LIBRARY_MEMORY);
    else if (burl__report_is_access(kind) && info->variable[0] != '\0' && !burl_site_is_call(info))
        put_own(w, info, out);
    else if (burl__report_object_name(&w->objects, addr)[0] != '\0')
        put_object(w, addr, out);
    /* The argument of join or create is a handle: the number of the thread says more. */
    else if (info->kind == BURL_SITE_CALL && kind != BURL_OP_JOIN && kind != BURL_OP_CREATE &&
             !burl__report_receiver(w->sites, info, out))
        burl_source_argument(w->sites, info, 0, out);
}

void
burl__report_pending(const struct burl__report_walk *w, uint8_t kind, uint32_t site, uint64_t addr,
                     struct burl_buf *out)
{
    const struct burl_site_info *info = burl_sites_get(w->sites, site);
    size_t mark;

    if (kind == BURL_OP_NONE || kind >= BURL_OP__N) {
        burl_buf_str_append(out, "its next operation");
    } else if (kind == BURL_OP_START) {
        burl_buf_str_append(out, "its first operation");
    } else if (kind == BURL_OP_EXIT_THREAD) {
        burl_buf_str_append(out, "its exit");
    } else if (kind == BURL_OP_COND_WAKE) {
        burl_buf_str_append(out, "lock ");
        put_object(w, addr, out);
        burl_buf_str_append(out, " after the wakeup");
    } else if (burl__report_is_access(kind) && info->kind == BURL_SITE_CALL &&
               info->variable[0] != '\0') {
        burl_buf_printf(out, "call %s", info->variable);
    } else {
        burl_buf_printf(out, "%s ", burl__report_pending_words(kind));
        mark = out->n;
        put_pending_object(w, kind, site, addr, out);
        if (out->n == mark && !out->full)
            burl_buf_truncate(out, mark - 1);
    }
}

void
burl__report_pending_call(const struct burl__report_walk *w, uint8_t kind, uint32_t site,
                          uint64_t addr, uint16_t joined, struct burl_buf *out)
{
    struct burl_buf object = BURL_BUF_INIT;

    if (kind == BURL_OP_NONE || kind >= BURL_OP__N || kind == BURL_OP_START ||
        kind == BURL_OP_EXIT_THREAD) {
        burl__report_pending(w, kind, site, addr, out);
        return;
    }
    if (joined != BURL_TID_NONE)
        burl_buf_printf(&object, "T%u", joined);
    else if (kind == BURL_OP_COND_WAKE)
        put_object(w, addr, &object);
    else
        put_pending_object(w, kind, site, addr, &object);
    burl_buf_str_append(
        out, burl__report_pending_words(kind == BURL_OP_COND_WAKE ? BURL_OP_LOCK : kind));
    if (object.n > 0)
        burl_buf_printf(out, burl__report_is_access(kind) ? " of %s" : "(%s)",
                        burl_buf_str(&object));
    if (kind == BURL_OP_COND_WAKE)
        burl_buf_str_append(out, " after the wakeup");
    burl_buf_deinit(&object);
}

bool
burl__report_is_uncaught(const struct burl_wire_verdict *v, const struct burl_sites *sites)
{
    const struct burl_site_info *call = burl_sites_get(sites, v->site);

    return memmem(v->text, sizeof v->text, BURL_EXCEPTION, strlen(BURL_EXCEPTION)) != NULL &&
           !(call->kind == BURL_SITE_CALL && strcmp(call->variable, "abort") == 0);
}
