"""Every plugin of this repository: //plugins/<name>."""

PLUGINS = [
    "layout",
    "sparsity24",
    "tlx",
    "warp_spec",
]
