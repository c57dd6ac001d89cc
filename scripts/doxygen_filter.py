#!/usr/bin/env python3
"""Doxygen's input filter: shows it the comments of a public header as it wants them.

The headers are commented in plain "//", as the rest of the sources are; Doxygen reads "///" and "///<".
Line for line, so that its warnings name the right one:

  - a comment right before a declaration, and one behind it on its line, document it
  - the comment that opens a file documents the file
  - "// ---- title" begins a group of members, which ends at the next one or with its class; further
    lines of that comment are the group's text
  - lines indented within a comment, behind an empty one, are code or a layout, and stay as they are

    doxygen_filter.py include/bennu/x.h
"""
import re
import sys

ONLY_COMMENT = re.compile(r"^(\s*)//(?!/)(.*)$")
BEHIND_CODE = re.compile(r"^(.*?[;,{)\w>}])(\s+)// ?(.*)$")
GROUP = re.compile(r"^\s*-{4} (.*)$")
# Lines that end a group: of the class, of the namespace, of an access.
GROUP_END = re.compile(r"^\s*(?:\};?|public:|protected:|private:|#)")
# Comments behind these say something about the line, not about a declaration.
NO_DECLARATION = re.compile(r"^\s*(?:[}#]|(?:public|protected|private):|namespace\b|return\b)|\{$")


def escaped(text):
    """Text whose characters Doxygen and Markdown would take for markup."""
    return re.sub(r"([\\<>@#*`$])", r"\\\1", text)


class Filter:
    def __init__(self, name, lines):
        self.name = name
        self.lines = lines
        self.group_indent = None  # of the open group
        self.behind_column = None  # where the comment behind the line before stood

    def block_end(self, first):
        """The index behind a block of comment lines with the same indent."""
        indent = ONLY_COMMENT.match(self.lines[first]).group(1)
        end = first
        while end < len(self.lines):
            match = ONLY_COMMENT.match(self.lines[end])
            if not match or match.group(1) != indent or (end > first and GROUP.match(match.group(2))):
                break
            end += 1
        return end

    def block_lines(self, first, end, opening):
        """The lines of a comment, marked; 'opening' stands before the first one's text."""
        result = []
        code = False
        empty_before = False
        for line in self.lines[first:end]:
            indent, text = ONLY_COMMENT.match(line).groups()
            text = text[1:] if text.startswith(" ") else text
            indented = text.startswith("  ")
            code = indented and (code or empty_before)
            empty_before = not text.strip()
            shown = "    " + text if code else escaped(text)
            result.append((indent + "/// " + (opening if not result else "") + shown).rstrip())
        return result

    def group_lines(self, first, end, heading):
        """The comment that begins a group: its title up to the first full stop, then its text."""
        indent = ONLY_COMMENT.match(self.lines[first]).group(1)
        texts = [heading] + [ONLY_COMMENT.match(line).group(2).strip()
                             for line in self.lines[first + 1:end]]
        if len(texts) > 1 and ". " in heading:
            heading, rest = heading.split(". ", 1)
            texts[:2] = [heading, rest + " " + texts[1]]
        texts = [escaped(text) for text in texts]
        texts[0] = self.close_group() + "/** @name " + texts[0]
        texts[-1] += " */ /** @{ */"
        return [indent + text for text in texts]

    def close_group(self):
        was_open = self.group_indent is not None
        self.group_indent = None
        return "/** @} */ " if was_open else ""

    def run(self):
        result = []
        i = 0
        while i < len(self.lines):
            line = self.lines[i]
            comment = ONLY_COMMENT.match(line)
            if comment is None:
                result.append(self.code_line(line))
                i += 1
                continue
            indent, text = comment.groups()
            if self.behind_column == len(indent):
                result.append(indent + "///< " + escaped(text.strip()))
                i += 1
                continue
            self.behind_column = None
            end = self.block_end(i)
            before_a_declaration = end < len(self.lines) and self.lines[end].strip()
            group = GROUP.match(text)
            if i == 0:
                result += self.block_lines(i, end, "@file " + self.name + " @brief ")
            elif group:
                result += self.group_lines(i, end, group.group(1))
                self.group_indent = len(indent)
            elif before_a_declaration:
                result += self.block_lines(i, end, "")
            else:
                result += self.lines[i:end]
            i = end
        return result

    def code_line(self, line):
        self.behind_column = None
        closing = ""
        if self.group_indent is not None and GROUP_END.match(line):
            if len(line) - len(line.lstrip()) < max(self.group_indent, 1):
                closing = self.close_group()
        behind = BEHIND_CODE.match(line)
        if behind and not NO_DECLARATION.search(behind.group(1)):
            code, blanks, text = behind.groups()
            self.behind_column = len(code) + len(blanks)
            text = re.sub(r"^NOLINT(?:\([\w-]+\))?;? ?", "", text)
            line = code + (blanks + "///< " + escaped(text) if text else "")
        return closing + line


def main():
    path = sys.argv[1]
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    name = path[path.rindex("bennu/"):] if "bennu/" in path else path
    sys.stdout.write("\n".join(Filter(name, lines).run()))


if __name__ == "__main__":
    main()
