"""The bundle for authors in other languages: the contract's sources, a descriptor set, and instructions."""

from __future__ import annotations

import re
from importlib import import_module, resources
from pathlib import Path
from pkgutil import iter_modules
from typing import Final

from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import FileDescriptor

from fudaba import v1
from fudaba.catalog import only_links_to, rule_pages
from fudaba.errors import FudabaError
from fudaba.v1 import policy_pb2

__all__ = [
    "DESCRIPTORS",
    "bundle",
    "contract_page",
    "descriptor_set",
    "glossary_page",
    "methods_page",
    "proto_sources",
    "verifying_page",
    "without_policies",
    "write_bundle",
    "write_sources",
]

DESCRIPTORS: Final = "fudaba.binpb"
"""The name of the descriptor set in a bundle."""

_FILES: Final = tuple(
    import_module(f"fudaba.v1.{name}")
    for _, name, _ in iter_modules(v1.__path__)
    if name.endswith("_pb2") and name != "policy_pb2"
)
_POLICIES: Final[str] = policy_pb2.DESCRIPTOR.name
"""The file of the methods' policies, which only servers read. Clients would generate code for it in vain."""
_POLICY: Final = re.compile(r" \{\n    option \(policy\) = \{\n(?:      .*\n)+    \};\n  \}$", re.MULTILINE)
"""The policy of a method in a source, as `buf format` writes it."""
# What refusals carry. Our files do not import them, but every client that reads a reason needs them.
_GOOGLE: Final = ("google/rpc/status.proto", "google/rpc/error_details.proto", "google/rpc/code.proto")


def proto_sources() -> Path:
    """Returns the folder of the contract's `.proto` files: in a wheel a copy, in a checkout the sources themselves."""
    here = Path(__file__).resolve().parent
    for folder in (here / "proto", here.parents[2] / "proto"):
        if (folder / "fudaba" / "v1" / "play.proto").is_file():
            return folder
    raise FudabaError("this installation lacks the .proto files; install fudaba again")


def contract_page() -> Path:
    """Returns the page `docs/contract.md`: in a wheel a copy, in a checkout the page itself."""
    return _page("contract.md")


def glossary_page() -> Path:
    """Returns the page `docs/glossary.md`, likewise."""
    return _page("glossary.md")


def methods_page() -> Path:
    """Returns the page `docs/methods.md`, likewise: who may call which method, and what a call costs."""
    return _page("methods.md")


def verifying_page() -> Path:
    """Returns the page `docs/verifying.md`, likewise: how to check a tournament, its deals and its results."""
    return _page("verifying.md")


def _page(name: str) -> Path:
    here = Path(__file__).resolve().parent
    for page in (here / name, here.parents[2] / "docs" / name):
        if page.is_file():
            return page
    raise FudabaError(f"this installation lacks {name}; install fudaba again")


def descriptor_set() -> descriptor_pb2.FileDescriptorSet:
    """Returns all files of the contract with their imports, each after its imports, without the policies."""
    found: dict[str, FileDescriptor] = {}

    def add(file: FileDescriptor) -> None:
        for needed in file.dependencies:
            if needed.name != _POLICIES:
                add(needed)
        found.setdefault(file.name, file)

    for module in _FILES:
        add(module.DESCRIPTOR)
    files = descriptor_pb2.FileDescriptorSet()
    for file in found.values():
        _copy_without_policies(file, files.file.add())
    return files


def _copy_without_policies(file: FileDescriptor, copy: descriptor_pb2.FileDescriptorProto) -> None:
    file.CopyToProto(copy)
    if _POLICIES not in copy.dependency:
        return
    copy.dependency.remove(_POLICIES)
    for service in copy.service:
        for method in service.method:
            method.options.ClearExtension(policy_pb2.policy)
            if not method.options.ByteSize():
                method.ClearField("options")


def _pages() -> dict[str, str]:
    """Returns the pages of a bundle, by their names in it.

    They link to each other as in docs/; other links are plain text.
    """
    pages = {f"rules/{name}": text for name, text in rule_pages().items()}
    for page in (contract_page(), glossary_page(), methods_page(), verifying_page()):
        pages[page.name] = page.read_text(encoding="utf-8")
    pages["README.md"] = resources.files("fudaba").joinpath("bundle.md").read_text(encoding="utf-8")
    return {name: text if "/" in name else only_links_to(pages, text) for name, text in pages.items()}


def write_bundle(folder: Path) -> list[Path]:
    """Writes the bundle into `folder`, which is created if needed, and returns the files' paths.

    Files of an earlier bundle are replaced. Raises `FudabaError` when the folder holds something else, and `OSError`.
    """
    if folder.is_dir() and any(folder.iterdir()) and not (folder / DESCRIPTORS).is_file():
        raise FudabaError(f"{folder} is not empty and holds no earlier bundle; name another folder")
    return _write(folder, bundle())


def bundle() -> dict[str, bytes]:
    """Returns the files of a bundle, by their names in it."""
    contents = _sources()
    contents |= {name: page.encode() for name, page in _pages().items()}
    contents[DESCRIPTORS] = descriptor_set().SerializeToString(deterministic=True)
    return contents


def write_sources(folder: Path) -> list[Path]:
    """Writes the `.proto` files alone into `folder`, and returns the files' paths. Raises `OSError`."""
    return _write(folder, _sources())


def _sources() -> dict[str, bytes]:
    """Returns the `.proto` files, by their names in a bundle."""
    sources, google = proto_sources(), resources.files("google.rpc")
    names = [module.DESCRIPTOR.name for module in _FILES]
    found = {name: without_policies((sources / name).read_text(encoding="utf-8")).encode() for name in names}
    return found | {name: google.joinpath(Path(name).name).read_bytes() for name in _GOOGLE}


def without_policies(source: str) -> str:
    """Returns a `.proto` file of the contract without the policies of its methods."""
    bare = source.replace(f'import "{_POLICIES}";\n', "").replace("\n\n\n", "\n\n")
    return _POLICY.sub(";", bare)


def _write(folder: Path, contents: dict[str, bytes]) -> list[Path]:
    written = []
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        written.append(path)
    return written
