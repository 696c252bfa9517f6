# SPDX-License-Identifier: Apache-2.0
#
# tests/support/schema.jq - checks a document against a JSON schema, as far as the schemas here need it.
#
#   jq -n -r -L tests/support --slurpfile s SCHEMA --slurpfile d DOCUMENT 'include "schema"; violations($s[0]; $d[0])'
#   jq -n -r -L tests/support --slurpfile s SCHEMA --slurpfile d DOCUMENT --slurpfile r OTHER \
#       'include "schema"; undocumented($s[0]; {"other.schema.json": $r[0]}; $d[0])'
#
# Prints a line for each violation. `undocumented` also resolves $ref into other schemas, by their file names, and
# counts members that an object with `properties` does not list: readers ignore those, a document of burl has none. Knows type, const, enum, required, properties, additionalProperties
# (false or a schema), items, minItems, maxItems, minimum, maximum, minLength, pattern, uniqueItems,
# oneOf, anyOf, and $ref within the document or into another one. An unknown keyword is a violation: a schema must not
# promise what is not checked.

def known: ["$schema", "$id", "$defs", "$comment", "title", "description", "type", "const", "enum", "required",
    "properties", "additionalProperties", "items", "minItems", "maxItems", "minimum", "maximum", "minLength",
    "pattern", "uniqueItems", "oneOf", "anyOf", "$ref"];

def is_type($t):
    if $t == "integer" then type == "number" and . == floor
    else type == $t end;

# The schema, with those that it may refer to.
def with_others($schema; $others): $schema + if $others then {"$others": $others} else {} end;

def check($root; $s; $at):
    . as $v
    | (($s | keys) - known | .[] | "\($at): the schema has the unknown keyword \(.)"),
      (if $s["$ref"] then
          ($s["$ref"] | split("#/")) as [$file, $path]
          | (if $file == "" then $root else $root | with_others(.["$others"][$file]; .["$others"]) end) as $there
          | ($there | getpath($path | split("/"))) as $r
          | if $r == null then "\($at): no \($s["$ref"]) in the schema"
            else $v | check($there; $r; $at) end
       else empty end),
      (if $s.type then
          ([$s.type] | flatten) as $types
          | if any($types[]; . as $t | $v | is_type($t)) then empty
            else "\($at): is \($v | type), not \($types | join(" or "))" end
       else empty end),
      (if ($s | has("const")) and $v != $s.const then "\($at): is \($v), not \($s.const)" else empty end),
      (if $s.enum and ($s.enum | index([$v]) | not) then "\($at): \($v) is none of \($s.enum)" else empty end),
      (if ($v | type) == "object" then
          (($s.required // [])[] | select(. as $k | $v | has($k) | not) | "\($at): has no \(.)"),
          ($v | to_entries[] | .key as $k
           | if ($s.properties // {}) | has($k) then .value | check($root; $s.properties[$k]; "\($at).\($k)")
             elif $s.additionalProperties == false then "\($at): unknown member \($k)"
             elif ($s.additionalProperties | type) == "object"
                 then .value | check($root; $s.additionalProperties; "\($at).\($k)")
             elif $root["$others"] and $s.properties then "\($at): the member \($k) is not documented"
             else empty end)
       elif ($v | type) == "array" then
          (if $s.minItems and ($v | length) < $s.minItems then "\($at): has fewer than \($s.minItems) items" else empty end),
          (if $s.maxItems and ($v | length) > $s.maxItems then "\($at): has more than \($s.maxItems) items" else empty end),
          (if $s.uniqueItems and ($v | unique | length) != ($v | length) then "\($at): has an item twice" else empty end),
          (if $s.items then range($v | length) as $i | $v[$i] | check($root; $s.items; "\($at)[\($i)]") else empty end)
       elif ($v | type) == "number" then
          (if $s.minimum and $v < $s.minimum then "\($at): \($v) is below \($s.minimum)" else empty end),
          (if $s.maximum and $v > $s.maximum then "\($at): \($v) is above \($s.maximum)" else empty end)
       elif ($v | type) == "string" then
          (if $s.minLength and ($v | length) < $s.minLength then "\($at): is too short" else empty end),
          (if $s.pattern and ($v | test($s.pattern) | not) then "\($at): \($v) does not match \($s.pattern)" else empty end)
       else empty end),
      (if $s.anyOf and ([$s.anyOf[] | . as $o | [$v | check($root; $o; $at)] | length] | min) > 0
          then "\($at): matches none of anyOf" else empty end),
      (if $s.oneOf and ([$s.oneOf[] | . as $o | [$v | check($root; $o; $at)] | select(length == 0)] | length) != 1
          then "\($at): does not match exactly one of oneOf" else empty end);

def violations($schema; $doc): $doc | check($schema; $schema; "$");
def undocumented($schema; $others; $doc): $doc | check(with_others($schema; $others); $schema; "$");
