"""Serves the page of the dashboard with invented data, so that it can be looked at without an application.

    python3 serve.py [port]

Each scenario has a path of its own: /trouble/saga/, /well/saga/, /empty/saga/ and /read-only/saga/. The answers have the
form, the headers and the refusals of the real server. The data contains hostile names.
"""

import hashlib
import json
import sys
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

sys.dont_write_bytecode = True

import data  # noqa: E402

FILES = Path(__file__).resolve().parents[2] / "main/resources/META-INF/saga-dashboard"
TYPES = {".html": "text/html;charset=UTF-8", ".js": "text/javascript;charset=UTF-8",
         ".css": "text/css;charset=UTF-8", ".svg": "image/svg+xml"}
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
          "frame-ancestors 'none'")
PARAMETERS = {
    "runs": {"run", "state", "key", "label", "node", "tenant", "startedFrom", "startedBefore", "olderThan", "before",
             "limit", "count"},
    "bulk": {"operation", "run", "state", "key", "label", "node", "tenant", "startedFrom", "startedBefore"},
    "run": {"id"},
    "payloads": {"id"},
    "claims": {"tenant", "limit"},
    "entity": {"workflow", "id", "tenant"},
    "work": {"tenant", "limit"},
    "deliveries": {"listener", "state", "key", "tenant", "limit"},
    "leases": {"name", "tenant", "node", "state", "after", "limit"},
    "keys": {"operation", "owner", "tenant", "node", "state", "request", "account", "after", "limit"},
    "audit": {"kind", "target", "tenant", "operator", "operation", "before", "limit"},
}


class Refused(Exception):
    """An answer that is a problem."""

    def __init__(self, status, code, detail):
        super().__init__(detail)
        self.status = status
        self.body = {"status": status, "title": code, "detail": detail, "code": code}


def now():
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer(self.read)

    def do_POST(self):
        self.answer(self.perform)

    def answer(self, act):
        try:
            address = urlsplit(self.path)
            scenario, _, rest = address.path.lstrip("/").partition("/")
            if scenario not in data.SCENARIOS or not rest.startswith("saga"):
                raise Refused(404, "not-found", "Open /trouble/saga/, /well/saga/, /empty/saga/ or /read-only/saga/.")
            if rest == "saga":
                self.send(302, "text/plain", b"", {"Location": "saga/"})
                return
            act(data.SCENARIOS[scenario], rest.removeprefix("saga/"), parse_qs(address.query, True))
        except Refused as refused:
            self.send(refused.status, "application/problem+json", json.dumps(refused.body).encode())

    def read(self, scenario, name, query):
        if not name.startswith("api/"):
            self.file(name or "index.html")
            return
        name = name.removeprefix("api/")
        unknown = set(query) - PARAMETERS.get(name, set())
        if unknown:
            raise Refused(400, "bad-request", f"The parameter '{unknown.pop()}' is unknown.")
        found = scenario.read(name, {key: values[0] for key, values in query.items()})
        if found is None:
            raise Refused(404, "not-found", "The dashboard has no such address.")
        tag = f'W/"{hashlib.sha256(json.dumps(found).encode()).hexdigest()[:16]}"'
        headers = {"ETag": tag, "Cache-Control": "no-store"}
        if tag in self.headers.get("If-None-Match", ""):
            self.send(304, "application/json", b"", headers)
        else:
            self.send(200, "application/json", json.dumps({**found, "now": now()}).encode(), headers)

    def file(self, name):
        path = (FILES / name).resolve()
        if not path.is_file() or FILES not in path.parents:
            raise Refused(404, "not-found", "The dashboard has no such page.")
        self.send(200, TYPES[path.suffix], path.read_bytes(), {"Cache-Control": "no-cache"})

    def perform(self, scenario, name, query):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if name != "api/operations":
            raise Refused(404, "not-found", "The dashboard has no such address.")
        if self.headers.get("X-Saga-Dashboard") != "1":
            raise Refused(403, "csrf", "The header X-Saga-Dashboard is missing.")
        if not scenario.is_writable:
            raise Refused(403, "forbidden", "You need the authority SAGA_OPERATE for this.")
        request = json.loads(body)
        is_refused = request.get("reason") == "refuse"
        result = {"result": "REFUSED" if is_refused else "ACCEPTED",
                  "message": f"{request['operation']} {'was refused' if is_refused else 'is done'}. $& {data.HOSTILE}"}
        if request["operation"].startswith("bulk."):
            result.update(done=int(request["count"]), refused=0, unknown=0, failed=0, next=None)
        self.send(409 if is_refused else 200, "application/json", json.dumps(result).encode())

    def send(self, status, kind, content, headers=None):
        self.send_response(status)
        fixed = {"Content-Type": kind, "Content-Length": str(len(content)), "Content-Security-Policy": POLICY,
                 "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
        for header, value in {**fixed, **(headers or {})}.items():
            self.send_header(header, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *unused):
        pass


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8070
    print(f"http://localhost:{port}/trouble/saga/", flush=True)
    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
