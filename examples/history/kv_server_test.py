#!/usr/bin/env python3
"""A test of an HTTP key-value server with concurrent clients: every request is recorded by heddle_history,
and at the end the history must be linearizable. With --broken the server answers reads from a cache
that it refreshes only now and then, and the test shows a request that proves it."""

import http.client
import http.server
import random
import sys
import threading

from heddle_history import Answer, History

CLIENTS, REQUESTS, KEYS = 4, 60, 3


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, broken: bool) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock, self.data, self.cache, self.broken, self.reads = threading.Lock(), {}, {}, broken, 0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_PUT(self) -> None:
        value = self.rfile.read(int(self.headers["Content-Length"])).decode()
        with self.server.lock:
            self.server.data[self.path] = value
        self.answer("")

    def do_GET(self) -> None:
        with self.server.lock:
            self.server.reads += 1
            if not self.server.broken or self.server.reads % 16 == 1:
                self.server.cache = dict(self.server.data)
            value = self.server.cache.get(self.path, "")
        self.answer(value)

    def answer(self, text: str) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *unused: object) -> None:
        pass


def client(me: int, port: int, history: History) -> None:
    chance = random.Random(me)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    for i in range(REQUESTS):
        key = f"/{chance.randrange(KEYS)}"
        if chance.random() < 0.5:
            value = f"{me}-{i}"
            with history.operation(me, "put", [key, value]):
                connection.request("PUT", key, body=value)
                connection.getresponse().read()
        else:
            with history.operation(me, "get", [key]) as operation:
                connection.request("GET", key)
                operation.result = connection.getresponse().read().decode()
    connection.close()


def main() -> int:
    server = Server(broken="--broken" in sys.argv)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with History("kv") as history:
        clients = [
            threading.Thread(target=client, args=(me, server.server_address[1], history))
            for me in range(CLIENTS)
        ]
        for thread in clients:
            thread.start()
        for thread in clients:
            thread.join()
        answer = history.check(seconds=30)
        print(f"{len(history)} requests: {answer.name}")
        print(history.explain(), end="")
    server.shutdown()
    return int(answer)


if __name__ == "__main__":
    sys.exit(main())
