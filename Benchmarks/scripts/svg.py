"""Draws charts as SVG, with no library: the files are small, and their differences can be read."""

import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 640, 380
LEFT, RIGHT, TOP, BOTTOM = 70, 180, 68, 52
FONT = "font-family=\"-apple-system, 'Segoe UI', Helvetica, Arial, sans-serif\""
INK, FAINT = "#24292f", "#d8dee4"


class Chart:
    """Lines of points, each labelled at its end."""

    def __init__(self, title, x_label, y_label, is_logarithmic):
        self.title, self.x_label, self.y_label = title, x_label, y_label
        self.is_logarithmic = is_logarithmic
        self.lines = []

    def add(self, label, colour, points):
        self.lines.append((label, colour, points))

    def svg(self):
        xs = [x for _, _, points in self.lines for x, _ in points]
        ys = [y for _, _, points in self.lines for _, y in points]
        if self.is_logarithmic:
            self.x, self.y = Logarithmic(min(xs), max(xs)), Logarithmic(min(ys), max(ys), whole=True)
        else:
            self.x, self.y = Linear(min(xs), max(xs), steps=max(xs) - min(xs)), Linear(0, max(ys))
        return _document(WIDTH, HEIGHT, self.title, [*self._axes(), *self._lines()])

    def _place(self, x, y):
        return (LEFT + self.x.share(x) * (WIDTH - LEFT - RIGHT),
                HEIGHT - BOTTOM - self.y.share(y) * (HEIGHT - TOP - BOTTOM))

    def _axes(self):
        right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
        for tick in self.y.ticks:
            y = self._place(self.x.ticks[0], tick)[1]
            yield f'<path d="M{LEFT} {y:.1f}H{right}" stroke="{FAINT}"/>'
            yield _text(LEFT - 8, y + 4, duration(tick), "end")
        for tick in self.x.ticks:
            x = self._place(tick, self.y.ticks[0])[0]
            yield f'<path d="M{x:.1f} {bottom}v5" stroke="{INK}"/>'
            yield _text(x, bottom + 20, count(tick), "middle")
        yield f'<path d="M{LEFT} {bottom}H{right}" stroke="{INK}"/>'
        yield _text((LEFT + right) / 2, HEIGHT - 10, self.x_label, "middle")
        yield _text(12, 44, self.y_label, "start")

    def _lines(self):
        ends = []
        for label, colour, points in self.lines:
            places = [self._place(*point) for point in points]
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
            yield f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
            for x, y in places:
                yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
            ends.append((places[-1], label, colour))
        # Labels that would cover each other move apart.
        below = HEIGHT
        for (x, y), label, colour in sorted(ends, key=lambda end: -end[0][1]):
            below = min(y, below - 15)
            yield _text(x + 10, below + 4, label, "start", colour)


class Linear:
    def __init__(self, low, high, steps=5):
        step = nice((high - low) / steps)
        self.low, self.high = low, low + math.ceil((high - low) / step) * step
        self.ticks = [low + index * step for index in range(round((self.high - low) / step) + 1)]

    def share(self, value):
        return (value - self.low) / (self.high - self.low)


class Logarithmic:
    """From power of ten to power of ten if `whole`."""

    def __init__(self, low, high, whole=False):
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
        self.ticks = [10**exponent for exponent in range(first, max(last, first + 1) + 1)]
        self.low, self.high = (self.ticks[0], self.ticks[-1]) if whole else (low, high)
        self.ticks = [tick for tick in self.ticks if self.low <= tick <= self.high]

    def share(self, value):
        return math.log(value / self.low) / math.log(self.high / self.low)


def bars(title, entries):
    """One bar for each (label, colour, value)."""
    left, right, top, height = 120, 80, 44, 30
    longest = max(value for _, _, value in entries)
    parts = []
    for index, (label, colour, value) in enumerate(entries):
        y = top + index * height
        length = value / longest * (WIDTH - left - right)
        parts += [
            _text(left - 8, y + 15, label, "end"),
            f'<rect x="{left}" y="{y}" width="{length:.1f}" height="20" fill="{colour}"/>',
            _text(left + length + 8, y + 15, f"{value:,.0f}", "start")]
    return _document(WIDTH, top + len(entries) * height + 8, title, parts)


def nice(step):
    """The next 1, 2 or 5 times a power of ten."""
    power = 10 ** math.floor(math.log10(step))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= step * 0.999)


def duration(nanoseconds):
    for unit in ("ns", "µs", "ms"):
        if nanoseconds < 1000 or unit == "ms":
            return f"{nanoseconds:g} {unit}" if nanoseconds else "0"
        nanoseconds /= 1000


def count(number):
    return f"{number:,}"


def _text(x, y, text, anchor, colour=INK):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">'
            f"{escape(text)}</text>")


def _document(width, height, title, parts):
    heading = (f'<text x="12" y="24" font-size="15" font-weight="600" fill="{INK}">'
               f"{escape(title)}</text>")
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" {FONT} font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>', heading, *parts, "</svg>", ""])
