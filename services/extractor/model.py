"""The extractor: plain values in, plain values out."""

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from services.extractor import choices, compute, fields, lists, ranker, records
from services.extractor.answers import Answer, Resolved, single
from services.extractor.calibration import Calibration
from services.extractor.choices import Judge
from services.extractor.document import Document
from services.extractor.features import PAIR, Floats, Pooled
from services.extractor.fields import FieldSpec
from services.extractor.ranker import Ranker, group
from services.extractor.recognisers import conventions
from services.extractor.rivalry import Bid, settled
from services.extractor.scorer import Scorer
from services.extractor.tokens import spelled
from services.runtime.errors import FieldViolation, InputTooLong, InvalidField, QuartetError
from services.runtime.onnx.card import Card

STATE_TOKENS = 65_536
# No tokenizer makes fewer tokens than one per this many characters of ordinary text; checked before tokenising.
STATE_CHARACTERS = 524_288
_HEADER = [PAIR.index("name_header"), PAIR.index("header_fit")]
_JUDGED = ("boolean", "choice", "records")


@dataclass(frozen=True, slots=True)
class Query:
    """One extraction. `reference_date` anchors relative dates; `locale` is a BCP 47 tag or empty."""

    text: str
    fields: tuple[FieldSpec, ...]
    reference_date: dt.date | None = None
    locale: str = ""
    max_alternatives: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that were read: of the text, of the fields, in all; windows of the text."""

    state_tokens: int
    schema_tokens: int
    input_tokens: int
    passes: int


@dataclass(frozen=True, slots=True)
class Extraction:
    """One answer per field, in request order."""

    answers: tuple[Answer, ...]
    usage: Usage


class Extractor:
    """One loaded model. Blocking; one thread at a time."""

    def __init__(self, card: Card, scorer: Scorer, rankers: Mapping[str, Ranker]) -> None:
        self.card, self.scorer = card, scorer
        self._rankers = rankers
        groups = card.calibration["groups"]
        self._calibration = {name: Calibration.read(stored) for name, stored in groups.items()}
        self._margin = float(card.calibration["list_margin"])

    @classmethod
    def load(cls, folder: Path, card: Card, *, threads: int = 1, provider: str = "auto") -> "Extractor":
        """Loads a model folder."""
        return cls(card, Scorer(folder, threads=threads, provider=provider), ranker.load(folder))

    def check(self, query: Query) -> int:
        """Checks a query and returns its tokens.

        Raises: InvalidField naming the path, InputTooLong with the counts.
        """
        if not query.text.strip():
            raise InvalidField(FieldViolation("state", "the text is empty"))
        if re.search("[\ud800-\udfff]", query.text):
            raise InvalidField(FieldViolation("state", "the text holds half of a surrogate pair"))
        if len(query.text) > STATE_CHARACTERS:
            raise InputTooLong("characters of the state", limit=STATE_CHARACTERS, actual=len(query.text), field="state")
        fields.check(query.fields)
        if not 0 <= query.max_alternatives <= 10:
            raise InvalidField(FieldViolation("max_alternatives", "0 to 10"))
        if query.locale:
            try:
                conventions.of_locale(query.locale)
            except ValueError as error:
                raise InvalidField(FieldViolation("locale", str(error))) from error
        tokens = self.scorer.encoder.count(query.text)
        if tokens > STATE_TOKENS:
            raise InputTooLong("tokens of the state", limit=STATE_TOKENS, actual=tokens, field="state")
        return tokens

    def run(self, queries: Sequence[Query]) -> list[Extraction | QuartetError]:
        """Answers queries one by one; an error fails its query alone."""
        out: list[Extraction | QuartetError] = []
        for query in queries:
            try:
                self.check(query)
                out.append(self.extract(query))
            except QuartetError as error:
                out.append(error)
        return out

    def extract(self, query: Query) -> Extraction:
        """Answers a checked query."""
        document = Document(query.text, locale=query.locale or None, reference=query.reference_date)
        sought = [f for f in query.fields if f.type not in _JUDGED and f.compute is None]
        resolved: dict[str, Resolved] = {}
        tokens, passes = self.scorer.encoder.count(query.text), 1
        if sought:
            reading = self.scorer.read(document, sought)
            passes = reading.passes
            found = zip(sought, reading.pooled, self.scored(sought, reading.pooled), strict=True)
            for spec, pooled, (logits, null) in found:
                resolved[spec.name] = self._found(spec, document, pooled, logits, null, query.max_alternatives)
        judge = Judge(document, self.scorer.encoder, self.scorer.table)
        for spec in query.fields:
            if spec.type == "records":
                resolved[spec.name] = records.rows(spec, document, self.scorer.table)
            elif spec.type in _JUDGED:
                resolved[spec.name] = choices.answers(spec, judge)
        for spec in query.fields:
            self._compute(spec, {f.name: f for f in query.fields}, resolved)
        schema = sum(self.scorer.encoder.count(f"{spelled(f.name)} {f.instructions} {f.type}") for f in query.fields)
        answers = tuple(_cut(resolved[f.name].answer, query.max_alternatives) for f in query.fields)
        return Extraction(answers, Usage(tokens, schema, tokens + schema, passes))

    def scored(self, sought: Sequence[FieldSpec], pooled: Sequence[Pooled]) -> list[tuple[Floats, float]]:
        """(logits, logit of null) per field, after fields with one value have competed for places."""
        scored = [self._rankers[group(spec.sought)].logits(p) for spec, p in zip(sought, pooled, strict=True)]
        single_ones = [i for i, spec in enumerate(sought) if spec.type != "list"]
        bids = [Bid(group(sought[i].sought), pooled[i].items, *scored[i]) for i in single_ones]
        for index, logits in zip(single_ones, settled(bids), strict=True):
            scored[index] = logits, scored[index][1]
        return scored

    def _found(
        self, spec: FieldSpec, document: Document, pooled: Pooled, logits: Floats, null: float, alternatives: int
    ) -> Resolved:
        calibration = self._calibration[group(spec.sought)]
        if spec.type == "list":
            under = pooled.pair[:, _HEADER].prod(1)
            return lists.several(
                spec, document, pooled.items, logits, null, calibration, under=under, margin=self._margin
            )
        return single(spec, pooled.items, logits, null, calibration, alternatives=alternatives)

    def _compute(self, spec: FieldSpec, known: dict[str, FieldSpec], resolved: dict[str, Resolved]) -> None:
        if spec.compute is None or spec.name in resolved:
            return
        for name in spec.compute.of:
            self._compute(known[name], known, resolved)
        resolved[spec.name] = compute.computed(spec, spec.compute, [resolved[name] for name in spec.compute.of])


def _cut(answer: Answer, alternatives: int) -> Answer:
    return replace(answer, alternatives=answer.alternatives[:alternatives])
