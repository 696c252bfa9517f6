/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_sha256.c - SHA-256: the examples of the standard, and lengths of last blocks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/sha256.h"

static const char *
hex_of(const void *p, size_t n)
{
    static char text[2 * BURL_SHA256_B + 1];
    uint8_t hash[BURL_SHA256_B];

    burl_sha256(p, n, hash);
    for (unsigned i = 0; i < BURL_SHA256_B; i++)
        snprintf(text + 2 * i, 3, "%02x", hash[i]);
    return text;
}

static void
test_examples(void **state)
{
    static const char long_text[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

    (void)state;
    assert_string_equal(hex_of("abc", 3),
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_string_equal(hex_of("", 0),
                        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_string_equal(hex_of(long_text, strlen(long_text)),
                        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/* 55 bytes are the most that leave room for the length in one block; 64 fill it. */
static void
test_blocks(void **state)
{
    char a[120];

    (void)state;
    memset(a, 'a', sizeof a);
    assert_string_equal(hex_of(a, 55),
                        "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    assert_string_equal(hex_of(a, 56),
                        "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
    assert_string_equal(hex_of(a, 64),
                        "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
    assert_string_equal(hex_of(a, 119),
                        "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
