#!/usr/bin/env python3
"""Makes a wheel of the package for Python with the shared library inside.

make-wheel.py LIBRARY FOLDER    writes FOLDER/tracedeck-VERSION-py3-none-PLATFORM.whl and prints its name

The same inputs make the same bytes. https://packaging.python.org/en/latest/specifications/binary-distribution-format/
"""

import base64
import ctypes
import hashlib
import pathlib
import platform
import re
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def needed(library: pathlib.Path) -> tuple[set[str], tuple[int, int]]:
    """The libraries that a shared library is linked with, and the version of glibc that it needs."""
    read = subprocess.run(["readelf", "-dV", library], capture_output=True, text=True, check=True).stdout
    versions = {(int(major), int(minor)) for major, minor in re.findall(r"GLIBC_(\d+)\.(\d+)", read)}
    return set(re.findall(r"\(NEEDED\).*\[(.+?)\]", read)), max(versions)


def version_of(library: pathlib.Path) -> str:
    loaded = ctypes.CDLL(str(library))
    loaded.td_version.restype = ctypes.c_char_p
    return loaded.td_version().decode()


def main() -> int:
    library, folder = map(pathlib.Path, sys.argv[1:])
    libraries, (major, minor) = needed(library)
    if others := {name for name in libraries if not re.match(r"(lib(c|m|dl|pthread|rt)|ld-linux[-\w]*)\.so", name)}:
        print(f"{library} needs more than the C library: {', '.join(sorted(others))}", file=sys.stderr)
        return 1
    version = version_of(library)
    tag = f"py3-none-manylinux_{major}_{minor}_{platform.machine()}"
    files = {f"tracedeck/{path.name}": path.read_bytes() for path in sorted((ROOT / "python/tracedeck").glob("*.py*"))
             if path.suffix != ".pyc"}
    files["tracedeck/libtracedeck_c.so.1"] = library.read_bytes()
    info = f"tracedeck-{version}.dist-info"
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: tracedeck\nVersion: {version}\n"
        "Summary: Reads traces of dial9, Heph, Tonbandgerät and the Common Trace Format as columns and as events\n"
        "License: Apache-2.0\nRequires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n"
        + (ROOT / "docs/python.md").read_text(encoding="utf-8")
    ).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: tracedeck\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = f"{info}/RECORD"
    lines = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    files[record] = ("".join(lines) + f"{record},,\n").encode()
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"tracedeck-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
            archive.writestr(entry, data)
    print(wheel)
    return 0


if __name__ == "__main__":
    sys.exit(main())
