"""What docs/history.md shows of evenings from paper comes in as it says."""

import re
from pathlib import Path

from kloplei.history.notebooks import Notebook, read_notebook

PAGE = Path(__file__).parents[2] / "docs" / "history.md"


def test_the_notebook_on_the_page_is_one_evening_of_its_day() -> None:
    (written,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)

    (evening,) = read_notebook(Notebook("history.md", PAGE.read_text())).evenings

    assert "date: 2019-03-08" in written
    assert [one.name for one in evening.evening.line.players] == ["Ann", "Bob", "Cor"]
    assert evening.evening.winners == (2,)
