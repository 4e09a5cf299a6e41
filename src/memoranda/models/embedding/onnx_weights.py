"""Reads and replaces the weights of ONNX networks in a model's bytes.

An ONNX file is a Protocol Buffers message: fields, each with a number and a wire type
(https://protobuf.dev/programming-guides/encoding/). Field 7 of the file is the graph,
and field 5 of the graph a tensor of weights. No other field is parsed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

_GRAPH, _TENSOR = 7, 5
_TENSOR_NAME, _TENSOR_DATA = 8, 9


def tensors(model: bytes) -> dict[str, bytes]:
    """Return the little-endian data of each weight tensor by name.

    Raises:
        ValueError: the bytes are not a model.
    """
    return {name: bytes(data) for name, data in _tensors(memoryview(model)).items()}


def replacing(model: bytes, weights: Mapping[str, bytes]) -> bytes:
    """Return a model with other data in some tensors.

    Raises:
        ValueError: the bytes are not a model, or the model has no tensor with that name and length.
    """
    result = bytearray(model)
    found = _tensors(memoryview(result))
    for name, data in weights.items():
        if len(found.get(name, b"")) != len(data):
            raise ValueError(f"the model has no tensor {name} of {len(data)} bytes")
        found[name][:] = data
    return bytes(result)


def _tensors(model: memoryview) -> dict[str, memoryview]:
    """Return views of the tensors' data, writable if the model is writable."""
    result = {}
    for graph in _contents(model, _GRAPH):
        for tensor in _contents(graph, _TENSOR):
            for data in _contents(tensor, _TENSOR_DATA):
                (name,) = _contents(tensor, _TENSOR_NAME)
                result[bytes(name).decode()] = data
    return result


def _contents(message: memoryview, number: int) -> list[memoryview]:
    """Return the contents of the fields with the given field number."""
    return [message[inside:end] for field, _, inside, end in _fields(message) if field == number]


def _fields(message: memoryview) -> Iterator[tuple[int, int, int, int]]:
    """Yield the number, start, content start and end of each field."""
    at = 0
    while at < len(message):
        start = at
        tag, at = _number(message, at)
        inside = at
        match tag & 7:
            case 0:
                _, at = _number(message, at)
            case 1:
                at += 8
            case 2:
                length, inside = _number(message, at)
                at = inside + length
            case 5:
                at += 4
            case wire:
                raise ValueError(f"not a model in the ONNX format: wire type {wire}")
        yield tag >> 3, start, inside, at


def _number(message: memoryview, at: int) -> tuple[int, int]:
    """Decode a varint; return its value and its end.

    A varint has seven bits per byte, the least significant first.
    """
    found = shift = 0
    while True:
        if at >= len(message):
            raise ValueError("not a model in the ONNX format: it ends within a number")
        byte = message[at]
        at += 1
        found |= (byte & 0x7F) << shift
        if byte < 0x80:
            return found, at
        shift += 7
