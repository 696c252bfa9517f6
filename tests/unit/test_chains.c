/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_chains.c - clock/chains.c: tables that grow while they are in use.
 */
#include "unit.h"

#include "rt/clock/chains.c"

enum { N_NODES = 40000 }; /* more than the largest table has buckets */

struct node {
    struct burl_chain chain;
    uint32_t number;
};

static struct burl_chains table;
static struct node nodes[N_NODES];

static uintptr_t
key_of(uint32_t i)
{
    return 0x600000 + (uintptr_t)i / 2; /* neighbors, as granules are; each key twice */
}

static void
fill(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        nodes[i].chain.key = key_of(i);
        nodes[i].number = i;
        burl_chains_add(&table, &nodes[i].chain);
    }
}

static uint32_t
count_all(void)
{
    uint32_t n = 0;

    for (uint32_t b = 0; b < table.n_buckets; b++) {
        for (struct burl_chain *p = table.heads[b]; p != NULL; p = p->next)
            n++;
    }
    return n;
}

/* At every size on the way: everything is found, the newest of equal keys first. */
static void
all_is_found_while_it_grows(void **state)
{
    (void)state;
    for (uint32_t n = 4; n <= N_NODES; n *= 10) {
        burl_chains_clear(&table);
        fill(n);
        assert_int_equal(table.n, n);
        assert_int_equal(count_all(), n);
        for (uint32_t i = 1; i < n; i += 2) {
            const struct burl_chain *p = burl_chains_find(&table, key_of(i));

            assert_ptr_equal(p, &nodes[i].chain);
            for (p = p->next; p->key != key_of(i); p = p->next)
                assert_non_null(p->next);
            assert_int_equal(((const struct node *)p)->number, i - 1);
        }
        assert_null(burl_chains_find(&table, key_of(n + 1)));
    }
}

static void
small_contents_stay_in_few_buckets(void **state)
{
    (void)state;
    burl_chains_clear(&table);
    fill(60);
    assert_true(table.n_buckets <= 64); /* a page has room for 512 */
    burl_chains_clear(&table);
    fill(N_NODES);
    assert_int_equal(table.n_buckets, BURL_CHAIN_BUCKETS);
}

static void
nothing_is_left_after_clearing(void **state)
{
    (void)state;
    burl_chains_clear(&table);
    assert_null(burl_chains_find(&table, key_of(0)));
    fill(N_NODES);
    burl_chains_clear(&table);
    assert_int_equal(table.n, 0);
    assert_null(burl_chains_find(&table, key_of(0)));
    fill(2);
    assert_int_equal(count_all(), 2);
    for (uint32_t b = 0; b < BURL_CHAIN_BUCKETS; b++)
        assert_true(table.heads[b] == NULL || b < table.n_buckets);
}

void *
burl_ob_alloc(size_t n)
{
    static _Alignas(16) char memory[4096];
    static size_t used;
    void *p = memory + used;

    used += (n + 15) & ~(size_t)15;
    assert_true(used <= sizeof memory);
    return p;
}

/* Also when they were cleared and filled again meanwhile. */
static void
a_reset_empties_tables_and_pools(void **state)
{
    static struct burl_chains other;
    static struct burl_pool pool;
    struct burl_pool_node *list = NULL;
    struct burl_pool_node *first;
    struct burl_pool_node *second;

    (void)state;
    for (int i = 0; i < 3; i++) {
        burl_chains_clear(&table);
        fill(10);
        assert_ptr_equal(burl_chains_get(&other, 77, sizeof(struct node)),
                         burl_chains_get(&other, 77, sizeof(struct node)));
        first = burl_pool_take(&pool, 32);
        second = burl_pool_take(&pool, 32);
        first->next = second;
        second->next = NULL;
        list = first;
        BURL_POOL_GIVE_ALL(&pool, &list);
        assert_null(list);
        assert_ptr_equal(burl_pool_take(&pool, 32), second);
        burl_pool_give(&pool, second);
        burl__chains_reset();
        assert_int_equal(table.n, 0);
        assert_null(burl_chains_find(&other, 77));
        assert_ptr_not_equal(burl_pool_take(&pool, 32), second);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_found_while_it_grows),
        cmocka_unit_test(small_contents_stay_in_few_buckets),
        cmocka_unit_test(nothing_is_left_after_clearing),
        cmocka_unit_test(a_reset_empties_tables_and_pools),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
