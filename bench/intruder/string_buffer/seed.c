/* SPDX-License-Identifier: Apache-2.0 */
/* seed.c - calls every function of string_buffer.h once or more, in one thread. */
#include "string_buffer.h"

#undef NDEBUG /* the calls are in assertions */
#include <assert.h>
#include <string.h>

static void
seed_length(void)
{
    struct string_buffer *sb = string_buffer_new(4);

    assert(string_buffer_is_empty(sb));
    assert(string_buffer_ensure_capacity(sb, 100) == 0);
    assert(string_buffer_capacity(sb) >= 100);
    assert(string_buffer_append(sb, "abc") == 3);
    assert(string_buffer_trim_to_size(sb) == 0);
    assert(string_buffer_capacity(sb) < 100);
    assert(string_buffer_set_length(sb, 5) == 0);
    assert(string_buffer_content_equals(sb, "abc  "));
    assert(string_buffer_length(sb) == 5);
    string_buffer_clear(sb);
    assert(string_buffer_length(sb) == 0);
    string_buffer_free(sb);
}

static void
seed_chars(void)
{
    struct string_buffer *sb = string_buffer_new_from("hello world");
    char out[6] = "";

    assert(string_buffer_char_at(sb, 4) == 'o');
    assert(string_buffer_char_before(sb, 4) == 'l');
    assert(string_buffer_first_char(sb) == 'h');
    assert(string_buffer_last_char(sb) == 'd');
    assert(string_buffer_set_char_at(sb, 0, 'j') == 0);
    assert(string_buffer_get_chars(sb, 0, 5, out, sizeof out) == 5);
    assert(memcmp(out, "jello", 5) == 0);
    assert(string_buffer_get_chars(sb, 6, 99, out, sizeof out) == STRING_BUFFER_EINDEX);
    assert(string_buffer_to_string(sb, out, sizeof out) == 11);
    assert(strcmp(out, "jello") == 0);
    string_buffer_free(sb);
}

static void
seed_append(void)
{
    struct string_buffer *sb = string_buffer_new(0);
    struct string_buffer *other = string_buffer_new_from("tail");

    assert(string_buffer_append_range(sb, "abcdef", 2, 4) == 2);
    assert(string_buffer_append_char(sb, '-') == 3);
    assert(string_buffer_append_repeated(sb, '=', 2) == 5);
    assert(string_buffer_append_int(sb, -7) == 7);
    assert(string_buffer_append_long(sb, 40) == 9);
    assert(string_buffer_append_bool(sb, true) == 13);
    assert(string_buffer_append_double(sb, 0.5) == 16);
    assert(string_buffer_append_buffer(sb, other) == 20);
    assert(string_buffer_content_equals(sb, "cd-==-740true0.5tail"));
    string_buffer_free(other);
    string_buffer_free(sb);
}

static void
seed_insert(void)
{
    struct string_buffer *sb = string_buffer_new_from("<>");
    struct string_buffer *other = string_buffer_new_from("mid");

    assert(string_buffer_insert(sb, 1, "ab") == 4);
    assert(string_buffer_insert_char(sb, 1, '*') == 5);
    assert(string_buffer_insert_int(sb, 0, 12) == 7);
    assert(string_buffer_insert_long(sb, 0, 34) == 9);
    assert(string_buffer_insert_bool(sb, 9, false) == 14);
    assert(string_buffer_insert_double(sb, 0, 2.5) == 17);
    assert(string_buffer_insert_buffer(sb, 3, other) == 20);
    assert(string_buffer_content_equals(sb, "2.5mid3412<*ab>false"));
    string_buffer_free(other);
    string_buffer_free(sb);
}

static void
seed_change(void)
{
    struct string_buffer *sb = string_buffer_new_from("  one two  ");

    assert(string_buffer_strip(sb) == 7);
    assert(string_buffer_delete(sb, 3, 4) == 6);
    assert(string_buffer_delete_char_at(sb, 0) == 5);
    assert(string_buffer_replace(sb, 0, 2, "ONE") == 6);
    string_buffer_reverse(sb);
    assert(string_buffer_content_equals(sb, "owtENO"));
    string_buffer_to_upper(sb);
    assert(string_buffer_content_equals(sb, "OWTENO"));
    string_buffer_to_lower(sb);
    assert(string_buffer_content_equals(sb, "owteno"));
    string_buffer_free(sb);
}

static void
seed_search(void)
{
    struct string_buffer *sb = string_buffer_new_from("banana");
    struct string_buffer *part = string_buffer_substring(sb, 1, 4);
    struct string_buffer *rest = string_buffer_substring_from(sb, 3);

    assert(string_buffer_equals(part, rest));
    assert(string_buffer_hash_code(part) == string_buffer_hash_code(rest));
    assert(string_buffer_compare_to(sb, part) == 1);
    assert(string_buffer_index_of(sb, "an") == 1);
    assert(string_buffer_index_of_from(sb, "an", 2) == 3);
    assert(string_buffer_last_index_of(sb, "an") == 3);
    assert(string_buffer_last_index_of_from(sb, "an", 2) == 1);
    assert(string_buffer_count_char(sb, 'a') == 3);
    assert(string_buffer_starts_with(sb, "ban"));
    assert(string_buffer_ends_with(sb, "nana"));
    string_buffer_free(rest);
    string_buffer_free(part);
    string_buffer_free(sb);
}

int
main(void)
{
    seed_length();
    seed_chars();
    seed_append();
    seed_insert();
    seed_change();
    seed_search();
    return 0;
}
