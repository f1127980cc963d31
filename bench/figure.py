"""A figure of how fast kernels are beside the vendor's library, made from result files.

    python -m bench.figure bench/results/gemm-h200.json --out docs/gemm.svg

Those of bench.attention make docs/attention.svg. A dot is the ratio of the medians, and its line
the lowest and the highest ratio of one round.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import pathlib
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.figure

# A problem has one of them.
LIBRARIES = ("cuBLAS", "cuDNN")
# Colours that people with colour blindness tell apart, and another mark for each contender.
STYLES = {"TLX": ("#0072b2", "o"), "stock Triton": ("#d55e00", "s")}


def library_of(result: Mapping[str, Any]) -> str:
    """The vendor's library that a problem was measured beside."""
    (library,) = result["contenders"].keys() & set(LIBRARIES)
    return library


def ratios(result: Mapping[str, Any], contender: str) -> tuple[float, float, float]:
    """The median ratio to the library, and the lowest and the highest of all rounds."""
    figures, library = result["contenders"][contender], result["contenders"][library_of(result)]
    rounds = [
        ours / theirs for ours, theirs in zip(figures["rounds"], library["rounds"], strict=True)
    ]
    return figures["tflops"] / library["tflops"], min(rounds), max(rounds)


def label(result: Mapping[str, Any]) -> str:
    """A problem in one line."""
    if "head_dim" in result:
        causal = ", causal" if result["causal"] else ""
        return (
            f"{result['direction']}, head_dim {result['head_dim']}, S = {result['length']}, "
            f"{result['dtype']}{causal}"
        )
    return f"{result['m']} × {result['n']} × {result['k']}, {result['dtype']}"


def draw(results: Sequence[Mapping[str, Any]], title: str) -> matplotlib.figure.Figure:
    """Draws one row for each problem, the first at the top."""
    figure = matplotlib.figure.Figure(figsize=(8, 1.2 + 0.32 * len(results)), layout="constrained")
    axes = figure.subplots()
    axes.axvline(1.0, color="black", linewidth=1)
    for offset, (contender, (color, mark)) in zip((0.14, -0.14), STYLES.items(), strict=True):
        labels = {contender}
        for row, result in enumerate(reversed(results)):
            if contender not in result["contenders"]:
                continue
            median, low, high = ratios(result, contender)
            axes.plot([low, high], [row + offset] * 2, color=color, linewidth=1.5)
            axes.plot(
                median,
                row + offset,
                color=color,
                marker=mark,
                linestyle="none",
                label=labels.pop() if labels else None,
            )
    axes.set_yticks(range(len(results)), [label(result) for result in reversed(results)])
    axes.set_xlabel("speed / " + ", ".join(sorted({library_of(result) for result in results})))
    axes.set_title(title)
    axes.grid(axis="x", alpha=0.3)
    axes.legend(loc="best")
    return figure


def main(argv: Sequence[str]) -> int:
    """Draws the figure and returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="bench.figure",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "results",
        nargs="+",
        type=pathlib.Path,
        help="result files of bench.gemm or bench.attention",
    )
    parser.add_argument("--out", required=True, type=pathlib.Path, help="an SVG file to write")
    args = parser.parse_args(argv)
    folder = pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    documents = [json.loads((folder / path).read_text()) for path in args.results]
    gpus = ", ".join(sorted({document["machine"]["gpu"] for document in documents}))
    results = [result for document in documents for result in document["results"]]
    kinds = sorted({document["benchmark"] for document in documents})
    figure = draw(results, f"{', '.join(kinds)} on {gpus}")
    # The same results make the same file, without the blanks that matplotlib leaves at lines' ends.
    text = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "bench.figure", "svg.fonttype": "none"}):
        figure.savefig(text, format="svg", metadata={"Date": None})
    lines = (line.rstrip() for line in text.getvalue().splitlines())
    (folder / args.out).write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
