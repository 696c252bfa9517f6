/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/pending.c - weak stand-ins while the parts of this module come together. To be deleted.
 */
#include "gen/emit.h"
#include "gen/exec.h"
#include "gen/oracle.h"
#include "gen/search.h"

#define WEAK __attribute__((weak))
#define NOT_YET(err) burl_err_set(err, BURL_E_INTERNAL, 0, "%s is not there yet", __func__)
#pragma GCC diagnostic ignored "-Wunused-parameter"

WEAK void burl_gen_model_deinit(struct burl_gen_model *m) {}
WEAK int burl_gen_model_fn(const struct burl_gen_model *m, const char *name) { return -1; }
WEAK int burl_gen_model_type(const struct burl_gen_model *m, const char *name) { return -1; }
WEAK enum burl_status burl_gen_model_guess(struct burl_gen_model *out, const struct burl_gen_sources *src, const char *shared, struct burl_err *err) { return NOT_YET(err); }
WEAK void burl_gen_model_print(struct burl_gen_model const *m, struct burl_buf *out) {}
WEAK enum burl_status burl_gen_model_apply(struct burl_gen_model *m, const char *path, struct burl_err *err) { return NOT_YET(err); }
WEAK enum burl_status burl_gen_model_check(const struct burl_gen_model *m, struct burl_err *err) { return NOT_YET(err); }
WEAK void burl_gen_declare(struct burl_buf *out, const char *ctype, const char *name) {}
WEAK void burl_gen_call_deinit(struct burl_gen_call *c) {}
WEAK void burl_gen_calls_deinit(struct burl_gen_calls *c) {}
WEAK void burl_gen_test_deinit(struct burl_gen_test *t) {}
WEAK struct burl_gen_call burl_gen_call_copy(const struct burl_gen_call *c) { return *c; }
WEAK void burl_gen_calls_append(struct burl_gen_calls *to, const struct burl_gen_calls *from) {}
WEAK struct burl_gen_test burl_gen_test_copy(const struct burl_gen_test *t) { return *t; }
WEAK int burl_gen_test_slot_type(const struct burl_gen_test *t, const struct burl_gen_model *m, int slot) { return -1; }
WEAK uint64_t burl_gen_test_hash(const struct burl_gen_test *t) { return 0; }
WEAK uint64_t burl_gen_calls_hash(const struct burl_gen_calls *c, uint64_t h) { return h; }
WEAK void burl_gen_call_print(const struct burl_gen_model *m, const struct burl_gen_test *t, const struct burl_gen_call *c, bool var, struct burl_buf *out) {}
WEAK void burl_gen_slot_name(const struct burl_gen_model *m, const struct burl_gen_test *t, int slot, char *out, size_t n) {}
WEAK void burl_gen_arg_print(const struct burl_gen_model *m, const struct burl_gen_fn *f, size_t param, const struct burl_gen_arg *a, struct burl_buf *out) {}
WEAK void burl_gen_outcome_deinit(struct burl_gen_outcome *o) {}
WEAK enum burl_status burl_gen_exec_open(struct burl_gen_exec **out, const struct burl_gen_exec_opts *opts, struct burl_err *err) { return NOT_YET(err); }
WEAK void burl_gen_exec_close(struct burl_gen_exec *x) {}
WEAK enum burl_status burl_gen_exec_fresh(struct burl_gen_exec *x, struct burl_err *err) { return NOT_YET(err); }
WEAK const struct burl_sites *burl_gen_exec_sites(const struct burl_gen_exec *x) { return NULL; }
WEAK bool burl_gen_exec_is_instrumented(const struct burl_gen_exec *x, int fn) { return false; }
WEAK enum burl_status burl_gen_exec_sequential(struct burl_gen_exec *x, const struct burl_gen_test *t, const struct burl_gen_order *order, bool dump, uint64_t shift, struct burl_gen_outcome *out, struct burl_err *err) { return NOT_YET(err); }
WEAK enum burl_status burl_gen_exec_controlled(struct burl_gen_exec *x, const struct burl_gen_test *t, const struct burl_gen_plan *plan, burl_gen_outcome_fn *fn, void *arg, struct burl_gen_suspects *suspects, struct burl_err *err) { return NOT_YET(err); }
WEAK enum burl_status burl_gen_exec_free(struct burl_gen_exec *x, const struct burl_gen_test *t, uint32_t observers, struct burl_gen_outcome *out, struct burl_gen_suspects *suspects, struct burl_err *err) { return NOT_YET(err); }
WEAK struct burl_gen_exec_stats burl_gen_exec_stats(const struct burl_gen_exec *x) { struct burl_gen_exec_stats s = { 0 }; return s; }
WEAK struct burl_gen_oracle *burl_gen_oracle_new(struct burl_gen_exec *x, const struct burl_gen_model *m, const struct burl_gen_test *t, uint32_t max_linear) { return NULL; }
WEAK void burl_gen_oracle_free(struct burl_gen_oracle *o) {}
WEAK enum burl_status burl_gen_oracle_judge(struct burl_gen_oracle *o, const struct burl_gen_outcome *run, bool compare_results, struct burl_gen_verdict *out, struct burl_err *err) { return NOT_YET(err); }
WEAK enum burl_status burl_gen_oracle_all(struct burl_gen_oracle *o, const struct burl_gen_linear **all, size_t *n, struct burl_err *err) { return NOT_YET(err); }
WEAK bool burl_gen_oracle_is_masked(const struct burl_gen_oracle *o, const struct burl_gen_value *v) { return false; }
WEAK uint64_t burl_gen_merges(const unsigned *lengths, unsigned n) { return 0; }
WEAK bool burl_gen_merge_first(struct burl_gen_order *o, const unsigned *lengths, unsigned n) { return false; }
WEAK bool burl_gen_merge_next(struct burl_gen_order *o) { return false; }
WEAK void burl_gen_violation_deinit(struct burl_gen_violation *v) {}
WEAK enum burl_status burl_gen_retry(struct burl_gen_exec *x, const struct burl_gen_model *m, const struct burl_gen_test *t, const struct burl_gen_violation *like, uint32_t schedules, bool *shown, struct burl_gen_violation *out, struct burl_err *err) { return NOT_YET(err); }
WEAK enum burl_status burl_gen_shrink(struct burl_gen_exec *x, const struct burl_gen_model *m, struct burl_gen_violation *v, uint32_t schedules, unsigned fresh, struct burl_err *err) { return NOT_YET(err); }
WEAK void burl_gen_emit_test(const struct burl_gen_emit *e, struct burl_buf *out) {}
WEAK void burl_gen_emit_makefile(const struct burl_gen_sources *src, size_t n, struct burl_buf *out) {}
WEAK void burl_gen_emit_cmake(const struct burl_gen_sources *src, size_t n, struct burl_buf *out) {}
WEAK uint64_t burl_gen_score(uint64_t tried, uint64_t covered) { return 0; }
WEAK void burl_gen_pairs_init(struct burl_gen_pairs *p, const struct burl_gen_model *m, enum burl_gen_guide guide) {}
WEAK void burl_gen_pairs_deinit(struct burl_gen_pairs *p) {}
WEAK enum burl_status burl_gen_search(struct burl_gen_exec *x, const struct burl_gen_model *m, const struct burl_gen_config *cfg, const struct burl_gen_hooks *hooks, struct burl_gen_pairs *pairs, struct burl_gen_curve *curve, struct burl_gen_stats *stats, struct burl_err *err) { return NOT_YET(err); }
