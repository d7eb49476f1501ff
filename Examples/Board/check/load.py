#!/usr/bin/python3
"""Loads a Board server with many browsers and edits, and measures it.

usage: load.py --board PATH_OF_BINARY [--clients 200] [--rate 1000] [--seconds 60] [--cards 900] [--in-windows]
       load.py --url http://127.0.0.1:PORT/ --pid PID …     for a server that runs already

Each client follows /events with the first 50 cards of each column; each edit changes the title of a random
card of the board, or with --in-windows of those that all clients see. Most clients are read twenty times a
second by a process of its own, which counts what they get; a few are read at once, for the latencies.
"""

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import os
import pathlib
import random
import re
import socket
import statistics
import sys
import tempfile
import time
import urllib.parse

from boardserver import Connection, Follower, Server, wait_until

SAMPLES = 4
COUNTED = {"changes": b"event: change", "columns": b"event: column", "totals": b"event: totals",
           "cards": b'"id":'}
SEQUENCE = re.compile(rb"Load (\d+)\.")


def connect(port, person):
    """A socket that has asked for /events."""
    client = socket.create_connection(("127.0.0.1", port), timeout=15)
    client.sendall(f"GET /events?person={person} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    return client


def drain(port, count, pipe):
    """Runs as a process: opens clients, counts what they get, and closes them when it is told to."""
    clients, rests, counts = [connect(port, f"Reader{n}") for n in range(count)], [b""] * count, {}
    for client in clients:
        client.setblocking(False)
    ended, is_over, received = set(), False, dict.fromkeys([*COUNTED, "bytes"], 0)
    pipe.send("open")
    # A message says what to do: "counts" to send them, "close" to end. A closed pipe ends it too.
    while not is_over:
        for at, client in enumerate(clients):
            with contextlib.suppress(BlockingIOError, ConnectionError):
                data = client.recv(1 << 20)
                if not data:
                    ended.add(at)
                received["bytes"] += len(data)
                lines, _, rests[at] = (rests[at] + data).rpartition(b"\n")
                for name, pattern in COUNTED.items():
                    received[name] += lines.count(pattern)
        while pipe.poll(0):
            try:
                is_over = pipe.recv() == "close"
            except EOFError:
                return
            counts = received | {"ended": len(ended)}
            pipe.send(counts)
        time.sleep(0.05)
    for client in clients:
        client.close()


class Sample(asyncio.Protocol):
    """A client that is read at once, and notes when it gets each edit."""

    def __init__(self):
        self.rest, self.client, self.seen, self.delays = b"", asyncio.Future(), set(), []
        self.sent = {}

    def data_received(self, data):
        now = time.perf_counter()
        lines, _, self.rest = (self.rest + data).rpartition(b"\n")
        if not self.client.done() and (hello := re.search(rb'"client": *"([^"]+)"', lines)):
            self.client.set_result(hello[1].decode())
        for number in map(int, SEQUENCE.findall(lines)):
            if number in self.sent and number not in self.seen:
                self.seen.add(number)
                self.delays.append(now - self.sent[number])


class Editor:
    """Sends edits over a keep-alive connection, one after the other, to cards of its own."""

    def __init__(self, port, client, cards, sent):
        self.port, self.client, self.cards, self.sent = port, client, cards, sent
        self.delays, self.refused, self.late, self.titles = [], 0, 0.0, {}

    async def run(self, numbers, start, rate, end):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        for number in numbers:
            due = start + number / rate
            if max(due, time.perf_counter()) >= end:
                break
            await asyncio.sleep(max(due - time.perf_counter(), 0))
            card, title = random.choice(self.cards), f"Load {number}."
            body = json.dumps({"client": self.client, "kind": "change", "card": card, "title": title})
            self.sent[number] = begin = time.perf_counter()
            self.late = max(self.late, begin - due)
            writer.write((f"POST /edits HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                          f"Content-Length: {len(body)}\r\n\r\n{body}").encode())
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
            await reader.readexactly(int(length[1]))
            if head.startswith(b"HTTP/1.1 200"):
                self.delays.append(time.perf_counter() - begin)
                self.titles[card] = title
            else:
                self.refused += 1
        writer.close()


class Process:
    """What /proc says about a process."""

    def __init__(self, pid):
        self.folder = pathlib.Path(f"/proc/{pid}")

    def seconds(self):
        fields = (self.folder / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def kilobytes(self):
        return int(re.search(r"VmRSS:\s+(\d+)", (self.folder / "status").read_text())[1])


def percentiles(delays):
    if len(delays) < 2:
        return "none"
    cuts = statistics.quantiles(delays, n=100)
    return f"p50 {cuts[49] * 1000:.1f} ms, p99 {cuts[98] * 1000:.1f} ms, longest {max(delays) * 1000:.1f} ms"


def fill(connection, count):
    """Adds cards until the board has as many."""
    board = connection.get("/board.json")["columns"]
    follower = Follower(connection.http.port, "Setup")
    for number in range(count - sum(map(len, board.values()))):
        connection.post("/edits", client=follower.client, kind="add", title=f"Card {number}",
                        column=list(board)[number % len(board)])
    follower.close()


def settled_status(connection, is_settled=lambda status: True):
    """The counts of the server once they satisfy a condition and stay the same for half a second."""
    last = {}

    def has_settled():
        previous = dict(last)
        last.update(connection.get("/status.json"))
        return previous == last and is_settled(last)

    wait_until(has_settled, 20, 0.5)
    return last


async def load(arguments, port, connection, pipe):
    """Opens the sampled clients, and edits for the time; returns samples and editors."""
    loop, samples, sent = asyncio.get_running_loop(), [], {}
    for number in range(min(SAMPLES, arguments.clients)):
        transport, sample = await loop.create_connection(Sample, sock=connect(port, f"Sample{number}"))
        sample.sent, sample.transport = sent, transport
        samples.append(sample)
    clients = [await asyncio.wait_for(sample.client, 15) for sample in samples]
    await asyncio.sleep(1)
    status = await asyncio.to_thread(settled_status, connection)
    path = f"/board.json?client={clients[0]}" if arguments.in_windows else "/board.json"
    columns = connection.get(path)["columns"].values()
    cards = [card["id"] for column in columns
             for card in (column["cards"] if arguments.in_windows else column)]
    random.Random(arguments.seed).shuffle(cards)
    idle = Process(arguments.pid).kilobytes()
    pipe.send("counts")
    counts = await asyncio.to_thread(pipe.recv)
    seconds, start = Process(arguments.pid).seconds(), time.perf_counter() + 0.1
    count = arguments.connections
    editors = [Editor(port, clients[at % len(clients)], cards[at::count], sent) for at in range(count)]
    last = int(arguments.rate * arguments.seconds)
    await asyncio.gather(*(editor.run(range(at, last, count), start, arguments.rate, start + arguments.seconds)
                           for at, editor in enumerate(editors)))
    took = time.perf_counter() - start
    await asyncio.sleep(1)
    seconds = Process(arguments.pid).seconds() - seconds
    pipe.send("counts")
    after = await asyncio.to_thread(pipe.recv)
    delivered = {name: after[name] - counts[name] for name in counts}
    for sample in samples:
        sample.transport.close()
    return samples, editors, took, seconds, delivered, status, idle


def report(arguments, result, before, rss):
    """Prints what was measured; returns what is wrong."""
    samples, editors, took, seconds, delivered, status, idle = result
    acknowledged = [delay for editor in editors for delay in editor.delays]
    sent, refused = len(samples[0].sent), sum(editor.refused for editor in editors)
    readers = arguments.clients - len(samples)
    loaded = Process(arguments.pid).kilobytes()
    print(f"clients          {arguments.clients}, of which {len(samples)} are sampled")
    print(f"edits            {sent} sent, {len(acknowledged)} acknowledged, {refused} refused;"
          f" {sent / took:.0f} a second, at most {max(editor.late for editor in editors) * 1000:.0f} ms late")
    print(f"acknowledgement  {percentiles(acknowledged)}")
    print(f"event            {percentiles([delay for sample in samples for delay in sample.delays])},"
          f" {sum(len(sample.seen) for sample in samples) / len(samples):.0f} edits at each sampled client")
    print(f"delivered        to {readers} clients: {delivered['changes']} change events,"
          f" {delivered['columns']} of columns, {delivered['totals']} of totals,"
          f" {delivered['cards']} cards, {delivered['bytes'] >> 20} MB")
    changes = (delivered["changes"] + delivered["columns"]) * arguments.clients / max(readers, 1)
    print(f"CPU              {seconds:.2f} s in {took:.1f} s, {seconds * 1e3 / max(sent, 1):.2f} ms for each"
          f" edit, {seconds * 1e6 / max(changes, 1):.1f} µs for each delivered change")
    print(f"memory           {rss >> 10} MB before, {idle >> 10} MB with clients, {loaded >> 10} MB after"
          f" the load; {(idle - rss) / arguments.clients:.0f} KB for each client,"
          f" {(loaded - rss) / arguments.clients:.0f} after the load")
    wrong = []
    own = Process(os.getpid()).seconds() + Process(arguments.reader).seconds()
    print(f"this script      {own:.1f} s of CPU")
    if refused or sent != len(acknowledged):
        wrong.append("not every edit was acknowledged")
    if delivered["ended"]:
        wrong.append(f"{delivered['ended']} streams have ended")
    if not any(sample.seen for sample in samples):
        wrong.append("no edit reached a sampled client")
    if status["browsers"] != arguments.clients:
        wrong.append(f"the server counts {status['browsers']} browsers")
    if status["observations"] <= before["observations"]:
        wrong.append("clients make no observations")
    return wrong


def measure(arguments, port):
    connection = Connection(port)
    fill(connection, arguments.cards)
    before = settled_status(connection, lambda status: status["browsers"] == 0)
    rss = Process(arguments.pid).kilobytes()
    pipe, end = multiprocessing.Pipe()
    reader = multiprocessing.Process(
        target=drain, args=(port, max(arguments.clients - SAMPLES, 0), end), daemon=True)
    reader.start()
    arguments.reader = reader.pid
    end.close()
    try:
        if not pipe.poll(60):
            return ["the clients could not be opened"]
        pipe.recv()
        result = asyncio.run(asyncio.wait_for(load(arguments, port, connection, pipe), arguments.seconds + 60))
        wrong = report(arguments, result, before, rss)
        titles = {card: title for editor in result[1] for card, title in editor.titles.items()}
        board = connection.get("/board.json")["columns"].values()
        shown = {card["id"]: card["title"] for column in board for card in column}
        if lost := [card for card, title in titles.items() if shown.get(card) != title]:
            wrong.append(f"{len(lost)} cards do not have the title that was acknowledged last")
        pipe.send("close")
        reader.join(20)
    finally:
        reader.kill()
    after = settled_status(connection, lambda status: status["observations"] == before["observations"])
    print(f"observations     {before['observations']} before, {result[5]['observations']} with clients,"
          f" {after['observations']} after all have left")
    if after["observations"] != before["observations"] or after["browsers"] != before["browsers"]:
        wrong.append(f"the clients left something behind: {before} before, {after} after")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--board")
    parser.add_argument("--url")
    parser.add_argument("--pid", type=int)
    for name, default in {"clients": 200, "rate": 1000, "seconds": 60, "cards": 900, "connections": 16,
                          "seed": 1}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--in-windows", action="store_true")
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    with contextlib.ExitStack() as stack:
        if arguments.board:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="board-"))
            server = stack.enter_context(Server(arguments.board, folder))
            arguments.pid, port = server.process.pid, server.port
        else:
            port = urllib.parse.urlparse(arguments.url).port
        wrong = measure(arguments, port)
    for sentence in wrong:
        print(f"FAIL {sentence}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
