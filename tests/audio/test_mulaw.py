"""The coding of telephone sound follows the tables of the standard."""

import struct
from array import array

from hypothesis import given
from hypothesis import strategies as st

from assistant.audio import decode_mulaw, encode_mulaw
from tests.support.rows import check_rows

# The standard counts in quarters of our steps: its 2, 4, ... 30, 33, 37, ... 8031.
OUTPUTS = {
    0x80: 32_124, 0x81: 31_100, 0x8F: 16_764, 0x90: 15_996, 0x9F: 8_316, 0xA0: 7_932, 0xAF: 4_092, 0xB0: 3_900,
    0xBF: 1_980, 0xC0: 1_884, 0xCF: 924, 0xD0: 876, 0xDF: 396, 0xE0: 372, 0xEF: 132, 0xF0: 120, 0xFE: 8, 0xFF: 0,
}  # fmt: skip


def pcm(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}h", *values)


@check_rows(("code", "value"), OUTPUTS.items(), ids=lambda one: f"{one:#x}")
def test_a_code_has_the_standards_value_and_its_first_bit_is_the_sign(code: int, value: int) -> None:
    assert decode_mulaw(bytes([code, code & 0x7F])) == pcm(value, -value)
    assert encode_mulaw(pcm(value)) == bytes([code])


@check_rows(
    ("value", "code"),
    [
        (0, 0xFF), (3, 0xFF), (4, 0xFE), (11, 0xFE), (12, 0xFD), (123, 0xF0), (124, 0xEF), (139, 0xEF), (140, 0xEE),
        (379, 0xE0), (380, 0xDF), (4_092, 0xAF), (16_251, 0x90), (16_252, 0x8F), (31_611, 0x81), (31_612, 0x80),
        (32_635, 0x80), (32_767, 0x80), (-3, 0x7F), (-4, 0x7E), (-32_635, 0x00), (-32_768, 0x00),
    ],
)  # fmt: skip
def test_values_between_two_levels_get_the_standards_code(value: int, code: int) -> None:
    assert encode_mulaw(pcm(value)) == bytes([code])


def test_every_code_is_decoded_and_encoded_to_itself_except_negative_zero() -> None:
    codes = bytes(range(256))

    assert encode_mulaw(decode_mulaw(codes)) == codes.replace(b"\x7f", b"\xff")


@given(st.lists(st.integers(-32_635, 32_635), max_size=50))
def test_a_decoded_sample_is_near_the_original(values: list[int]) -> None:
    back = array("h", decode_mulaw(encode_mulaw(pcm(*values))))

    assert all(abs(one - other) <= (abs(one) + 132) / 32 for one, other in zip(values, back, strict=True))


def test_half_a_sample_is_left_out() -> None:
    assert encode_mulaw(b"\x00\x00\x01") == b"\xff"
    assert encode_mulaw(b"") == decode_mulaw(b"") == b""
