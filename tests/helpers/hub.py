"""A stand-in for the Hugging Face hub on this machine: data sets out of dictionaries.

It answers what `huggingface_hub` asks of the real one, so that our code takes the same ways.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit


@dataclass
class Stand:
    """What the hub has: `files[repository, revision][path]` are bytes; what it was asked for."""

    files: dict[tuple[str, str], Mapping[str, bytes]] = field(default_factory=dict)
    gated: set[str] = field(default_factory=set)
    answer: int = 0
    """A status that everything is answered with, as by a hub that is out of order."""
    asked: list[str] = field(default_factory=list)
    address: str = ""

    def add(self, repository: str, files: Mapping[str, bytes], revision: str = "main") -> str:
        """Add a data set; returns its commit."""
        self.files[repository, revision] = files
        commit = self.commit(repository, revision)
        self.files[repository, commit] = files
        return commit

    def commit(self, repository: str, revision: str) -> str:
        files = self.files[repository, revision]
        return hashlib.sha1(repr((repository, sorted(files.items()))).encode()).hexdigest()


@contextmanager
def serve_hub() -> Iterator[Stand]:
    stand = Stand()

    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            path = unquote(urlsplit(self.path).path)
            stand.asked.append(path)
            if stand.answer:
                return self.say(stand.answer, b"")
            parts = path.strip("/").split("/")
            if parts[:2] == ["api", "datasets"]:
                return self.listing("/".join(parts[2:4]), "/".join(parts[5:]) or "main")
            repository, rest = "/".join(parts[1:3]), "/".join(parts[4:])
            for (name, revision), files in stand.files.items():
                if name == repository and rest.startswith(f"{revision}/"):
                    return self.file(name, revision, files, rest[len(revision) + 1 :])
            return self.say(404, b"", {"X-Error-Code": "RepoNotFound"})

        def listing(self, repository: str, revision: str) -> None:
            if not any(name == repository for name, _ in stand.files):
                return self.say(401, b"{}", {"X-Error-Code": "RepoNotFound"})
            if (repository, revision) not in stand.files:
                return self.say(404, b"{}", {"X-Error-Code": "RevisionNotFound"})
            files = stand.files[repository, revision]
            found = {
                "id": repository,
                "sha": stand.commit(repository, revision),
                "siblings": [{"rfilename": p, "size": len(d)} for p, d in files.items()],
            }
            return self.say(200, json.dumps(found).encode(), {"Content-Type": "application/json"})

        def file(self, name: str, revision: str, files: Mapping[str, bytes], path: str) -> None:
            if name in stand.gated and path != "README.md":
                return self.say(403, b"", {"X-Error-Code": "GatedRepo"})
            if path not in files:
                return self.say(404, b"", {"X-Error-Code": "EntryNotFound"})
            data = files[path]
            return self.say(
                200,
                data,
                {
                    "X-Repo-Commit": stand.commit(name, revision),
                    "ETag": f'"{hashlib.sha256(data).hexdigest()}"',
                },
            )

        def say(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
            self.send_response(status)
            for key, value in (headers or {}).items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    stand.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield stand
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def parquet(**columns: list[object]) -> bytes:
    """A Parquet file of these columns."""
    import io

    import pyarrow as pa
    import pyarrow.parquet as pq

    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream)
    return stream.getvalue()


def card(*configurations: tuple[str, str, str], licence: str = "cc-by-4.0") -> bytes:
    """A data set's card: its licence, and configuration, split and pattern of its files."""
    lines = ["---", f"license: {licence}"]
    if configurations:
        lines.append("configs:")
    for name, split, pattern in configurations:
        lines += [f"- config_name: {name}", "  data_files:"]
        lines += [f"  - split: {split}", f"    path: {pattern}"]
    return "\n".join([*lines, "---", "# A card"]).encode()


EN = ["The door is open.", "She reads a book.", "It rained all night."]
ZH = ["门开着。", "她在看书。", "下了一夜的雨。"]
DE = ["Die Tür ist offen.", "Sie liest ein Buch.", "Es regnete die ganze Nacht."]


def add_known_sets(stand: Stand) -> None:
    """The three data sets with short names, laid out as the hub's are, with rows of our own."""
    stand.add(
        "mteb/NTREXBitextMining",
        {
            "README.md": card(("default", "test", "data/test-*")),
            "data/test-00000-of-00002.parquet": parquet(
                deu_Latn=DE[:2],
                eng_Latn=EN[:2],
                zho_Hans=ZH[:2],
                zho_Hant=["門開著。", "她在看書。"],
            ),
            "data/test-00001-of-00002.parquet": parquet(
                deu_Latn=DE[2:], eng_Latn=EN[2:], zho_Hans=ZH[2:], zho_Hant=["下了一夜的雨。"]
            ),
        },
    )

    def flores(texts: list[str], *ids: int) -> bytes:
        rows = [{"id": id, "iso_639_3": "…", "text": texts[id]} for id in ids]
        return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()

    stand.add(
        "openlanguagedata/flores_plus",
        {
            "README.md": card(licence="cc-by-sa-4.0"),
            "dev/eng_Latn.jsonl": flores(EN, 0),
            "dev/cmn_Hans.jsonl": flores(ZH, 0),
            "devtest/eng_Latn.jsonl": flores(EN, 0, 1, 2),
            "devtest/cmn_Hans.jsonl": flores(ZH, 2, 1, 0),
            "devtest/cmn_Hant.jsonl": flores(ZH, 0),
            "devtest/deu_Latn.jsonl": flores(DE, 0, 2),
        },
    )

    def pairs(first: list[str], second: list[str]) -> bytes:
        rows = [{"sentence1": a, "sentence2": b} for a, b in zip(first, second, strict=True)]
        return gzip.compress("\n".join(json.dumps(row) for row in rows).encode())

    stand.add(
        "mteb/tatoeba-bitext-mining",
        {
            "README.md": card(
                ("cmn-eng", "test", "test/cmn-eng.jsonl.gz"),
                ("deu-eng", "test", "test/deu-eng.jsonl.gz"),
            ),
            "test/cmn-eng.jsonl.gz": pairs(ZH, EN),
            "test/deu-eng.jsonl.gz": pairs(DE, EN),
        },
    )
