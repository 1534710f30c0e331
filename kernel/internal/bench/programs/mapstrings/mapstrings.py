def count(words):
    counts = {}
    for w in words:
        counts[w] = counts.get(w, 0) + 1
    return counts


def run(n):
    words = ["word" + str(i * i % 5003) for i in range(n)]
    total = 0
    for _ in range(10):
        for c in count(words).values():
            total += c * c
    return total
