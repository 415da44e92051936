"""Work for a processor, as Python programs that end with what they found."""

ARITHMETIC = """\
def work(n):
    total, x = 0, 1
    for i in range(n):
        x = (x * 1103515245 + 12345) % 2147483648
        total += x % 7 - i % 3
        if x & 1:
            total ^= i
    return total

work(700_000)
"""
DICTS_AND_TEXT = """\
def work(n):
    counts = {}
    for i in range(n):
        word = f"word-{i * 7919 % 1000}"
        counts[word] = counts.get(word, 0) + 1
        if word.endswith("7"):
            counts[word.upper().replace("-", "_")] = i
    return sum(len(k) + v for k, v in counts.items()), ",".join(sorted(counts))[:50]

work(250_000)
"""
SORTING = """\
def work(n):
    x, rows = 7, []
    for i in range(n):
        x = (x * 1103515245 + 12345) % 2147483648
        rows.append((x % 1000, str(x), i))
    rows.sort()
    rows.sort(key=lambda row: (-row[0], row[1]))
    return rows[0], sorted((row[1] for row in rows), reverse=True)[0]

work(60_000)
"""
JSON = """\
import json

def work(n):
    rows = [{"id": i, "name": f"row {i}", "tags": ["a", "b"], "score": i / 7} for i in range(200)]
    size = 0
    for _ in range(n):
        text = json.dumps(rows)
        size += len(text) + len(json.loads(text))
    return size

work(250)
"""
REGEX = """\
import re

def work(n):
    line = re.compile(r"(?P<ip>\\d+(?:\\.\\d+){3}) - (\\w+) \\[([^]]+)\\] .(GET|POST) (/\\S*)")
    rows = (f"10.0.{i % 256}.{i % 7} - user{i} [day {i}] 'GET /a/{i}?q={i}" for i in range(n))
    text = "\\n".join(rows)
    found = line.findall(text)
    return len(found), len(re.sub(r"user(\\d+)", r"<\\1>", text)), len(re.split(r"[\\s/?]+", text))

work(25_000)
"""
CLASSES = """\
class Shape:
    def __init__(self, size):
        self.size = size

    @property
    def double(self):
        return self.size * 2

    def area(self):
        return 0

class Square(Shape):
    def area(self):
        return self.size * self.size + super().area()

class Circle(Shape):
    def area(self):
        return 3 * self.size * self.size + self.double

def work(n):
    shapes = [Square(i % 10) if i % 2 else Circle(i % 10) for i in range(n)]
    return sum(shape.area() for shape in shapes), max(shapes, key=lambda s: s.size).size

work(200_000)
"""
WORKLOADS = {
    "arithmetic": ARITHMETIC,
    "dicts and text": DICTS_AND_TEXT,
    "sorting": SORTING,
    "json": JSON,
    "regex": REGEX,
    "classes": CLASSES,
}
