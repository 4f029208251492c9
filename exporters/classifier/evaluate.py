"""How good a model folder is, asked through the code that serves it."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from exporters.classifier.data import Corpus, Item, Sample
from services.classifier.model import Classifier
from services.classifier.values import Answer, Choice, Kind, Noul, Option, Question, Request

Floats = npt.NDArray[np.float64]

BUCKETS: Mapping[Kind, tuple[int, ...]] = {"noul": (2,), "choice": (2, 4, 8, 255), "score": (3, 10)}
"""Upper ends of the option counts that share a temperature."""
FEW = 120
"""A bucket with fewer questions takes the temperature of its whole kind."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One answered question: its kind, the index of the right option, the probabilities (options,)."""

    source: str
    kind: Kind
    target: int
    probabilities: Floats

    @property
    def right(self) -> bool:
        """Whether the most probable option is the right one."""
        return int(np.argmax(self.probabilities)) == self.target

    def tempered(self, temperature: float) -> "Scored":
        """With another temperature over the same logits."""
        scaled = np.log(np.maximum(self.probabilities, 1e-30)) / temperature
        weights = np.exp(scaled - scaled.max())
        return replace(self, probabilities=weights / weights.sum())


def held_samples(corpus: Corpus, *, each: int, seed: int = 7) -> dict[str, list[Sample]]:
    """Up to `each` rows of every source of a corpus."""
    rng = random.Random(seed)
    return {
        source: [
            corpus.sample(source, index, rng=rng) for index in rng.sample(range(len(lines)), min(each, len(lines)))
        ]
        for source, lines in corpus.lines.items()
    }


def request(sample: Sample) -> Request:
    """A sample as a caller would send it."""
    questions = (_question(str(number), item) for number, item in enumerate(sample.items))
    return Request(sample.state, tuple(questions))


def _question(id: str, item: Item) -> Question:
    kinds: dict[str, Kind] = {"noul": "noul", "choice": "choice", "score": "score"}
    options = tuple(Option(name, told) if told else _plain(item.kind, name) for name, told in item.options)
    return Question(id, kinds[item.kind], options, item.instructions or None)


def _plain(kind: str, name: str) -> Option:
    return Option("", name) if kind == "score" else Option(name)


def probabilities(answer: Answer) -> Floats:
    """(options,) probabilities of an answer; no before yes."""
    if isinstance(answer, Noul):
        return np.asarray([1 - answer.probability, answer.probability])
    if isinstance(answer, Choice):
        return np.asarray([value for _, value in answer.probabilities])
    return np.asarray(answer.probabilities)


def ask(model: Classifier, asked: Request) -> list[Floats]:
    """Probabilities of every question."""
    return [probabilities(answer) for answer in model.decide(model.prepare(asked)).answers]


def scored(model: Classifier, samples: Mapping[str, Sequence[Sample]]) -> list[Scored]:
    """Every question of every sample, answered. Rows over the model's limits are a mistake and raise."""
    found = []
    for source, rows in samples.items():
        for row in rows:
            asked = request(row)
            for item, question, values in zip(row.items, asked.questions, ask(model, asked), strict=True):
                found.append(Scored(source, question.kind, item.answer, values))
    return found


def accuracy(rows: Iterable[Scored]) -> float:
    """Share of right answers; NaN without any."""
    right = [row.right for row in rows]
    return sum(right) / len(right) if right else float("nan")


def macro(rows: Iterable[Scored]) -> float:
    """Mean of the sources' accuracies."""
    by_source = defaultdict(list)
    for row in rows:
        by_source[row.source].append(row)
    return float(np.mean([accuracy(own) for own in by_source.values()])) if by_source else float("nan")


def calibration_error(rows: Sequence[Scored], *, bins: int = 10) -> float:
    """Expected calibration error of the top answer, equal-width bins."""
    sums = np.zeros((bins, 2))
    for row in rows:
        top = float(row.probabilities.max())
        sums[min(bins - 1, int(top * bins))] += (top, row.right)
    return float(np.abs(sums[:, 0] - sums[:, 1]).sum() / max(1, len(rows)))


def majority(samples: Sequence[Sample]) -> float:
    """Accuracy of always giving the most frequent answer to each wording, taken from the sample itself."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for sample in samples:
        for item in sample.items:
            key = (item.kind, "" if item.kind == "noul" else item.instructions)
            counts[key][item.options[item.answer][0]] += 1
    total = sum(sum(own.values()) for own in counts.values())
    return sum(max(own.values()) for own in counts.values()) / total


Table = dict[str, list[tuple[int, float]]]


def fit(rows: Sequence[Scored]) -> Table:
    """Temperatures by kind and option count that minimise the log loss, each source counting the same."""
    table: Table = {}
    for kind, ends in BUCKETS.items():
        own = [row for row in rows if row.kind == kind]
        whole = _temperature(own)
        table[kind], start = [], 0
        for end in ends:
            part = [row for row in own if start < len(row.probabilities) <= end]
            table[kind].append((end, _temperature(part) if len(part) >= FEW else whole))
            start = end
    return table


def _temperature(rows: Sequence[Scored]) -> float:
    if not rows:
        return 1.0
    logits = np.full((len(rows), max(len(row.probabilities) for row in rows)), -np.inf)
    for place, row in enumerate(rows):
        logits[place, : len(row.probabilities)] = np.log(np.maximum(row.probabilities, 1e-30))
    target = np.asarray([row.target for row in rows])
    counts = Counter(row.source for row in rows)
    weight = np.asarray([1 / counts[row.source] for row in rows])

    def loss(temperature: float) -> float:
        scaled = logits / temperature
        right = scaled[np.arange(len(rows)), target]
        return float(weight @ (np.log(np.exp(scaled).sum(axis=1)) - right))

    return min((step / 20 for step in range(10, 101)), key=loss)


def apply(rows: Sequence[Scored], table: Table) -> list[Scored]:
    """The rows with the temperatures of a table."""
    return [row.tempered(_look_up(table, row)) for row in rows]


def _look_up(table: Table, row: Scored) -> float:
    return next((value for end, value in table[row.kind] if len(row.probabilities) <= end), 1.0)


def apply_unseen(rows: Sequence[Scored]) -> list[Scored]:
    """The rows of each source with temperatures fitted on the other sources alone."""
    sources = dict.fromkeys(row.source for row in rows)
    done = []
    for source in sources:
        table = fit([row for row in rows if row.source != source])
        done += apply([row for row in rows if row.source == source], table)
    return done
