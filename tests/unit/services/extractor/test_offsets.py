"""Offsets in the three units agree with the encodings themselves."""

from hypothesis import given
from hypothesis import strategies as st

from services.extractor.offsets import Offsets, Unit

TRICKY = st.text(alphabet=st.sampled_from("aé\u0308ß📦👩\u200d🔧\r\nא中\U0001f468\U00020000 7,."), max_size=60)


@given(TRICKY, st.data())
def test_units_agree_with_encodings(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    assert Offsets(text, Unit.CODE_POINT)(at) == at
    assert Offsets(text, Unit.UTF8_BYTE)(at) == len(text[:at].encode())
    assert Offsets(text, Unit.UTF16_UNIT)(at) == len(text[:at].encode("utf-16-le")) // 2
