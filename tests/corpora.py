"""The inputs of the fuzz targets (fuzz/corpus) as traces."""

import hashlib
import pathlib

CORPORA = pathlib.Path(__file__).resolve().parent.parent / "fuzz/corpus"
# Not traces, nor what a command reads.
OTHER_CORPORA = {"cobs", "description_text", "http_request"}
# Read beside a trace.
NO_TRACES = {"partial", "query", "table"}


def corpora():
    """All inputs that commands read, and what corpora they are of."""
    for corpus in sorted(CORPORA.iterdir()):
        if corpus.name not in OTHER_CORPORA:
            yield from ((corpus.name, path) for path in sorted(corpus.iterdir()))


def trace_of(corpus, path, folder):
    """The trace that an input is: of metadata and data stream files, between them the line `%%`, a directory below `folder`."""
    content = path.read_bytes()
    if not corpus.startswith("ctf_") and b"\n%%\n" not in content:
        return path
    place = folder / hashlib.sha256(f"{corpus}/{path.name}".encode()).hexdigest()[:16]
    place.mkdir()
    metadata, *streams = content.split(b"\n%%\n")
    (place / "metadata").write_bytes(metadata)
    for i, stream in enumerate(streams):
        (place / f"stream{i}").write_bytes(stream)
    return place


def sample(inputs, name_of, most):
    """Some of them, the same each time, whatever is added beside them; all if `most` is None."""
    return sorted(inputs, key=lambda each: hashlib.sha256(name_of(each).encode()).digest())[:most]
