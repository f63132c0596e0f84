"""WAV files as recorders, editors and broken disks leave them."""

import struct
from collections.abc import Sequence

PCM, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE
SUBFORMAT_TAIL = bytes.fromhex("000000001000800000aa00389b71")


def packed(sample: float, bits: int, kind: int = PCM) -> bytes:
    """Return one sample, full scale -1 to 1, as *kind* of *bits* has it."""
    if kind == FLOAT:
        return struct.pack("<f" if bits == 32 else "<d", sample)
    if bits == 8:
        return struct.pack("B", max(0, min(255, round(sample * 128) + 128)))
    top = 1 << (bits - 1)
    number = max(-top, min(top - 1, round(sample * top)))
    return number.to_bytes(bits // 8, "little", signed=True)


def chunk(name: bytes, content: bytes, size: int | None = None) -> bytes:
    """Return a chunk, padded to an even length; *size* is what it claims instead of its own."""
    claimed = len(content) if size is None else size
    return name + struct.pack("<I", claimed) + content + bytes(len(content) % 2)


def fmt(
    kind: int,
    channels: int,
    rate_hz: int,
    bits: int,
    *,
    frame_bytes: int | None = None,
    extensible: bool = False,
) -> bytes:
    """Return a format chunk; *frame_bytes* is what it claims instead of the truth."""
    block = channels * bits // 8 if frame_bytes is None else frame_bytes
    tag = EXTENSIBLE if extensible else kind
    plain = struct.pack(
        "<HHIIHH", tag, channels, rate_hz, rate_hz * block & 0xFFFFFFFF, block & 0xFFFF, bits
    )
    if extensible:
        plain += struct.pack("<HHIH", 22, bits, 0, kind) + SUBFORMAT_TAIL
    return chunk(b"fmt ", plain)


def riff(*chunks: bytes, magic: bytes = b"RIFF", size: int | None = None) -> bytes:
    """Return a whole file of *chunks*."""
    content = b"WAVE" + b"".join(chunks)
    return magic + struct.pack("<I", len(content) if size is None else size) + content


def wav(
    *channels: Sequence[float],
    rate_hz: int = 8000,
    bits: int = 16,
    kind: int = PCM,
    extensible: bool = False,
    before: Sequence[bytes] = (),
    size: int | None = None,
) -> bytes:
    """Return a WAV file of *channels*; *before* lies before its samples, *size* is claimed."""
    frames = b"".join(
        packed(sample, bits, kind) for frame in zip(*channels, strict=True) for sample in frame
    )
    head = fmt(kind, len(channels), rate_hz, bits, extensible=extensible)
    return riff(head, *before, chunk(b"data", frames, size))
