"""Runs other programs. A program that fails ends this one."""

import shlex
import shutil
import subprocess
import sys

from paths import PACKAGE


def run(command, **options):
    """What the program prints on standard output goes to standard error, which reports progress."""
    _run(command, stdout=sys.stderr, **options)


def output(command, **options):
    return _run(command, stdout=subprocess.PIPE, **options).stdout


def build(product):
    run(["swift", "build", "-c", "release", "--product", product])


def exists(program):
    return shutil.which(program) is not None


def _run(command, **options):
    command = [str(part) for part in command]
    sys.stderr.flush()
    result = subprocess.run(command, cwd=PACKAGE, text=True, **options)
    if result.returncode != 0:
        sys.exit(f"{result.stdout or ''}{shlex.join(command)} failed")
    return result
