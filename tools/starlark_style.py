"""Checks BUILD and .bzl files for the layout that buildifier gives them.

buildifier itself is in no package index that the project uses. Starlark reads as Python, so
Python's own parser and tokenizer do the reading; what buildifier would also rewrite and this does
not check is left to the author.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Sequence

# Arguments whose lists of strings buildifier sorts.
_SORTED_LISTS = frozenset(
    {"data", "deps", "exports", "hdrs", "srcs", "tags", "tools", "visibility"}
)
_OPENING = {"(": ")", "[": "]", "{": "}"}
_SKIPPED = (tokenize.NL, tokenize.COMMENT, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)

Finding = tuple[int, str]


def check(text: str, *, is_build_file: bool) -> list[Finding]:
    """Checks one file.

    Args:
        text: What the file holds.
        is_build_file: Whether it is a BUILD or MODULE.bazel file rather than a .bzl file.

    Returns:
        Line numbers and what is wrong there, in order.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        return [(error.lineno or 1, f"cannot be read: {error.msg}")]
    findings = list(_opening(text, tree, is_build_file))
    findings += _loads(tree)
    findings += _calls(tree)
    findings += _tokens(text)
    return sorted(findings)


def sort_key(label: str) -> tuple[int, list[str]]:
    """Where buildifier puts a string in a sorted list: plain names, then ":x", "//x" and "@x"."""
    phase = next(
        (index for index, start in enumerate((":", "//", "@"), 1) if label.startswith(start)), 0
    )
    return phase, label.replace(":", ".").split(".")


def _opening(text: str, tree: ast.Module, is_build_file: bool) -> Iterator[Finding]:
    if ast.get_docstring(tree) is None and not (is_build_file and text.startswith("# ")):
        wanted = (
            "a comment or docstring that says what the package is"
            if is_build_file
            else "a docstring"
        )
        yield 1, f"open with {wanted}"


def _loads(tree: ast.Module) -> Iterator[Finding]:
    loads = []
    for statement in tree.body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Name)
            and call.func.id == "load"
        ):
            loads.append(call)
    for call in loads:
        # buildifier puts loaded names before renamed ones, and sorts both.
        names = _strings(call.args[1:])
        renamed = [keyword.arg or "" for keyword in call.keywords]
        if names != sorted(names) or renamed != sorted(renamed):
            yield call.lineno, "sort the names that this load takes"
    labels = [(_strings(call.args[:1]), call.lineno) for call in loads]
    for (earlier, _), (later, line) in zip(labels, labels[1:], strict=False):
        if earlier and later and _load_key(earlier[0]) > _load_key(later[0]):
            yield line, f'sort the loads: "{later[0]}" comes before "{earlier[0]}"'


def _load_key(label: str) -> tuple[int, list[str]]:
    # Loads go the other way round than labels in lists: other repositories first, this package
    # last.
    phase = next(
        (index for index, start in enumerate(("@", "//", ":")) if label.startswith(start)), 3
    )
    return phase, label.replace(":", ".").split(".")


def _calls(tree: ast.Module) -> Iterator[Finding]:
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        names = [keyword.arg for keyword in call.keywords]
        if "name" in names[1:] and _is_rule(call):
            yield call.lineno, "put name first"
        for keyword in call.keywords:
            if keyword.arg in _SORTED_LISTS and isinstance(keyword.value, ast.List):
                labels = _strings(keyword.value.elts)
                if len(labels) == len(keyword.value.elts) and labels != sorted(
                    labels, key=sort_key
                ):
                    yield keyword.lineno, f"sort {keyword.arg}"


def _is_rule(call: ast.Call) -> bool:
    # Rules and macros take only keywords; functions such as struct() may order theirs as they like.
    return not call.args and isinstance(call.func, ast.Name) and call.func.id != "struct"


def _strings(nodes: Sequence[ast.expr]) -> list[str]:
    return [
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def _tokens(text: str) -> Iterator[Finding]:
    """Indentation, quotes, spaces around "=" and trailing commas."""
    # Each open bracket: whether its items take a trailing comma, its line and its column.
    brackets: list[list] = []
    previous: tokenize.TokenInfo | None = None
    line_start = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        line = token.start[0]
        if line_start and token.type not in (tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
            line_start = False
            aligned = brackets and token.start[1] == brackets[-1][2] + 1
            if token.start[1] % 4 and token.string and not aligned:
                yield line, "indent by multiples of 4 spaces"
        if token.type in (tokenize.NL, tokenize.NEWLINE):
            line_start = True
        if token.type == tokenize.STRING and token.string.lstrip("rRbB").startswith("'"):
            if '"' not in token.string:
                yield line, f"use double quotes: {token.string}"
        if token.string == "=" and brackets and token.type == tokenize.OP:
            around = token.line[token.start[1] - 1 : token.end[1] + 1]
            if around not in (" = ", " =\n"):
                yield line, "put spaces around ="
        if token.string in _OPENING and token.type == tokenize.OP:
            brackets.append([_takes_comma(token.string, previous), line, token.start[1]])
        elif (
            token.string in ("for", "**", "*")
            and brackets
            and token.type in (tokenize.NAME, tokenize.OP)
        ):
            # A comprehension takes no trailing comma; after **kwargs buildifier writes none.
            if token.string == "for" or (previous and previous.string in (",", "(")):
                brackets[-1][0] = False
        elif token.string in _OPENING.values() and token.type == tokenize.OP and brackets:
            takes_comma, opened, _ = brackets.pop()
            own_line = token.line[: token.start[1]].strip() == ""
            if takes_comma and own_line and opened != line and previous:
                if previous.string not in (",", *_OPENING):
                    yield previous.end[0], "end the last item with a comma"
        if token.type not in _SKIPPED:
            previous = token


def _takes_comma(bracket: str, previous: tokenize.TokenInfo | None) -> bool:
    # A bracket right after a name or another bracket is a call or a subscript, one elsewhere a
    # literal or a group.
    follows_value = previous is not None and (
        previous.string in _OPENING.values()
        or (previous.type == tokenize.NAME and previous.string not in _KEYWORDS)
    )
    return {"(": follows_value, "[": not follows_value, "{": True}[bracket]


_KEYWORDS = frozenset({"and", "else", "for", "if", "in", "not", "or", "return"})
