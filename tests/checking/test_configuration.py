"""Claims as people write them: what they mean, and what is said about those that cannot be used."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from dipverify.checking.claims import ConfigurationError
from dipverify.checking.settings import CLAIM_KEYS, COMMENT_KEYS
from dipverify.cli.main import cli
from dipverify.decision.results import Verdict
from dipverify.errors import UsageError
from dipverify.quantities.rational import Rational
from tests.checking.support import ABOVE, check, claims, project

CLAIM = '[[claim]]\nprogram = "above.dip"\n'


def test_a_claim_is_what_verify_would_be_asked(tmp_path: Path) -> None:
    project(
        tmp_path,
        """
        [defaults]
        eps = 0.1
        timeout = 7.5

        [[claim]]
        name = "far"
        program = "above.dip"
        set = { LEVEL = "1/3" }
        eps_prv = "1e-2"
        delta = 1
        domain = "0,1/2"
        adjacency = "linf:1/2"
        max_precision = 256
        expect = "not-dp"
        """,
    )
    (claim,) = claims(tmp_path)
    query = claim.query
    assert (claim.name, claim.program, claim.expect) == ("far", "above.dip", Verdict.NOT_DP)
    assert (query.eps, query.eps_prv, query.delta) == (Rational(1, 10), Rational(1, 100), Rational(1))
    assert (query.domain, str(query.adjacency)) == ((Rational(0), Rational(1, 2)), "linf:0.5")
    assert (query.timeout, query.max_precision) == (7.5, 256)
    assert claim.overrides == (("LEVEL", Rational(1, 3)),)
    assert (claim.place.file, claim.place.line) == ("dipverify.toml", 6)


def test_every_option_of_verify_is_a_key() -> None:
    verify = cli.get_command(click.Context(cli), "verify")
    assert verify is not None
    options = {str(parameter.name) for parameter in verify.params if isinstance(parameter, click.Option)}
    spelled = {"overrides": "set", "pair_texts": "pair", "pairs_file": "pairs"}
    assert {spelled.get(option, option) for option in options} - {"as_json", "quiet"} <= set(CLAIM_KEYS)
    assert set(CLAIM_KEYS) - set(COMMENT_KEYS) == {"program"}


def test_lists_make_a_matrix(tmp_path: Path) -> None:
    project(tmp_path, CLAIM + 'name = "m"\neps = [1, "1/2"]\nset = { LEVEL = [0, 1, 2] }\n')
    found = claims(tmp_path)
    assert [claim.name for claim in found] == [
        f"m [eps = {eps}, LEVEL = {level}]" for eps in ("1", "1/2") for level in (0, 1, 2)
    ]
    assert [(claim.query.eps, dict(claim.overrides)["LEVEL"]) for claim in found] == [
        (Rational(1, eps), Rational(level)) for eps in (1, 2) for level in (0, 1, 2)
    ]


def test_domain_and_pairs_are_lists_without_being_a_matrix(tmp_path: Path) -> None:
    (tmp_path / "listed.json").write_text("[[[0], [0.1]]]")
    project(
        tmp_path,
        CLAIM + 'eps = 1\ndomain = [0, 1, "1/2"]\n'
        '[[claim]]\nprogram = "above.dip"\neps = 1\npair = ["0:1", "2:3"]\nordered = true\n'
        '[[claim]]\nprogram = "above.dip"\neps = 1\npairs = "listed.json"\n'
        '[[claim]]\nprogram = "above.dip"\neps = 1\npairs = [[[0], ["1/3"]]]\n',
    )
    domain, pair, listed, inline = claims(tmp_path)
    assert len(domain.query.domain) == 3
    assert [u for u, _ in pair.query.adjacency.pairs] == [(Rational(0),), (Rational(2),)]
    assert pair.query.adjacency.ordered
    assert listed.query.adjacency.pairs[0][1] == (Rational(1, 10),), "0.1 in the file is one tenth"
    assert listed.pairs_file == tmp_path / "listed.json"
    assert inline.query.adjacency.pairs[0][1] == (Rational(1, 3),)


def test_patterns_name_several_programs(tmp_path: Path) -> None:
    programs = {"a/x.dip": ABOVE, "a/y.dip": ABOVE, "b/z.dip": ABOVE, "a/notes.txt": ""}
    project(tmp_path, '[[claim]]\nname = "all"\nprogram = ["b/z.dip", "a/*.dip"]\neps = 1\n', programs)
    assert [claim.name for claim in claims(tmp_path)] == ["all [b/z.dip]", "all [a/x.dip]", "all [a/y.dip]"]
    project(tmp_path, '[[claim]]\nname = "deep"\nprogram = "**/[xz].dip"\neps = 1\n')
    assert [claim.program for claim in claims(tmp_path)] == ["a/x.dip", "b/z.dip"]


def test_settings_of_defaults_and_claim_are_joined(tmp_path: Path) -> None:
    project(tmp_path, "[defaults]\neps = 1\nset = { A = 1, B = 2 }\n" + CLAIM + "set = { B = 3, C = 4 }\n")
    (claim,) = claims(tmp_path)
    assert dict(claim.overrides) == {"A": 1, "B": 3, "C": 4}


@pytest.mark.parametrize("written", ['"A = 1/3"', '["A=1/3"]', '{ A = "1/3" }'])
def test_settings_may_be_written_as_on_the_command_line(tmp_path: Path, written: str) -> None:
    project(tmp_path, f"{CLAIM}eps = 1\nset = {written}\n")
    assert claims(tmp_path)[0].overrides == (("A", Rational(1, 3)),)


def test_names_that_nobody_gave_tell_the_promise_and_differ(tmp_path: Path) -> None:
    project(tmp_path, (CLAIM + 'eps = 1\ndelta = "0.1"\n') * 2 + CLAIM + 'eps = 1\nexpect = "Not_DP"\n')
    assert [claim.name for claim in claims(tmp_path)] == [
        "above: (1, 0.1) at eps = 1",
        "above: (1, 0.1) at eps = 1 #2",
        "above: not (1, 0) at eps = 1",
    ]


def test_claims_in_programs(tmp_path: Path) -> None:
    text = '# claim: eps_prv = "2", delta = "0.01"\n// claim: name = "mine", eps = 3, expect = "Not_DP"\n' + ABOVE
    project(tmp_path, "[defaults]\neps = 1\n", {"deep/above.dip": text, ".hidden/above.dip": text})
    first, second = claims(tmp_path)
    assert (first.query.eps, first.query.eps_prv, first.place.line) == (1, 2, 1)
    assert (second.name, second.query.eps, second.expect, second.place.line) == ("mine", 3, Verdict.NOT_DP, 2)
    assert str(second.place) == "deep/above.dip:2: claim"


def test_pyproject(tmp_path: Path) -> None:
    project(tmp_path, "")
    (tmp_path / "dipverify.toml").unlink()
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "x"\n\n[tool.dipverify.defaults]\neps = 1\n\n[[tool.dipverify.claim]]\nprogram = "above.dip"\n'
    )
    (claim,) = claims(tmp_path)
    assert (claim.place.file, claim.place.line) == ("pyproject.toml", 7)
    (tmp_path / "dipverify.toml").write_text(CLAIM + "eps = 2\n")
    assert claims(tmp_path)[0].query.eps == 2, "its own file comes first"


def test_the_nearest_configuration_is_in_force(tmp_path: Path) -> None:
    top = project(tmp_path, CLAIM + "eps = 1\n", {"above.dip": ABOVE, "inner/x.dip": ABOVE, "below/above.dip": ABOVE})
    project(tmp_path / "below", '[[claim]]\nname = "below"\nprogram = "above.dip"\neps = 2\n')
    assert [claim.program for claim in claims(top)] == ["above.dip"]
    assert [claim.program for claim in claims(top / "inner")] == ["../above.dip"]
    assert [claim.program for claim in claims(top, "below")] == ["below/above.dip"]
    assert [claim.name for claim in claims(top / "inner", config="../below/dipverify.toml")] == ["below"]
    assert len(claims(top, "below/dipverify.toml", "dipverify.toml")) == 2
    (top / "inner" / ".git").mkdir()
    with pytest.raises(UsageError, match="no such file"):
        claims(top / "inner", config="dipverify.toml")
    assert claims(top / "inner") == (), "a repository ends where its .git is"


def test_paths_select(tmp_path: Path) -> None:
    programs = {"a/x.dip": "# claim: eps = 1\n" + ABOVE, "a/y.dip": ABOVE, "b/z.dip": ABOVE}
    project(tmp_path, '[[claim]]\nname = "n"\nprogram = "*/*.dip"\neps = 1\n', programs)
    assert [claim.program for claim in claims(tmp_path, "a/x.dip")] == ["a/x.dip", "a/x.dip"]
    assert {claim.program for claim in claims(tmp_path, "a")} == {"a/x.dip", "a/y.dip"}
    assert {claim.program for claim in claims(tmp_path, "b", "a/y.dip")} == {"b/z.dip", "a/y.dip"}
    with pytest.raises(UsageError, match="nowhere: there is no such file or folder"):
        claims(tmp_path, "nowhere")


@pytest.mark.parametrize(
    ("configuration", "words"),
    [
        ("eps_prvv = 1", ["eps_prvv: unknown key (did you mean 'eps_prv'?)"]),
        ('eps-prv = "1"', ["eps-prv: unknown key (did you mean 'eps_prv'?)"]),
        ("N = 5", ["N: unknown key", "set = { N = ... }"]),
        ("eps = 0", ["eps must be positive, but is 0"]),
        ("eps = inf", ["eps 'inf' is not a number"]),
        ("eps = true", ["eps: must be a number", "not true"]),
        ('eps = "half"', ["eps 'half' is not a number"]),
        ("eps = []", ["eps: is an empty list"]),
        ("eps = [1, [2]]", ["eps: must be a number", "not a list"]),
        ('eps = 1\neps_prv = "-1"', ["eps_prv must not be negative"]),
        ("eps = 1\ndelta = 2", ["delta must be between 0 and 1, but is 2"]),
        ('eps = 1\nadjacency = "some"', ["adjacency 'some' is not one of all, linf:R"]),
        ("eps = 1\nadjacency = 1", ["adjacency: must be a string"]),
        ("eps = 1\ndomain = 1", ["domain: must be a list"]),
        ("eps = 1\ndomain = [0, 0]", ["domain has the value 0 twice"]),
        ('eps = 1\npair = "0,1"', ["pair: '0,1': write two inputs with one colon"]),
        ("eps = 1\npairs = [[0]]", ["pairs: pair 1 must be [u, v]"]),
        ('eps = 1\npairs = "gone.json"', ["pairs: there is no file 'gone.json'"]),
        ("eps = 1\nordered = 1", ["ordered: must be true or false, not the number 1"]),
        ("eps = 1\nprecision = 64.5", ["precision: must be a whole number"]),
        ("eps = 1\nprecision = 0", ["precision must be positive"]),
        ("eps = 1\nset = 5", ["set: must be a table"]),
        ('eps = 1\nset = "N"', ["set: must be a table"]),
        ('eps = 1\nset = ["N=1", "N=2"]', ["set: must be a table"]),
        ('eps = 1\nset = { "N+1" = 5 }', ["set 'N+1' is not a name"]),
        ("eps = 1\nset = { N = true }", ["set.N: must be a number"]),
        ('eps = 1\nset = { N = "x" }', ["set N 'x' is not a number"]),
        ('eps = 1\nexpect = "private"', ["expect: must be DP or Not_DP, not 'private'"]),
        ('eps = 1\nname = ""', ["name: must not be empty"]),
        ("eps = 1\nname = 5", ["name: must be a string"]),
        ("eps = 1\ntimeout = 0", ["timeout must be positive"]),
        ('eps = 1\nstrategy = "quick"', ["strategy 'quick' is not one of"]),
        ("delta = 1", ["eps: is missing: give it in the claim or in [defaults]"]),
    ],
)
def test_a_bad_key_is_named_with_its_file_and_claim(tmp_path: Path, configuration: str, words: list[str]) -> None:
    project(tmp_path, f"{CLAIM}{configuration}\n")
    with pytest.raises(ConfigurationError) as raised:
        claims(tmp_path)
    (mistake,) = raised.value.mistakes
    assert mistake.startswith("dipverify.toml:1: claim 1"), mistake
    for word in words:
        assert word in mistake


@pytest.mark.parametrize(
    ("configuration", "words"),
    [
        ("[[claim]]\neps = 1\n", "dipverify.toml:1: claim 1: program: is missing"),
        ('[[claim]]\nprogram = "abov.dip"\neps = 1\n', "program: there is no file 'abov.dip' (did you mean 'above.dip'?)"),
        ('[[claim]]\nprogram = "*.dp"\neps = 1\n', "program: '*.dp' matches no file"),
        ('[[claim]]\nprogram = "."\neps = 1\n', "program: '.' is a folder"),
        ('[[claim]]\nprogram = "a\\u0000b"\neps = 1\n', "program: there is no file 'a\\x00b'"),
        ("[[claim]]\nprogram = 7\neps = 1\n", "program: must be a string"),
        ("[claim]\neps = 1\n", "dipverify.toml: claim: each claim starts with [[claim]]"),
        ("[[claims]]\neps = 1\n", "dipverify.toml: claims: unknown key (did you mean 'claim'?)"),
        ("defaults = 1\n", "dipverify.toml: defaults: must be a table"),
        ("[defaults]\nprogram = 1\n", "dipverify.toml: [defaults]: program: this key cannot stand here"),
        ("[defaults]\nepss = 1\n", "dipverify.toml: [defaults]: epss: unknown key (did you mean 'eps'?)"),
        (f"[defaults]\neps = 0\n{CLAIM}{CLAIM}", "dipverify.toml: [defaults]: eps must be positive"),
        ("[[claim]\n", "dipverify.toml: not TOML: "),
        (f'{CLAIM}eps = 1\nname = "a"\n{CLAIM}eps = 2\nname = "a"\n', "'a' is already the name of claim 1"),
        (f"{CLAIM}eps = {list(range(1, 200))}\ndelta = {['1/2'] * 100}\n", "stands for 19900 claims"),
    ],
)
def test_a_bad_configuration_is_one_message_and_status_2(tmp_path: Path, configuration: str, words: str) -> None:
    project(tmp_path, configuration)
    with pytest.raises(ConfigurationError) as raised:
        claims(tmp_path)
    (mistake,) = raised.value.mistakes
    assert words in mistake


def test_all_mistakes_are_told_at_once_and_nothing_is_examined(tmp_path: Path) -> None:
    project(
        tmp_path,
        f'{CLAIM}eps = 1\n{CLAIM}eps = 0\n[[claim]]\nprogram = "gone.dip"\neps = 1\n',
        {
            "above.dip": ABOVE,
            "commented.dip": "# claim: eps = one\n" + ABOVE,
            "typo.dip": "# claim: epss = 1, eps = 1\n" + ABOVE,
        },
    )
    ran = check(cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    first, *mistakes = ran.stderr.rstrip().split("\n")
    assert first == "dipverify: 4 mistakes in the claims:"
    assert [mistake.split(":")[0].strip() for mistake in mistakes] == [
        "dipverify.toml",
        "dipverify.toml",
        "commented.dip",
        "typo.dip",
    ]
    assert "commented.dip:1: claim: not of the form KEY = VALUE" in ran.stderr
    assert "did you mean 'eps'?" in ran.stderr


def test_files_that_are_no_text_are_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "dipverify.toml").write_bytes(b"\xff\xfe")
    ran = check(cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (2, "dipverify: dipverify.toml: not TOML: it is not UTF-8 text\n")
    (tmp_path / "dipverify.toml").unlink()
    (tmp_path / "binary.dip").write_bytes(b"\xff\x00# claim: eps = 1\n")
    assert "there are no claims here" in check(cwd=tmp_path).stderr
