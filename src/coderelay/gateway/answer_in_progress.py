"""One answer of the model while it arrives: what the client gets at once, and what it means.

Text goes to the client as it comes, except for text that may be part of a program, text that may
have to be asked for again in the client's format, and refusals, which are sent as a whole.
"""

from coderelay.conversation import ReasoningStreamed, TextStreamed, TurnRequest
from coderelay.gateway.answer_meaning import Meaning, Offer, PlainText, interpret
from coderelay.gateway.model_request import matches_format
from coderelay.gateway.program_in_text import ProgramInText
from coderelay.models.model import Delta, ReasoningPiece, RefusalPiece, TextPiece
from coderelay.models.model_answer import ModelAnswer


class AnswerInProgress:
    """The answer to one question of the turn.

    `for_format` means that the model was asked only for text in the format that the client wants.
    An answer of more than `max_length` characters raises `UpstreamError`.
    """

    def __init__(
        self, request: TurnRequest, offer: Offer, *, for_format: bool, max_length: int
    ) -> None:
        self.answer = ModelAnswer(max_length)
        self._offer = offer
        self._for_format = for_format
        self._response_format = request.response_format
        offers_code = offer.code is not None and not for_format
        self._in_text = ProgramInText(request.language, code_offered=offers_code)

    def add(self, delta: Delta) -> TextStreamed | ReasoningStreamed | None:
        """Add the next piece, and return what the client gets of it now."""
        self.answer.add(delta)
        if isinstance(delta, ReasoningPiece):
            return ReasoningStreamed(delta.text)
        if isinstance(delta, (TextPiece, RefusalPiece)) and not self.answer.refused:
            text = self._in_text.feed(delta.text)
            if text and not self._may_need_format:
                return TextStreamed(text)
        return None

    def meaning(self) -> Meaning:
        """Return what the answer means, now that it is complete."""
        if self._for_format:
            return PlainText(self.answer.text)
        return interpret(self.answer, self._in_text, self._offer)

    def is_empty(self, meaning: Meaning) -> bool:
        """Return whether the model ended its answer without text or calls."""
        if self._for_format or not isinstance(meaning, PlainText):
            return False
        return self.answer.finish == "stop" and not meaning.text.strip()

    def lacks_format(self, meaning: Meaning) -> bool:
        """Return whether the answer is text, but not in the format that the client wants."""
        if not isinstance(meaning, PlainText) or self.answer.refused or not self._may_need_format:
            return False
        return not matches_format(meaning.text, self._response_format)

    def held_text(self, meaning: Meaning) -> str:
        """Return the text for the client that has been held back until now."""
        if self._may_need_format:
            is_text = isinstance(meaning, PlainText) and not self.answer.refused
            return meaning.text if is_text else ""
        return self._in_text.rest() if meaning.text == self.answer.text else ""

    @property
    def _may_need_format(self) -> bool:
        """Whether the client wants a format that could not be required of this answer, because
        programs were offered with it."""
        offered_code = self._offer.code is not None and not self._for_format
        return self._response_format is not None and offered_code
