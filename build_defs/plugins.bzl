"""Every plugin of this repository: //plugins/<name>."""

PLUGINS = [
    "tlx",
]
