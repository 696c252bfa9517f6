/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/sourcetext.c - the identifier in the source that an instruction comes from.
 *
 * Runs in the compiler. The members of a union lie at one offset, so the canonical form does not
 * say which of them the source names; the text at the position of the instruction does. So it does
 * for an extern variable, which clang does not describe in the debug information. A source
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

/* Where a line begins; NULL: the text is shorter. Sites come mostly in the order of their lines. */
static const char *
find_line(struct burl__sourcetext *s, unsigned line)
{
    const bool later = s->line > 0 && s->line <= line;
    const char *from = later ? s->from : s->text;

    for (unsigned n = later ? s->line : 1; n < line && from != NULL; n++) {
        from = strchr(from, '\n');
        from = from != NULL ? from + 1 : NULL;
    }
    s->line = from != NULL ? line : 0;
    s->from = from;
    return from;
}

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The line of an instruction, and in *at where the instruction is; NULL not known. */
static const char *
line_of(struct burl__instr *in, LLVMValueRef inst, const char **at)
{
    LLVMMetadataRef loc = inst ? LLVMInstructionGetDebugLoc(inst) : NULL;
    const unsigned column = loc ? LLVMDILocationGetColumn(loc) : 0;
    const char *text = column > 0 ? text_of(in, LLVMDILocationGetScope(loc)) : NULL;
    const char *line = text ? find_line(&in->source, LLVMDILocationGetLine(loc)) : NULL;

    if (line == NULL || strcspn(line, "\n") < column)
        return NULL;
    *at = line + column - 1;
    return line;
}

/* A load is at its member; a store is at the assignment, right behind its member. */
static const char *
end_of_place(const char *line, const char *at)
{
    while (at > line && !is_word(*at) && isspace((unsigned char)at[-1]))
        at--;
    while (is_word(*at))
        at++;
    return at;
}

const char *
burl__sourcetext_word(struct burl__instr *in, LLVMValueRef inst, size_t *n)
{
    const char *at;
    const char *line = line_of(in, inst, &at);
    const char *from;
    const char *end;

    *n = 0;
    if (line == NULL)
        return NULL;
    from = end = end_of_place(line, at);
    while (from > line && is_word(from[-1]))
        from--;
    *n = (size_t)(end - from);
    return *n > 0 ? from : NULL;
}

/* ---- members of a variable without a description ------------------------------------------ */

/* Indices in brackets that end at `end` are left out. */
static const char *
before_indices(const char *line, const char *end)
{
    while (end > line && end[-1] == ']') {
        int depth = 0;
        do {
            end--;
            depth += *end == ']' ? 1 : *end == '[' ? -1 : 0;
        } while (depth > 0 && end > line);
    }
    return end;
}

/* Where the longest "root[i].a.b" that ends at `end` begins. */
static const char *
begin_of_members(const char *line, const char *end)
{
    for (;;) {
        const char *word = before_indices(line, end);
        while (word > line && is_word(word[-1]))
            word--;
        if (word == line || word[-1] != '.')
            return word;
        end = word - 1;
    }
}

/* Where the longest "root[i].a.b" that begins at `from` ends; without indices at its end. */
static const char *
end_of_members(const char *from)
{
    const char *end = from;

    for (;;) {
        while (is_word(*from))
            from++;
        end = from;
        while (*from == '[' && strcspn(from, "]") < strcspn(from, "\n"))
            from += strcspn(from, "]") + 1;
        if (*from != '.' || !is_word(from[1]))
            return end;
        from++;
    }
}

/* Copies a place, with empty brackets for indices; false: it is not a member of `root`. */
static bool
copy_members(const char *line, const char *from, const char *end, const char *root, char *out,
             size_t cap)
{
    const size_t root_n = strlen(root);
    size_t n = 0;
    int depth = 0;
    bool has_member = false;

    if ((size_t)(end - from) <= root_n || strncmp(from, root, root_n) != 0 ||
        is_word(from[root_n]) || (from > line && from[-1] == '>') || (size_t)(end - from) >= cap)
        return false;
    for (; from < end; from++) {
        depth -= *from == ']';
        if (depth == 0)
            out[n++] = *from;
        has_member |= depth == 0 && *from == '.';
        depth += *from == '[';
    }
    out[n] = '\0';
    return has_member;
}

/* ++root.member: the instruction is at the operator. */
static bool
is_prefix_step(const char *line, const char *at)
{
    return (*at == '+' || *at == '-') && at[1] == *at && is_word(at[2]) &&
           (at == line || (!is_word(at[-1]) && at[-1] != ']'));
}

bool
burl__sourcetext_members(struct burl__instr *in, LLVMValueRef inst, const char *root, char *out,
                         size_t cap)
{
    const char *at;
    const char *line = line_of(in, inst, &at);

    if (line == NULL)
        return false;
    if (is_prefix_step(line, at))
        return copy_members(line, at + 2, end_of_members(at + 2), root, out, cap);
    const char *end = before_indices(line, end_of_place(line, at));
    const char *from = begin_of_members(line, end);
    /* A load of an element is where its place begins. */
    if (from == at)
        end = end_of_members(from);
    return copy_members(line, from, end, root, out, cap);
}

/* The next mention of the variable before the statement ends; NULL none. */
static const char *
next_mention(const char *line, const char *at, const char *root)
{
    const size_t n = strlen(root);

    for (; *at != '\0' && *at != '\n' && *at != ';'; at++) {
        if (strncmp(at, root, n) == 0 && !is_word(at[n]) &&
            (at == line || (!is_word(at[-1]) && at[-1] != '.')))
            return at;
    }
    return NULL;
}

bool
burl__sourcetext_argument(struct burl__instr *in, LLVMValueRef call, const char *root, char *out,
                          size_t cap)
{
    char other[BURL__NAME_B];
    const char *at;
    const char *line = line_of(in, call, &at);
    const char *from = line != NULL && is_word(*at) ? next_mention(line, at, root) : NULL;

    if (from == NULL || !copy_members(line, from, end_of_members(from), root, out, cap))
        return false;
    while ((from = next_mention(line, from + 1, root)) != NULL) {
        if (!copy_members(line, from, end_of_members(from), root, other, sizeof other) ||
            strcmp(other, out) != 0)
            return false;
    }
    return true;
}
