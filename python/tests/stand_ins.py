"""Stand-ins for a GPU's driver and for a tensor, so that kernels can be launched without a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from triton.backends.compiler import GPUTarget


class Driver:
    """Stands in for a GPU's driver: kernels compile for sm_90 and a launch does nothing.

    Attributes:
        launches: Names of the kernels that were launched.
    """

    def __init__(self) -> None:
        self.launches: list[str] = []
        self.utils = self

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, device: int) -> int:
        return 0

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cuda", 90, 32)

    def get_device_properties(self, device: int) -> dict[str, int]:
        return {"max_shared_mem": 1 << 20}

    def load_binary(self, name: str, *args: Any) -> tuple[Any, ...]:
        return object(), object(), 0, 0, 1024

    def unload_module(self, module: Any) -> None:
        """Nothing was loaded."""

    def launcher_cls(self, source: Any, metadata: Any) -> Callable[..., None]:
        return lambda *args: self.launches.append(metadata.name)

    def get_benchmarker(self) -> Callable[..., list[float]]:
        def bench(call: Callable[[], None], quantiles: tuple[float, ...]) -> list[float]:
            call()
            return [1.0] * len(quantiles)

        return bench


class Pointer:
    """Stands in for a tensor."""

    dtype = "torch.float32"

    def data_ptr(self) -> int:
        return 4096
