"""TypeScript and JavaScript, and the single-file components that hold either."""

from __future__ import annotations

from graph.languages.typescript.language import TypeScript as TypeScript
from graph.languages.typescript.single_file import SingleFile

TYPESCRIPT = TypeScript("typescript", "typescript", (".ts", ".mts", ".cts"), excess_arguments=False)
TSX = TypeScript("typescript", "tsx", (".tsx",), excess_arguments=False)
JAVASCRIPT = TypeScript("javascript", "javascript", (".js", ".jsx", ".mjs", ".cjs"), excess_arguments=True)
VUE = SingleFile("vue", "typescript", (".vue",), excess_arguments=True)
SVELTE = SingleFile("svelte", "typescript", (".svelte",), excess_arguments=True)
