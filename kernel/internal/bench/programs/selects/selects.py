from queue import Empty, SimpleQueue


def run(n):
    c = SimpleQueue()
    total, empty = 0, 0
    for i in range(n):
        if i % 3 == 0:
            c.put(i % 1009)
        try:
            total += c.get_nowait()
        except Empty:
            empty += 1
    return total + empty
