"""Real pictures, packed by hand: small files of the three types, and what hostile ones are made of."""

from __future__ import annotations

import struct
import zlib

JPEG_START, JPEG_END = b"\xff\xd8", b"\xff\xd9"


def png_chunk(name: bytes, content: bytes = b"") -> bytes:
    """A chunk with its checksum."""
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png_header(width: int, height: int, *, depth: int = 8, colour: int = 2, more: bytes = b"\0\0\0") -> bytes:
    """The first chunk of a PNG."""
    return png_chunk(b"IHDR", struct.pack(">IIBB", width, height, depth, colour) + more)


def png(width: int = 3, height: int = 2, *extra: bytes, tail: bytes = b"") -> bytes:
    """A white PNG."""
    rows = (b"\0" + b"\xff" * 3 * width) * height if width * height < 10_000 else b""
    parts = [png_header(width, height), *extra, png_chunk(b"IDAT", zlib.compress(rows)), png_chunk(b"IEND")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts) + tail


def jpeg_segment(marker: int, content: bytes = b"") -> bytes:
    """A segment with its length."""
    return bytes([0xFF, marker]) + struct.pack(">H", len(content) + 2) + content


def jpeg_frame(width: int, height: int, *, marker: int = 0xC0, bits: int = 8, components: int = 3) -> bytes:
    """A start of frame."""
    tables = b"".join(bytes([n, 0x11, 0]) for n in range(1, components + 1))
    return jpeg_segment(marker, struct.pack(">BHHB", bits, height, width, components) + tables)


def jpeg_scan(coded: bytes = b"\x12\xff\x00\x34\xff\xd0\x56") -> bytes:
    """A scan with entropy-coded data, a stuffed byte and a restart among it."""
    return jpeg_segment(0xDA, b"\x01\x01\x00\x00\x3f\x00") + coded


def jpeg(width: int = 3, height: int = 2, *before: bytes, after: bytes = b"", tail: bytes = b"") -> bytes:
    """A JPEG as far as its structure goes."""
    exif = jpeg_segment(0xE1, b"Exif\0\0" + JPEG_START + jpeg_frame(160, 120) + JPEG_END)
    parts = [JPEG_START, exif, *before, jpeg_frame(width, height), jpeg_scan(), after, JPEG_END, tail]
    return b"".join(parts)


def riff(*chunks: bytes) -> bytes:
    """A WebP file of these chunks."""
    body = b"WEBP" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def webp_chunk(name: bytes, content: bytes) -> bytes:
    """A chunk, padded to an even length."""
    return name + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)


def vp8(width: int, height: int, *, tag: int = 0x10, code: bytes = b"\x9d\x01\x2a") -> bytes:
    """A lossy frame."""
    return webp_chunk(b"VP8 ", bytes([tag, 0, 0]) + code + struct.pack("<HH", width, height) + b"\0" * 9)


def vp8l(width: int, height: int, *, mark: int = 0x2F, version: int = 0) -> bytes:
    """A lossless frame."""
    bits = (width - 1) | (height - 1) << 14 | version << 29
    return webp_chunk(b"VP8L", struct.pack("<BI", mark, bits) + b"\0" * 6)


def vp8x(width: int, height: int, *, flags: int = 0) -> bytes:
    """An extended header."""
    sides = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return webp_chunk(b"VP8X", bytes([flags, 0, 0, 0]) + sides)
