from threading import Lock


class Counter:
    def __init__(self):
        self.lock, self.sum = Lock(), 0

    def add(self, x):
        with self.lock:
            self.sum += x


def run(n):
    c = Counter()
    for i in range(n):
        c.add(i % 1009)
    return c.sum
