# Sourced by the scripts beside this folder. Keeps .venv, a virtual environment in the checkout with dipverify installed
# from it (editable: a change of the sources needs no new installation, a change of pyproject.toml does).
#
#   ROOT                    the checkout
#   BIN                     where the environment's programs are
#   ensure_environment X..  makes the environment, with the optional extras X (test, dev, ...), unless it is up to date
#
# DIPVERIFY_PYTHON names the Python to use instead of the first suitable one on the PATH.

ROOT=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
VENV=$ROOT/.venv
BIN=$VENV/bin

fail() {
    printf '%s: %s\n' "$(basename -- "$0")" "$*" >&2
    exit 1
}

# Prints the command of a Python that is new enough.
find_python() {
    local candidate found=
    for candidate in ${DIPVERIFY_PYTHON:+"$DIPVERIFY_PYTHON"} python3 python3.11 python3.12 python3.13 python3.14 python; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            printf '%s\n' "$candidate"
            return
        fi
        if [[ -z $found ]]; then
            found=$("$candidate" -c 'import platform; print(platform.python_version())' 2>/dev/null) || found=
        fi
    done
    fail "needs Python 3.11 or newer; ${found:+found Python $found only. }Install it or set DIPVERIFY_PYTHON to its path"
}

# Runs a command silently; if it fails, shows what it printed and stops.
quietly() {
    local output
    if ! output=$("$@" 2>&1 </dev/null); then
        printf '%s\n' "$output" >&2
        fail "this command failed: $*"
    fi
}

# What an up-to-date environment was made from. The location counts: an environment does not work after a move.
fingerprint() {
    printf '%s\n' "$ROOT"
    cat -- "$ROOT/pyproject.toml"
}

is_current() { # base or an extra
    [[ -x $BIN/python && -x $BIN/dipverify && -f $VENV/installed-$1 ]] && [[ $(<"$VENV/installed-$1") == "$(fingerprint)" ]]
}

install_environment() {
    local extra missing= requested
    for extra in base "$@"; do
        is_current "$extra" || missing=1
    done
    [[ -n $missing ]] || return 0
    if [[ ! -x $BIN/python || $(cat -- "$VENV/location" 2>/dev/null) != "$ROOT" ]]; then
        local python
        python=$(find_python) || exit 1
        printf 'setting up %s ...\n' "$VENV" >&2
        rm -rf -- "$VENV"
        quietly "$python" -m venv "$VENV"
        printf '%s' "$ROOT" >"$VENV/location"
    else
        printf 'bringing %s up to date ...\n' "$VENV" >&2
    fi
    requested=$(IFS=,; printf '%s' "$*")
    quietly "$BIN/python" -m pip install --quiet --disable-pip-version-check --editable "$ROOT${requested:+[$requested]}"
    # Bytecode and the parser's tables, also where Python is told not to write any while it runs.
    quietly "$BIN/python" -m compileall -q "$ROOT/dipverify"
    quietly env -u PYTHONDONTWRITEBYTECODE "$BIN/python" -c "from dipverify.language.parser import parse; parse('OUTPUT = [0];')"
    for extra in base "$@"; do
        fingerprint >"$VENV/installed-$extra"
    done
}

ensure_environment() {
    if command -v flock >/dev/null 2>&1; then
        # Two scripts started at once on a fresh checkout: the second waits for the first.
        (
            flock 9
            install_environment "$@" 9<&-
        ) 9<"$ROOT/pyproject.toml"
    else
        install_environment "$@"
    fi
}
