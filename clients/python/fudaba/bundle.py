"""What authors in other languages need: the contract's sources, a descriptor set, and how to use them."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Final

from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import FileDescriptor

from fudaba.errors import FudabaError
from fudaba.v1 import (
    bots_pb2,
    catalog_pb2,
    errors_pb2,
    game_pb2,
    houniek_pb2,
    kamikisen_pb2,
    makhop_pb2,
    makkaik_pb2,
    matches_pb2,
    mokkaik_pb2,
    naga_pb2,
    namto_pb2,
    napoleon_pb2,
    nerts_pb2,
    niekhi_pb2,
    numbers_crush_pb2,
    play_pb2,
    record_pb2,
    tashot_pb2,
)

__all__ = ["DESCRIPTORS", "contract_page", "descriptor_set", "proto_sources", "write_bundle"]

DESCRIPTORS: Final = "fudaba.binpb"
"""The name of the descriptor set in a bundle."""

_FILES: Final = (
    bots_pb2,
    catalog_pb2,
    errors_pb2,
    game_pb2,
    houniek_pb2,
    kamikisen_pb2,
    makhop_pb2,
    makkaik_pb2,
    matches_pb2,
    mokkaik_pb2,
    naga_pb2,
    namto_pb2,
    napoleon_pb2,
    nerts_pb2,
    niekhi_pb2,
    numbers_crush_pb2,
    play_pb2,
    record_pb2,
    tashot_pb2,
)
# What refusals carry. Our files do not import them, but every client that reads a reason needs them.
_GOOGLE: Final = ("google/rpc/status.proto", "google/rpc/error_details.proto", "google/rpc/code.proto")


def proto_sources() -> Path:
    """The folder of the contract's `.proto` files: in a wheel a copy, in a checkout the sources themselves."""
    here = Path(__file__).resolve().parent
    for folder in (here / "proto", here.parents[2] / "proto"):
        if (folder / "fudaba" / "v1" / "play.proto").is_file():
            return folder
    raise FudabaError("this installation lacks the .proto files; install fudaba again")


def contract_page() -> Path:
    """The page `docs/contract.md`: in a wheel a copy, in a checkout the page itself."""
    here = Path(__file__).resolve().parent
    for page in (here / "contract.md", here.parents[2] / "docs" / "contract.md"):
        if page.is_file():
            return page
    raise FudabaError("this installation lacks contract.md; install fudaba again")


def descriptor_set() -> descriptor_pb2.FileDescriptorSet:
    """All files of the contract with everything they import, each after what it imports."""
    found: dict[str, FileDescriptor] = {}

    def add(file: FileDescriptor) -> None:
        for needed in file.dependencies:
            add(needed)
        found.setdefault(file.name, file)

    for module in _FILES:
        add(module.DESCRIPTOR)
    files = descriptor_pb2.FileDescriptorSet()
    for file in found.values():
        file.CopyToProto(files.file.add())
    return files


def write_bundle(folder: Path) -> list[Path]:
    """Writes the bundle into `folder`, which is made if need be, and returns the files' paths.

    Files of an earlier bundle are replaced. Raises `FudabaError` when the folder holds something else, and `OSError`.
    """
    if folder.is_dir() and any(folder.iterdir()) and not (folder / DESCRIPTORS).is_file():
        raise FudabaError(f"{folder} is not empty and holds no earlier bundle; name another folder")
    contents: dict[str, bytes] = {}
    sources = proto_sources()
    for module in _FILES:
        name = module.DESCRIPTOR.name
        contents[name] = (sources / name).read_bytes()
    google = resources.files("google.rpc")
    for name in _GOOGLE:
        contents[name] = google.joinpath(Path(name).name).read_bytes()
    contents["contract.md"] = contract_page().read_bytes()
    contents["README.md"] = resources.files("fudaba").joinpath("bundle.md").read_bytes()
    contents[DESCRIPTORS] = descriptor_set().SerializeToString(deterministic=True)
    written = []
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        written.append(path)
    return written
