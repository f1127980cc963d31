"""The repositories that MODULE.bazel asks for.

Each is fetched when a target first needs it, and is kept: later builds work offline.

| repository  | what                                              | given by the user instead           |
| ----------- | ------------------------------------------------- | ----------------------------------- |
| @mlir_sdk   | headers, .td files and mlir-tblgen of LLVM 23     | --repo_env=MLIR_SDK_DIR=<prefix>    |
| @triton     | the stock wheel that requirements.lock pins       | --repo_env=TRITON_SDK_DIR=<folder>  |
| @python_env | an interpreter of its own and the other pins      | --repo_env=PYTHON=<python3>         |
| @torch      | PyTorch, where there is a GPU to use it with      | --repo_env=TORCH=1 (always), =0     |
| @gdb        | a gdb that reads the wheel's DWARF                |                                     |
| @triton_3_7 | Triton 3.7.1, for tests of the loader             |                                     |
| @triton_3_8 | Triton 3.8.0, for tests of the loader             |                                     |
| @utlx       | a plugin of others for Triton 3.8.0               |                                     |
| @host_gpu   | which GPUs this machine has                       |                                     |
"""

load(":debian.bzl", "gdb_repository", "mlir_sdk_repository")
load(":host_gpu.bzl", "host_gpu_repository")
load(":other_tritons.bzl", "other_package_repository")
load(":python.bzl", "python_env_repository", "torch_repository")
load(":triton.bzl", "triton_repository")

def _sdk_impl(_module_ctx):
    gdb_repository(name = "gdb")
    host_gpu_repository(name = "host_gpu")
    mlir_sdk_repository(name = "mlir_sdk")
    python_env_repository(name = "python_env")
    torch_repository(name = "torch")
    triton_repository(name = "triton")
    other_package_repository(name = "triton_3_7", pin = "triton==3.7.1")
    other_package_repository(name = "triton_3_8", pin = "triton==3.8.0")
    other_package_repository(name = "utlx", pin = "triton-utlx==3.8.0.post16")

sdk = module_extension(implementation = _sdk_impl)
