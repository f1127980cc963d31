"""@host_gpu: which GPUs this machine has."""

# The device node that the vendor's driver makes. A test's cache key holds the answer (through @host_gpu//:vendors.txt), so that a
# test which was skipped on one machine is not taken as passed on another.
GPU_DEVICES = {
    "amd": "/dev/kfd",
    "nvidia": "/dev/nvidiactl",
}

def _host_gpu_impl(rctx):
    vendors = [vendor for vendor, device in GPU_DEVICES.items() if rctx.path(device).exists]
    rctx.file("vendors.txt", "".join([vendor + "\n" for vendor in vendors]), executable = False)
    rctx.file("BUILD.bazel", """\
# The vendors whose GPUs this machine has, one a line.
exports_files(["vendors.txt"])
""", executable = False)

host_gpu_repository = repository_rule(
    implementation = _host_gpu_impl,
    doc = "Looks for GPUs anew whenever the Bazel server starts.",
    local = True,
)
