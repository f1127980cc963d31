"""Finding and loading libraries."""

import os
import shutil
import subprocess
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from triton._C.libtriton import ir, passes

import triton_plugins
from triton_plugins import (
    PluginConflictError,
    PluginFileError,
    PluginMismatchError,
    PluginNotFoundError,
    loading,
    search,
)


def test_load_path(make_library):
    path = make_library()
    plugin = triton_plugins.load_path(path)
    name = plugin.name
    assert plugin.path == path
    assert hasattr(passes.plugin, f"add_{name}_pass")
    assert hasattr(ir.builder, f"create_{name}_op")
    assert loading.pass_owner(f"{name}_pass") is plugin
    assert loading.op_owner(f"{name}_op") is plugin


def test_twice_is_once(make_library, tmp_path):
    path = make_library()
    plugin = triton_plugins.load_path(path)
    assert triton_plugins.load_path(str(path)) is plugin
    link = tmp_path / "link.so"
    link.symlink_to(path)
    assert triton_plugins.load_path(link) is plugin
    copy = shutil.copy(path, tmp_path / "copy.so")
    assert triton_plugins.load_path(copy) is plugin
    assert triton_plugins.load(plugin.name) == (plugin,)
    assert [p.name for p in triton_plugins.loaded()].count(plugin.name) == 1


def test_a_library_without_a_note_tells_its_table(wheel_plugins):
    plugin = triton_plugins.load_path(wheel_plugins / "libMLIRDialectPlugin.so")
    assert not plugin.has_note
    assert plugin.note.passes == ("plugingpu_conversion",)
    assert plugin.note.ops == ("custom_op",)
    assert plugin.note.dialects == ("DialectPlugin",)


def test_changed_on_disk(make_library):
    path = make_library()
    triton_plugins.load_path(path)
    # In place, as a careless copy does, would crash the process; a linker makes a new file.
    rebuilt = path.with_suffix(".new")
    rebuilt.write_bytes(path.read_bytes() + b"\0")
    rebuilt.replace(path)
    with pytest.raises(
        PluginMismatchError, match=r"changed on disk after it was loaded.*Start a new process"
    ):
        triton_plugins.load_path(path)


@pytest.mark.parametrize("kind", ["passes", "ops", "dialects"])
def test_name_clash(make_library, kind):
    first = triton_plugins.load_path(make_library(**{kind: [f"shared_{kind}"]}))
    path = make_library(**{kind: ["mine", f"shared_{kind}"]})
    with pytest.raises(PluginConflictError) as error:
        triton_plugins.load_path(path)
    for part in (str(path), str(first.path), kind, f"shared_{kind}"):
        assert part in str(error.value)
    assert str(path) not in map(str, (p.path for p in triton_plugins.loaded()))


def test_two_builds_of_one_plugin(make_library):
    first = triton_plugins.load_path(make_library())
    path = make_library(first.name, version="0.2.0")
    with pytest.raises(PluginConflictError, match="two different builds") as error:
        triton_plugins.load_path(path)
    assert str(path) in str(error.value)
    assert str(first.path) in str(error.value)


def test_threads(make_library):
    paths = [make_library() for _ in range(4)]
    with ThreadPoolExecutor(8) as pool:
        plugins = list(pool.map(triton_plugins.load_path, paths * 8))
    assert len({id(plugin) for plugin in plugins}) == 4


def test_paths_variable(make_library, monkeypatch):
    path, other = make_library(), make_library()
    monkeypatch.setenv("TRITON_PLUGIN_PATHS", f"{path}:{other}")
    (plugin,) = triton_plugins.load(path.stem.removeprefix("lib"))
    assert plugin.path == path
    # Triton 3.8 would have loaded all of them.
    assert other in [p.path for p in triton_plugins.loaded()]


@pytest.mark.parametrize("value", [":", "a.so:", ":a.so", "a.so::b.so", " "])
def test_empty_entry_in_paths_variable(monkeypatch, value):
    monkeypatch.setenv("TRITON_PLUGIN_PATHS", value)
    with pytest.raises(PluginFileError, match="TRITON_PLUGIN_PATHS has an empty entry"):
        triton_plugins.load("x")


def test_missing_entry_in_paths_variable(monkeypatch, tmp_path):
    monkeypatch.setenv("TRITON_PLUGIN_PATHS", str(tmp_path / "libgone.so"))
    with pytest.raises(
        PluginFileError, match="libgone.so.*No such file.*TRITON_PLUGIN_PATHS names this library"
    ):
        triton_plugins.load("x")


def test_a_bad_entry_leaves_the_others_alone(make_library, monkeypatch, tmp_path):
    first, last, apart = (make_library() for _ in range(3))
    gone = tmp_path / "libgone.so"
    monkeypatch.setenv("TRITON_PLUGIN_PATHS", f"{first}:{gone}:{last}")
    name = apart.stem.removeprefix("lib")
    monkeypatch.setattr(triton_plugins.search, "find", {name: apart}.__getitem__)
    with pytest.warns(RuntimeWarning, match="libgone.so.*TRITON_PLUGIN_PATHS names this library"):
        (plugin,) = triton_plugins.load(name)
    assert plugin.path == apart
    assert {first, last} < {p.path for p in triton_plugins.loaded()}
    with pytest.raises(PluginFileError, match="libgone.so"):
        triton_plugins.load()


def test_variable_is_honoured_by_the_import(make_library):
    path = make_library()
    code = "import triton, triton_plugins; print([str(p.path) for p in triton_plugins.loaded()])"
    ran = _python(code, TRITON_PLUGIN_PATHS=str(path))
    assert ran.stdout.strip() == f"['{path}']"


def test_import_survives_a_bad_variable():
    ran = _python("import triton_plugins; print('alive')", TRITON_PLUGIN_PATHS="/nowhere/libx.so")
    assert ran.stdout.strip() == "alive"
    assert "RuntimeWarning: '/nowhere/libx.so' cannot be read" in ran.stderr


def _python(code, **env):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **env}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )


def test_not_found(monkeypatch, tmp_path):
    with pytest.raises(PluginNotFoundError, match=r"No plugin named 'nosuch'.*load_path"):
        triton_plugins.load("nosuch")


def _package(folder, name):
    package = folder / "triton_plugins" / name
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError('finding a plugin must not import it')")
    return package


def test_library_beside_the_package(make_library, monkeypatch, tmp_path):
    path = make_library()
    name = path.stem.removeprefix("lib")
    package = _package(tmp_path, name)
    path.rename(package / path.name)
    monkeypatch.setattr(triton_plugins, "__path__", [*triton_plugins.__path__, str(package.parent)])
    assert search.installed()[name] == package / path.name
    (plugin,) = triton_plugins.load(name)
    assert plugin.path == package / path.name


def test_library_in_the_plugins_folder(make_library, monkeypatch, tmp_path):
    path = make_library()
    name = path.stem.removeprefix("lib")
    room = tmp_path / "plugins" / name
    package = _package(room / "python", name)
    path.rename(room / path.name)
    monkeypatch.setattr(triton_plugins, "__path__", [*triton_plugins.__path__, str(package.parent)])
    (plugin,) = triton_plugins.load(name)
    assert plugin.path == room / path.name


@pytest.mark.parametrize("value", ["{package}", "{package}:LIBRARY", "{package}:library"])
def test_entry_point(make_library, monkeypatch, tmp_path, value):
    path = make_library()
    name = path.stem.removeprefix("lib")
    package = tmp_path / f"package_of_{name}"
    package.mkdir()
    library = package / path.name
    path.rename(library)
    (package / "__init__.py").write_text(
        f"LIBRARY = {str(library)!r}\ndef library(): return LIBRARY\n"
    )
    metadata = tmp_path / f"{name}-0.1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1\n")
    entry = value.format(package=package.name)
    (metadata / "entry_points.txt").write_text(f"[triton.plugins]\n{name} = {entry}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert search.installed()[name] == library
    (plugin,) = triton_plugins.load(name)
    assert plugin.path == library


def test_two_packages_with_one_name(make_library, monkeypatch, tmp_path):
    name = f"t{uuid.uuid4().hex[:8]}"
    libraries = [make_library(name), make_library(name, version="0.2.0")]
    for index, library in enumerate(libraries):
        package = f"package_{index}_of_{name}"
        (tmp_path / f"{package}.py").write_text(f"LIBRARY = {str(library)!r}")
        metadata = tmp_path / f"{package}-0.1.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1\n"
        )
        (metadata / "entry_points.txt").write_text(
            f"[triton.plugins]\n{name} = {package}:LIBRARY\n"
        )
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(PluginConflictError, match="More than one installed package") as error:
        triton_plugins.load(name)
    for index, library in enumerate(libraries):
        assert str(library) in str(error.value)
        assert f"entry point of package_{index}_of_{name}" in str(error.value)
    monkeypatch.setenv("TRITON_PLUGIN_PATHS", str(libraries[1]))
    assert triton_plugins.load(name)[0].note.version == "0.2.0"


def test_digest_covers_library_and_package(make_library, monkeypatch, tmp_path):
    path = make_library()
    name = path.stem.removeprefix("lib")
    package = _package(tmp_path, name)
    monkeypatch.setattr(triton_plugins, "__path__", [*triton_plugins.__path__, str(package.parent)])
    contents = path.read_bytes()
    first = loading._digest(name, contents)
    (package / "ops.py").write_text("def op(): pass")
    second = loading._digest(name, contents)
    assert len({first, second, loading._digest(name, contents + b"\0")}) == 3
