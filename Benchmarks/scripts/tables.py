"""Writes the tables of README.md between its markers, from results.json, and those of them that the
documentation and the README of the repository have."""

import re

import targets
from figures import Figures
from paths import DOCUMENTATION, FRONT_PAGE, README

DIDSET, PUBLISHED, OBSERVABLE = "`didSet`", "`@Published`", "`@Observable`"
THIS = "this library"

# Headings of ratios, with the peer above and the peer below the line.
TO_DIDSET = (f"÷ {DIDSET}", "Observed", "didSet")
TO_PLAIN = ("÷ plain", "Observed", "plain")
OF_PUBLISHED = (f"{PUBLISHED} ÷ this", "Published", "Observed")
OF_OBSERVABLE = (f"{OBSERVABLE} ÷ this", "Observable", "Observed")
OF_KVO = ("KVO ÷ this", "KVO", "Observed")

PEERS = {
    "Observed": THIS, "didSet": DIDSET, "plain": "plain", "Published": PUBLISHED,
    "Observable": OBSERVABLE, "KVO": "KVO", "Mutex": "`Mutex`", "ObservedElements": "with elements",
    "ObservedCoalescing": "coalescing", "ObservedAlone": "without"}

POWERS = [10**exponent for exponent in range(7)]


def sizes(comparison, values, label="{:,}"):
    return [(label.format(value), f"{comparison}-{value}") for value in values]


# For each marker of README.md: the rows, the ratios, the peers whose figures follow, some with a heading
# of their own, and the measure.
TABLES = {
    "properties": (
        [("set an `Int`", "set-int-1"),
         ("set a `String`", "set-string-1"),
         ("set a class reference", "set-reference-1"),
         ("set, 10 observations of one controller", "set-int-10"),
         ("set, 10 observers with a controller each", "set-int-10-controllers"),
         ("set a `String`, 10 observations", "set-string-10"),
         ("set a reference, 10 observations", "set-reference-10"),
         ("set, 100 observations", "set-int-100"),
         ("append to an array of `Int`", "append-1"),
         ("observe and end it", "observe-unobserve")],
        [TO_DIDSET, OF_PUBLISHED, OF_OBSERVABLE, OF_KVO],
        ["Observed", "didSet", "Published", "Observable", "KVO"], "time"),
    "unobserved": (
        [("set an `Int`", "set-int-0"),
         ("get an `Int`", "get-int"),
         ("append to an array of `Int`", "append-0")],
        [TO_PLAIN, OF_PUBLISHED, OF_OBSERVABLE, OF_KVO],
        ["Observed", "plain", "Published", "Observable", "KVO"], "time"),
    "creation": (
        [("make an object with 10 properties", "create-10-properties")],
        [TO_PLAIN, OF_PUBLISHED, OF_OBSERVABLE],
        ["Observed", "plain", "Published", "Observable"], "time"),
    "creation-bytes": (
        [("bytes of it", "create-10-properties")],
        [TO_PLAIN, OF_PUBLISHED, OF_OBSERVABLE],
        ["Observed", "plain", "Published", "Observable"], "bytes"),
    "paths": (
        [("nested, the last property set", "path-leaf"),
         ("nested, a link replaced", "path-link"),
         ("nested without optionals, the last property set", "path-plain-leaf"),
         ("nested without optionals, a link replaced", "path-plain-link"),
         ("computed from two properties", "path-computed")],
        [OF_OBSERVABLE, OF_KVO], ["Observed", "Observable", "KVO"], "time"),
    "graphs": (
        [(name, f"graph-{name}") for name in targets.names("graphs of derived values")],
        [TO_PLAIN, OF_PUBLISHED, OF_OBSERVABLE],
        ["Observed", "plain", "Published", "Observable"], "time"),
    "graph-values": (
        [(name, f"graph-{name}") for name in targets.names("graphs of derived values")],
        [], ["Observed", "plain", "Published", "Observable"], "values"),
    "bindings": (
        [("one way", "bind-one-way"),
         ("two ways", "bind-two-way"),
         ("a whole text", "bind-text-whole"),
         ("the number in a text", "bind-text-number")],
        [TO_DIDSET, OF_PUBLISHED], ["Observed", "didSet", "Published"], "time"),
    "queues": (
        [("set, delivered on a queue", "queue")],
        [TO_DIDSET, ("coalescing ÷ `didSet`", "ObservedCoalescing", "didSet"), OF_PUBLISHED],
        ["Observed", "ObservedCoalescing", "didSet", "Published"], "time"),
    "atomics": (
        [("unobserved", "atomic-0"),
         ("1 observer", "atomic-1"),
         ("1 observer, 2 threads at once", "atomic-2-threads")],
        [("÷ `Mutex`", "Observed", "Mutex")], ["Observed", "Mutex"], "time"),
    "transactions": (
        [("100 sets of one property", "transaction-100-sets"),
         ("a set of each of 100 objects", "transaction-100-objects")],
        [("÷ without", "Observed", "ObservedAlone")], ["Observed", "ObservedAlone"], "time"),
    "million": (
        [("register one observer for each", "objects-register-1000000"),
         ("set each", "objects-notify-1000000"),
         ("end: the controller is deallocated", "objects-end-1000000")],
        [TO_DIDSET, OF_PUBLISHED], ["Observed", "didSet", "Published", "Observable"], "time"),
    "million-bytes": (
        [("bytes for each", "objects-register-1000000")],
        [TO_DIDSET, OF_PUBLISHED, OF_OBSERVABLE],
        ["Observed", "didSet", "Published", "Observable"], "bytes"),
    "array-edits": (
        [(f"{edit}, n = {n:,}", f"{comparison}-{n}")
         for edit, comparison in (
             ("append", "array-append"), ("remove the last", "array-remove-last"),
             ("insert at the front", "array-insert"), ("replace 1,000 in a batch", "array-batch"))
         for n in (1_000, 100_000, 1_000_000)],
        [TO_DIDSET, ("with elements ÷ `didSet`", "ObservedElements", "didSet"), OF_PUBLISHED],
        ["Observed", "ObservedElements", "didSet", "Published", "plain"], "time"),
    "elements": (
        [(f"{change}, n = {n:,}", f"{comparison}-{n}")
         for change, comparison in (
             ("one element", "array-element"), ("each element in turn", "array-each"),
             ("one, after 100 insertions", "array-moved"))
         for n in (1_000, 100_000, 1_000_000)],
        [("÷ object alone", "ObservedElements", "Observed")],
        ["ObservedElements", ("Observed", "object alone")], "time"),
    "growth-observers": (
        sizes("observers", [1, 3, 10, 30, 100, 300, 1000]),
        [TO_DIDSET, OF_PUBLISHED, OF_OBSERVABLE],
        ["Observed", "didSet", "Published", "Observable"], "time"),
    "growth-register": (
        sizes("objects-register", POWERS), [TO_DIDSET, OF_PUBLISHED, OF_OBSERVABLE],
        ["Observed", "didSet", "Published", "Observable"], "time"),
    "growth-bytes": (
        sizes("objects-register", POWERS), [TO_DIDSET, OF_PUBLISHED, OF_OBSERVABLE],
        ["Observed", "didSet", "Published", "Observable"], "bytes"),
    "growth-notify": (
        sizes("objects-notify", POWERS), [TO_DIDSET, OF_PUBLISHED, OF_OBSERVABLE],
        ["Observed", "didSet", "Published", "Observable"], "time"),
    "growth-end": (
        sizes("objects-end", POWERS), [TO_DIDSET, OF_PUBLISHED],
        ["Observed", "didSet", "Published"], "time"),
    "growth-links": (
        sizes("links", range(1, 11)), [OF_OBSERVABLE], ["Observed", "Observable"], "time"),
    "growth-append": (
        sizes("array-append", POWERS), [TO_DIDSET, OF_PUBLISHED],
        ["Observed", "ObservedElements", "didSet", "Published"], "time"),
    "growth-insert": (
        sizes("array-insert", POWERS), [TO_DIDSET, OF_PUBLISHED],
        ["Observed", "ObservedElements", "didSet", "Published"], "time"),
    "growth-element": (
        sizes("array-element", POWERS), [("÷ object alone", "ObservedElements", "Observed")],
        ["ObservedElements", ("Observed", "object alone")], "time"),
}

# The table of the README of the repository.
SUMMARY = (
    [("set an `Int`", "set-int-1"),
     ("set an `Int`, 10 observations", "set-int-10"),
     ("set an `Int`, not observed", "set-int-0"),
     ("set the last property of `\\.a?.b`", "path-leaf"),
     ("set one of 10,000 cells, with derived sums and total", "graph-sheet"),
     ("observe and end it", "observe-unobserve")],
    [], ["Observed", "didSet", "Published", "Observable", "KVO"], "time")

GROWTH = [
    ("observe with one more context", "contexts"),
    ("unobserve by context", "contexts-end"),
    ("observe one more key path", "key-paths"),
    ("unobserve by key path", "key-paths-end"),
    ("bind one source to one more target", "bindings-source"),
    ("bind one more source to one target", "bindings-target"),
    ("end one observation of a property, in random order", "end-property"),
    ("end one observation of an event, in random order", "end-event"),
    ("ask a hook with n handlers", "hook"),
    ("show one observation of n in a graph of them", "graph"),
    ("change each element in a batch", "element-batch"),
    ("change each element in a transaction, two live views", "element-transaction"),
    ("look up the observations of one object of n", "introspection"),
    ("remove the observations of one object of n", "removal-by-object"),
    ("– by one observer", "removal-by-observer"),
    ("– by key path", "removal-by-key-path")]

INSTRUCTIONS = [
    ("get, unobserved", "get-int"), ("set, unobserved", "set-int-0"), ("set an `Int`", "set-int-1"),
    ("set a `String`", "set-string-1"), ("set a class reference", "set-reference-1"),
    ("set, 10 observations", "set-int-10"), ("set, 10 controllers", "set-int-10-controllers"),
    ("append, unobserved", "append-0"), ("append", "append-1"),
    ("set a property of an element", "array-element-1000"),
    ("observe and end it", "observe-unobserve"), ("nested path, last property", "path-leaf"),
    ("nested path, link", "path-link"),
    ("nested path without optionals, last property", "path-plain-leaf"),
    ("nested path without optionals, link", "path-plain-link"),
    ("path over a constant, last property", "path-constant-leaf"), ("computed path", "path-computed"),
    ("computed path, and an observer of the property", "path-computed-beside"),
    ("derived value, read while clean", "derived-read"),
    ("chain of 100 derived values, the second ends the change", "derived-validate-100"),
    ("chain of 200", "derived-validate-200"),
    ("chain of 100 derived values, all computed", "derived-compute-100"),
    ("chain of 200", "derived-compute-200"),
    ("bind one way", "bind-one-way"), ("bind two ways", "bind-two-way"),
    ("make 10 properties", "create-10-properties"), ("atomic, unobserved", "atomic-0"),
    ("atomic", "atomic-1"), ("atomic, by a path over a constant", "atomic-path")]


def table(figures, rows, ratios, peers, measure, first="operation"):
    """A table without the columns and rows of which nothing has been measured."""
    value = lambda comparison, peer: figures.get(measure, f"{comparison}/{peer}")
    names = dict(peer if isinstance(peer, tuple) else (peer, PEERS[peer]) for peer in peers)
    rows = [row for row in rows if any(value(row[1], peer) is not None for peer in names)]
    peers = [peer for peer in names if any(value(row[1], peer) is not None for row in rows)]
    ratios = [ratio for ratio in ratios if {ratio[1], ratio[2]} <= set(peers)]
    lines = []
    for label, comparison in rows:
        cells = [
            ratio(value(comparison, above), value(comparison, below)) for _, above, below in ratios]
        cells += [amount(value(comparison, peer), measure) for peer in peers]
        lines.append([label, *cells])
    return markdown([first, *(ratio[0] for ratio in ratios), *(names[peer] for peer in peers)], lines)


def instructions(figures):
    peers = ["Observed", "ObservedElements", "plain", "didSet", "Published", "Observable", "Mutex"]
    lines = []
    for label, comparison in INSTRUCTIONS:
        cells = []
        for peer in peers:
            count, allocations = (
                figures.get(measure, f"{comparison}/{peer}")
                for measure in ("instructions", "allocations"))
            text = "" if count is None else f"{count:,.0f}"
            cells.append(text + (f" ({allocations:.0f})" if allocations and allocations >= 0.5 else ""))
        lines.append([label, *cells])
    return markdown(["operation", *(PEERS[peer] for peer in peers)], lines)


def growth(figures):
    powers = POWERS[2:]
    lines = [
        [label, *(amount(figures.get("time", f"growth-{name}-{n}/Observed"), "time") for n in powers)]
        for label, name in GROWTH]
    return markdown(["each", *(f"n = {n:,}" for n in powers)], lines)


def views(figures):
    lines = []
    for label, name in (("change of an element", "element"), ("append", "append")):
        times = [figures.get("time", f"growth-view-{name}-{kind}/Observed")
                 for kind in ("none", "sorted", "filtered", "mapped")]
        lines.append([label, amount(times[0], "time"), *(
            f"{amount(time, 'time')} ({ratio(time, times[0])} ×)" for time in times[1:])])
    return markdown(["", "observed alone", "sorted", "filtered", "mapped"], lines)


def threads(figures):
    lines = []
    for label, name in [
            (THIS, "threads/Observed"), (DIDSET, "threads/didSet"), (PUBLISHED, "threads/Published"),
            ("this library, a chain of ten derived values", "derived-threads/Observed")]:
        one, two = (figures.get("time", f"{name}-{count}") for count in (1, 2))
        if one is None or two is None:
            continue
        lines.append([label, f"{2 * one / two:.2f}", amount(one, "time"), amount(two, "time")])
    return markdown(["", "speed-up", "1 thread, each set", "2 threads, each set"], lines)


def goals(figures):
    lines = []
    for target in targets.load():
        figure = target.figure(figures)
        if figure is None:
            continue
        is_reached = target.is_reached(figure) and not target.is_unclear(figures)
        lines.append([
            target.operation, target.formatted(figure) if is_reached
            else f"**{target.formatted(figure)}**", target.bound, f"`{target.description}`",
            "reached" if is_reached
            else "unclear: the machine was busy" if target.is_unclear(figures) else "**missed**"])
    return markdown(["operation", "figure", "target", "of", ""], lines)


def machine(figures):
    values = figures.machine
    return (f"Processor: {values['processor']}, {values['cores']} cores; {values['system']}, "
            f"Swift {values['swift']}.")


def ratio(above, below):
    if above is None or below is None:
        return ""
    value = above / below
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"


def amount(value, measure):
    if value is None:
        return ""
    if measure == "bytes":
        return f"{value:,.0f}"
    if measure == "values":
        return f"{value:,.1f}".removesuffix(".0")
    for unit in ("ns", "µs", "ms"):
        if value < 1000 or unit == "ms":
            return f"{value:.1f} {unit}" if value < 10 else f"{value:,.0f} {unit}"
        value /= 1000


def markdown(header, lines):
    rule = ["---"] + ["---:"] * (len(header) - 1)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [header, rule, *lines])


def write():
    figures = Figures.load()
    blocks = {name: table(figures, *parts, *(["n"] if name.startswith("growth") else []))
              for name, parts in TABLES.items()}
    blocks |= {
        "growth": growth(figures), "views": views(figures),
        "instructions": instructions(figures), "threads": threads(figures), "goals": goals(figures),
        "machine": machine(figures)}
    fill(README, blocks, needs_all=True)
    fill(DOCUMENTATION, blocks, needs_all=False)
    fill(FRONT_PAGE, {"summary": table(figures, *SUMMARY)}, needs_all=True)


def fill(page, blocks, needs_all):
    text = page.read_text(encoding="utf-8")
    for name, block in blocks.items():
        marked = rf"(<!-- begin: {name} -->\n).*?(<!-- end: {name} -->)"
        text, found = re.subn(
            marked, lambda match: f"{match[1]}{block}\n{match[2]}", text, flags=re.DOTALL)
        if found > 1 or needs_all and not found:
            raise SystemExit(f"{page.name} has {found} places for the table {name}")
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
