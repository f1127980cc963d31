"""Compiles kernels without a GPU."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, CompiledKernel, make_backend
from triton.runtime.jit import JITFunction

from . import activate
from .errors import PipelineError
from .kernel import PipelineKernel, innermost
from .target import parse_target

# The type of an argument, or those of a tuple's elements.
Type = str | tuple["Type", ...]


def compile(
    kernel: Any,
    *,
    signature: Mapping[str, Type],
    constexprs: Mapping[str, Any] | None = None,
    target: str | GPUTarget,
    options: Mapping[str, Any] | None = None,
    attrs: Mapping[str, str] | None = None,
) -> CompiledKernel:
    """Compiles a kernel for a target that need not be in the machine, under the pipelines that are
    active and those the kernel has.

    Args:
        kernel: A `@triton.jit` function, also under `use`, `autotune` or `heuristics` (whose values
            have to be given here).
        signature: Types of the run-time arguments by name: "*fp16", "i32", ...; "*fp16:16" also
            says that the value is divisible by 16, as Triton finds for an aligned tensor. A tuple
            of types for an argument that is a tuple.
        constexprs: Values of the `tl.constexpr` arguments by name.
        target: "cuda:90", "hip:gfx942", or a Triton `GPUTarget`.
        options: num_warps, num_stages, ...
        attrs: Further facts about arguments by name, in the letters of Triton's specialization: "D"
            divisible by 16, "S" (AMD) a tensor of less than 2 GiB.

    Returns:
        Triton's compiled kernel, with `asm` (every stage's text) and `metadata`.
    """
    gpu = parse_target(target)
    function = innermost(kernel)
    if not isinstance(function, JITFunction):
        raise PipelineError(
            "compile() takes a kernel: a function decorated with @triton.jit, with or without "
            "further decorators."
        )
    source = _source(function, signature, constexprs or {}, attrs or {}, make_backend(gpu))
    pipelines = function.pipelines if isinstance(function, PipelineKernel) else ()
    with activate.activated(pipelines):
        return triton.compile(source, target=gpu, options=dict(options or {}))


def _source(
    kernel: JITFunction,
    signature: Mapping[str, Type],
    constexprs: Mapping[str, Any],
    attrs: Mapping[str, str],
    backend: Any,
) -> ASTSource:
    _check_names(kernel, signature, constexprs, attrs)
    types, facts, constants = {}, {}, {}
    for index, name in enumerate(kernel.arg_names):
        if name in constexprs or name not in signature:
            types[name] = "constexpr"
            constants[(index,)] = (
                constexprs[name] if name in constexprs else kernel.params[index].default
            )
            continue
        types[name] = _without_hints(signature[name])
        for path, text in _leaves(signature[name], (index,)):
            letters = attrs.get(name, "") + ("D" if text.endswith(":16") else "")
            if letters:
                facts[path] = backend.parse_attr(letters)
    return ASTSource(kernel, types, constants, facts)


def _leaves(type: Type, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], str]]:
    """The types in a type, each with where it is, as Triton numbers the elements of tuples."""
    if isinstance(type, str):
        yield path, type
    else:
        for index, element in enumerate(type):
            yield from _leaves(element, (*path, index))


def _without_hints(type: Type) -> Type:
    if isinstance(type, str):
        return type.partition(":")[0]
    return tuple(map(_without_hints, type))


def _check_names(
    kernel: JITFunction,
    signature: Mapping[str, Type],
    constexprs: Mapping[str, Any],
    attrs: Mapping[str, str],
) -> None:
    given = signature.keys() | constexprs.keys()
    unknown = sorted((given | attrs.keys()) - set(kernel.arg_names))
    missing = [p.name for p in kernel.params if p.name not in given and not p.has_default]
    problems = []
    if unknown:
        problems.append(f"it has no arguments {', '.join(unknown)}")
    if missing:
        problems.append(f"nothing is given for {', '.join(missing)}")
    if problems:
        raise PipelineError(
            f"compile() cannot compile {kernel.__name__}({', '.join(kernel.arg_names)}): "
            f"{' and '.join(problems)}. Name every run-time argument in signature and every "
            "constexpr in constexprs."
        )
    hints = {
        name: text
        for name, type in signature.items()
        for _, text in _leaves(type)
        if text.partition(":")[2] not in ("", "16")
    }
    if hints:
        raise PipelineError(
            f"compile() does not know the hints in {hints}; the only one is ':16', for a value "
            "divisible by 16."
        )
