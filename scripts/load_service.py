"""Puts load on `boughs serve`, on this machine only, and compares every answer with `boughs parse`.

    python3 scripts/load_service.py BOUGHS [--requests N] [--clients N] [--model MODEL] [--threads N] [--round N]

Three rounds, each with a service of its own: clients that behave; the same while some stall, send 100 MB, send what is
not UTF-8, send half a request, or vanish; and a SIGTERM under load. What was measured in record/ was measured by it.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import time

TICKS = os.sysconf("SC_CLK_TCK")
HOSTILE_SHARE = 0.01


def sentences(boughs: str) -> list[list[str]]:
    lines = subprocess.run([boughs, "treebank", "convert", "@sample", "--to", "json"], capture_output=True, check=True).stdout
    return [[token["word"] for token in json.loads(line)["tokens"]] for line in lines.splitlines()]


def essence(record: dict) -> tuple:
    return (record["tokens"], record["nodes"], record["status"], record["cost"])


def parsed(arguments, words: list[list[str]], times: int) -> tuple[list[tuple], float]:
    """What `boughs parse` says of sentences, and its CPU seconds for a sentence."""
    text = "".join(" ".join(sentence) + "\n" for sentence in words)
    command = [arguments.boughs, "parse", "-q", "-m", arguments.model, "--tokenized", "--to", "json", "-j", str(arguments.threads)]
    before = os.times()
    out = subprocess.run(command, input=(text * times).encode(), capture_output=True, check=False).stdout
    after = os.times()
    cpu = after.children_user - before.children_user + after.children_system - before.children_system
    records = [essence(json.loads(line)) for line in out.splitlines()[: len(words)]]
    return records, cpu / (len(words) * times)


class Service:
    def __init__(self, arguments, *more: str):
        command = [arguments.boughs, "serve", "--port", "0", "-m", arguments.model, "-j", str(arguments.threads), *more]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.host, port = self.process.stdout.readline().strip().removeprefix("http://").rsplit(":", 1)
        self.port = int(port)

    def cpu(self) -> float:
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self) -> float:
        lines = open(f"/proc/{self.process.pid}/status").read().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(90)


def request(words: list[str]) -> bytes:
    body = json.dumps({"tokens": [words]}).encode()
    return b"POST /parse HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body


async def read_answer(reader) -> tuple[int, bytes, bool]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = int(head.split("content-length: ")[1].split("\r\n")[0])
    return int(head.split()[1]), await reader.readexactly(length), "connection: close" in head


class Round:
    def __init__(self, service, words, expected, number):
        self.service, self.words, self.expected = service, words, expected
        self.left = iter(range(number))
        self.times, self.memory = [], []
        self.right = self.wrong = self.lost = self.refused = self.again = 0

    async def client(self) -> None:
        """Asks until nothing is left, on one connection for as long as the service keeps it."""
        writer = None
        for number in self.left:
            place = number % len(self.words)
            while True:
                try:
                    if writer is None:
                        reader, writer = await asyncio.open_connection(self.service.host, self.service.port)
                except OSError:
                    self.refused += 1
                    return
                start = time.perf_counter()
                try:
                    writer.write(request(self.words[place]))
                    await writer.drain()
                    status, body, is_last = await read_answer(reader)
                except (OSError, asyncio.IncompleteReadError):
                    self.lost += 1
                    return
                if is_last:
                    writer.close()
                    writer = None
                if status == 429:
                    self.again += 1
                    await asyncio.sleep(1)
                    continue
                self.times.append(time.perf_counter() - start)
                is_right = status == 200 and essence(json.loads(body)["parses"][0]) == self.expected[place]
                self.right += is_right
                self.wrong += not is_right
                break
        if writer:
            writer.close()

    async def watch(self) -> None:
        while True:
            self.memory.append(self.service.memory())
            await asyncio.sleep(0.5)

    async def hostile(self, generator) -> None:
        """A client that means no good, again and again."""
        while True:
            try:
                reader, writer = await asyncio.open_connection(self.service.host, self.service.port)
                await generator.choice([stall, send_much, send_bytes, send_half, vanish])(reader, writer)
                writer.close()
            except OSError:
                pass
            await asyncio.sleep(0.05)

    async def run(self, clients: int, hostile: int = 0, stop_after: float | None = None) -> None:
        generator = random.Random(1)
        others = [asyncio.create_task(self.watch())] + [asyncio.create_task(self.hostile(generator)) for _ in range(hostile)]
        work = asyncio.gather(*(self.client() for _ in range(clients)))
        if stop_after:
            await asyncio.sleep(stop_after)
            self.service.process.send_signal(signal.SIGTERM)
        await work
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)


async def stall(_reader, writer):
    writer.write(b"POST /parse HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nab")
    await asyncio.sleep(3)


async def send_much(_reader, writer):
    writer.write(b"POST /parse HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(100):
        writer.write(b"100000\r\n" + b"a" * 0x100000 + b"\r\n")
        await writer.drain()


async def send_bytes(reader, writer):
    writer.write(b"POST /parse HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n\xff\xfe\xc3\x28")
    assert (await read_answer(reader))[0] == 400


async def send_half(_reader, writer):
    writer.write(b"POST /parse HTTP/1.1\r\nHost: loc")
    await writer.drain()


async def vanish(_reader, writer):
    writer.write(request(["It", "rains", "."] * 20))
    await writer.drain()
    writer.transport.abort()


def tell(name: str, it: Round, service: Service, cpu: float, plain: float | None) -> None:
    times = sorted(it.times)
    at = lambda share: 1000 * times[min(len(times) - 1, int(share * len(times)))]
    ratio = "" if plain is None else f", {cpu / len(times) / plain:.2f} times that of parse"
    memory = f"{it.memory[len(it.memory) // 4]:.0f} MB after a quarter, {max(it.memory):.0f} at most, {it.memory[-1]:.0f} at the end"
    print(f"{name}: {it.right} right, {it.wrong} wrong, {it.lost} lost, {it.again} told to come again, {it.refused} refused after the end")
    print(f"  p50 {at(0.5):.1f} ms, p99 {at(0.99):.1f} ms; {1000 * cpu / len(times):.2f} CPU-ms a request{ratio}; memory {memory}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("boughs")
    parser.add_argument("--requests", type=int, default=4400)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--model", default="@english-small")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--round", type=int, choices=[1, 2, 3], help="only this one")
    arguments = parser.parse_args()
    words = sentences(arguments.boughs)
    times = max(1, arguments.requests // len(words))
    expected, plain = parsed(arguments, words, times)
    print(f"parse: {len(words)} sentences, {times} times: {1000 * plain:.2f} CPU-ms a sentence")
    rounds = [
        ("clients that behave", [], 0, None),
        ("with hostile clients", ["--client-timeout", "2"], max(1, round(arguments.clients * HOSTILE_SHARE)), None),
        ("SIGTERM under load", [], 0, 3.0),
    ]
    for name, more, hostile, stop_after in rounds if arguments.round is None else [rounds[arguments.round - 1]]:
        service = Service(arguments, *more)
        before = service.cpu()
        it = Round(service, words, expected, arguments.requests)
        asyncio.run(it.run(arguments.clients, hostile, stop_after))
        cpu = service.cpu() - before if service.process.poll() is None and not stop_after else float("nan")
        if not stop_after:
            tell(name, it, service, cpu, plain)
            assert service.end() == 0
        else:
            code = service.process.wait(90)
            print(f"{name}: {it.right} right, {it.wrong} wrong, {it.lost} lost; exit code {code}")


if __name__ == "__main__":
    main()
