"""A model of one workgroup on an AMD GPU: it runs a kernel's LLVM IR on NumPy arrays.

All threads do an instruction at the same time, and every value is bits. That covers straight code
without arithmetic on floats other than SMFMAC's, which the model knows from AMD's documents and not
from the code that it tests.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

WAVE = 64
_UNSIGNED = {1: np.uint8, 8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
_BITS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
_BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "shl": np.left_shift,
    "lshr": np.right_shift,
}
_FLAGS = r"(?:nuw |nsw |exact |disjoint |nneg |inbounds |nusw |samesign )*"
_TYPE = r"<\d+ x \w+>|ptr addrspace\(\d\)|\w+"


def smfmac(
    a: np.ndarray, b: np.ndarray, sums: np.ndarray, index: np.ndarray, rows: int, part: int = 0
) -> np.ndarray:
    """One sparse product of a wave (AMD CDNA3 and CDNA4 ISA, "Sparse matrix fused multiply-add").

    Args:
        a: (64, 4) or (64, 8): what lanes have of the compressed left operand.
        b: (64, 8) or (64, 16): what lanes have of the right operand.
        sums: (64, rows * rows / 64): the accumulators of every lane.
        index: (64,): every lane's word of indices.
        rows: 16 or 32, of the result and its columns.
        part: Which of the sets of indices in a word is used (ABID).

    Returns:
        The new accumulators.
    """
    per_lane = a.shape[1]
    depth = 2 * per_lane * (WAVE // rows)
    left = np.zeros((rows, depth))
    for row, compressed in np.ndindex(rows, depth // 2):
        lane = rows * (compressed // per_lane) + row
        group = compressed // 2
        # A set has four bits for each of a lane's groups.
        place = 2 * per_lane * part + 4 * (group % (per_lane // 2))
        column = int(index[lane]) >> place >> (2 * (compressed % 2)) & 3
        left[row, 4 * group + column] += a[lane, compressed % per_lane]
    right = np.zeros((depth, rows))
    # Lanes with 16 elements have eight from each half of the depth.
    half = 8 * (WAVE // rows)
    for k, column in np.ndindex(depth, rows):
        right[k, column] = b[rows * (k % half // 8) + column, k % 8 + 8 * (k // half)]
    product = left @ right
    result = sums.copy()
    for row, column in np.ndindex(rows, rows):
        if rows == 16:
            register, lane = row % 4, 16 * (row // 4) + column
        else:
            register, lane = 4 * (row // 8) + row % 4, 32 * (row // 4 % 2) + column
        result[lane, register] += product[row, column]
    return result


class Workgroup:
    """Runs the kernel of a module's LLVM IR.

    Args:
        text: The module.
        threads: Size of the workgroup.
    """

    def __init__(self, text: str, threads: int):
        self.threads = threads
        header, body = re.search(r"define amdgpu_kernel .*?\((.*?)\).*?\{\n(.*?)\n\}", text, re.S)[
            0
        ].split("{\n", 1)
        self.parameters = re.findall(r"(%\w+)[,)]", header)
        self.lines = [line.split(", !dbg")[0].strip() for line in body.rstrip("}\n").split("\n")]

    def run(self, buffers: Sequence[np.ndarray]) -> None:
        """Runs the kernel on buffers, which it may write; they are its first parameters."""
        self.memory = {1: np.zeros(0, np.uint8), 3: np.zeros(65536, np.uint8)}
        starts = np.cumsum([0] + [buffer.nbytes for buffer in buffers])
        self.memory[1] = np.concatenate([buffer.reshape(-1).view(np.uint8) for buffer in buffers])
        self.values = {"@global_smem": np.zeros(self.threads, np.uint64)}
        for name, start in zip(self.parameters, starts, strict=False):
            self.values[name] = np.full(self.threads, start, np.uint64)
        for line in self.lines:
            name, _, operation = line.rpartition(" = ") if " = " in line else ("", "", line)
            result = self._execute(operation)
            if name:
                self.values[name] = result
        for buffer, start in zip(buffers, starts, strict=False):
            part = self.memory[1][start : start + buffer.nbytes]
            buffer.reshape(-1).view(np.uint8)[:] = part

    def _execute(self, line: str) -> np.ndarray | None:
        if not line or line.startswith((";", "fence ", "ret ")) or ".s.barrier(" in line:
            return None
        operation = line.split(" ", 1)[0]
        if " call " in f" {line}":
            return self._call(line)
        if operation in _BINARY:
            kind, a, b = re.fullmatch(
                rf"{operation} {_FLAGS}({_TYPE}) ([^,]+), (.+)", line
            ).groups()
            return _BINARY[operation](self._value(kind, a), self._value(kind, b))
        if operation in ("zext", "sext", "trunc", "bitcast"):
            kind, a, new = re.fullmatch(
                rf"{operation} {_FLAGS}({_TYPE}) (\S+) to ({_TYPE})", line
            ).groups()
            return self._convert(operation, kind, self._value(kind, a), new)
        return getattr(self, f"_{operation}", self._unknown)(line)

    def _unknown(self, line: str) -> None:
        raise NotImplementedError(f"the model does not know: {line}")

    def _call(self, line: str) -> np.ndarray:
        function, operands = re.search(r"@llvm\.amdgcn\.([\w.]+)\((.*)\)$", line).groups()
        arguments = [
            self._value(kind, value)
            for kind, value in re.findall(rf"({_TYPE}) (%[\w.]+|zeroinitializer|-?\d+)", operands)
        ]
        if function == "workitem.id.x":
            return np.arange(self.threads, dtype=np.uint32)
        lanes = np.arange(self.threads)
        if function.startswith("make.buffer.rsrc"):
            # Nothing here is out of bounds, so a buffer is its address.
            return arguments[0]
        if function.startswith("raw.ptr.buffer.load"):
            kind = re.match(rf"(?:tail )?call ({_TYPE}) ", line)[1]
            return self._read(1, kind, sum(part.astype(np.uint64) for part in arguments[:3]))
        if function == "readfirstlane.i32":
            return arguments[0][lanes // WAVE * WAVE]
        if function == "ds.bpermute":
            return arguments[1][lanes // WAVE * WAVE + (arguments[0] >> 2) % WAVE]
        if match := re.fullmatch(r"smfmac\.f32\.(\d+)x\d+x\d+\.(b?f16)", function):
            if arguments[4].any():
                raise NotImplementedError("CBSZ")
            a, b = (_to_float(bits, match[2]) for bits in arguments[:2])
            sums, index = arguments[2].view(np.float32), arguments[3]
            waves = [slice(start, start + WAVE) for start in range(0, self.threads, WAVE)]
            rows, part = int(match[1]), int(arguments[5][0])
            results = [smfmac(a[w], b[w], sums[w], index[w], rows, part) for w in waves]
            return np.concatenate(results).view(np.uint32)
        return self._unknown(line)

    def _value(self, kind: str, text: str) -> np.ndarray:
        """An operand of a type: (threads,), or (threads, elements) for a vector."""
        if text in self.values:
            return self.values[text]
        count, bits = _parse(kind)
        shape = (self.threads, count) if count else (self.threads,)
        if text in ("poison", "undef", "zeroinitializer", "false"):
            return np.zeros(shape, _UNSIGNED[bits])
        if text == "true":
            return np.ones(shape, _UNSIGNED[bits])
        return np.full(shape, int(text) % (1 << bits), _UNSIGNED[bits])

    def _convert(self, operation: str, kind: str, value: np.ndarray, new: str) -> np.ndarray:
        count, bits = _parse(new)
        if operation == "bitcast":
            value = np.ascontiguousarray(value).reshape(self.threads, -1).view(_UNSIGNED[bits])
            return value if count else value[:, 0]
        if operation == "sext":
            old = _parse(kind)[1]
            sign = value.astype(np.int64) >> (old - 1) & 1
            return (value.astype(np.int64) - (sign << old)).astype(_UNSIGNED[bits])
        return value.astype(_UNSIGNED[bits])

    def _select(self, line: str) -> np.ndarray:
        condition, kind, a, b = re.fullmatch(
            rf"select i1 (\S+), ({_TYPE}) (\S+), (?:{_TYPE}) (\S+)", line
        ).groups()
        return np.where(self._value("i1", condition), self._value(kind, a), self._value(kind, b))

    def _icmp(self, line: str) -> np.ndarray:
        predicate, kind, a, b = re.fullmatch(
            rf"icmp {_FLAGS}(\w+) ({_TYPE}) (\S+), (\S+)", line
        ).groups()
        compare = {"eq": np.equal, "ne": np.not_equal, "ult": np.less, "ugt": np.greater}
        if predicate not in compare:
            self._unknown(line)
        return compare[predicate](self._value(kind, a), self._value(kind, b)).astype(np.uint8)

    def _getelementptr(self, line: str) -> np.ndarray:
        element, space, base, kind, index = re.fullmatch(
            rf"getelementptr {_FLAGS}(\[\d+ x i8\]|\w+), ptr addrspace\((\d)\) (\S+), "
            rf"({_TYPE}) (\S+)",
            line,
        ).groups()
        size = int(element[1:].split()[0]) if element[0] == "[" else _parse(element)[1] // 8
        return self._value(f"ptr addrspace({space})", base) + self._value(kind, index).astype(
            np.uint64
        ) * np.uint64(size)

    def _read(self, space: int, kind: str, addresses: np.ndarray) -> np.ndarray:
        count, bits = _parse(kind)
        value = self.memory[space][_bytes_at(addresses, kind)].view(_UNSIGNED[bits])
        return value if count else value[:, 0]

    def _load(self, line: str) -> np.ndarray:
        kind, space, pointer = re.match(
            rf"load ({_TYPE}), ptr addrspace\((\d)\) (%[\w.]+|@\w+)", line
        ).groups()
        return self._read(int(space), kind, self.values[pointer])

    def _store(self, line: str) -> None:
        kind, value, space, pointer = re.match(
            rf"store ({_TYPE}) (\S+), ptr addrspace\((\d)\) (%[\w.]+|@\w+)", line
        ).groups()
        stored = np.ascontiguousarray(self._value(kind, value)).reshape(self.threads, -1)
        places = _bytes_at(self.values[pointer], kind)
        self.memory[int(space)][places] = stored.view(np.uint8)

    def _extractelement(self, line: str) -> np.ndarray:
        kind, vector, index = re.fullmatch(
            rf"extractelement ({_TYPE}) (\S+), i\d+ (\d+)", line
        ).groups()
        return self._value(kind, vector)[:, int(index)]

    def _insertelement(self, line: str) -> np.ndarray:
        kind, vector, element, value, index = re.fullmatch(
            rf"insertelement ({_TYPE}) (\S+), ({_TYPE}) (\S+), i\d+ (\d+)", line
        ).groups()
        result = self._value(kind, vector).copy()
        result[:, int(index)] = self._value(element, value)
        return result

    def _shufflevector(self, line: str) -> np.ndarray:
        kind, a, b, mask = re.fullmatch(
            rf"shufflevector ({_TYPE}) (\S+), (?:{_TYPE}) (\S+), <(\d+) x i32> .*", line
        ).groups()
        chosen = line.split("x i32> ")[-1]
        places = (
            [0] * int(mask)
            if chosen in ("zeroinitializer", "poison")
            else [0 if p == "poison" else int(p) for p in re.findall(r"i32 (\w+)", chosen)]
        )
        both = np.concatenate([self._value(kind, a), self._value(kind, b)], axis=1)
        return both[:, places]


def _parse(kind: str) -> tuple[int, int]:
    """Elements (0 for what is no vector) and bits of a type."""
    if match := re.fullmatch(r"<(\d+) x (\w+)>", kind):
        return int(match[1]), _parse(match[2])[1]
    if kind.startswith("ptr"):
        return 0, 64
    return 0, _BITS[kind] if kind in _BITS else int(kind[1:])


def _bytes_at(addresses: np.ndarray, kind: str) -> np.ndarray:
    """Where the bytes of a value of a type are: (threads, bytes)."""
    count, bits = _parse(kind)
    return addresses[:, None].astype(np.int64) + np.arange((count or 1) * bits // 8)


def _to_float(bits: np.ndarray, kind: str) -> np.ndarray:
    """float16 or bfloat16 from its bits."""
    if kind == "f16":
        return bits.view(np.float16).astype(np.float64)
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
