"""Version of triton_plugins."""

__version__ = "0.1.0"
