"""Histories of transactions on lists, from real databases under load.

    databases.py postgresql LEVEL LOG     LEVEL: "read committed", "repeatable read", "serializable"
    databases.py sqlite serializable|read-uncommitted LOG
    databases.py redis primary|replica LOG    replica: reads go to one that stops replicating

Starts a server of its own in a new folder and ends it. Exit status 77: it is not installed.
"""
import glob
import json
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

CLIENTS, KEYS = 6, 4


class Log:
    def __init__(self, path):
        self.out, self.lock, self.values = open(path, "w"), threading.Lock(), 0

    def event(self, **event):
        with self.lock:
            self.out.write(json.dumps(event) + "\n")

    def value(self):
        with self.lock:
            self.values += 1
            return self.values


class Aborted(Exception):
    """The transaction is known not to have happened."""


def client(log, process, run, count, reads=0.5):
    """Random transactions; RUN takes the steps and gives them with what was read."""
    rng = random.Random(process)
    for _ in range(count):
        steps = []
        for _ in range(rng.randint(2, 4)):
            key = "k%d" % rng.randrange(KEYS)
            steps.append(["r", key, None] if rng.random() < reads else ["append", key, log.value()])
        log.event(process=process, type="call", op="txn", args=[steps])
        try:
            done = run(steps)
        except Aborted:
            log.event(process=process, type="fail")
        else:
            log.event(process=process, type="return", result=done)


def together(log, make, count):
    threads = [threading.Thread(target=lambda p=p: client(log, p, make(p), count)) for p in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log.out.close()


class Psql:
    """One session of psql, statement by statement."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, bufsize=1)

    def ask(self, statement):
        self.process.stdin.write(statement + "\n\\echo =done=\n")
        self.process.stdin.flush()
        lines = []
        for line in iter(self.process.stdout.readline, "=done=\n"):
            if not line:
                raise RuntimeError("psql ended: %s" % lines)
            lines.append(line.strip())
        if any("ERROR" in line for line in lines):
            raise Aborted(lines)
        return lines


def postgresql(level, log):
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb")) or [p for p in [shutil.which("initdb")] if p]
    if not found or not shutil.which("psql"):
        sys.exit(77)
    bin_, work = os.path.dirname(found[-1]), tempfile.mkdtemp(dir="/tmp")
    as_user = []
    if os.getuid() == 0:
        as_user = ["runuser", "-u", "postgres", "--"]
        shutil.chown(work, "postgres")
    os.chmod(work, 0o700)
    data = work + "/data"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": "/"}
    try:
        subprocess.run(as_user + [bin_ + "/initdb", "-A", "trust", "-U", "postgres", "-N", data], check=True, **quiet)
        subprocess.run(as_user + [bin_ + "/pg_ctl", "-D", data, "-w", "-l", work + "/log", "-o",
                                  f"-c listen_addresses= -c unix_socket_directories={work} -c fsync=off", "start"],
                       check=True, **quiet)
        command = as_user + [shutil.which("psql"), "-qAtX", "-h", work, "-U", "postgres"]
        Psql(command).ask("CREATE TABLE lists (k text PRIMARY KEY, v text NOT NULL);")

        def make(_):
            session = Psql(command)

            def run(steps):
                done = []
                try:
                    session.ask(f"BEGIN ISOLATION LEVEL {level};")
                    for f, k, v in steps:
                        if f == "r":
                            rows = session.ask(f"SELECT v FROM lists WHERE k = '{k}';")
                            done.append([f, k, [int(x) for x in rows[0].split(",")] if rows else []])
                        else:
                            session.ask(f"INSERT INTO lists VALUES ('{k}', '{v}') ON CONFLICT (k) "
                                        f"DO UPDATE SET v = lists.v || ',' || '{v}';")
                            done.append([f, k, v])
                    session.ask("COMMIT;")
                except Aborted:
                    session.ask("ROLLBACK;")
                    raise
                return done
            return run

        together(log, make, 60)
    finally:
        subprocess.run(as_user + [bin_ + "/pg_ctl", "-D", data, "-m", "immediate", "stop"], **quiet)
        shutil.rmtree(work, ignore_errors=True)


def sqlite(level, log):
    work = tempfile.mkdtemp()
    dirty = level == "read-uncommitted"
    path = "file:lists?mode=memory&cache=shared" if dirty else f"file:{work}/lists.db"
    keep = sqlite3.connect(path, uri=True, isolation_level=None)
    if not dirty:
        keep.execute("PRAGMA journal_mode = WAL")
    keep.execute("CREATE TABLE lists (k TEXT PRIMARY KEY, v TEXT NOT NULL)")

    def make(process):
        opened = []
        rng = random.Random(process)

        def run(steps):
            if not opened:
                opened.append(sqlite3.connect(path, uri=True, isolation_level=None, timeout=0.05))
                if dirty:
                    opened[0].execute("PRAGMA read_uncommitted = 1")
            session, done = opened[0], []
            try:
                session.execute("BEGIN")
                for f, k, v in steps:
                    if f == "r":
                        row = session.execute("SELECT v FROM lists WHERE k = ?", (k,)).fetchone()
                        done.append([f, k, [int(x) for x in row[0].split(",")] if row else []])
                    else:
                        session.execute("INSERT INTO lists VALUES (?, ?) ON CONFLICT (k) DO UPDATE SET v = "
                                        "lists.v || ',' || excluded.v", (k, str(v)))
                        done.append([f, k, v])
                    time.sleep(rng.random() / 500)
                if rng.random() < 0.2:
                    raise sqlite3.OperationalError("changed its mind")
                session.execute("COMMIT")
            except sqlite3.OperationalError:
                if session.in_transaction:
                    session.execute("ROLLBACK")
                raise Aborted()
            return done
        return run

    together(log, make, 60)
    shutil.rmtree(work, ignore_errors=True)


class Redis:
    """A connection, with the protocol by hand."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        for _ in range(100):
            try:
                self.socket.connect(path)
                break
            except OSError:
                time.sleep(0.05)
        self.file = self.socket.makefile("rb")

    def ask(self, *words):
        text = b"*%d\r\n" % len(words)
        for word in words:
            data = str(word).encode()
            text += b"$%d\r\n%s\r\n" % (len(data), data)
        self.socket.sendall(text)
        return self.answer()

    def answer(self):
        line = self.file.readline()
        kind, rest = line[:1], line[1:-2]
        if kind == b"*":
            return [self.answer() for _ in range(int(rest))] if int(rest) >= 0 else None
        if kind == b"$":
            return self.file.read(int(rest) + 2)[:-2].decode() if int(rest) >= 0 else None
        if kind == b"-":
            raise Aborted(rest)
        return rest.decode()


def redis(level, log):
    if not shutil.which("redis-server"):
        sys.exit(77)
    work = tempfile.mkdtemp(dir="/tmp")
    port = 20000 + os.getpid() % 20000
    servers = []
    try:
        for name, more in (("primary", ["--port", str(port), "--bind", "127.0.0.1"]),
                           ("replica", ["--port", "0", "--replicaof", "127.0.0.1", str(port)])):
            servers.append(subprocess.Popen(
                ["redis-server", "--unixsocket", f"{work}/{name}", "--save", "", "--dir", work, "--repl-diskless-sync-delay", "0"] + more,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        replica = Redis(work + "/replica")
        for _ in range(200):
            if "master_link_status:up" in replica.ask("INFO", "replication"):
                break
            time.sleep(0.05)

        def make(process):
            primary, reader = Redis(work + "/primary"), Redis(work + "/replica")

            def run(steps):
                only_reads = all(f == "r" for f, _, _ in steps)
                server = reader if level == "replica" and only_reads else primary
                server.ask("MULTI")
                for f, k, v in steps:
                    server.ask(*(("LRANGE", k, 0, -1) if f == "r" else ("RPUSH", k, v)))
                answers = server.ask("EXEC")
                time.sleep(0.001)
                return [[f, k, [int(x) for x in a] if f == "r" else v] for (f, k, v), a in zip(steps, answers)]
            return run

        stop = threading.Timer(0.15, lambda: replica.ask("REPLICAOF", "NO", "ONE"))
        if level == "replica":
            stop.start()
        together(log, make, 150)
    finally:
        for server in servers:
            server.send_signal(signal.SIGKILL)
            server.wait()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    {"postgresql": postgresql, "sqlite": sqlite, "redis": redis}[sys.argv[1]](sys.argv[2], Log(sys.argv[3]))
