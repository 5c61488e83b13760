"""Damage to data streams."""

from .traces import AUXILIARY


def mutated(rng, data):
    """Bytes with one to three flips, cuts, insertions or removals; those of an auxiliary stream are left alone."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at = rng.randrange(len(data) + 1)
        # The packet header and context are worth more than their share.
        if rng.random() < 0.4:
            at = min(at, rng.randrange(40))
        kind = rng.random()
        if kind < 0.5 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif kind < 0.65 and at < len(data):
            data[at] = rng.choice((0, 0xFF, 0x80, 0x7F, rng.randrange(256)))
        elif kind < 0.78:
            del data[at:]
        elif kind < 0.9:
            data[at:at] = rng.randbytes(rng.randint(1, 9))
        else:
            del data[at : at + rng.randint(1, 9)]
    if data[:1] == AUXILIARY:
        data[0] ^= 1
    return bytes(data)
