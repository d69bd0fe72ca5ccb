"""Imports user code: always from the source that lies there. A file of compiled code beside it, which nobody has read, is neither used nor written."""

import importlib.machinery
import os
import sys

folders = []
modules = {}


class FromSource(importlib.machinery.SourceFileLoader):
    def path_stats(self, path):
        # With no date to compare with, compiled code is out of the question.
        raise OSError


class Finder:
    """Knows the modules that have a name of our making."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        file = modules.get(name)
        if file is None:
            return None
        spec = importlib.machinery.ModuleSpec(name, FromSource(name, file), origin=file)
        spec.has_location = True
        if os.path.basename(file) == "__init__.py":
            spec.submodule_search_locations = [os.path.dirname(file)]
        return spec


def finder_in(folder):
    """For what user code imports from its own folders."""
    if not any(folder == known or folder.startswith(known + os.sep) for known in folders):
        raise ImportError
    native = (importlib.machinery.ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES)
    return importlib.machinery.FileFinder(folder, native, (FromSource, importlib.machinery.SOURCE_SUFFIXES))


def know(folder):
    """From now on what lies in there is imported from its source."""
    if folder in folders:
        return
    if not folders:
        sys.meta_path.insert(0, Finder)
        sys.path_hooks.insert(0, finder_in)
    folders.append(folder)
    # A finder of the usual kind may stand there already.
    for known in [known for known in sys.path_importer_cache if known == folder or known.startswith(folder + os.sep)]:
        del sys.path_importer_cache[known]


def offer(folder):
    """The modules in there are for user code to import: those, and no others that have the same names."""
    if folder in folders:
        return
    know(folder)
    # For the packages above them, where no others are installed.
    sys.path.append(folder)
    for place, _, files in os.walk(folder):
        above = os.path.relpath(place, folder).split(os.sep) if place != folder else []
        for file in files:
            if file.endswith(".py"):
                modules[".".join([*above, file[:-3]])] = os.path.join(place, file)


def import_file(unit, path, name):
    path = os.path.abspath(path)
    folder = os.path.dirname(path)
    know(folder)
    unit._host.roots.append((folder + os.sep if os.path.basename(path) == "__init__.py" else path, unit))
    name = name or f"hookline_unit_{unit.number}_{os.path.basename(folder)}".replace(".", "_")
    modules[name] = path
    for loaded in [loaded for loaded in sys.modules if loaded == name or loaded.startswith(name + ".")]:
        del sys.modules[loaded]
    __import__(name)
    return sys.modules[name]
