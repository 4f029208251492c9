"""Booleans and choices: the sentence that speaks of the field, and what it says."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from services.extractor import features
from services.extractor.answers import Alternative, Answer, Resolved
from services.extractor.calibration import sigmoid
from services.extractor.document import Document
from services.extractor.encoder import Encoder, WordTable
from services.extractor.features import Similarity
from services.extractor.fields import Choice, FieldSpec
from services.extractor.values import to_json
from services.extractor.vectors import question

Floats = NDArray[np.float32]
_YES = re.compile(r"\s*(?:yes|y|true|ja|oui|s[ií]|ok|x|✓|✔|☑|\[x\]|confirmed|done)(?!\w)", re.I)
_NO = re.compile(r"\s*(?:no|n|false|nein|non|☐|✗|✘|\[\s?\]|none)(?!\w)", re.I)
_NEGATION = re.compile(
    r"\b(?:not|no|never|without|cannot|none|neither|nor|nicht|kein\w*|ohne|pas|sans|jamais|nunca|sin|un(?=paid|available|used|able)|\w+n['’]t)\b",
    re.I,
)
_UNCERTAIN = 0.72
_MOST_SENTENCES = 400


class Judge:
    """Answers booleans and choices of one document."""

    def __init__(self, document: Document, encoder: Encoder, table: WordTable) -> None:
        self._document, self._encoder, self._table = document, encoder, table
        self._sentences = [s for s in document.layout.sentences if document.text[s[0] : s[1]].strip()]

    def boolean(self, spec: FieldSpec) -> Resolved:
        """True or false by the polarity of the sentence that fits best; null when none fits."""
        found = self._best(spec)
        if found is None:
            return Resolved(Answer(spec.name, spec.type, p_null=0.97))
        (start, end), fit = found
        shown = self._document.text[start:end]
        label = self._after_label(start, end)
        if label is not None and (_NO.match(label) or _YES.match(label)):
            value, confidence, p_null = not _NO.match(label), 0.95, 0.05
        else:
            value, confidence = not _NEGATION.search(shown), _UNCERTAIN
            p_null = 1 - sigmoid(7 * (fit - 0.45))
        shown_value = to_json(value)
        gone = p_null > spec.threshold
        answer = Answer(spec.name, spec.type, "null" if gone else shown_value, shown_value, p_null, confidence,
            ((start, end),),
                        reason="absent" if gone else "extracted")  # fmt: skip
        return Resolved(answer, () if gone else (bool(value),))

    def choice(self, spec: FieldSpec) -> Resolved:
        """The option that the text names, or whose meaning is closest to what it says about the field."""
        scores, spans = [], []
        found = self._best(spec)
        for option in spec.options:
            score, span = self._option(option, found[0] if found else None)
            scores.append(score)
            spans.append(span)
        raised = np.exp(6 * (np.array(scores) - max(scores)))
        share = raised / raised.sum()
        best = int(share.argmax())
        p_null = 1 - sigmoid(9 * (max(scores) - 0.42))
        gone = p_null > spec.threshold
        guess = to_json(spec.options[best].name)
        others = sorted((i for i in range(len(scores)) if i != best), key=lambda i: -share[i])
        listed = tuple(Alternative(to_json(spec.options[i].name), spans[i], float(share[i])) for i in others[:10])
        answer = Answer(spec.name, spec.type, "null" if gone else guess, guess, p_null, float(share[best]),
            (spans[best],),
                        reason="absent" if gone else "extracted", alternatives=listed)  # fmt: skip
        return Resolved(answer, () if gone else (spec.options[best].name,))

    def _best(self, spec: FieldSpec) -> tuple[tuple[int, int], float] | None:
        """The sentence that fits the field best and how well, in [0, 1]."""
        asked = features.asked_of(spec)
        similarity = Similarity(self._document, [asked], self._table)
        weights = asked.names + 0.5 * asked.hints
        total = float(weights.sum())
        best: tuple[tuple[int, int], float] | None = None
        for start, end in self._sentences[:_MOST_SENTENCES]:
            first, last = self._document.word_range(start, end)
            if first == last:
                continue
            fit = float(weights @ similarity.matrix[:, first:last].max(1)) / total
            if best is None or fit > best[1]:
                best = (start, end), fit
        return best if best is not None and best[1] > 0.12 else None

    def _after_label(self, start: int, end: int) -> str | None:
        shown = self._document.text[start:end]
        mark = re.search(r"[:=?\t]\s*", shown)
        if mark:
            return shown[mark.end() :]
        box = re.match(r"\s*(\[[ xX]?\]|☐|☑|✓|✗)", shown)
        return box[1] if box else None

    def _option(self, option: Choice, near: tuple[int, int] | None) -> tuple[float, tuple[int, int]]:
        text = self._document.text
        words = re.escape(option.name).replace("_", "[ _-]").replace(r"\ ", r"\s+")
        for within in ([near] if near else []) + [(0, len(text))]:
            match = re.compile(rf"(?<!\w){words}(?!\w)", re.I).search(text, *within)
            if match:
                negated = _NEGATION.search(text, max(0, match.start() - 18), match.start()) is not None
                return (0.55 if negated else 1.0 if within == near else 0.9), match.span()
        spec = FieldSpec(option.name, "text", option.description)
        asked = self._encoder.text(question(spec))
        pool = [near] if near else self._sentences[:24]
        best, span = 0.0, (near or (0, min(len(text), 1)))
        for start, end in pool:
            close = float(asked @ self._encoder.text(text[start:end]))
            if close > best:
                best, span = close, (start, end)
        lexical = self._best(spec)
        return (max(best, 0.8 * lexical[1]), lexical[0]) if lexical and 0.8 * lexical[1] > best else (best, span)


def answers(spec: FieldSpec, judge: Judge) -> Resolved:
    """The judge's answer to a boolean or a choice."""
    return judge.boolean(spec) if spec.type == "boolean" else judge.choice(spec)


def judged(specs: Sequence[FieldSpec]) -> list[FieldSpec]:
    """The fields that a judge answers."""
    return [spec for spec in specs if spec.type in ("boolean", "choice")]
