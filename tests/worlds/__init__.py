"""Small simulators that know what happened, the traces a recorder would write of it, and the check of what is said of them.

README.md says what a world is and how to add one.
"""

import importlib

FAMILIES = ("linux", "ros2", "heph", "tokio", "rtos")


def family(name):
    """The module of a family; it has `World`, with `record(folder, loss)`, and `choose_loss(seed)`."""
    return importlib.import_module(f"{__name__}.{name}")


def sample(name, seed, folder):
    """Makes the world of a seed, records it below `folder` and returns the truth of the trace. Every second seed loses something."""
    module = family(name)
    return module.World(seed).record(folder, module.choose_loss(seed))
