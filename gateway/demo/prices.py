"""What a step costs at stated prices, so that the ratio can be redone with others."""

from dataclasses import dataclass

from gateway.demo.answers import Side, StepTaken

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars per million tokens: what small models read, what the language model reads, what it writes."""

    small_in: float = 0.05
    llm_in: float = 0.50
    llm_out: float = 1.50

    def of(self, step: StepTaken) -> float:
        """Dollars of one step; arithmetic is free."""
        if step.by == "llm":
            return (step.tokens_in * self.llm_in + step.tokens_out * self.llm_out) / MILLION
        return step.tokens_in * self.small_in / MILLION

    def total(self, side: Side) -> float:
        """Dollars of all steps of a side."""
        return sum(self.of(step) for step in side.steps)

    def __str__(self) -> str:
        return (
            f"per million tokens small models ${self.small_in:.2f}, "
            f"llm ${self.llm_in:.2f} read, ${self.llm_out:.2f} written"
        )
