# As Python prefers it: by key, so that C compares.


class Result:
    __slots__ = ("team", "score", "index")

    def __init__(self, team, score, index):
        self.team, self.score, self.index = team, score, index


def run(n):
    teams = ["red", "green", "blue", "white", "black", "yellow", "orange"]
    results = []
    seed = 1
    for i in range(n):
        seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
        results.append(Result(teams[(seed >> 16) % len(teams)], float(seed), i))
    results.sort(key=lambda r: (r.team, -r.score))
    total = 0
    for i, r in enumerate(results):
        total += i * r.index % 1009
    return total
