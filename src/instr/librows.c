/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/librows.c - the table of library functions that touch memory the caller names.
 *
 * Runs in the compiler. A row says which arguments are read and written and how many bytes. The
 * extent must be exact, never more than the function may touch: a byte too many would be a false
 * race or a false overflow. Accesses whose extent is known in front of the call are hooked there;
 * the others behind it, and then a search of all interleavings claims nothing (libfn.c).
 *
 * Of libstdc++'s maps: whoever inserts or erases is said to write the head of the tree, which every
 * search for an element reads, instead of the nodes on its way up; whoever steps to the next
 * element reads it. By the rules of the language that is what conflicts, and which nodes are
 * touched is not. bsearch reads nothing itself: its callback does.
 */
#include <stdlib.h>
#include <string.h>

#include "instr/libfn_int.h"

#define READ(arg, ext) { BURL_SITE_RANGE_READ, arg, ext, 0, 0, 0 }
#define WRITE(arg, ext) { BURL_SITE_RANGE_WRITE, arg, ext, 0, 0, 0 }
#define READ_N(arg, n) { BURL_SITE_RANGE_READ, arg, EXT_FIXED, n, 0, 0 }
#define WRITE_N(arg, n) { BURL_SITE_RANGE_WRITE, arg, EXT_FIXED, n, 0, 0 }
#define WRITE_AT(arg, at, n) { BURL_SITE_RANGE_WRITE, arg, EXT_FIXED, n, at, 0 }
#define WRITE_VIA(arg, at, then, n) { BURL_SITE_RANGE_WRITE, arg, EXT_VIA, n, at, then }
#define READ_TREE(arg) { BURL_SITE_RANGE_READ, arg, EXT_TREE, NODE_B, 0, 0 }
#define WRITE_RESULT(ext, n) { BURL_SITE_RANGE_WRITE, RESULT, ext, n, 0, 0 }
#define WRITE_AFTER(arg, n) { BURL_SITE_RANGE_WRITE, arg, EXT_FIXED_AFTER, n, 0, 0 }
#define WRITE_OK(arg, n) { BURL_SITE_RANGE_WRITE, arg, EXT_FIXED_OK, n, 0, 0 }
#define WRITE_DONE(arg, n) { BURL_SITE_RANGE_WRITE, arg, EXT_FIXED_DONE, n, 0, 0 }
#define WRITE_FAILED(arg, n) { BURL_SITE_RANGE_WRITE, arg, EXT_FIXED_FAILED, n, 0, 0 }
#define WRITE_TIMES(arg, n) { BURL_SITE_RANGE_WRITE, arg, EXT_RET_TIMES_N, n, 0, 0 }

/* libstdc++: color, parent, left, right; the head of a tree has the same. */
#define NODE_B 32
/* struct tm, the C library's own members included; struct stat; struct sigaction */
#define TM_B 56
#define STAT_B 144
#define SIGACTION_B 152

/* Sorted by name, for bsearch. Columns: accesses, arguments, flags, the argument of the format. */
static const struct burl__lib_row rows[] = {
    { "_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm", { WRITE_N(0, 16) }, 2, CALL, 0 },
    { "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm", { WRITE_N(0, 16) }, 4, CALL, 0 },
    { "_ZNSt11logic_errorC1EPKc", { READ(1, EXT_STR) }, 2, CALL, 0 },
    { "_ZNSt11logic_errorC2EPKc", { READ(1, EXT_STR) }, 2, CALL, 0 },
    { "_ZNSt11range_errorC1EPKc", { READ(1, EXT_STR) }, 2, CALL, 0 },
    { "_ZNSt11range_errorC2EPKc", { READ(1, EXT_STR) }, 2, CALL, 0 },
    { "_ZNSt12domain_errorC1EPKc", { READ(1, EXT_STR) }, 2, CALL, 0 },
    { "_ZNSt12domain_errorC2EPKc", { READ(1, EXT_STR) }, 2, CALL, 0 },
    { "_ZNSt12length_errorC1EPKc", { READ(1, EXT_STR) }, 2, CALL, 0 },
    { "_ZNSt12length_errorC2EPKc", { READ(1, EXT_STR) }, 2, CALL, 0 },
    { "_ZNSt12out_of_rangeC1EPKc", { READ(1, EXT_STR) }, 2, CALL, 0 },
    { "_ZNSt12out_of_rangeC2EPKc", { READ(1, EXT_STR) }, 2, CALL, 0 },
    { "_ZNSt13runtime_errorC1EPKc", { READ(1, EXT_STR) }, 2, CALL, 0 },
    { "_ZNSt13runtime_errorC2EPKc", { READ(1, EXT_STR) }, 2, CALL, 0 },
    { "_ZNSt14overflow_errorC1EPKc", { READ(1, EXT_STR) }, 2, CALL, 0 },
    { "_ZNSt14overflow_errorC2EPKc", { READ(1, EXT_STR) }, 2, CALL, 0 },
    { "_ZNSt15underflow_errorC1EPKc", { READ(1, EXT_STR) }, 2, CALL, 0 },
    { "_ZNSt15underflow_errorC2EPKc", { READ(1, EXT_STR) }, 2, CALL, 0 },
    { "_ZNSt16invalid_argumentC1EPKc", { READ(1, EXT_STR) }, 2, CALL, 0 },
    { "_ZNSt16invalid_argumentC2EPKc", { READ(1, EXT_STR) }, 2, CALL, 0 },
    { "_ZNSt18condition_variableC1Ev", { WRITE_N(0, 48) }, 1, CALL, 0 },
    { "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
      { WRITE_N(0, 8) },
      3,
      CALL,
      0 },
    { "_ZNSt6thread4joinEv", { READ_N(0, 8), WRITE_AFTER(0, 8) }, 1, CALL, 0 },
    { "_ZNSt6thread6detachEv", { READ_N(0, 8), WRITE_AFTER(0, 8) }, 1, CALL, 0 },
    { "_ZNSt8__detail15_List_node_base7_M_hookEPS0_",
      { WRITE_N(0, 16), WRITE_AT(1, 8, 8), WRITE_VIA(1, 8, 0, 8) },
      2,
      CALL,
      0 },
    { "_ZNSt8__detail15_List_node_base9_M_unhookEv",
      { READ_N(0, 16), WRITE_VIA(0, 0, 8, 8), WRITE_VIA(0, 8, 0, 8) },
      1,
      CALL,
      0 },
    { "_ZSt11_Hash_bytesPKvmm", { READ(0, EXT_ARG1) }, 3, CALL, 0 },
    { "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base",
      { READ_N(0, NODE_B), READ_TREE(0) },
      1,
      CALL,
      0 },
    { "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base",
      { READ_N(0, NODE_B), READ_TREE(0) },
      1,
      CALL,
      0 },
    { "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base",
      { READ_N(0, NODE_B), READ_TREE(0) },
      1,
      CALL,
      0 },
    { "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base",
      { READ_N(0, NODE_B), READ_TREE(0) },
      1,
      CALL,
      0 },
    { "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_",
      { WRITE_N(0, NODE_B), WRITE_N(1, NODE_B) },
      2,
      CALL,
      0 },
    { "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_",
      { WRITE_N(1, NODE_B), WRITE_N(3, NODE_B) },
      4,
      CALL,
      0 },
    { "__dynamic_cast", { READ_N(0, 8) }, 4, CALL, 0 },
    { "__getdelim", { READ_N(0, 8), READ_N(1, 8), WRITE(0, EXT_RET1_VIA) }, 4, CALL | PARTIAL, 0 },
    { "arc4random_buf", { WRITE(0, EXT_ARG1) }, 2, CALL, 0 },
    { "asctime", { WRITE_RESULT(EXT_RET_STR, 0) }, 1, CALL, 0 },
    { "asctime_r", { READ_N(0, TM_B), WRITE_RESULT(EXT_RET_STR, 0) }, 2, CALL, 0 },
    { "asprintf", { WRITE_AFTER(0, 8) }, 2, CALL | MORE_ARGS | PRINTS, 1 },
    { "atof", { READ(0, EXT_FLOAT) }, 1, CALL, 0 },
    { "atoi", { READ(0, EXT_INT10) }, 1, CALL, 0 },
    { "atol", { READ(0, EXT_INT10) }, 1, CALL, 0 },
    { "atoll", { READ(0, EXT_INT10) }, 1, CALL, 0 },
    { "bcmp", { READ(0, EXT_ARG2), READ(1, EXT_ARG2) }, 3, 0, 0 },
    { "bcopy", { READ(0, EXT_ARG2), WRITE(1, EXT_ARG2) }, 3, 0, 0 },
    { "bsearch", { { 0 } }, 5, CALL, 0 },
    { "bzero", { WRITE(0, EXT_ARG1) }, 2, 0, 0 },
    { "clock_getres", { WRITE_OK(1, 16) }, 2, CALL, 0 },
    { "clock_gettime", { WRITE_OK(1, 16) }, 2, CALL, 0 },
    { "ctime", { READ_N(0, 8), WRITE_RESULT(EXT_RET_STR, 0) }, 1, CALL, 0 },
    { "ctime_r", { READ_N(0, 8), WRITE_RESULT(EXT_RET_STR, 0) }, 2, CALL, 0 },
    { "dprintf", { { 0 } }, 2, CALL | MORE_ARGS | PRINTS, 1 },
    { "epoll_ctl", { READ_N(3, 12) }, 4, CALL, 0 },
    { "epoll_wait", { WRITE_TIMES(1, 12) }, 4, CALL, 0 },
    { "explicit_bzero", { WRITE(0, EXT_ARG1) }, 2, 0, 0 },
    { "fgets", { WRITE(0, EXT_RET_STR) }, 3, CALL, 0 },
    { "fopen", { READ(0, EXT_STR), READ(1, EXT_STR) }, 2, CALL, 0 },
    { "fopen64", { READ(0, EXT_STR), READ(1, EXT_STR) }, 2, CALL, 0 },
    { "fprintf", { { 0 } }, 2, CALL | MORE_ARGS | PRINTS, 1 },
    { "fputs", { READ(0, EXT_STR) }, 2, CALL, 0 },
    { "fread", { WRITE(0, EXT_RET_TIMES) }, 4, CALL, 0 },
    { "frexp", { WRITE_N(1, 4) }, 2, CALL, 0 },
    { "frexpf", { WRITE_N(1, 4) }, 2, CALL, 0 },
    { "frexpl", { WRITE_N(1, 4) }, 2, CALL, 0 },
    { "fscanf", { { 0 } }, 2, CALL | MORE_ARGS | SCANS, 1 },
    { "fstat", { WRITE_OK(1, STAT_B) }, 2, CALL, 0 },
    { "fstat64", { WRITE_OK(1, STAT_B) }, 2, CALL, 0 },
    { "fstatat", { READ(1, EXT_STR), WRITE_OK(2, STAT_B) }, 4, CALL, 0 },
    { "fstatat64", { READ(1, EXT_STR), WRITE_OK(2, STAT_B) }, 4, CALL, 0 },
    { "fwrite", { READ(0, EXT_PRODUCT) }, 4, CALL, 0 },
    { "getaddrinfo", { READ(0, EXT_STR), READ(1, EXT_STR), WRITE_OK(3, 8) }, 4, CALL | PARTIAL, 0 },
    { "getcwd", { WRITE_RESULT(EXT_RET_STR, 0) }, 2, CALL, 0 },
    { "getdelim", { READ_N(0, 8), READ_N(1, 8), WRITE(0, EXT_RET1_VIA) }, 4, CALL | PARTIAL, 0 },
    { "getentropy", { WRITE(0, EXT_ARG1_OK) }, 2, CALL, 0 },
    { "getenv", { READ(0, EXT_STR) }, 1, CALL, 0 },
    { "gethostname", { WRITE(0, EXT_STR_OK) }, 2, CALL, 0 },
    { "getline", { READ_N(0, 8), READ_N(1, 8), WRITE(0, EXT_RET1_VIA) }, 3, CALL | PARTIAL, 0 },
    { "getrandom", { WRITE(0, EXT_RET_MIN1) }, 3, CALL, 0 },
    { "gettimeofday", { WRITE_OK(0, 16), WRITE_OK(1, 8) }, 2, CALL, 0 },
    { "gmtime", { READ_N(0, 8), WRITE_RESULT(EXT_FIXED_AFTER, TM_B) }, 1, CALL, 0 },
    { "gmtime_r", { READ_N(0, 8), WRITE_RESULT(EXT_FIXED_AFTER, TM_B) }, 2, CALL, 0 },
    { "index", { READ(0, EXT_FIND_C) }, 2, 0, 0 },
    { "lgamma_r", { WRITE_N(1, 4) }, 2, CALL, 0 },
    { "lgammaf_r", { WRITE_N(1, 4) }, 2, CALL, 0 },
    { "lgammal_r", { WRITE_N(1, 4) }, 2, CALL, 0 },
    { "localtime", { READ_N(0, 8), WRITE_RESULT(EXT_FIXED_AFTER, TM_B) }, 1, CALL, 0 },
    { "localtime_r", { READ_N(0, 8), WRITE_RESULT(EXT_FIXED_AFTER, TM_B) }, 2, CALL, 0 },
    { "lstat", { READ(0, EXT_STR), WRITE_OK(1, STAT_B) }, 2, CALL, 0 },
    { "lstat64", { READ(0, EXT_STR), WRITE_OK(1, STAT_B) }, 2, CALL, 0 },
    { "memccpy", { READ(1, EXT_UNTIL_C), WRITE(0, EXT_UNTIL_C) }, 4, 0, 0 },
    { "memchr", { READ(0, EXT_FIND_N) }, 3, 0, 0 },
    { "memcmp", { READ(0, EXT_ARG2), READ(1, EXT_ARG2) }, 3, 0, 0 },
    { "memcpy", { READ(1, EXT_ARG2), WRITE(0, EXT_ARG2) }, 3, 0, 0 },
    { "memmove", { READ(1, EXT_ARG2), WRITE(0, EXT_ARG2) }, 3, 0, 0 },
    { "mempcpy", { READ(1, EXT_ARG2), WRITE(0, EXT_ARG2) }, 3, 0, 0 },
    { "memset", { WRITE(0, EXT_ARG2) }, 3, 0, 0 },
    { "mktime", { WRITE_N(0, TM_B) }, 1, CALL, 0 },
    { "modf", { WRITE_N(1, 8) }, 2, CALL, 0 },
    { "modff", { WRITE_N(1, 4) }, 2, CALL, 0 },
    { "modfl", { WRITE_N(1, 10) }, 2, CALL, 0 },
    { "nan", { READ(0, EXT_STR) }, 1, CALL, 0 },
    { "nanf", { READ(0, EXT_STR) }, 1, CALL, 0 },
    { "nanl", { READ(0, EXT_STR) }, 1, CALL, 0 },
    { "nanosleep", { READ_N(0, 16), WRITE_FAILED(1, 16) }, 2, CALL, 0 },
    { "open", { READ(0, EXT_STR) }, 2, CALL | MORE_ARGS, 0 },
    { "open64", { READ(0, EXT_STR) }, 2, CALL | MORE_ARGS, 0 },
    { "perror", { READ(0, EXT_STR) }, 1, CALL, 0 },
    { "pipe", { WRITE_OK(0, 8) }, 1, CALL, 0 },
    { "pipe2", { WRITE_OK(0, 8) }, 2, CALL, 0 },
    { "posix_memalign", { WRITE_OK(0, 8) }, 3, CALL, 0 },
    { "pread", { WRITE(1, EXT_RET_MIN2) }, 4, CALL, 0 },
    { "pread64", { WRITE(1, EXT_RET_MIN2) }, 4, CALL, 0 },
    { "printf", { { 0 } }, 1, CALL | MORE_ARGS | PRINTS, 0 },
    { "pthread_attr_getdetachstate", { READ_N(0, 56), WRITE_OK(1, 4) }, 2, CALL, 0 },
    { "pthread_attr_getguardsize", { READ_N(0, 56), WRITE_OK(1, 8) }, 2, CALL, 0 },
    { "pthread_attr_getinheritsched", { READ_N(0, 56), WRITE_OK(1, 4) }, 2, CALL, 0 },
    { "pthread_attr_getschedparam", { READ_N(0, 56), WRITE_OK(1, 4) }, 2, CALL, 0 },
    { "pthread_attr_getschedpolicy", { READ_N(0, 56), WRITE_OK(1, 4) }, 2, CALL, 0 },
    { "pthread_attr_getscope", { READ_N(0, 56), WRITE_OK(1, 4) }, 2, CALL, 0 },
    { "pthread_attr_getstack", { READ_N(0, 56), WRITE_OK(1, 8), WRITE_OK(2, 8) }, 3, CALL, 0 },
    { "pthread_attr_getstackaddr", { READ_N(0, 56), WRITE_OK(1, 8) }, 2, CALL, 0 },
    { "pthread_attr_getstacksize", { READ_N(0, 56), WRITE_OK(1, 8) }, 2, CALL, 0 },
    { "pthread_barrierattr_getpshared", { READ_N(0, 4), WRITE_OK(1, 4) }, 2, CALL, 0 },
    { "pthread_clockjoin_np", { WRITE_OK(1, 8) }, 4, CALL, 0 },
    { "pthread_condattr_getclock", { READ_N(0, 4), WRITE_OK(1, 4) }, 2, CALL, 0 },
    { "pthread_condattr_getpshared", { READ_N(0, 4), WRITE_OK(1, 4) }, 2, CALL, 0 },
    { "pthread_create", { WRITE_N(0, 8) }, 4, CALL, 0 },
    { "pthread_getaffinity_np", { { 0 } }, 3, CALL | PARTIAL, 0 },
    { "pthread_getattr_np", { WRITE_OK(1, 56) }, 2, CALL, 0 },
    { "pthread_getcpuclockid", { WRITE_OK(1, 4) }, 2, CALL, 0 },
    { "pthread_getname_np", { WRITE(1, EXT_STR_OK) }, 3, CALL, 0 },
    { "pthread_getschedparam", { WRITE_OK(1, 4), WRITE_OK(2, 4) }, 3, CALL, 0 },
    { "pthread_join", { WRITE_AFTER(1, 8) }, 2, CALL, 0 },
    { "pthread_key_create", { WRITE_OK(0, 4) }, 2, CALL, 0 },
    { "pthread_mutex_getprioceiling", { WRITE_OK(1, 4) }, 2, CALL, 0 },
    { "pthread_mutexattr_getprioceiling", { READ_N(0, 4), WRITE_OK(1, 4) }, 2, CALL, 0 },
    { "pthread_mutexattr_getprotocol", { READ_N(0, 4), WRITE_OK(1, 4) }, 2, CALL, 0 },
    { "pthread_mutexattr_getpshared", { READ_N(0, 4), WRITE_OK(1, 4) }, 2, CALL, 0 },
    { "pthread_mutexattr_getrobust", { READ_N(0, 4), WRITE_OK(1, 4) }, 2, CALL, 0 },
    { "pthread_mutexattr_gettype", { READ_N(0, 4), WRITE_OK(1, 4) }, 2, CALL, 0 },
    { "pthread_rwlockattr_getkind_np", { READ_N(0, 8), WRITE_OK(1, 4) }, 2, CALL, 0 },
    { "pthread_rwlockattr_getpshared", { READ_N(0, 8), WRITE_OK(1, 4) }, 2, CALL, 0 },
    { "pthread_setcancelstate", { WRITE_OK(1, 4) }, 2, CALL, 0 },
    { "pthread_setcanceltype", { WRITE_OK(1, 4) }, 2, CALL, 0 },
    { "pthread_sigmask", { READ_N(1, 8), WRITE_OK(2, 8) }, 3, CALL, 0 },
    { "pthread_timedjoin_np", { WRITE_OK(1, 8) }, 3, CALL, 0 },
    { "pthread_tryjoin_np", { WRITE_OK(1, 8) }, 2, CALL, 0 },
    { "puts", { READ(0, EXT_STR) }, 1, CALL, 0 },
    { "pwrite", { READ(1, EXT_ARG2) }, 4, CALL, 0 },
    { "pwrite64", { READ(1, EXT_ARG2) }, 4, CALL, 0 },
    { "qsort", { WRITE(0, EXT_PRODUCT) }, 4, CALL | KEEPS, 0 },
    { "qsort_r", { WRITE(0, EXT_PRODUCT) }, 5, CALL | KEEPS, 0 },
    { "rand_r", { WRITE_N(0, 4) }, 1, CALL, 0 },
    { "read", { WRITE(1, EXT_RET_MIN2) }, 3, CALL, 0 },
    { "readlink", { READ(0, EXT_STR), WRITE(1, EXT_RET_MIN2) }, 3, CALL, 0 },
    { "realpath", { READ(0, EXT_STR), WRITE_RESULT(EXT_RET_STR, 0) }, 2, CALL, 0 },
    { "recv", { WRITE(1, EXT_RET_MIN2) }, 4, CALL, 0 },
    { "recvfrom", { WRITE(1, EXT_RET_MIN2) }, 6, CALL, 0 },
    { "remove", { READ(0, EXT_STR) }, 1, CALL, 0 },
    { "remquo", { WRITE_N(2, 4) }, 3, CALL, 0 },
    { "remquof", { WRITE_N(2, 4) }, 3, CALL, 0 },
    { "remquol", { WRITE_N(2, 4) }, 3, CALL, 0 },
    { "rename", { READ(0, EXT_STR), READ(1, EXT_STR) }, 2, CALL, 0 },
    { "rindex", { READ(0, EXT_STR) }, 2, 0, 0 },
    { "rmdir", { READ(0, EXT_STR) }, 1, CALL, 0 },
    { "scanf", { { 0 } }, 1, CALL | MORE_ARGS | SCANS, 0 },
    { "secure_getenv", { READ(0, EXT_STR) }, 1, CALL, 0 },
    { "sem_getvalue", { WRITE_OK(1, 4) }, 2, CALL, 0 },
    { "send", { READ(1, EXT_ARG2) }, 4, CALL, 0 },
    { "sendto", { READ(1, EXT_ARG2) }, 6, CALL, 0 },
    { "sigaction", { READ_N(1, SIGACTION_B), WRITE_OK(2, SIGACTION_B) }, 3, CALL, 0 },
    { "sigaddset", { WRITE_N(0, 8) }, 2, CALL, 0 },
    { "sigdelset", { WRITE_N(0, 8) }, 2, CALL, 0 },
    { "sigemptyset", { WRITE_N(0, 8) }, 1, CALL, 0 },
    { "sigfillset", { WRITE_N(0, 8) }, 1, CALL, 0 },
    { "sigismember", { READ_N(0, 8) }, 2, CALL, 0 },
    { "sigpending", { WRITE_OK(0, 8) }, 1, CALL, 0 },
    { "sigprocmask", { READ_N(1, 8), WRITE_OK(2, 8) }, 3, CALL, 0 },
    { "sigwait", { READ_N(0, 8), WRITE_OK(1, 4) }, 2, CALL, 0 },
    { "sincos", { WRITE_N(1, 8), WRITE_N(2, 8) }, 3, CALL, 0 },
    { "sincosf", { WRITE_N(1, 4), WRITE_N(2, 4) }, 3, CALL, 0 },
    { "sincosl", { WRITE_N(1, 10), WRITE_N(2, 10) }, 3, CALL, 0 },
    { "snprintf", { WRITE(0, EXT_RET1_MIN1) }, 3, CALL | MORE_ARGS | PRINTS, 2 },
    { "socketpair", { WRITE_OK(3, 8) }, 4, CALL, 0 },
    { "sprintf", { WRITE(0, EXT_RET1) }, 2, CALL | MORE_ARGS | PRINTS, 1 },
    { "sscanf", { READ(0, EXT_STR) }, 2, CALL | MORE_ARGS | SCANS, 1 },
    { "stat", { READ(0, EXT_STR), WRITE_OK(1, STAT_B) }, 2, CALL, 0 },
    { "stat64", { READ(0, EXT_STR), WRITE_OK(1, STAT_B) }, 2, CALL, 0 },
    { "stpcpy", { READ(1, EXT_STR), WRITE(0, EXT_STR_OF1) }, 2, 0, 0 },
    { "stpncpy", { READ(1, EXT_STRN2), WRITE(0, EXT_ARG2) }, 3, 0, 0 },
    { "strcasecmp", { READ(0, EXT_CMP), READ(1, EXT_CMP) }, 2, FOLD, 0 },
    { "strcasestr", { READ(0, EXT_FIND_S), READ(1, EXT_STR) }, 2, 0, 0 },
    { "strcat", { READ(0, EXT_STR), READ(1, EXT_STR), WRITE(0, EXT_CAT) }, 2, 0, 0 },
    { "strchr", { READ(0, EXT_FIND_C) }, 2, 0, 0 },
    { "strchrnul", { READ(0, EXT_FIND_C) }, 2, 0, 0 },
    { "strcmp", { READ(0, EXT_CMP), READ(1, EXT_CMP) }, 2, 0, 0 },
    { "strcpy", { READ(1, EXT_STR), WRITE(0, EXT_STR_OF1) }, 2, 0, 0 },
    { "strcspn", { READ(0, EXT_RET1), READ(1, EXT_STR) }, 2, 0, 0 },
    { "strdup", { READ(0, EXT_STR) }, 1, CALL, 0 },
    { "strftime", { READ(2, EXT_STR), READ_N(3, TM_B), WRITE(0, EXT_RET1_POSITIVE) }, 4, CALL, 0 },
    { "strlcpy", { READ(1, EXT_STR), WRITE(0, EXT_LCPY) }, 3, 0, 0 },
    { "strlen", { READ(0, EXT_STR) }, 1, 0, 0 },
    { "strncasecmp", { READ(0, EXT_CMPN), READ(1, EXT_CMPN) }, 3, FOLD, 0 },
    { "strncat", { READ(0, EXT_STR), READ(1, EXT_STRN2), WRITE(0, EXT_CATN) }, 3, 0, 0 },
    { "strncmp", { READ(0, EXT_CMPN), READ(1, EXT_CMPN) }, 3, 0, 0 },
    { "strncpy", { READ(1, EXT_STRN2), WRITE(0, EXT_ARG2) }, 3, 0, 0 },
    { "strndup", { READ(0, EXT_STRN1) }, 2, CALL, 0 },
    { "strnlen", { READ(0, EXT_STRN1) }, 2, 0, 0 },
    { "strpbrk", { READ(0, EXT_FIND_C), READ(1, EXT_STR) }, 2, 0, 0 },
    { "strrchr", { READ(0, EXT_STR) }, 2, 0, 0 },
    { "strsep", { READ_N(0, 8), READ(1, EXT_STR) }, 2, CALL | KEEPS | PARTIAL, 0 },
    { "strspn", { READ(0, EXT_RET1), READ(1, EXT_STR) }, 2, 0, 0 },
    { "strstr", { READ(0, EXT_FIND_S), READ(1, EXT_STR) }, 2, 0, 0 },
    { "strtod", { READ(0, EXT_FLOAT), WRITE_N(1, 8) }, 2, CALL | KEEPS, 0 },
    { "strtof", { READ(0, EXT_FLOAT), WRITE_N(1, 8) }, 2, CALL | KEEPS, 0 },
    { "strtoimax", { READ(0, EXT_INT2), WRITE_N(1, 8) }, 3, CALL | KEEPS, 0 },
    { "strtok_r", { READ(1, EXT_STR), WRITE_N(2, 8) }, 3, CALL | KEEPS | PARTIAL, 0 },
    { "strtol", { READ(0, EXT_INT2), WRITE_N(1, 8) }, 3, CALL | KEEPS, 0 },
    { "strtold", { READ(0, EXT_FLOAT), WRITE_N(1, 8) }, 2, CALL | KEEPS, 0 },
    { "strtoll", { READ(0, EXT_INT2), WRITE_N(1, 8) }, 3, CALL | KEEPS, 0 },
    { "strtoq", { READ(0, EXT_INT2), WRITE_N(1, 8) }, 3, CALL | KEEPS, 0 },
    { "strtoul", { READ(0, EXT_INT2), WRITE_N(1, 8) }, 3, CALL | KEEPS, 0 },
    { "strtoull", { READ(0, EXT_INT2), WRITE_N(1, 8) }, 3, CALL | KEEPS, 0 },
    { "strtoumax", { READ(0, EXT_INT2), WRITE_N(1, 8) }, 3, CALL | KEEPS, 0 },
    { "strtouq", { READ(0, EXT_INT2), WRITE_N(1, 8) }, 3, CALL | KEEPS, 0 },
    { "strxfrm", { READ(1, EXT_STR), WRITE(0, EXT_RET1_MIN2) }, 3, 0, 0 },
    { "syslog", { { 0 } }, 2, CALL | MORE_ARGS | PRINTS, 1 },
    { "thrd_create", { WRITE_N(0, 8) }, 3, CALL, 0 },
    { "thrd_join", { WRITE_OK(1, 4) }, 2, CALL, 0 },
    { "time", { WRITE_N(0, 8) }, 1, CALL, 0 },
    { "timegm", { WRITE_N(0, TM_B) }, 1, CALL, 0 },
    { "timelocal", { WRITE_N(0, TM_B) }, 1, CALL, 0 },
    { "tss_create", { WRITE_OK(0, 4) }, 2, CALL, 0 },
    { "ttyname_r", { WRITE(1, EXT_STR_OK) }, 3, CALL, 0 },
    { "unlink", { READ(0, EXT_STR) }, 1, CALL, 0 },
    { "vasprintf", { WRITE_AFTER(0, 8) }, 3, CALL | MORE_ARGS | PARTIAL, 0 },
    { "vsnprintf", { WRITE(0, EXT_RET1_MIN1) }, 4, CALL | MORE_ARGS | PARTIAL, 0 },
    { "vsprintf", { WRITE(0, EXT_RET1) }, 3, CALL | MORE_ARGS | PARTIAL, 0 },
    { "vsscanf", { READ(0, EXT_STR) }, 3, CALL | PARTIAL, 0 },
    { "wait", { WRITE_DONE(0, 4) }, 1, CALL, 0 },
    { "waitpid", { WRITE_DONE(1, 4) }, 3, CALL, 0 },
    { "wmemcmp", { READ(0, EXT_WIDE2), READ(1, EXT_WIDE2) }, 3, 0, 0 },
    { "wmemcpy", { READ(1, EXT_WIDE2), WRITE(0, EXT_WIDE2) }, 3, 0, 0 },
    { "wmemmove", { READ(1, EXT_WIDE2), WRITE(0, EXT_WIDE2) }, 3, 0, 0 },
    { "wmempcpy", { READ(1, EXT_WIDE2), WRITE(0, EXT_WIDE2) }, 3, 0, 0 },
    { "wmemset", { WRITE(0, EXT_WIDE2) }, 3, 0, 0 },
    { "write", { READ(1, EXT_ARG2) }, 3, CALL, 0 },
};

static int
compare_row(const void *key, const void *row)
{
    return strcmp(key, ((const struct burl__lib_row *)row)->name);
}

static const struct burl__lib_row *
find(const char *name)
{
    return bsearch(name, rows, sizeof rows / sizeof *rows, sizeof *rows, compare_row);
}

/* The name between a beginning and an end, when it has both. */
static bool
strip(const char *name, const char *begins, const char *ends, char *out, size_t out_b)
{
    size_t n = strlen(name);
    size_t b = strlen(begins);
    size_t e = strlen(ends);

    if (n <= b + e || n - b - e >= out_b || strncmp(name, begins, b) != 0 ||
        strcmp(name + n - e, ends) != 0)
        return false;
    memcpy(out, name + b, n - b - e);
    out[n - b - e] = '\0';
    return true;
}

const struct burl__lib_row *
burl__instr_lib_row(const char *name)
{
    char plain[32];

    if (strip(name, "__", "_chk", plain, sizeof plain) ||
        strip(name, "__isoc99_", "", plain, sizeof plain) ||
        strip(name, "__isoc23_", "", plain, sizeof plain) ||
        strip(name, "", "_unlocked", plain, sizeof plain))
        return find(plain);
    return find(name);
}
