import json


class Sample:
    def __init__(self, name, id, valid, values):
        self.name, self.id, self.valid, self.values = name, id, valid, values


def run(n):
    samples = []
    for i in range(n):
        x = i % 1000 + 0.5
        samples.append(Sample(f"sample {i}", i, i % 3 == 0, [x, 0.25 * x, -x]))
    # Without spaces, as Go encodes.
    text = json.dumps([vars(s) for s in samples], separators=(",", ":"))
    decoded = [Sample(**fields) for fields in json.loads(text)]
    total = float(len(text))
    for s in decoded:
        if s.valid:
            total += s.id % 10 * s.values[1]
        total += len(s.name)
    return total
