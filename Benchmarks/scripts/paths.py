"""Where things are."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
BUILD = PACKAGE / ".build"
RELEASE = BUILD / "release"
README = PACKAGE / "README.md"
FRONT_PAGE = PACKAGE.parent / "README.md"
DOCUMENTATION = (
    PACKAGE.parent / "Sources/ObservationController/ObservationController.docc/Performance.md")
RESULTS = PACKAGE / "results.json"
KVO = BUILD / "kvo"
