"""Writes verdicts.json from a file of results: python -m tests.reproduce.renew RESULTS.jsonl"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.reproduce.tasks import Settings, all_tasks

if __name__ == "__main__":
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()[1:]
    outcomes = {outcome["task"]: outcome for outcome in map(json.loads, lines)}
    wanted = [task.name for task in all_tasks(Settings()) if task.strategy == "flat"]
    answers = {name: {"verdict": outcomes[name]["verdict"], **outcomes[name]["gap"]} for name in wanted}
    text = "{\n" + ",\n".join(f"  {json.dumps(name)}: {json.dumps(answer)}" for name, answer in answers.items()) + "\n}\n"
    Path(__file__).with_name("verdicts.json").write_text(text, encoding="utf-8")
