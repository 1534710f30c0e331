from queue import SimpleQueue


def run(n):
    c = SimpleQueue()
    total = 0
    for i in range(n):
        for j in range(100):
            c.put(i ^ j)
        for _ in range(100):
            total += c.get()
    return total
