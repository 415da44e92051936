"""Events are read the same however their bytes are cut, up to a maximum length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderelay.conversation import UpstreamError
from coderelay.models.server_sent_events import EventReader, WholeEvents

STREAMS = {
    b"data: a\n\ndata:b\n\n": ["a", "b"],
    b"data: a\r\n\r\ndata: b\r\n\r\n": ["a", "b"],
    b"data: a\r\rdata: b\r\r": ["a", "b"],
    b"data: a\r\n\rdata: b\n\r\n": ["a", "b"],
    b"data: a\ndata: b\n\n": ["a\nb"],
    b": comment\n\nevent: x\nid: 1\nretry: 5\ndata: a\n\n": ["a"],
    b"data:  a \n\n": [" a "],
    b"data\n\ndata: a\n\n": ["", "a"],
    b"event: nothing\n\ndata: a\n\n": ["a"],
    b"data: never ended\n": [],
    b"data: \xc3\xa9\xff\n\n": ["é\ufffd"],
    b"dat\x00a: x\ndata: y\n\n": ["y"],
    b"\n\n\n\r\r\n": [],
    "data: a\u2028b\x0bc\n\n".encode(): ["a\u2028b\x0bc"],
}


def pieces(stream: bytes, size: int) -> list[bytes]:
    return [stream[start : start + size] for start in range(0, len(stream), size)]


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
@pytest.mark.parametrize("stream", STREAMS, ids=repr)
def test_an_event_is_read_however_its_bytes_are_cut(stream: bytes, size: int) -> None:
    reader = EventReader(1000)
    found = [data for piece in pieces(stream, size) for data in reader.feed(piece)]
    assert found == STREAMS[stream]


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize(
    "event", [b"data: " + b"x" * 95, b"data: x\n" * 15, b"x" * 101, b":" + b"x" * 100], ids=repr
)
def test_an_event_over_its_limit_is_refused_before_it_ends(event: bytes, size: int) -> None:
    reader, whole = EventReader(100), WholeEvents(100)
    with pytest.raises(UpstreamError, match="more than 100 bytes"):
        list(map(reader.feed, pieces(event, size)))
    with pytest.raises(UpstreamError, match="more than 100 bytes"):
        list(map(whole.feed, pieces(event, size)))


def test_many_events_comments_and_fields_are_not_one_long_event() -> None:
    reader, whole = EventReader(100), WholeEvents(100)
    for piece in (b"data: abc\n\n", b": alive\n", b"event: x\nid: y\n\n") * 100:
        reader.feed(piece)
        assert whole.feed(piece) == piece


@given(st.lists(st.sampled_from([b"a", b":", b"\n", b"\r", b"\r\n", b"data: x"])), st.data())
def test_whole_events_are_the_same_bytes(parts: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)))))
    whole = WholeEvents(1000)
    passed = [
        whole.feed(stream[start:end]) for start, end in zip([0, *cuts], [*cuts, None], strict=True)
    ]
    assert b"".join(passed) + whole.rest() == stream
    # What follows a part that was passed on is an event of its own: it is glued to nothing.
    reader = EventReader(10_000)
    before = reader.feed(b"".join(passed))
    assert reader.feed(b"data: last\n\n") == ["last"]
    assert EventReader(10_000).feed(stream)[: len(before)] == before
