"""Draws the pictures of README.md from results.json, as SVG in pictures/."""

from figures import Figures
from paths import PACKAGE
from svg import Chart, bars

COLOURS = {
    "Observed": "#2563c9", "ObservedElements": "#0f8f8c", "didSet": "#6b7280",
    "Published": "#d9730d", "Observable": "#2e8b3d", "KVO": "#8e44ad"}
LABELS = {
    "Observed": "this library", "ObservedElements": "this library, with elements",
    "didSet": "didSet", "Published": "@Published", "Observable": "@Observable",
    "KVO": "GNUstep KVO"}

GROWTH = [
    ("contexts-end", "unobserve by context", "#2563c9"), ("bindings-source", "bind one source", "#0f8f8c"),
    ("end-property", "end one of a property", "#d9730d"), ("element-batch", "element in a batch", "#2e8b3d"),
    ("element-transaction", "element, two views", "#8e44ad"), ("introspection", "look up one object", "#6b7280")]

POWERS = [10**exponent for exponent in range(7)]

# File, title, comparison, sizes, what they count, peers, some with a label of their own; whether the axes are logarithmic.
CHARTS = [
    ("observers", "Setting a property", "observers", [1, 3, 10, 30, 100, 300, 1000],
     "observers of the property", ["Observed", "didSet", "Published", "Observable"], True),
    ("register", "Registering one observer for each object", "objects-register", POWERS,
     "objects", ["Observed", "didSet", "Published", "Observable"], True),
    ("notify", "Setting one object after the other", "objects-notify", POWERS,
     "objects with one observer each", ["Observed", "didSet", "Published", "Observable"], True),
    ("end", "Ending all observations, for each", "objects-end", POWERS,
     "objects with one observer each", ["Observed", "didSet", "Published"], True),
    ("links", "Setting the last property of a nested path", "links", range(1, 11),
     "links of the path", ["Observed", "Observable"], False),
    ("append", "Appending to an array", "array-append", POWERS,
     "elements of the array", ["Observed", "ObservedElements", "didSet", "Published"], True),
    ("insert", "Inserting at the front of an array", "array-insert", POWERS,
     "elements of the array", ["Observed", "ObservedElements", "didSet", "Published"], True),
    ("element", "Changing a property of an element", "array-element", POWERS,
     "elements of the array", ["ObservedElements", ("Observed", "object observed alone")], True),
]


def draw():
    figures = Figures.load()
    folder = PACKAGE / "pictures"
    folder.mkdir(exist_ok=True)
    for name, title, comparison, sizes, counted, peers, is_logarithmic in CHARTS:
        chart = Chart(title, counted, "for each operation", is_logarithmic)
        for peer in peers:
            peer, label = peer if isinstance(peer, tuple) else (peer, LABELS[peer])
            points = [(size, figures.get("time", f"{comparison}-{size}/{peer}")) for size in sizes]
            points = [(size, time) for size, time in points if time is not None]
            if points:
                chart.add(label, COLOURS[peer], points)
        (folder / f"{name}.svg").write_text(chart.svg(), encoding="utf-8")

    chart = Chart("One operation among n", "n, as the table says", "for each operation", True)
    for name, label, colour in GROWTH:
        points = [(size, figures.get("time", f"growth-{name}-{size}/Observed")) for size in POWERS]
        points = [(size, time) for size, time in points if time is not None]
        if points:
            chart.add(label, colour, points)
    if chart.lines:
        (folder / "growth.svg").write_text(chart.svg(), encoding="utf-8")

    set_times = [
        (LABELS[peer], COLOURS[peer], figures.get("time", f"set-int-1/{peer}"))
        for peer in ("didSet", "Observed", "Published", "Observable", "KVO")]
    (folder / "set.svg").write_text(
        bars("Setting an Int that one observer watches, in nanoseconds",
             [bar for bar in set_times if bar[2] is not None]), encoding="utf-8")


if __name__ == "__main__":
    draw()
