"""Pictures of pages: their type and size as a decoder would find them, and everything else refused by name."""

from __future__ import annotations

import struct
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judging.pages.pictures import MAX_BYTES, NotAPicture, Shape, shape_of
from tests.pictures import (
    JPEG_END,
    JPEG_START,
    jpeg,
    jpeg_frame,
    jpeg_scan,
    jpeg_segment,
    png,
    png_chunk,
    png_header,
    riff,
    vp8,
    vp8l,
    vp8x,
    webp_chunk,
)

SIGNATURE = b"\x89PNG\r\n\x1a\n"
IDAT, IEND = png_chunk(b"IDAT", b"x"), png_chunk(b"IEND")
HEADER = png_header(3, 2)


@pytest.mark.parametrize(
    ("data", "shape"),
    [
        (png(30, 20), Shape("image/png", 30, 20)),
        (png(3, 2, png_chunk(b"tEXt", b"IHDR")), Shape("image/png", 3, 2)),
        (png(8_000, 4_000), Shape("image/png", 8_000, 4_000)),
        (jpeg(30, 20), Shape("image/jpeg", 30, 20)),
        (jpeg(30, 20, after=jpeg_segment(0xC4, b"table") + jpeg_scan()), Shape("image/jpeg", 30, 20)),
        (
            JPEG_START + jpeg_segment(0xFE, b"\xff\xc0") + b"\xff" + jpeg_frame(7, 9, marker=0xC2, components=1) + jpeg_scan() + JPEG_END,
            Shape("image/jpeg", 7, 9),
        ),
        (riff(vp8(30, 20)), Shape("image/webp", 30, 20)),
        (riff(vp8(30 | 1 << 14, 20)), Shape("image/webp", 30, 20)),  # the upper bits are a scale
        (riff(vp8l(30, 20)), Shape("image/webp", 30, 20)),
        (riff(vp8x(30, 20), webp_chunk(b"ALPH", b"abc"), vp8(30, 20)), Shape("image/webp", 30, 20)),
        (riff(vp8x(30, 20, flags=0x10), vp8l(30, 20)), Shape("image/webp", 30, 20)),
    ],
)  # fmt: skip
def test_type_and_size_come_from_the_picture_itself(data: bytes, shape: Shape) -> None:
    assert shape_of(data) == shape


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is neither PNG, JPEG nor WebP"),
        (b"GIF89a", "is neither PNG, JPEG nor WebP"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "is neither PNG, JPEG nor WebP"),
        (b"RIFF\0\0\0\0WAVE", "is neither PNG, JPEG nor WebP"),
        (png() + b"\0" * MAX_BYTES, "has more than 5,242,880 bytes"),
        # bombs: few bytes, many pixels
        (png(60_000, 60_000), "has 60,000 × 60,000 pixels"),
        (png(8_001, 1), "has 8,001 × 1 pixels"),
        (png(8_000, 4_001), "has 8,000 × 4,001 pixels"),
        (png(2**32 - 1, 2**32 - 1), "pixels"),
        (jpeg(65_535, 65_535), "pixels"),
        (riff(vp8l(16_384, 16_384)), "pixels"),
        (png(0, 2), "has no width or no height"),
        (jpeg(3, 0), "has no width or no height"),
        (riff(vp8(0, 3)), "has no width or no height"),
        # PNG
        (SIGNATURE, "is no whole PNG"),
        (SIGNATURE + b"\0\0", "ends in the middle"),
        (png()[:-3], "ends in the middle"),
        (SIGNATURE + HEADER + IDAT, "is no whole PNG"),
        (SIGNATURE + HEADER + IEND, "is no whole PNG"),
        (SIGNATURE + IDAT + HEADER + IEND, "is no whole PNG"),
        (png(3, 2, png_header(9, 9)), "is no whole PNG"),
        (png(tail=b"<script>"), "goes on after its end"),
        (png(3, 2, png_chunk(b"acTL", b"\0" * 8)), "is animated"),
        (SIGNATURE + png_header(3, 2, depth=3) + IDAT + IEND, "has a broken PNG header"),
        (SIGNATURE + png_header(3, 2, colour=5) + IDAT + IEND, "has a broken PNG header"),
        (SIGNATURE + png_header(3, 2, more=b"\1\0\0") + IDAT + IEND, "has a broken PNG header"),
        (SIGNATURE + png_header(3, 2, more=b"\0\0\2") + IDAT + IEND, "has a broken PNG header"),
        (SIGNATURE + png_header(3, 2, more=b"\0\0\0\0") + IDAT + IEND, "has a broken PNG header"),
        (png().replace(struct.pack(">I", 3), struct.pack(">I", 4), 1), "has a broken PNG header"),  # not its checksum
        # JPEG
        (JPEG_START + b"\xff", "is broken between two JPEG segments"),
        (jpeg()[:-2], "ends in the middle"),
        (JPEG_START + b"\xff\xe0\x00\x01", "ends in the middle"),
        (JPEG_START + b"\xff\xe0\x40\x00", "ends in the middle"),
        (JPEG_START + b"\xff\xe0\x00", "ends in the middle"),
        (JPEG_START + jpeg_segment(0xE0) + b"x" + jpeg_frame(3, 2), "is broken between two JPEG segments"),
        (JPEG_START + b"\xff\xd8" + jpeg_frame(3, 2), "is broken between two JPEG segments"),
        (JPEG_START + b"\xff\x01" + jpeg_frame(3, 2), "is broken between two JPEG segments"),
        (JPEG_START + jpeg_segment(0xE0) + JPEG_END, "is no JPEG with one frame"),
        (JPEG_START + jpeg_frame(3, 2) + JPEG_END, "is no JPEG with one frame"),
        (jpeg(3, 2, jpeg_frame(9, 9)), "is no JPEG with one frame"),
        (jpeg(3, 2, after=jpeg_frame(9, 9) + jpeg_scan()), "is no JPEG with one frame"),
        (jpeg(3, 2, jpeg_scan()), "has a JPEG scan before its frame"),
        (jpeg(tail=b"PK\x03\x04"), "goes on after its end"),
        (jpeg().replace(jpeg_frame(3, 2), jpeg_frame(3, 2, bits=9)), "has a broken JPEG frame"),
        (jpeg().replace(jpeg_frame(3, 2), jpeg_frame(3, 2, components=2)), "has a broken JPEG frame"),
        (jpeg().replace(jpeg_frame(3, 2), jpeg_frame(3, 2)[:3] + b"\x08" + jpeg_frame(3, 2)[4:10]), "has a broken JPEG frame"),
        # WebP
        (b"RIFF\x04\0\0\0WEBP", "is no WebP with one frame"),
        (riff(vp8(3, 2)) + b"x", "is not as long as it says"),
        (riff(vp8(3, 2))[:-1], "is not as long as it says"),
        (riff(b"VP8 \xff\xff\xff\xff"), "ends in the middle"),
        (riff(b"VP8"), "ends in the middle"),
        (riff(webp_chunk(b"VP8L", b"\x2f")), "ends in the middle"),
        (riff(vp8(3, 2, tag=0x11)), "has a broken WebP frame"),
        (riff(vp8(3, 2, code=b"abc")), "has a broken WebP frame"),
        (riff(vp8l(3, 2, mark=0x2E)), "has a broken WebP frame"),
        (riff(vp8l(3, 2, version=1)), "has a broken WebP frame"),
        (riff(vp8(3, 2), vp8(9, 9)), "is no WebP with one frame"),
        (riff(webp_chunk(b"ICCP", b"ab"), vp8(3, 2)), "is no WebP with one frame"),
        (riff(vp8x(3, 2, flags=0x02), vp8(3, 2)), "is animated"),
        (riff(vp8x(3, 2), webp_chunk(b"ANMF", b"x" * 16)), "is no WebP with one frame"),
        (riff(vp8x(3, 2), vp8(9, 9)), "has a frame of another size than it says"),
        (riff(webp_chunk(b"VP8X", b"\0" * 3), vp8(1, 1)), "has a frame of another size than it says"),
    ],
)  # fmt: skip
def test_what_is_no_picture_to_be_shown_is_refused_by_name(data: bytes, reason: str) -> None:
    with pytest.raises(NotAPicture, match=f"^.*{reason}"):
        shape_of(data)


def test_a_thumbnail_inside_says_nothing_of_the_picture() -> None:
    assert jpeg(30, 20).index(jpeg_frame(160, 120)) < jpeg(30, 20).index(jpeg_frame(30, 20))
    assert shape_of(jpeg(30, 20)) == Shape("image/jpeg", 30, 20)


WHOLE = [png(30, 20), jpeg(30, 20), riff(vp8(30, 20)), riff(vp8x(30, 20), vp8l(30, 20))]


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_whatever_is_done_to_a_picture_it_is_read_or_refused(data: st.DataObject) -> None:
    whole = bytearray(data.draw(st.sampled_from(WHOLE)))
    for _ in range(data.draw(st.integers(0, 4))):
        place = data.draw(st.integers(0, len(whole) - 1))
        whole[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4))
    try:
        shape = shape_of(bytes(whole[: data.draw(st.integers(0, len(whole)))]))
    except NotAPicture:
        return
    assert 0 < shape.width <= 8_000
    assert 0 < shape.height <= 8_000


@settings(deadline=None, max_examples=200)
@given(st.sampled_from([SIGNATURE, b"\xff\xd8\xff", b"RIFF\x20\0\0\0WEBP", b""]), st.binary(max_size=200))
def test_any_bytes_are_refused_or_read_and_nothing_else(head: bytes, rest: bytes) -> None:
    with suppress(NotAPicture):
        assert shape_of(head + rest).width


def test_five_megabytes_of_stuffed_bytes_are_read_through_in_no_time() -> None:
    coded = b"\xff\x00" * (MAX_BYTES // 2 - 200)
    data = JPEG_START + jpeg_frame(3, 2) + jpeg_scan(coded) + JPEG_END
    assert shape_of(data) == Shape("image/jpeg", 3, 2)
