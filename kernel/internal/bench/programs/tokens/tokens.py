class Word:
    __slots__ = ("count", "first")

    def __init__(self, count, first):
        self.count, self.first = count, first


def run(n):
    vocabulary = ["the", "loss", "of", "Gradient", "descent", "falls", "x1", "naïve", "kernel", "a"]
    parts = []
    seed = 1
    for _ in range(n):
        seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
        parts.append(vocabulary[(seed >> 16) % 10])
        parts.append(vocabulary[(seed >> 8) % 10])
        parts.append(", ")
    text = "".join(parts)

    words = {}
    place, begin = 0, -1
    for i, c in enumerate(text):
        in_word = c.isalnum()
        if in_word and begin < 0:
            begin = i
        if not in_word and begin >= 0:
            key = text[begin:i].lower()
            w = words.get(key)
            if w is None:
                w = words[key] = Word(0, place)
            w.count += 1
            place += 1
            begin = -1
    total = len(words)
    for w in words.values():
        total += w.count * (w.first + 1)
    return total
