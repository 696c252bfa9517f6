/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/confirm/findings.c - which failures are one bug, and what is known of each. Contract in
 * findings.h.
 *
 * Runs in the host. Needs no process and no campaign.
 */
#include "engine/confirm/findings.h"

#include "finding/fingerprint.h"

uint64_t
burl__findings_fingerprint(const struct burl_findings *f, const struct burl_wire_verdict *v)
{
    return burl_fingerprint(v, f->sites, NULL);
}

struct burl_known *
burl__findings_find(const struct burl_findings *f, uint64_t fingerprint)
{
    for (size_t i = 0; i < f->known.n; i++) {
        if (f->known.v[i].facts.fingerprint == fingerprint)
            return &f->known.v[i];
    }
    return NULL;
}

size_t
burl__findings_of_key(const struct burl_findings *f, uint64_t key)
{
    for (size_t i = 0; i < f->keys.n; i++) {
        if (f->keys.v[i].key == key)
            return f->keys.v[i].known;
    }
    return SIZE_MAX;
}

size_t
burl__findings_add_key(struct burl_findings *f, uint64_t key, uint64_t fingerprint)
{
    const struct burl_known *known = burl__findings_find(f, fingerprint);
    struct burl_known_key k = { .key = key, .known = f->known.n };

    if (known)
        k.known = (size_t)(known - f->known.v);
    else
        BURL_VEC_ADD(&f->known)->facts.fingerprint = fingerprint;
    BURL_VEC_PUSH(&f->keys, k);
    return k.known;
}

void
burl__findings_count(struct burl_known *k, uint64_t count, const struct burl_found *found)
{
    k->facts.count += count;
    if (k->facts.found.after == 0 || found->after < k->facts.found.after)
        k->facts.found = *found;
}

bool
burl__findings_is_finding(const struct burl_known *k)
{
    return k && k->tries > 0 && k->unstable == 0;
}

bool
burl__findings_has_key(const struct burl_findings *f, uint64_t key, uint64_t *fingerprint)
{
    const size_t i = burl__findings_of_key(f, key);

    if (i == SIZE_MAX)
        return false;
    *fingerprint = f->known.v[i].facts.fingerprint;
    return burl__findings_is_finding(&f->known.v[i]);
}

void
burl__findings_count_pair(struct burl_findings *f, uint64_t pair, uint64_t count)
{
    for (size_t i = 0; i < f->known.n; i++) {
        if (f->known.v[i].pair == pair)
            f->known.v[i].facts.count += count;
    }
}

bool
burl__findings_fails_clean(const struct burl_findings *f, uint64_t fingerprint)
{
    for (size_t i = 0; i < f->clean_failures.n; i++) {
        if (f->clean_failures.v[i] == fingerprint)
            return true;
    }
    return false;
}

bool
burl__findings_is_pending(const struct burl_findings *f, size_t suspect)
{
    for (size_t i = 0; i < f->pending.n; i++) {
        if (f->pending.v[i].suspect == suspect)
            return true;
    }
    return false;
}

void
burl__findings_deinit(struct burl_findings *f)
{
    burl_sites_free(f->sites);
    for (size_t i = 0; i < f->waiting.n; i++)
        burl_run_deinit(&f->waiting.v[i].run);
    BURL_VEC_FREE(&f->waiting);
    BURL_VEC_FREE(&f->known);
    BURL_VEC_FREE(&f->keys);
    BURL_VEC_FREE(&f->hidden);
    BURL_VEC_FREE(&f->pending);
    BURL_VEC_FREE(&f->clean_failures);
}
