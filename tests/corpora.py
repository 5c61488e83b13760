"""The inputs of the fuzz targets (fuzz/corpus) as traces."""

import hashlib
import pathlib
import random

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


def changed(content, seed):
    """Damage that is the same each time."""
    dice = random.Random(seed)
    for _ in range(dice.randint(1, 4)):
        at = dice.randint(0, len(content))
        end = min(len(content), at + dice.choice((1, 1, 2, 4, 16)))
        put = dice.choice((b"", bytes([dice.randrange(256)]), b"\xff" * (end - at), content[at:end] * 2, dice.randbytes(end - at)))
        content = content[:at] + put + content[end:]
    return content


def trace_of(corpus, path, folder, seed=None):
    """The trace that an input is: of metadata and data stream files, between them the line `%%`, a directory below `folder`.

    With a `seed` it is changed before."""
    content = path.read_bytes() if seed is None else changed(path.read_bytes(), seed)
    place = folder / hashlib.sha256(f"{corpus}/{path.name}/{seed}".encode()).hexdigest()[:16]
    if not corpus.startswith("ctf_") and b"\n%%\n" not in content:
        if seed is not None:
            place.write_bytes(content)
        return path if seed is None else place
    place.mkdir()
    metadata, *streams = content.split(b"\n%%\n")
    (place / "metadata").write_bytes(metadata)
    for i, stream in enumerate(streams):
        (place / f"stream{i}").write_bytes(stream)
    return place


def sample(inputs, name_of, most):
    """Some of them, the same each time, whatever is added beside them; all if `most` is None."""
    return sorted(inputs, key=lambda each: hashlib.sha256(name_of(each).encode()).digest())[:most]
