/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/fuzz_history.c - the readers of recorded sites and of histories take any bytes.
 *
 * Laws: a refusal has a message that names the file; in what is accepted every index is in range
 * and every string ends; a history that is accepted is the same after it was written and read
 * again.
 */
#define BURL_FUZZ_MAKE_SEEDS
#include "fuzz.h"

#include "../unit/history_bytes.h"
#include "base/history_file.h"

const char *const burl_fuzz_seeds[] = { "", "BURLHIST\1", NULL };
const char *const burl_fuzz_words[] = {
    "ROL1", "SEG1", "MOD1", "OVR1", "CHK1", "BURLHIST", "\377\377\377\377\17", NULL
};

static void
check_file(const uint8_t *data, size_t size)
{
    struct burl_hist_file f;
    struct burl_err err = { 0 };
    size_t total = 0;

    if (burl_hist_file_decode(&f, data, size, "x.hist", &err) != BURL_OK) {
        BURL_ASSERT(err.code == BURL_E_FORMAT && strncmp(err.msg, "x.hist", 6) == 0);
        return;
    }
    for (size_t i = 0; i < f.modules.n; i++) {
        BURL_ASSERT(f.modules.v[i].segment < f.segments.n);
        total += strlen(f.modules.v[i].name);
    }
    for (size_t i = 0; i < f.roles.n; i++)
        total += strlen(f.roles.v[i].path);
    for (size_t i = 0; i < f.overlaps.n; i++)
        BURL_ASSERT(f.overlaps.v[i].a < f.roles.n && f.overlaps.v[i].b < f.roles.n);
    for (size_t i = 0; i < f.chunks.n; i++) {
        const struct burl_hist_chunk *c = &f.chunks.v[i];

        BURL_ASSERT(c->role < f.roles.n && c->segment < f.segments.n);
        for (uint32_t k = 0; k < c->n_sites; k++)
            total += c->seen[k];
    }
    BURL_ASSERT(total < (size_t)1 << 40);
    burl_hist_file_deinit(&f);
}

static void
check_history(const uint8_t *data, size_t size)
{
    struct burl_buf one = BURL_BUF_INIT, two = BURL_BUF_INIT;
    struct burl_history h, again;
    struct burl_err err = { 0 };

    if (burl_history_read(&h, data, size, &err) != BURL_OK) {
        BURL_ASSERT(err.code == BURL_E_FORMAT && err.msg[0] != '\0' && h.program == NULL);
        return;
    }
    burl_history_write(&h, &one);
    BURL_ASSERT(burl_history_read(&again, one.p, one.n, &err) == BURL_OK);
    burl_history_write(&again, &two);
    BURL_ASSERT(one.n == two.n && memcmp(one.p, two.p, one.n) == 0);
    burl_history_merge(&again, &h);
    burl_history_deinit(&h);
    burl_history_deinit(&again);
    burl_buf_deinit(&one);
    burl_buf_deinit(&two);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_file(data, size);
    check_history(data, size);
    return 0;
}

#ifndef BURL_LIBFUZZER

static void
burl_fuzz_make_seeds(struct fuzz_corpus *c)
{
    static const struct burl_history_role roles[] = {
        { .start = (char *)"main", .create_site = UINT32_MAX },
        { .start = (char *)"worker", .create_module = 3, .create_site = 9, .many = true },
    };
    struct burl_buf b = BURL_BUF_INIT;
    struct fuzz_input in;
    struct burl_history h;
    uint32_t m;

    put_sample(&b);
    in.p = burl_buf_take(&b, &in.n);
    BURL_VEC_PUSH(c, in);
    burl_history_init(&h);
    h.program = burl_xstrdup("/bin/x");
    (void)burl_history_role(&h, &roles[0]);
    (void)burl_history_role(&h, &roles[1]);
    m = burl_history_module(&h, 3, 90, "x.c", "/bin/x");
    burl_history_set_bit(burl_history_bits(&h, 0, m, true), 4);
    burl_history_set_bit(burl_history_bits(&h, 1, m, false), 88);
    burl_history_add_overlap(&h, 0, 1);
    burl_history_write(&h, &b);
    in.p = burl_buf_take(&b, &in.n);
    BURL_VEC_PUSH(c, in);
    burl_history_deinit(&h);
}

#endif
