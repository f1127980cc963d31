"""Every plugin of this repository: //plugins/<name>."""

PLUGINS = [
    "sparsity24",
    "tlx",
]
