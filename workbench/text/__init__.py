"""Text that is safe to show. Nothing that an agent writes reaches a terminal but through here.

`clean` and `clean_line` are for any text, `OutputCleaner` and `parse_line` for command output.
"""

from workbench.text.clean import clean, clean_bytes, clean_line
from workbench.text.output import Line, OutputCleaner, Span, parse_line
from workbench.text.raw import RawLine, raw_line
from workbench.text.style import PLAIN, Attr, Color, Style, apply_sgr
from workbench.text.width import (
    cell_width,
    char_width,
    cut,
    expand_tabs,
    fit,
    fit_start,
    index_at,
    pad,
    wrap,
)

__all__ = [
    "PLAIN",
    "Attr",
    "Color",
    "Line",
    "OutputCleaner",
    "RawLine",
    "Span",
    "Style",
    "apply_sgr",
    "cell_width",
    "char_width",
    "clean",
    "clean_bytes",
    "clean_line",
    "cut",
    "expand_tabs",
    "fit",
    "fit_start",
    "index_at",
    "pad",
    "parse_line",
    "raw_line",
    "wrap",
]
