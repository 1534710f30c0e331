def distance(s, t):
    row = list(range(len(t) + 1))
    for i, a in enumerate(s):
        diagonal = row[0]
        row[0] = i + 1
        for j, b in enumerate(t):
            cost = 0 if a == b else 1
            diagonal, row[j + 1] = row[j + 1], min(row[j + 1] + 1, row[j] + 1, diagonal + cost)
    return row[-1]


def text(n, seed):
    letters = []
    for _ in range(n):
        seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
        letters.append("αβγδεζηθ"[seed >> 16 & 7])
    return "".join(letters)


def run(n):
    return distance(text(n, 1), text(n, 2))
