"""What cost money is on the disk before it is used, and no sum is other than its calls."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editgauge.errors import RunError
from editgauge.store.paid import Paid, State


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.floats(0, 10),
            st.sampled_from(["sent", "billed", "kept", "released"]),
            st.floats(0, 9),
        ),
        max_size=12,
    )
)
def test_the_sums_of_a_purpose_are_those_of_its_calls(
    ended: list[tuple[float, State, float]],
) -> None:
    with Paid(None) as paid:
        for most, state, bill in ended:
            number = paid.book("judge", most, model="m")
            if state != "sent":
                paid.settle(number, state, bill if state == "billed" else None)
        calls = paid.calls("purpose = ?", "judge")
        sums = paid.totals("judge")
        assert sums.booked == pytest.approx(sum(call.booked for call in calls))
        assert sums.billed == pytest.approx(sum(call.billed or 0 for call in calls))
        assert sums.calls == sum(call.state != "released" for call in calls)


def test_a_transaction_that_ends_in_an_error_leaves_nothing(tmp_path: Path) -> None:
    with Paid(tmp_path / "paid.sqlite") as paid:

        def half() -> None:
            with paid.transaction():
                paid.book("edit", 1.0)
                paid.put("a", {})
                paid.call(77)

        with pytest.raises(RunError, match="no call 77"):
            half()
        assert paid.totals("edit").calls == 0
        assert len(paid) == 0
