"""Mutants: the code with one small mistake in it, which some test ought to notice."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

OPERATORS = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "/", ast.Mod: "*",
    ast.Pow: "*", ast.LShift: ">>", ast.BitAnd: "|", ast.BitOr: "&",
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
    ast.And: "or", ast.Or: "and",
}  # fmt: skip
OPERATOR = re.compile(rb"not\s+in|is\s+not|\band\b|\bor\b|\bin\b|\bis\b|[-+*/%<>=!&|]+")
FUNCTIONS = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Mutant:
    """A file in which the bytes from `start` to `end` become `text`."""

    path: str
    line: int
    start: int
    end: int
    text: str

    def apply(self, source: bytes) -> bytes:
        return source[: self.start] + self.text.encode() + source[self.end :]

    def lines(self, source: bytes) -> tuple[str, str]:
        """The line as it is and as it becomes."""
        return tuple(
            text.splitlines()[self.line - 1].decode().strip()
            for text in (source, self.apply(source))
        )  # type: ignore[return-value]


def find_mutants(path: str, source: bytes) -> list[Mutant]:
    """Every mutant of a file that has one mistake, in the order of the lines."""
    finder = _Finder(path, source)
    finder.visit(ast.parse(source))
    return sorted(finder.found, key=lambda mutant: (mutant.start, mutant.end, mutant.text))


class _Finder(ast.NodeVisitor):
    """Walks through what runs; types, texts and the words of errors are left alone."""

    def __init__(self, path: str, source: bytes) -> None:
        self.found: list[Mutant] = []
        self._path, self._source = path, source
        self._lines = [0]
        for line in source.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._lines[node.lineno - 1] + node.col_offset
        return start, self._lines[node.end_lineno - 1] + node.end_col_offset

    def _add(self, start: int, end: int, text: str) -> None:
        line = self._source.count(b"\n", 0, start) + 1
        self.found.append(Mutant(self._path, line, start, end, text))

    def _replace(self, node: ast.expr | ast.stmt, text: str) -> None:
        self._add(*self._span(node), text)

    def _swap(self, left: ast.expr, operator: ast.AST, right: ast.expr) -> None:
        """Put another operator between two operands."""
        after, before = self._span(left)[1], self._span(right)[0]
        found = OPERATOR.search(self._source, after, before)
        if type(operator) in OPERATORS and found:
            self._add(*found.span(), OPERATORS[type(operator)])

    def _negate(self, test: ast.expr) -> None:
        """Turn a condition round, unless turning its parts does the same."""
        if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Constant):
            start, end = self._span(test)
            self._add(start, end, f"not ({self._source[start:end].decode()})")

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self._swap(node.left, node.op, node.right)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for left, right in pairwise(node.values):
            self._swap(left, node.op, right)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        operands = [node.left, *node.comparators]
        for (left, right), operator in zip(pairwise(operands), node.ops, strict=True):
            self._swap(left, operator, right)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        text = OPERATORS.get(type(node.op))
        found = OPERATOR.search(self._source, self._span(node.target)[1])
        if text and found:
            self._add(*found.span(), f"{text}=")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not | ast.USub):
            start = self._span(node)[0]
            self._add(start, start + len("not" if isinstance(node.op, ast.Not) else "-"), "")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._replace(node, str(not node.value))
        elif isinstance(node.value, int):
            self._replace(node, str(node.value + 1))
        elif isinstance(node.value, float):
            self._replace(node, repr(node.value * 2 or 1.0))

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
            self._replace(node.func, FUNCTIONS[node.func.id])
        self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg != "strict":  # without zip's own check, what was equally long still is
            self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self._replace(node, "pass")
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_If(self, node: ast.If | ast.While | ast.IfExp) -> None:
        self._negate(node.test)
        self.generic_visit(node)

    visit_While = visit_IfExp = visit_If  # noqa: N815

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for part in _not_none(*node.args.defaults, *node.args.kw_defaults, *node.body):
            self.visit(part)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for part in node.body:
            self.visit(part)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        for part in _not_none(node.value):
            self.visit(part)

    def _leave_alone(self, node: ast.AST) -> None:
        """What is said when something fails, and texts, whose places Python 3.11 gets wrong."""

    visit_Raise = visit_Assert = visit_JoinedStr = _leave_alone  # noqa: N815


def _not_none(*nodes: ast.AST | None) -> Iterator[ast.AST]:
    return (node for node in nodes if node is not None)
