"""Screenshots of pages: what the bytes of a picture say of it, read from its own structure. Pure.

Nothing is decoded. Type, width and height come from where a decoder takes them: PNG's ``IHDR``, JPEG's start of frame, the
inner frame of a WebP. A name or a declared type proves nothing, and neither does a thumbnail inside a picture.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["ENDINGS", "MAX_BYTES", "MAX_PIXELS", "MAX_SIDE", "NotAPicture", "Shape", "shape_of"]

MAX_BYTES = 5 * 2**20
MAX_SIDE = 8_000
"""Pixels of a side."""
MAX_PIXELS = 32_000_000
"""Pixels of a picture: some 128 MB once decoded, whatever few bytes it was packed into."""

ENDINGS = {".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp"}
"""The endings of pictures beside a page, with their media types."""

_PNG = b"\x89PNG\r\n\x1a\n"
# Bits of a sample that go with each type of colour.
_PNG_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
# Of entropy-coded data: the next marker that is neither a stuffed byte, a restart nor a fill byte.
_JPEG_MARKER = re.compile(rb"\xff+([^\x00\xd0-\xd7\xff])", re.DOTALL)
_JPEG_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_JPEG_BARE = frozenset({*range(0x01, 0xC0), 0xD8})  # without a length, or reserved
_JPEG_END, _JPEG_SCAN = 0xD9, 0xDA
_WEBP_MOVES = 0x02  # flag of an extended header


class NotAPicture(ValueError):
    """These bytes are no picture that may be shown; the message says why, to follow the file's name."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a picture is: its media type, width and height in pixels."""

    media_type: str
    width: int
    height: int


def shape_of(data: bytes) -> Shape:
    """What the bytes are.

    :raises NotAPicture: no PNG, JPEG or WebP, a broken or an animated one, or one that is too large in bytes or pixels.
    """
    if len(data) > MAX_BYTES:
        raise NotAPicture(f"has more than {MAX_BYTES:,} bytes")
    try:
        shape = _shape(data)
    except (struct.error, IndexError):
        raise NotAPicture("ends in the middle") from None
    if not shape.width or not shape.height:
        raise NotAPicture("has no width or no height")
    if max(shape.width, shape.height) > MAX_SIDE or shape.width * shape.height > MAX_PIXELS:
        raise NotAPicture(
            f"has {shape.width:,} × {shape.height:,} pixels; at most {MAX_SIDE:,} a side and {MAX_PIXELS:,} in all"
        )
    return shape


def _shape(data: bytes) -> Shape:
    if data.startswith(_PNG):
        return Shape("image/png", *_png(data))
    if data.startswith(b"\xff\xd8\xff"):
        return Shape("image/jpeg", *_jpeg(data))
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return Shape("image/webp", *_webp(data))
    raise NotAPicture("is neither PNG, JPEG nor WebP")


# ------------------------------------------------------------------ PNG
def _png(data: bytes) -> tuple[int, int]:
    names = []
    for name, end in _png_chunks(data):
        names.append(name)
        if name == b"IEND" and end != len(data):
            raise NotAPicture("goes on after its end")
    if names[:1] != [b"IHDR"] or names[-1] != b"IEND" or names.count(b"IHDR") != 1 or b"IDAT" not in names:
        raise NotAPicture("is no whole PNG")
    if b"acTL" in names:
        raise NotAPicture("is animated")
    return _png_header(data[len(_PNG) :])


def _png_chunks(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Name and end of each chunk, the end mark being the last."""
    start = len(_PNG)
    while start < len(data):
        (length,) = struct.unpack_from(">I", data, start)
        end = start + 12 + length
        if end > len(data):
            raise NotAPicture("ends in the middle")
        name = data[start + 4 : start + 8]
        yield name, end
        if name == b"IEND":
            return
        start = end


def _png_header(chunk: bytes) -> tuple[int, int]:
    length, _, width, height, depth, colour, packing, filtering, lacing, check = struct.unpack_from(
        ">I4sIIBBBBBI", chunk
    )
    is_known = depth in _PNG_DEPTHS.get(colour, ()) and (packing, filtering) == (0, 0) and lacing in (0, 1)
    if length != 13 or not is_known or zlib.crc32(chunk[4:21]) != check:
        raise NotAPicture("has a broken PNG header")
    return width, height


# ------------------------------------------------------------------ JPEG
def _jpeg(data: bytes) -> tuple[int, int]:
    frames: list[tuple[int, int]] = []
    scanned = False
    for marker, start, length in _jpeg_segments(data):
        if marker in _JPEG_FRAMES:
            frames.append(_jpeg_frame(data, start, length))
        scanned = scanned or marker == _JPEG_SCAN
        if marker == _JPEG_SCAN and not frames:
            raise NotAPicture("has a JPEG scan before its frame")
        if marker == _JPEG_END and start != len(data):
            raise NotAPicture("goes on after its end")
    if len(frames) != 1 or not scanned:
        raise NotAPicture("is no JPEG with one frame")
    return frames[0]


def _jpeg_segments(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Marker, start and length of the content of each segment to the end marker."""
    place = 2
    while True:
        found = _JPEG_MARKER.match(data, place)
        if found is None:
            raise NotAPicture("is broken between two JPEG segments")
        marker, start = found[1][0], found.end()
        if marker == _JPEG_END:
            yield marker, start, 0
            return
        if marker in _JPEG_BARE:  # a decoder would read on in another way than we
            raise NotAPicture("is broken between two JPEG segments")
        (length,) = struct.unpack_from(">H", data, start)
        if length < 2 or start + length > len(data):
            raise NotAPicture("ends in the middle")
        yield marker, start + 2, length - 2
        place = start + length
        if marker == _JPEG_SCAN:
            following = _JPEG_MARKER.search(data, place)
            if following is None:
                raise NotAPicture("ends in the middle")
            place = following.start()


def _jpeg_frame(data: bytes, start: int, length: int) -> tuple[int, int]:
    bits, height, width, components = struct.unpack_from(">BHHB", data, start)
    if bits not in (8, 12) or components not in (1, 3, 4) or length != 6 + 3 * components:
        raise NotAPicture("has a broken JPEG frame")
    return width, height


# ------------------------------------------------------------------ WebP
def _webp(data: bytes) -> tuple[int, int]:
    (size,) = struct.unpack_from("<I", data, 4)
    if size + 8 != len(data):
        raise NotAPicture("is not as long as it says")
    chunks = list(_webp_chunks(data))
    frames = [_webp_frame(data, name, start) for name, start in chunks if name in (b"VP8 ", b"VP8L")]
    if len(frames) != 1:
        raise NotAPicture("is no WebP with one frame")
    if chunks[0][0] == b"VP8X":
        flags, canvas = data[chunks[0][1]], _webp_canvas(data, chunks[0][1])
        if flags & _WEBP_MOVES:
            raise NotAPicture("is animated")
        if canvas != frames[0]:
            raise NotAPicture("has a frame of another size than it says")
    elif chunks[0][0] not in (b"VP8 ", b"VP8L"):
        raise NotAPicture("is no WebP with one frame")
    return frames[0]


def _webp_chunks(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Name and start of the content of each chunk."""
    start = 12
    while start < len(data):
        name, length = struct.unpack_from("<4sI", data, start)
        end = start + 8 + length
        if end > len(data):
            raise NotAPicture("ends in the middle")
        yield name, start + 8
        start = end + length % 2


def _webp_canvas(data: bytes, start: int) -> tuple[int, int]:
    width, height = (int.from_bytes(data[start + at : start + at + 3], "little") + 1 for at in (4, 7))
    return width, height


def _webp_frame(data: bytes, name: bytes, start: int) -> tuple[int, int]:
    if name == b"VP8L":
        mark, bits = struct.unpack_from("<BI", data, start)
        if mark != 0x2F or bits >> 29:
            raise NotAPicture("has a broken WebP frame")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    tag, code, width, height = struct.unpack_from("<B2x3sHH", data, start)
    if tag & 1 or code != b"\x9d\x01\x2a":
        raise NotAPicture("has a broken WebP frame")
    return width & 0x3FFF, height & 0x3FFF
