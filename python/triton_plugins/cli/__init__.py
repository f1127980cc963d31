"""The command line, `python -m triton_plugins`: one module a command.

A command's module has `add_arguments(parser)` and `run(args, out)`, which returns the exit status.
"""
