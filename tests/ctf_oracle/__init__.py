"""A second reader of CTF 2, and a maker of random CTF 2 traces, to test the fast reader with.

The reader (metadata, procedure, lines) is the decoding procedure of CTF2-SPECRC-3.0, section 6, and of
CTF2-SPEC-2.0, section 6, written down step by step and bit by bit, with the specification's names. It shares
nothing with the decoder that it tests. The maker (classes, encoder, traces, mutations) writes the same fields
the other way round and says by itself what they hold, so that each checks the other.

What the specification leaves open is decided as `docs/formats/ctf.md` says: the packet in which an error is
found is abandoned, its events before the error are delivered, and reading goes on at the next packet when the
total size of the packet is known and possible.
"""
