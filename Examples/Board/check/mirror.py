#!/usr/bin/python3
"""Edits two Board servers that mirror each other, ends them and the broker meanwhile, and looks for losses.

usage: mirror.py --board PATH_OF_BINARY [--edits 10000]    needs redis-server: apt-get install redis-server
       mirror.py --board PATH_OF_BINARY --kill-only        one server without a mirror, killed under load

Every title is sent once only, so that a card that is there twice is seen. What is sent without an answer may
have happened or not; what is answered must be there.
"""

import argparse
import collections
import contextlib
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from boardserver import Connection, Follower, Refused, Server, free_port, wait_until

WORKERS, WEIGHTS = 8, {"add": 30, "change": 40, "move": 18, "remove": 12}
SECONDS = 900  # for all edits; a slow or dead server ends the check


class Broker:
    """A Redis server that appends each command to its file before it answers."""

    def __init__(self, folder):
        self.port, self.folder, self.process = free_port(), folder, None

    def __enter__(self):
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder,
             "--appendonly", "yes", "--appendfsync", "always", "--save", ""], stdout=subprocess.DEVNULL)
        if not wait_until(self.answers, 15):
            raise SystemExit("redis-server did not start")
        return self

    def answers(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1) as probe:
            probe.sendall(b"PING\r\n")
            return probe.recv(16).startswith(b"+PONG")
        return False

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Peer:
    """A server, and a client id in it that is renewed after the server was started again."""

    def __init__(self, server):
        self.server, self.follower, self.lock = server, None, threading.Lock()

    def client(self):
        with self.lock:
            if self.follower is None or not self.follower.is_open:
                try:
                    self.follower = Follower(self.server.port, "Editor")
                except OSError as error:
                    raise Refused(0, repr(error)) from error
            return self.follower.client

    def restart(self, pause=1):
        self.server.end(by=signal.SIGKILL)
        time.sleep(pause)
        self.server.start()


class Card:
    """What is known of a card: per field the values that it may have, and all that it ever was given."""

    def __init__(self):
        self.possible, self.ever = collections.defaultdict(set), collections.defaultdict(set)
        self.editors, self.lock = set(), threading.Lock()

    def edit(self, values, editor, send):
        """Sends an edit. It was saved (200), refused (4xx), or may have happened (no answer, 5xx)."""
        with self.lock:
            self.editors.add(editor)
            before = {field: set(self.possible[field]) for field in values}
            for field, value in values.items():
                self.possible[field].add(value)
                self.ever[field].add(value)
        status, answer = send()
        with self.lock:
            for field, value in values.items():
                if status == 200:
                    self.possible[field] = {value}
                elif 400 <= status < 500 and value not in before[field]:
                    self.possible[field].discard(value)
        return status, answer

    def allowed(self, field):
        """Cards of one editor have an order of edits; for others, any value will do."""
        return self.possible[field] if len(self.editors) == 1 else self.ever[field]


class Load:
    """Workers that edit the peers until so many edits are made."""

    def __init__(self, peers, edits, seed):
        self.peers, self.edits, self.seed = peers, edits, seed
        self.cards, self.unanswered, self.results = {}, set(), collections.Counter()
        self.made, self.lock, self.deadline = 0, threading.Lock(), time.monotonic() + SECONDS
        self.threads = [threading.Thread(target=self.work, args=(n,), daemon=True) for n in range(WORKERS)]

    def is_over(self):
        return self.made >= self.edits or time.monotonic() > self.deadline

    def work(self, worker):
        """Edits by one of the peers, and by the other one what this one does not take."""
        rng, own, peers = random.Random(self.seed * 1000 + worker), [], list(enumerate(self.peers))
        connections = [Connection(peer.server.port) for peer in self.peers]
        for number in range(10 * self.edits):
            if self.is_over():
                return
            kind = rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
            with self.lock:
                choice = list(self.cards) if rng.random() < 0.1 else own
            if kind != "add" and not choice:
                continue
            card = None if kind == "add" else rng.choice(choice)
            body, values = self.edit(rng, kind, card, f"{worker}-{number}", own)
            for at, peer in [*peers, *peers][worker % len(peers):][:len(peers)]:
                def send():
                    return self.send(peer, connections[at], body)

                record = Card() if kind == "add" else self.cards[card]
                status, answer = record.edit(values, (worker, at), send)
                self.note(kind, status, answer, values, record)
                if kind == "add" and status == 200:
                    own.append(answer["card"])
                # An add that may have happened is not sent again: its title would be there twice.
                if status != 0 or kind == "add":
                    break
                time.sleep(0.05)
            if kind == "remove" and card in own:
                own.remove(card)

    def edit(self, rng, kind, card, title, own):
        """A random edit: what to send, and the values that the card has after it."""
        column = rng.choice(self.columns)
        there = [other for other in own if self.cards[other].possible["column"] == {column}]
        if kind == "add":
            values = {"column": column, "title": title, "exists": True}
            return {"kind": kind, "column": column, "title": title}, values
        if kind == "move":
            before = {"before": rng.choice(there)} if there and rng.random() < 0.8 else {}
            return {"kind": kind, "card": card, "column": column, **before}, {"column": column}
        if kind == "change":
            return {"kind": kind, "card": card, "title": title}, {"title": title}
        return {"kind": kind, "card": card}, {"exists": False}

    def send(self, peer, connection, body):
        """The status and the answer; 0 if there was none."""
        try:
            return 200, connection.post("/edits", client=peer.client(), **body)
        except Refused as refused:
            time.sleep(0 if 400 <= refused.status < 500 else 0.02)
            return refused.status, {"error": refused.sentence}

    def note(self, kind, status, answer, values, record):
        result = "saved" if status == 200 else "refused" if 400 <= status < 500 else "unanswered"
        with self.lock:
            self.results[kind, result] += 1
            self.made += status == 200
            if kind == "add" and status == 200:
                self.cards[answer["card"]] = record
            elif kind == "add" and result == "unanswered":
                self.unanswered.add(values["title"])

    def run(self, interruptions):
        """Runs, and interrupts after each of the given parts of all edits."""
        self.columns = list(Connection(self.peers[0].server.port).get("/board.json")["columns"])
        start = time.monotonic()
        for thread in self.threads:
            thread.start()
        for part, name, interrupt in interruptions:
            while self.made < part * self.edits and not self.is_over():
                time.sleep(0.01)
            before = self.made
            interrupt()
            print(f"     {name} after {before} edits; {self.made - before} were saved meanwhile", flush=True)
        for thread in self.threads:
            thread.join(60)
        seconds = time.monotonic() - start
        results = [f"{count} {kind} {result}" for (kind, result), count in sorted(self.results.items())]
        print(f"     {self.made} edits saved in {seconds:.0f} s, {self.made / seconds:.0f} a second:"
              f" {', '.join(results)}")
        return [] if self.made >= self.edits else [f"only {self.made} of {self.edits} edits were made in time"]


def look(load, columns, before):
    """What is lost, doubled or of unknown origin in a board, in sentences."""
    shown = [card | {"column": name} for name, cards in columns.items()
             for card in cards if card["id"] not in before]
    wrong = []
    for field in ("id", "title"):
        counts = collections.Counter(card[field] for card in shown)
        wrong += [f"{field} {value} is there {count} times" for value, count in counts.items() if count > 1]
    by_id, exact = {card["id"]: card for card in shown}, 0
    for id, card in load.cards.items():
        exact += len(card.editors) == 1
        if (id in by_id) not in card.allowed("exists"):
            wrong.append(f"{id} {'was removed, and is there' if id in by_id else 'is lost'}")
        for field in ("title", "column") if id in by_id else ():
            if by_id[id][field] not in card.allowed(field):
                wrong.append(f"{id} has the {field} {by_id[id][field]}, not {card.allowed(field)}")
    for id in by_id.keys() - load.cards.keys():
        if by_id[id]["title"] not in load.unanswered:
            wrong.append(f"{id} was never added: {by_id[id]}")
    print(f"     {len(shown)} cards at the end, {len(load.cards)} were added,"
          f" {exact} edited by one client alone")
    return wrong


def compare(connections, seconds=60):
    """Waits until all boards are equal; returns the first one, and what differs."""
    start, boards = time.monotonic(), []

    def are_equal():
        boards[:] = [connection.get("/board.json") for connection in connections]
        return all(board["columns"] == boards[0]["columns"] for board in boards)

    is_equal = wait_until(are_equal, seconds, 0.2)
    print(f"     the boards are {'equal' if is_equal else 'different'} after {time.monotonic() - start:.1f} s")
    wrong = []
    for name in boards[0]["columns"]:
        columns = [board["columns"][name] for board in boards]
        pairs = [pair for pair in zip(columns[0], columns[-1]) if pair[0] != pair[1]]
        if pairs or len(columns[0]) != len(columns[-1]):
            wrong.append(f"{name} differs: {len(columns[0])} and {len(columns[-1])} cards,"
                         f" of which {len(pairs)} differ, first {pairs[:1]}")
    for board in boards:
        for name, cards in board["columns"].items():
            if board["totals"]["columns"][name]["count"] != len(cards):
                wrong.append(f"the total of {name} is not the number of its cards")
    return boards[0]["columns"], wrong


def ids(server):
    columns = Connection(server.port).get("/board.json")["columns"]
    return {card["id"] for cards in columns.values() for card in cards}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--board", required=True)
    parser.add_argument("--edits", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kill-only", action="store_true")
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="board-"))
        options, names = [], ["one"]
        if not arguments.kill_only:
            broker = stack.enter_context(Broker(folder))
            options, names = ["--mirror", f"redis://127.0.0.1:{broker.port}"], ["one", "two"]
        servers = [stack.enter_context(Server(arguments.board, folder, name, options)) for name in names]
        before = set().union(*map(ids, servers))
        peers = [Peer(server) for server in servers]
        load = Load(peers, arguments.edits, arguments.seed)
        kill = peers[-1].restart

        def restart_broker():
            broker.__exit__()
            time.sleep(2)
            broker.__enter__()

        wrong = load.run([(1 / 3, "killed the server", kill), (2 / 3, "killed the server", kill),
                          (0.98, "killed the server", kill)] if arguments.kill_only else
                         [(1 / 4, "killed a server", kill), (1 / 2, "stopped the broker", restart_broker),
                          (3 / 4, "killed the other server", peers[0].restart)])
        if arguments.kill_only:
            servers[0].end(by=signal.SIGKILL)
            servers[0].start()
        columns, differences = compare([Connection(server.port) for server in servers])
        wrong += differences + look(load, columns, before)
    for sentence in wrong[:20]:
        print(f"FAIL {sentence}")
    print(f"{len(wrong)} faults, seed {arguments.seed}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
