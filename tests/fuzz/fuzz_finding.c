/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/fuzz_finding.c - the reader of finding.json takes any bytes, and so do the documents
 * of `burl report` with what it read.
 *
 * Beyond not crashing: what was accepted is written and read again, and is then the same. The first
 * writing replaces malformed UTF-8, so that the second and the third are compared.
 */
#include "fuzz.h"

#include "report/report.h"

#define LOC "{\"file\":\"a.c\",\"line\":3,\"column\":1,\"function\":\"f\",\"source\":\"x++;\"}"

/* clang-format off */
const char *const burl_fuzz_seeds[] = {
    "{\"burl_finding\":1,\"number\":1,\"kind\":\"deadlock.cycle\",\"title\":\"t\",\"where\":" LOC
    ",\"threads\":[{\"id\":1,\"state\":\"waiting\",\"stack\":[{\"at\":" LOC "}],"
    "\"locks\":[{\"object\":\"m\",\"taken\":" LOC "}],\"waits\":{\"op\":\"lock\",\"owner\":2,"
    "\"in_cycle\":true,\"at\":" LOC "}},{\"id\":2}]}",
    "{\"burl_finding\":1,\"kind\":\"race.data\",\"steps\":[{\"type\":\"op\",\"thread\":1,"
    "\"step\":4,\"text\":\"read x\",\"at\":" LOC "},{\"type\":\"switch\",\"from\":1,\"to\":2,"
    "\"why\":\"preempt\"},{\"type\":\"skip\",\"operations\":9,\"thread\":null}],"
    "\"accesses\":[{\"thread\":1,\"op\":\"write\",\"at\":" LOC "},{\"thread\":2,\"op\":\"free\","
    "\"step\":5}],\"orders\":{\"outcome\":\"differs\",\"ends\":[{\"first\":\"a\",\"end\":null}]}}",
    NULL,
};
/* clang-format on */

const char *const burl_fuzz_words[] = {
    "\"burl_finding\":1",
    "\"kind\":",
    "\"threads\":[",
    "\"steps\":[",
    "\"accesses\":[",
    "\"stack\":[",
    "\"locks\":[",
    "\"waits\":{",
    "\"at\":{",
    "\"type\":\"op\"",
    "\"thread\":65535",
    "null",
    "4294967296",
    "-1",
    "\"0xffffffffffffffff\"",
    "true",
    "\"</script>",
    "\"\\u001b",
    "]]>",
    NULL,
};

static void
render(struct burl_finding *f)
{
    static burl_report_doc_fn *const all[] = { burl_report_doc_lines, burl_report_doc_json,
                                               burl_report_doc_markdown };
    const struct burl_report_doc doc = { .v = &f, .n = 1, .cwd = "/home", .version = "0" };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct burl_buf out = BURL_BUF_INIT;

        all[i](&doc, &out);
        burl_buf_deinit(&out);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct burl_buf json[3] = { BURL_BUF_INIT, BURL_BUF_INIT, BURL_BUF_INIT };
    struct burl_finding *f = NULL;
    struct burl_err err;

    if (burl_report_finding_read(&f, (const char *)data, size, &err) != BURL_OK)
        return 0;
    render(f);
    for (unsigned i = 0; i < 3; i++) {
        burl_report_json(f, &json[i]);
        burl_report_finding_free(f);
        BURL_ASSERT(burl_report_finding_read(&f, json[i].p, json[i].n, &err) == BURL_OK);
    }
    burl_report_finding_free(f);
    BURL_ASSERT(strcmp(burl_buf_str(&json[1]), burl_buf_str(&json[2])) == 0);
    for (unsigned i = 0; i < 3; i++)
        burl_buf_deinit(&json[i]);
    return 0;
}
