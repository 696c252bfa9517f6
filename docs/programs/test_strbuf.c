/* SPDX-License-Identifier: Apache-2.0 */
#include "strbuf.h"

#include <assert.h>

int
main(void)
{
    struct strbuf *a = strbuf_new();
    struct strbuf *b = strbuf_new();
    struct page *p = page_new();
    struct writer *w = writer_new(p);

    assert(strbuf_put(b, 'x') == 0);
    assert(strbuf_length(b) == 1);
    assert(strbuf_append(a, b) == 1);
    strbuf_clear(a);
    writer_attach(w, p);
    assert(writer_line(w) == 1);
    writer_free(w);
    page_free(p);
    strbuf_free(a);
    strbuf_free(b);
    return 0;
}
