"""A limit of memory: the answer is Unknown, in good order."""

from __future__ import annotations

import os

import pytest

from benchmarks.programs import sparse_vector
from dipverify import UsageError, Verdict, api
from dipverify.enclosures.memory import MemoryLimit, resident, size_text
from dipverify.errors import OutOfMemory
from dipverify.request import build_query


def test_what_a_process_holds() -> None:
    assert 5_000_000 < resident() < 100_000_000_000
    assert abs(resident() - resident(os.getpid())) < 50_000_000
    assert resident(2**22 + 1) == 0
    block = bytearray(os.urandom(1)) * 64_000_000
    assert resident() > 64_000_000
    assert len(block) == 64_000_000


def test_the_limit_counts_workers() -> None:
    limit = MemoryLimit(resident() + 200_000_000)
    limit.check()
    crowd = MemoryLimit(resident() * 2, lambda: [os.getpid()] * 4)
    with pytest.raises(OutOfMemory, match="used up"):
        crowd.check()


def test_there_is_a_limit_by_default() -> None:
    limit = MemoryLimit().limit
    assert limit is None or limit > 10_000_000


def test_the_answer_is_unknown() -> None:
    result = api.verify(sparse_vector(6), eps="1/2", delta="0.01", max_memory="1MB")
    assert result.verdict is Verdict.UNKNOWN
    assert result.reason.startswith("memory: 1 MB are used up (see --max-memory); the largest gap lies between 0 and 1")


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1", 1),
        ("500MB", 500_000_000),
        ("2 GB", 2 * 10**9),
        ("1.5GiB", 3 * 2**29),
        ("3k", 3000),
        ("7KiB", 7168),
        ("1T", 10**12),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert build_query(eps=1, max_memory=text).max_memory == size
    assert build_query(eps=1, max_memory=size).max_memory == size


@pytest.mark.parametrize("text", ["", "GB", "-1GB", "1XB", "0", "1e9", "0.1"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(UsageError, match="max_memory"):
        build_query(eps=1, max_memory=text)


def test_sizes_are_written_for_people() -> None:
    assert [size_text(size) for size in (12, 2000, 500_000_000, 2**31)] == ["12 bytes", "2 kB", "500 MB", "2.15 GB"]
