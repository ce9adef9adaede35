"""`dipverify check`: every claim of a repository."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from dipverify.cli import options

if TYPE_CHECKING:
    from pathlib import Path

    from dipverify.checking.outcomes import Report
    from dipverify.checking.runner import Progress

_FORMATS = "text|json|junit|sarif|github|markdown"
_ORDER = "dipverify.order"


class _Ordered(click.Command):
    """A command that remembers in which order --format and --output were given: an output belongs to the format before it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        order: list[str] = []
        words = iter(args)
        for word in words:
            if word == "--":
                break
            flag, equals, _ = word.partition("=")
            if flag in ("--format", "--output"):
                order.append(flag)
                if not equals:
                    next(words, None)
        ctx.meta[_ORDER] = order
        return super().parse_args(ctx, args)


@click.command(
    "check",
    cls=_Ordered,
    short_help="Do all claims of this repository hold?",
    epilog="Exit status: 0 all claims hold, 10 one is contradicted, 5 one is Unknown, 2 a claim or program cannot be "
    "used, 130 interrupted.",
)
@options.together(
    click.argument("paths", metavar="[PATH]...", nargs=-1),
    click.option(
        "--config",
        metavar="FILE",
        help="The file with the claims.  [default: the nearest dipverify.toml, or pyproject.toml with [tool.dipverify], in or "
        "above the folder; example: --config privacy.toml]",
    ),
    click.option(
        "--jobs",
        type=str,
        callback=options.whole(4),
        metavar="N",
        help="Worker processes.  [default: one for each core; example: --jobs 4]",
    ),
    click.option(
        "--cache",
        metavar="DIR",
        help="Keep what was proved in this folder: a claim whose program and settings have not changed is not examined again."
        "  [default: no cache; example: --cache .dipverify-cache]",
    ),
    click.option(
        "--changed-since",
        metavar="REV",
        help="Only claims whose program, list of pairs or settings differ from this git revision.  [example: --changed-since "
        "origin/main]",
    ),
    click.option(
        "--fail-on",
        default="unknown",
        metavar="unknown|not-dp",
        help="unknown: a claim that is not decided fails the check, with status 5; not-dp: only a claim that is contradicted "
        "does.  [default: unknown]",
    ),
    click.option(
        "--format",
        "formats",
        multiple=True,
        metavar=_FORMATS,
        help="How to report; repeatable, each with an --output behind it or to standard output. github prints annotations and "
        "adds a job summary.  [default: text; example: --format text --format sarif --output dipverify.sarif]",
    ),
    click.option(
        "--output",
        "outputs",
        multiple=True,
        metavar="FILE",
        help="Where the report of the --format before it goes; - is standard output."
        "  [example: --format json --output out.json]",
    ),
    click.option("--no-margin", is_flag=True, help="Do not find out how much smaller the budget of a claim could be."),
    options.quiet_option,
)
@click.pass_context
def check(
    ctx: click.Context,
    paths: tuple[str, ...],
    config: str | None,
    jobs: int | None,
    cache: str | None,
    changed_since: str | None,
    fail_on: str,
    formats: tuple[str, ...],
    outputs: tuple[str, ...],
    no_margin: bool,
    quiet: bool,
) -> int:
    """Do the claims hold that a repository makes about its mechanisms?

    The claims stand in dipverify.toml and in comment lines `# claim: ...` of the programs. Without PATH all of them are
    examined; a PATH is a program, a folder of programs, or a configuration. `dipverify init` writes a first configuration.

    \b
    Example:
        dipverify check
        dipverify check mechanisms --cache .dipverify-cache --format text --format junit --output report.xml
    """
    from pathlib import Path

    from dipverify.checking import runner
    from dipverify.checking.cache import Cache
    from dipverify.checking.collection import collect
    from dipverify.cli import output
    from dipverify.errors import UsageError

    if fail_on not in ("unknown", "not-dp"):
        raise UsageError(f"--fail-on {fail_on!r} is not one of unknown, not-dp")
    if jobs is not None and jobs < 1:
        raise UsageError(f"--jobs must be positive, but is {jobs}")
    here = Path.cwd()
    reports = _reports(formats, outputs, ctx.meta[_ORDER])
    found = collect(paths, config, here)
    claims = found.claims
    for remark in found.remarks:
        output.warn(remark, quiet=quiet)
    if not claims:
        raise UsageError("there are no claims here: write dipverify.toml (dipverify init makes one) or name a PATH")
    if changed_since is not None:
        from dipverify.checking.changes import changed_claims

        claims = changed_claims(found, changed_since, paths, config, here)
        if not claims:
            output.note(f"no claim has changed since {changed_since}", quiet=quiet)
    store = None if cache is None else Cache(Path(cache))
    line = _Line(quiet=quiet)
    try:
        report = runner.run(
            claims,
            jobs=jobs or _cores(),
            cache=store,
            margin=not no_margin,
            progress=line.show,
            warn=lambda sentence: output.warn(sentence, quiet=quiet),
        )
    finally:
        line.clear()
    _write(report, reports, here, strict=fail_on == "unknown")
    if all(target is not None for _, target in reports):
        from dipverify.checking.reports.words import totals

        output.note(totals(report), quiet=quiet)
    return _status(report, strict=fail_on == "unknown")


def _status(report: Report, *, strict: bool) -> int:
    """A contradicted claim counts most, then one that could not be examined, then one that is not decided."""
    from dipverify.cli import status

    if report.contradicted:
        return status.NOT_DP
    if report.broken:
        return status.BAD_USAGE
    return status.UNKNOWN if report.unknown and strict else status.SUCCESS


def _reports(formats: tuple[str, ...], outputs: tuple[str, ...], order: list[str]) -> list[tuple[str, Path | None]]:
    """Each format with the file it goes to; None is standard output."""
    from pathlib import Path

    from dipverify.checking.claims import did_you_mean
    from dipverify.checking.reports import FOR_PEOPLE, FORMATS
    from dipverify.errors import UsageError

    for form in formats:
        if form not in FORMATS:
            raise UsageError(f"--format {form!r} is not one of {', '.join(FORMATS)}{did_you_mean(form, FORMATS)}")
    targets: list[str | None] = [None] * len(formats)
    place, pending = -1, iter(outputs)
    for flag in order:
        if flag == "--format":
            place += 1
            continue
        target = next(pending)
        wanted = max(place, 0)
        if wanted >= len(formats):
            raise UsageError(f"--output {target}: say which --format it is for, such as --format json --output {target}")
        if targets[wanted] is not None:
            raise UsageError(f"--output {target}: --format {formats[wanted]} goes to {targets[wanted]} already")
        targets[wanted] = target
    reports = [
        (form, None if target in (None, "-") else Path(str(target))) for form, target in zip(formats, targets, strict=True)
    ] or [("text", None)]
    shown = [form for form, target in reports if target is None]
    alone = [form for form in shown if form not in FOR_PEOPLE]
    if alone and len(shown) > 1:
        raise UsageError(f"--format {alone[0]} cannot share standard output: give it an --output")
    files = [target for _, target in reports if target is not None]
    for file in files:
        if files.count(file) > 1:
            raise UsageError(f"--output {file}: two reports cannot go to one file")
        if file.is_dir() or not file.parent.is_dir():
            raise UsageError(f"--output {file}: {'this is a folder' if file.is_dir() else 'there is no such folder'}")
    return reports


def _write(report: Report, reports: list[tuple[str, Path | None]], here: Path, *, strict: bool) -> None:
    from dipverify.checking.files import write_atomically
    from dipverify.checking.reports import Style, render
    from dipverify.cli import output
    from dipverify.errors import UsageError

    prefix = _prefix(here)
    for form, target in reports:
        style = Style(colour=target is None and output.wants_colour(), prefix=prefix, unknown_fails=strict)
        text = render(form, report, style)
        if target is None:
            output.result(text)
        else:
            try:
                write_atomically(target, (text + "\n").encode())
            except OSError as error:
                raise UsageError(f"--output {target}: cannot be written: {error.strerror}") from None
        if form == "github":
            _job_summary(render("markdown", report, style))


def _job_summary(text: str) -> None:
    """Add `text` to the summary of the job, where GitHub says that there is one."""
    import os

    from dipverify.errors import UsageError

    target = os.environ.get("GITHUB_STEP_SUMMARY")
    if target:
        try:
            with open(target, "a", encoding="utf-8") as file:
                file.write(text + "\n")
        except OSError as error:
            raise UsageError(f"GITHUB_STEP_SUMMARY {target}: cannot be written: {error.strerror}") from None


def _prefix(here: Path) -> str:
    """The working folder as seen from the top of what GitHub has checked out; code hosts want paths from there."""
    import os
    from pathlib import Path

    top = os.environ.get("GITHUB_WORKSPACE")
    if not top or not here.is_relative_to(Path(top).resolve()):
        return ""
    inner = here.relative_to(Path(top).resolve()).as_posix()
    return "" if inner == "." else inner + "/"


def _cores() -> int:
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Line:
    """One line on a terminal's standard error that tells how far the check has come."""

    def __init__(self, *, quiet: bool) -> None:
        self._wanted = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._begin = time.monotonic()
        self._width = 0

    def show(self, progress: Progress) -> None:
        if not self._wanted:
            return
        import shutil

        seconds = time.monotonic() - self._begin
        text = f"[{progress.done}/{progress.total}] {seconds:.0f} s: {', '.join(progress.names)}"
        self._put(text[: shutil.get_terminal_size().columns - 1])

    def clear(self) -> None:
        if self._width:
            self._put("")
            self._put("")

    def _put(self, text: str) -> None:
        click.echo("\r" + text.ljust(self._width) + ("\r" if not text else ""), err=True, nl=False)
        self._width = len(text)
