"""Wrong fields are refused with the path of what is wrong."""

import pytest

from services.extractor.fields import Choice, FieldSpec, Recipe, check
from services.runtime.errors import InvalidField

N = FieldSpec("n", "number")
WRONG = [
    ((), "fields"),
    ((FieldSpec("1abc", "text"),), "fields[0].name"),
    ((FieldSpec("a" * 65, "text"),), "fields[0].name"),
    ((FieldSpec("a", "text"), FieldSpec("a", "number")), "fields.a"),
    ((FieldSpec("a", ""),), "fields.a.type"),
    ((FieldSpec("a", "estimate"),), "fields.a.type"),
    ((FieldSpec("a", "list"),), "fields.a.items"),
    ((FieldSpec("a", "list", items="time"),), "fields.a.items"),
    ((FieldSpec("a", "text", items="text"),), "fields.a.items"),
    ((FieldSpec("a", "number", decimals=7),), "fields.a.decimals"),
    ((FieldSpec("a", "text", decimals=2),), "fields.a.decimals"),
    ((FieldSpec("a", "date", integer=True),), "fields.a.integer"),
    ((FieldSpec("a", "number", integer=True, decimals=2),), "fields.a.decimals"),
    ((FieldSpec("a", "duration", unit="fortnights"),), "fields.a.unit"),
    ((FieldSpec("a", "date", unit="days"),), "fields.a.unit"),
    ((FieldSpec("a", "text", null_threshold=0.0),), "fields.a.null_threshold"),
    ((FieldSpec("a", "text", null_threshold=1.5),), "fields.a.null_threshold"),
    ((FieldSpec("a", "list", items="text", null_threshold=0.5),), "fields.a.null_threshold"),
    ((FieldSpec("a", "choice", options=(Choice("x"),)),), "fields.a.options"),
    ((FieldSpec("a", "choice", options=(Choice("x"), Choice("x"))),), "fields.a.options"),
    ((FieldSpec("a", "text", options=(Choice("x"), Choice("y"))),), "fields.a.options"),
    ((FieldSpec("a", "records"),), "fields.a.fields"),
    ((FieldSpec("a", "records", fields=(FieldSpec("b", "list", items="text"),)),), "fields.a.fields.b.type"),
    ((FieldSpec("a", "text", fields=(N,)),), "fields.a.fields"),
    ((N, FieldSpec("a", "number", compute=Recipe("power", ("n",)))), "fields.a.compute.op"),
    ((N, FieldSpec("a", "text", compute=Recipe("sum", ("n",)))), "fields.a.compute.op"),
    ((N, FieldSpec("a", "number", compute=Recipe("ratio", ("n",)))), "fields.a.compute.of"),
    ((N, FieldSpec("a", "number", compute=Recipe("sum", ("n", "zz")))), "fields.a.compute.of[1]"),
    ((FieldSpec("a", "number", compute=Recipe("sum", ("a",))),), "fields.a.compute.of[0]"),
    ((FieldSpec("a", "number", compute=Recipe("sum", ("b",))), FieldSpec("b", "number", compute=Recipe("sum",
    ("a",)))), "fields.a.compute.of[0]"),
    (tuple(FieldSpec(f"f{i}", "text") for i in range(257)), "fields"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "path"), WRONG)
def test_refused_with_path(fields: tuple[FieldSpec, ...], path: str) -> None:
    with pytest.raises(InvalidField) as caught:
        check(fields)
    assert path in [violation.path for violation in caught.value.fields]


def test_names_with_dots_and_hyphens_are_taken() -> None:
    check(
        (
            FieldSpec("billing.city", "text"),
            FieldSpec("_a-b", "number", decimals=6),
            FieldSpec("d", "duration", unit="weeks"),
        )
    )
