"""Vectors as pgvector has them on the wire: how many numbers, nothing, then each as float32, big-endian."""

import struct

import numpy as np

from assistant.conversation.documents import Vector

_HEAD = struct.Struct(">HH")


def to_wire(vector: Vector) -> bytes:
    """One of ours, as the database takes it.

    >>> to_wire(bytes.fromhex("0000803f")).hex()
    '000100003f800000'
    """
    numbers = np.frombuffer(vector, "<f4")
    return _HEAD.pack(len(numbers), 0) + numbers.astype(">f4").tobytes()


def from_wire(wire: bytes) -> Vector:
    """One of the database's, as we have it.

    >>> from_wire(bytes.fromhex("000100003f800000")).hex()
    '0000803f'
    """
    return np.frombuffer(wire, ">f4", offset=_HEAD.size).astype("<f4").tobytes()
