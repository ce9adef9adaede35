"""Renews what documents show of the project: console blocks and the map of the house. scripts/update-docs runs this."""

from __future__ import annotations

from tests.house import console, house_map
from tests.house.project import ROOT, documents

if __name__ == "__main__":
    renewed = {page for page in documents() if console.rewrite(page)}
    if house_map.rewrite():
        renewed.add(house_map.PAGE)
    for page in sorted(renewed):
        print(f"renewed {page.relative_to(ROOT)}")
