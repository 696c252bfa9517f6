/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/sourcetext.c - the identifier in the source that an instruction comes from.
 *
 * Runs in the compiler. The members of a union lie at one offset, so the canonical form does not
 * say which of them the source names; the text at the position of the instruction does. A source
 * that cannot be read, or was changed since, only leaves a name less sure.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/path.h"
#include "instr/instr_int.h"

#define MAX_SOURCE_B (16u << 20)

/* The path of the file that `scope` is in. Clang shortens it by what it shares with the directory
 * of the compilation. */
static char *
path_of(const struct burl__instr *in, LLVMMetadataRef scope)
{
    const char *file = burl_di_file(scope);
    const char *dir = burl_di_directory(scope);

    return file[0] == '/' ? burl_xstrdup(file) : burl_path_join(dir[0] ? dir : in->dir, file);
}

/* The text of the file; NULL: it cannot be read. The last one is kept. */
static const char *
text_of(struct burl__instr *in, LLVMMetadataRef scope)
{
    struct burl__sourcetext *s = &in->source;
    struct burl_err ignored;
    char *path = path_of(in, scope);

    if (s->path != NULL && strcmp(s->path, path) == 0) {
        free(path);
        return s->text;
    }
    free(s->path);
    free(s->text);
    *s = (struct burl__sourcetext){ .path = path };
    if (burl_fs_read_file(path, MAX_SOURCE_B, &s->text, NULL, &ignored) != BURL_OK)
        s->text = NULL;
    return s->text;
}

static const char *
find_line(const char *text, unsigned line)
{
    for (; line > 1 && text != NULL; line--) {
        text = strchr(text, '\n');
        text = text != NULL ? text + 1 : NULL;
    }
    return text;
}

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* A load is at its member; a store is at the assignment, right behind its member. */
const char *
burl__sourcetext_word(struct burl__instr *in, LLVMValueRef inst, size_t *n)
{
    LLVMMetadataRef loc = inst ? LLVMInstructionGetDebugLoc(inst) : NULL;
    const unsigned column = loc ? LLVMDILocationGetColumn(loc) : 0;
    const char *text = column > 0 ? text_of(in, LLVMDILocationGetScope(loc)) : NULL;
    const char *line = text ? find_line(text, LLVMDILocationGetLine(loc)) : NULL;
    const char *from;
    const char *end;

    *n = 0;
    if (line == NULL || strcspn(line, "\n") < column)
        return NULL;
    end = line + column - 1;
    while (end > line && !is_word(*end) && isspace((unsigned char)end[-1]))
        end--;
    from = end;
    while (from > line && is_word(from[-1]))
        from--;
    while (is_word(*end))
        end++;
    *n = (size_t)(end - from);
    return *n > 0 ? from : NULL;
}
