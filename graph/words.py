"""Indexes of words: which texts hold a word, answered without reading them again.

A word is what stands between bytes that are no ASCII letter, digit or underscore (`[A-Za-z0-9_]+`). `Words` is made of
texts, in memory. `KeptWords` was packed into bytes, to be kept. It knows blobs, not paths or commits, so it never says
anything false of a tree; it only lacks the blobs that came since.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, repeat
from typing import Final, Literal, Self

import msgspec

from graph.git import encode

WORD_BYTES: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_SPLIT: Final = bytes(each if each in WORD_BYTES else 0x20 for each in range(256))
"""Turns every byte that is in no word into a space."""
MOST_TEXT: Final = 512 * 1024 * 1024
"""Bytes of texts whose words are kept. Of more they would take gigabytes of memory to make."""
_BEHIND: Final = 20
"""Words are to be made again when more than one byte in so many is in blobs that they don't know."""
_SHORT: Final = 0x10000
"""Numbers below this one take two bytes, else four."""


def words_in(text: bytes) -> list[bytes]:
    """The words of a text, as often as they stand there."""
    return text.translate(_SPLIT).split()


def is_whole(text: bytes, at: int, end: int) -> bool:
    """Whether what stands there is a word, or words, of its own: no byte of a word is right before or after it."""
    return (at == 0 or text[at - 1] not in WORD_BYTES) and (end == len(text) or text[end] not in WORD_BYTES)


def is_behind(total: int, unknown: int) -> bool:
    """Whether words should be kept again: of `total` bytes of files, they don't know the `unknown` ones."""
    return total <= MOST_TEXT and unknown * _BEHIND > total


class Words:
    """The words of some texts. Texts have numbers, from 0 on in the order in which they came."""

    def __init__(self, texts: Iterable[bytes]) -> None:
        self._holding: defaultdict[bytes, list[int]] = defaultdict(list)
        for number, text in enumerate(texts):
            held = map(self._holding.__getitem__, set(words_in(text)))
            deque(map(list.append, held, repeat(number)), maxlen=0)  # the loop over all words, at C speed

    def holding(self, word: str) -> Sequence[int]:
        """The numbers of the texts that hold the word, sorted."""
        return self._holding.get(encode(word), ())

    def all(self) -> tuple[list[bytes], list[list[int]]]:
        """All words, sorted, and what `holding` says of each."""
        words = sorted(self._holding)
        return words, [self._holding[word] for word in words]


class _Packed(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`blobs` are ids; a blob's number is its place among them. `words` are sorted, and end where `ends` say; `places`
    are the numbers of one word's blobs after those of the other, up to where `until` says. The last three are arrays of
    native integers, `places` of two or of four bytes."""

    form: str
    blobs: tuple[str, ...]
    words: memoryview
    ends: memoryview
    until: memoryview
    places: memoryview


_FORM: Final = f"1 {array('I', [1]).tobytes().hex()}"
"""The version of the form, and how this machine writes integers."""
_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(_Packed)


class KeptWords:
    """The words of some blobs. `blobs` are their ids; a blob's number is its place there."""

    def __init__(self, packed: _Packed) -> None:
        self.blobs = packed.blobs
        self._words = packed.words
        self._ends = packed.ends.cast("I")
        self._until = packed.until.cast("I")
        self._places: memoryview[int] = packed.places.cast(_places_of(len(self.blobs)))

    @staticmethod
    def pack(texts: Iterable[tuple[str, bytes]]) -> bytes:
        """The bytes that keep the words of blobs: (id, content) of each of them, once."""
        blobs: list[str] = []

        def contents() -> Iterator[bytes]:
            for blob, text in texts:
                blobs.append(blob)
                yield text

        words, holding = Words(contents()).all()
        places = array(_places_of(len(blobs)), chain.from_iterable(holding))
        ends, until = _sums(map(len, words)), _sums(map(len, holding))
        numbers = [each.tobytes() for each in (ends, until, places)]
        return _ENCODER.encode((_FORM, blobs, b"".join(words), *numbers))

    @classmethod
    def unpack(cls, packed: bytes | memoryview) -> Self | None:
        """The words in bytes that came from `pack` on this machine; None for any other bytes."""
        try:
            found = _DECODER.decode(packed)
            return cls(found) if found.form == _FORM else None
        except (msgspec.MsgspecError, ValueError, TypeError):
            return None

    def holding(self, word: str) -> Sequence[int]:
        """The numbers of the blobs that hold the word, sorted."""
        wanted = encode(word)
        at = bisect_left(range(len(self._ends)), wanted, key=self._word)
        if at == len(self._ends) or self._word(at) != wanted:
            return ()
        return self._places[self._until[at - 1] if at else 0 : self._until[at]]

    def _word(self, number: int) -> bytes:
        return bytes(self._words[self._ends[number - 1] if number else 0 : self._ends[number]])


def _places_of(blobs: int) -> Literal["H", "I"]:
    return "H" if blobs < _SHORT else "I"


def _sums(lengths: Iterable[int]) -> array[int]:
    return array("I", accumulate(lengths))
