/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_fs.c - laws of base/fs.h and base/path.h.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void
expect_path(char *got_owned, const char *want)
{
    assert_string_equal(got_owned, want);
    free(got_owned);
}

static void
paths_join_and_split(void **state)
{
    (void)state;
    expect_path(burl_path_join("a", "b"), "a/b");
    expect_path(burl_path_join("a/", "b"), "a/b");
    expect_path(burl_path_join("a", "/b"), "/b");
    expect_path(burl_path_join("", "b"), "b");
    expect_path(burl_path_join("/", "b"), "/b");
    expect_path(burl_path_dirname("a/b"), "a");
    expect_path(burl_path_dirname("b"), ".");
    expect_path(burl_path_dirname("/b"), "/");
    expect_path(burl_path_dirname("a//b"), "a");
    assert_string_equal(burl_path_basename("a/b"), "b");
    assert_string_equal(burl_path_basename("b"), "b");
}

static void
which_looks_where_a_shell_looks(void **state)
{
    struct burl_err err = { 0 };
    char *path;

    (void)state;
    EXPECT_OK(burl_path_which(&path, "sh", &err), &err);
    assert_int_equal(access(path, X_OK), 0);
    free(path);
    EXPECT_STATUS(burl_path_which(&path, "no-such-program-at-all", &err), BURL_E_USAGE, &err);
    EXPECT_CONTAINS(err.msg, "./no-such-program-at-all");
    EXPECT_STATUS(burl_path_which(&path, "/", &err), BURL_E_USAGE, &err);
    EXPECT_STATUS(burl_path_which(&path, "/etc/passwd", &err), BURL_E_USAGE, &err);
    EXPECT_STATUS(burl_path_which(&path, "", &err), BURL_E_USAGE, &err);
    assert_null(path);
}

static void
mkdir_p_makes_parents_and_accepts_existing(void **state)
{
    struct burl_err err = { 0 };
    char *dir = unit_mkdir();
    char *deep = burl_path_join(dir, "a/b//c/");
    char *file = burl_path_join(dir, "file");
    char *below = burl_path_join(file, "x");

    (void)state;
    EXPECT_OK(burl_fs_mkdir_p(deep, &err), &err);
    assert_true(burl_fs_is_dir(deep));
    EXPECT_OK(burl_fs_mkdir_p(deep, &err), &err);
    EXPECT_OK(burl_fs_mkdir_p("/", &err), &err);
    EXPECT_OK(burl_fs_write_atomic(file, "x", 1, &err), &err);
    EXPECT_STATUS(burl_fs_mkdir_p(below, &err), BURL_E_IO, &err);
    EXPECT_STATUS(burl_fs_mkdir_p(file, &err), BURL_E_IO, &err);
    free(deep);
    free(file);
    free(below);
    unit_rmdir(dir);
}

/* The name itself has this type, and the file behind it this content. */
static void
expect_file(const char *path, mode_t type, const char *text)
{
    struct burl_err err = { 0 };
    struct stat sb;
    char *got;

    assert_int_equal(lstat(path, &sb), 0);
    assert_int_equal(sb.st_mode & S_IFMT, type);
    EXPECT_OK(burl_fs_read_file(path, 100, &got, NULL, &err), &err);
    assert_string_equal(got, text);
    free(got);
}

static void
atomic_write_keeps_links_and_writes_their_target(void **state)
{
    struct burl_err err = { 0 };
    char *dir = unit_mkdir();
    char *file = burl_path_join(dir, "file");
    char *link = burl_path_join(dir, "link");
    char *chain = burl_path_join(dir, "chain");
    char *loop = burl_path_join(dir, "loop");

    (void)state;
    assert_int_equal(symlink("file", link), 0);
    assert_int_equal(symlink(link, chain), 0);
    assert_int_equal(symlink("loop", loop), 0);
    /* The target does not exist yet, then it does. */
    EXPECT_OK(burl_fs_check_output(chain, &err), &err);
    EXPECT_OK(burl_fs_write_atomic(chain, "one", 3, &err), &err);
    expect_file(file, S_IFREG, "one");
    EXPECT_OK(burl_fs_write_atomic(link, "two", 3, &err), &err);
    expect_file(file, S_IFREG, "two");
    expect_file(link, S_IFLNK, "two");
    expect_file(chain, S_IFLNK, "two");
    EXPECT_STATUS(burl_fs_check_output(loop, &err), BURL_E_USAGE, &err);
    EXPECT_STATUS(burl_fs_write_atomic(loop, "x", 1, &err), BURL_E_USAGE, &err);
    /* In a directory of pages no link is followed. */
    EXPECT_STATUS(burl_fs_write_in(dir, "link", "x", 1, &err), BURL_E_USAGE, &err);
    expect_file(link, S_IFLNK, "two");
    free(file);
    free(link);
    free(chain);
    free(loop);
    unit_rmdir(dir);
}

static void
atomic_write_refuses_what_is_no_regular_file(void **state)
{
    struct burl_err err = { 0 };
    char *dir = unit_mkdir();
    char *fifo = burl_path_join(dir, "fifo");
    char *link = burl_path_join(dir, "link");
    struct stat sb;

    (void)state;
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(symlink("fifo", link), 0);
    EXPECT_STATUS(burl_fs_check_output(fifo, &err), BURL_E_USAGE, &err);
    EXPECT_CONTAINS(err.msg, "a pipe, not a regular file");
    EXPECT_STATUS(burl_fs_check_output(link, &err), BURL_E_USAGE, &err);
    EXPECT_STATUS(burl_fs_check_output(dir, &err), BURL_E_USAGE, &err);
    EXPECT_CONTAINS(err.msg, "a directory");
    EXPECT_STATUS(burl_fs_write_atomic(fifo, "x", 1, &err), BURL_E_USAGE, &err);
    EXPECT_STATUS(burl_fs_write_atomic(link, "x", 1, &err), BURL_E_USAGE, &err);
    EXPECT_STATUS(burl_fs_write_in(dir, "fifo", "x", 1, &err), BURL_E_USAGE, &err);
    assert_int_equal(lstat(fifo, &sb), 0);
    assert_true(S_ISFIFO(sb.st_mode));
    assert_int_equal(lstat(link, &sb), 0);
    assert_true(S_ISLNK(sb.st_mode));
    free(fifo);
    free(link);
    unit_rmdir(dir);
}

static void
atomic_write_replaces_and_leaves_no_rest(void **state)
{
    struct burl_err err = { 0 };
    char *dir = unit_mkdir();
    char *file = burl_path_join(dir, "f");
    char *absent = burl_path_join(dir, "no/f");
    char *text;
    size_t n;

    (void)state;
    EXPECT_OK(burl_fs_write_atomic(file, "one", 3, &err), &err);
    EXPECT_OK(burl_fs_write_atomic(file, "tw\0o", 4, &err), &err);
    EXPECT_OK(burl_fs_read_file(file, 100, &text, &n, &err), &err);
    assert_int_equal(n, 4);
    assert_memory_equal(text, "tw\0o", 5);
    free(text);
    EXPECT_STATUS(burl_fs_write_atomic(absent, "x", 1, &err), BURL_E_IO, &err);
    /* Only "f" is left: removing it must empty the directory. */
    assert_int_equal(unlink(file), 0);
    assert_int_equal(rmdir(dir), 0);
    free(dir);
    free(file);
    free(absent);
}

static void
failed_write_keeps_the_old_file(void **state)
{
    struct burl_err err = { 0 };
    char *text;
    int fd;

    (void)state;
    /* /dev/full refuses every byte. */
    fd = open("/dev/full", O_WRONLY);
    if (fd < 0)
        skip();
    EXPECT_STATUS(burl_fs_write_all(fd, "x", 1, &err), BURL_E_IO, &err);
    assert_int_equal(err.sys, ENOSPC);
    close(fd);
    EXPECT_STATUS(burl_fs_read_stream("/dev/zero", 1000, &text, NULL, &err), BURL_E_LIMIT, &err);
    assert_null(text);
    EXPECT_STATUS(burl_fs_read_file("/dev/zero", 1000, &text, NULL, &err), BURL_E_USAGE, &err);
    assert_null(text);
    EXPECT_STATUS(burl_fs_read_file("/no/such/file", 1000, &text, NULL, &err), BURL_E_IO, &err);
    EXPECT_CONTAINS(err.msg, "/no/such/file");
}

static void
remove_tree_does_not_follow_links(void **state)
{
    struct burl_err err = { 0 };
    char *dir = unit_mkdir();
    char *keep = burl_path_join(dir, "keep");
    char *tree = burl_path_join(dir, "tree/deep");
    char *link_path = burl_path_join(dir, "tree/link");
    char *top = burl_path_join(dir, "tree");

    (void)state;
    EXPECT_OK(burl_fs_mkdir_p(keep, &err), &err);
    EXPECT_OK(burl_fs_mkdir_p(tree, &err), &err);
    assert_int_equal(symlink("../keep", link_path), 0);
    EXPECT_OK(burl_fs_remove_tree(top, &err), &err);
    assert_false(burl_fs_exists(top));
    assert_true(burl_fs_exists(keep));
    EXPECT_OK(burl_fs_remove_tree(top, &err), &err); /* gone already: fine */
    free(keep);
    free(tree);
    free(link_path);
    free(top);
    unit_rmdir(dir);
}

static char *
unit_put(const char *dir, const char *name, const char *text)
{
    struct burl_err err = { 0 };
    char *path = burl_path_join(dir, name);

    EXPECT_OK(burl_fs_write_atomic(path, text, strlen(text), &err), &err);
    return path;
}

static void
below_a_guarded_directory_no_link_is_followed(void **state)
{
    struct burl_err err = { 0 };
    char *dir = unit_mkdir();
    char *store = burl_path_join(dir, "store");
    char *sub = burl_path_join(dir, "store/sub");
    char *away = burl_path_join(dir, "away");
    char *secret = unit_put(dir, "secret", "s");
    char *to_file = burl_path_join(dir, "store/sub/file");
    char *to_dir = burl_path_join(dir, "store/linked");
    char *below = burl_path_join(dir, "store/linked/file");
    char *out = burl_path_join(dir, "store/../secret");
    char *plain;
    char *text;

    (void)state;
    EXPECT_OK(burl_fs_mkdir_p(sub, &err), &err);
    EXPECT_OK(burl_fs_mkdir_p(away, &err), &err);
    assert_int_equal(symlink(secret, to_file), 0);
    assert_int_equal(symlink(away, to_dir), 0);
    plain = unit_put(sub, "plain", "p");
    EXPECT_OK(burl_fs_read_file(to_file, 9, &text, NULL, &err), &err);
    free(text);
    burl_fs_guard(store);
    EXPECT_OK(burl_fs_read_file(plain, 9, &text, NULL, &err), &err);
    free(text);
    EXPECT_OK(burl_fs_read_file(secret, 9, &text, NULL, &err), &err);
    free(text);
    EXPECT_STATUS(burl_fs_read_file(to_file, 9, &text, NULL, &err), BURL_E_USAGE, &err);
    EXPECT_CONTAINS(err.msg, "sub/file is a symbolic link");
    EXPECT_STATUS(burl_fs_read_file(below, 9, &text, NULL, &err), BURL_E_USAGE, &err);
    EXPECT_CONTAINS(err.msg, "linked is a symbolic link");
    EXPECT_STATUS(burl_fs_write_atomic(below, "x", 1, &err), BURL_E_USAGE, &err);
    EXPECT_STATUS(burl_fs_remove_tree(below, &err), BURL_E_USAGE, &err);
    EXPECT_STATUS(burl_fs_write_atomic(out, "x", 1, &err), BURL_E_USAGE, &err);
    EXPECT_STATUS(burl_fs_remove_tree(out, &err), BURL_E_USAGE, &err);
    EXPECT_CONTAINS(err.msg, "outside");
    assert_true(burl_fs_exists(secret));
    EXPECT_STATUS(burl_fs_check_tree(store, &err), BURL_E_USAGE, &err);
    /* A link itself is replaced, or removed. */
    EXPECT_OK(burl_fs_write_atomic(to_file, "new", 3, &err), &err);
    EXPECT_OK(burl_fs_read_file(secret, 9, &text, NULL, &err), &err);
    assert_string_equal(text, "s");
    free(text);
    EXPECT_OK(burl_fs_remove_tree(to_dir, &err), &err);
    EXPECT_OK(burl_fs_check_tree(store, &err), &err);
    burl_fs_guard("");
    free(store);
    free(sub);
    free(away);
    free(secret);
    free(to_file);
    free(to_dir);
    free(below);
    free(out);
    free(plain);
    unit_rmdir(dir);
}

static void
tools_lie_beside_the_executable(void **state)
{
    struct burl_path_tools t;
    struct burl_err err = { 0 };

    (void)state;
    EXPECT_OK(burl_path_tools(&t, &err), &err);
    assert_int_equal(t.exe[0], '/');
    EXPECT_CONTAINS(t.instr, "/burl-instr");
    EXPECT_CONTAINS(t.rt, "/libburl_rt.so");
    burl_path_tools_deinit(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_join_and_split),
        cmocka_unit_test(which_looks_where_a_shell_looks),
        cmocka_unit_test(mkdir_p_makes_parents_and_accepts_existing),
        cmocka_unit_test(atomic_write_replaces_and_leaves_no_rest),
        cmocka_unit_test(atomic_write_keeps_links_and_writes_their_target),
        cmocka_unit_test(atomic_write_refuses_what_is_no_regular_file),
        cmocka_unit_test(failed_write_keeps_the_old_file),
        cmocka_unit_test(remove_tree_does_not_follow_links),
        cmocka_unit_test(below_a_guarded_directory_no_link_is_followed),
        cmocka_unit_test(tools_lie_beside_the_executable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
