"""Counts the instructions and allocations of single operations under valgrind's callgrind.

Each operation runs in a process of its own, twice, a different number of times; what it costs is the
difference, so that starting the process, making the objects and everything that happens but once
fall out. The counts depend on the compiler and the processor's kind, not on how busy it is.
"""

import fnmatch
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import commands
from paths import BUILD, RELEASE

BINARY = BUILD / "callgrind/Operation"

# The function of Workloads that runs the operations and nothing else.
MEASURED = "$s9Workloads3RunC7performyyF"
# How often an operation is done in the two runs.
COUNTS = (500, 1500)

ALLOCATORS = {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign"}


def prepare():
    """Installs valgrind if it is missing, builds Operation, and strips a copy of it."""
    if not commands.exists("valgrind"):
        commands.run(["apt-get", "update"])
        commands.run(["apt-get", "install", "-y", "valgrind"])
    commands.build("Operation")
    BINARY.parent.mkdir(exist_ok=True)
    # Valgrind takes long to read Swift's debug information, where it can read it at all. The names of
    # the functions stay.
    commands.run(["strip", "--strip-debug", "-o", BINARY, RELEASE / "Operation"])


def names(patterns):
    """The operations that match any of the patterns, as `set-int-*/Observed`; all without patterns."""
    known = commands.output([BINARY, "--list"]).split()
    for pattern in patterns:
        if not fnmatch.filter(known, pattern):
            sys.exit(f"no operation is called {pattern}; known are:\n  " + "\n  ".join(known))
    return [
        name for name in known
        if not patterns or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]


def costs(operations, counts=COUNTS):
    """(name, instructions, allocations), both for one operation, one after the other."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(lambda name: (name, *_cost(name, counts)), operations)


def _cost(name, counts):
    few, many = (_run(name, count) for count in counts)
    return [(after - before) / (counts[1] - counts[0]) for before, after in zip(few, many)]


def _run(name, count):
    path = BINARY.parent / f"{name.replace('/', '.')}.{count}.out"
    result = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={path.name}",
         f"--toggle-collect={MEASURED}", f"./{BINARY.name}", name, str(count)],
        # By its name alone, and with an environment that is always the same: both lie in the memory of the
        # process, and move what is allocated after them. Hash tables would otherwise be laid out
        # differently in each process.
        cwd=BINARY.parent,
        env={"PATH": os.environ["PATH"], "SWIFT_DETERMINISTIC_HASHING": "1"},
        capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{name} failed:\n{result.stderr}")
    profile = path.read_text()
    path.unlink()
    instructions = int(re.search(r"^(?:summary|totals): (\d+)", profile, re.MULTILINE)[1])
    if instructions == 0:
        sys.exit(f"{name}: callgrind has not found {MEASURED}")
    return instructions, _allocations(profile)


def _allocations(profile):
    """The calls of the allocator in a profile, which names each function once and then by number."""
    allocators, total, called = set(), 0, None
    for line in profile.splitlines():
        match = re.match(r"(c?)fn=(\(\d+\))(?: (.*))?", line)
        if match:
            call, number, name = match.groups()
            if name in ALLOCATORS:
                allocators.add(number)
            called = number if call else None
        elif line.startswith("calls=") and called in allocators:
            total += int(line[len("calls="):].split()[0])
    return total
