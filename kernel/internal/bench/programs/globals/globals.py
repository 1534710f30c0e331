x = 0.25
rate = 3.75
above = 0


def run(n):
    global x, above
    x, above = 0.25, 0
    for i in range(n):
        x = rate * x * (1 - x)
        if x > 0.5:
            above += 1
    return above
