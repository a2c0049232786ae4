"""The invented data of the scenarios. All times are fixed when the server starts, so an unchanged answer keeps its tag."""

from datetime import datetime, timedelta, timezone

HOSTILE = "<img src=x onerror=alert(1)>"
START = datetime.now(timezone.utc)
NODE = "billing-7d9f-4k2x"
TRACE = ["at com.example.Payments.charge(Payments.java:42)", "at com.example.Order.pay(Order.java:17)",
         f"at {HOSTILE}"]
ENDED = {"completed", "failed", "cancelled"}
OPERATIONS = {
    "failed": ["run.retry"], "blocked": ["run.retry", "run.cancel", "run.give-up"],
    "parked": ["run.retry", "run.cancel", "run.give-up"], "compensation_failed": ["run.retry", "run.give-up"],
    "in_doubt": ["run.done", "run.not-done", "run.cancel", "run.give-up"], "completed": [], "cancelled": [],
}


def ago(**time):
    return (START - timedelta(**time)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def ahead(**time):
    return ago(**{unit: -number for unit, number in time.items()})


def run(number, name, state, *, key=None, error=None, labels=None, **age):
    is_running = state in {"running", "compensating"}
    return {
        "id": f"01a21502-ba50-774b-ba25-{number:012x}", "run": name, "state": state, "key": key, "tenant": None,
        "labels": labels or {}, "node": NODE if is_running else None, "startedAt": ago(**age), "since": ago(**age),
        "dueAt": ahead(hours=3) if state == "waiting" else None, "endedAt": ago(**age) if state in ENDED else None,
        "attempt": 1, "error": error, "cancelReason": "Ordered twice" if state == "cancelled" else None,
        "current": "charge_card" if is_running else None, "operations": OPERATIONS.get(state, ["run.cancel"]),
    }


RUNS = [
    run(1, "payout", "in_doubt", key="payout:4711", labels={"customer": "42"}, minutes=4),
    run(2, "checkoutSaga", "compensation_failed", key="checkout:o-9", minutes=11,
        error="java.net.SocketTimeoutException: connect timed out after 30,000 ms while refunding order o-9"),
    run(3, HOSTILE, "failed", key=HOSTILE, error=f"java.lang.IllegalStateException: {HOSTILE}", hours=2,
        labels={"customer": HOSTILE}),
    run(4, "statements", "waiting", key="2026-10", labels={"customer": "7", "region": "eu-central"}, minutes=40),
    run(5, "checkoutSaga", "running", key="checkout:o-11", seconds=8),
    run(6, "aRunWithAVeryLongNameThatNoColumnIsWideEnoughForBecauseNamesAreUpToTheApplication", "blocked", days=2,
        error="io.sagaspring.run.JournalMismatchException: Entry 3 is 'reserve', but the code calls 'charge'."),
    run(7, "payout", "parked", key="payout:4712", hours=5),
    run(8, "payout", "cancelled", key="payout:4710", days=1),
    *[run(100 + each, "checkoutSaga", "completed", key=f"checkout:o-{100 + each}", hours=1 + each)
      for each in range(60)],
]


def payload(kind, name, visibility, text, length=None):
    return {"kind": kind, "name": name, "at": ago(minutes=4), "visibility": visibility, "text": text,
            "length": length or len(text)}


PAYLOADS = [
    payload("input", "", "redacted", '{\n  "card" : "(text)",\n  "cents" : "(number)"\n}'),
    payload("step", HOSTILE, "shown", f'"{HOSTILE}"'),
    payload("step", "export", "shown", '"' + "row;" * 200, 1_400_000),
    payload("step", "archive", "shown", None, 240_000_000),
    payload("signal", "approval", "hidden", None, 48),
]


def entry(step, kind, mark, attempt=1, detail=None, until=None, **age):
    return {"step": step, "kind": kind, "mark": mark, "attempt": attempt, "detail": detail, "until": until,
            "at": ago(**age)}


FAILED = '{"error": {"type": "java.io.IOException", "message": "%s"}, "trace": ["at com.example.A.b(A.java:1)"]}'
JOURNAL = [
    entry("reserve_stock", "step", "done", minutes=55),
    entry("charge_card", "step", "attempt_failed", 1, FAILED % "Connection reset", ago(minutes=52), minutes=53),
    entry("charge_card", "step", "attempt_failed", 2, FAILED % HOSTILE, ago(minutes=48), minutes=51),
    entry("charge_card", "transactional_step", "done", 3, minutes=47),
    entry("approval", "signal", "waiting", until=ahead(hours=3), minutes=40),
]


def step(name, state, attempt=1, error=None, started=None, ended=None, compensated=None, deadline=None):
    return {"name": name, "state": state, "attempt": attempt, "error": error, "trace": TRACE if error else [],
            "startedAt": started, "waitingSince": None, "deadline": deadline, "nextAttemptAt": None,
            "endedAt": ended, "compensatedAt": compensated, "run": None}


SAGA = {
    "name": "checkoutSaga", "openCompensations": ["charge_card"],
    "cause": {"step": "arrange_fulfillment", "error": f"com.example.NoCarrierException: {HOSTILE}", "trace": TRACE,
              "at": ago(minutes=14)},
    "steps": [
        step("charge_card", "compensating", 5, "java.net.SocketTimeoutException: connect timed out",
             ago(minutes=20), ago(minutes=19)),
        step("reserve_stock", "compensated", 1, None, ago(minutes=19), ago(minutes=18), ago(minutes=13)),
        step("arrange_fulfillment", "failed", 3, f"com.example.NoCarrierException: {HOSTILE}", ago(minutes=18),
             ago(minutes=14)),
        step("approval", "cancelled", 0), step(HOSTILE, "cancelled", 0),
    ],
}


def edge(start, end, name, claim=None, by="any"):
    return {"from": start, "to": end, "step": name, "claim": claim, "by": by}


WORKFLOWS = [
    {"name": "invoice", "module": "billing", "entity": "com.example.Invoice",
     "states": ["SENT", "OVERDUE", "REGENERATING", "REPLACED", "APPLYING_PAYMENT_FROM_SENT",
                "APPLYING_PAYMENT_FROM_OVERDUE", "PAID"],
     "edges": [edge("SENT", "OVERDUE", "mark_as_overdue"), edge("OVERDUE", "SENT", "extend_term"),
               edge("SENT", "REPLACED", "regenerate", "REGENERATING"),
               edge("SENT", "PAID", "apply_payment", "APPLYING_PAYMENT_FROM_SENT"),
               edge("OVERDUE", "PAID", "apply_payment", "APPLYING_PAYMENT_FROM_OVERDUE"),
               edge("PAID", "SENT", "charge_back"), edge("SENT", "SENT", "remind")]},
    {"name": "billing", "module": "billing", "entity": "com.example.Billing",
     "states": ["DRAFT", "APPROVED", "CLOSING", "CLOSED"],
     "edges": [edge("DRAFT", "APPROVED", "approve"), edge("APPROVED", "CLOSED", "close"),
               edge("APPROVED", "CLOSED", "close", "CLOSING", "admin")]},
    {"name": "circle", "module": "billing", "entity": "Circle", "states": ["A", "B", HOSTILE],
     "edges": [edge("A", "B", "one"), edge("B", HOSTILE, HOSTILE), edge(HOSTILE, "A", "back")]},
]


def claim(entity, number, workflow, state, silent, **age):
    return {"entity": entity, "id": number, "workflow": workflow, "module": "billing", "claimState": state,
            "revertTo": "APPROVED", "requester": "admin", "node": NODE, "token": "9007199254740993",
            "claimedAt": ago(**age), "silentFor": silent, "tenant": None, "operations": ["claim.release"]}


CLAIMS = [claim("Billing", "b-17", "billing", "CLOSING", "PT7M12.3S", minutes=9),
          claim("Invoice", HOSTILE, "invoice", "REGENERATING", "PT2.1S", seconds=14)]
WORK = [
    {"id": "81", "kind": "after-effect", "key": "invoice:i-8:mail", "tenant": None, "attempt": 10,
     "since": ago(hours=3), "lastError": f"jakarta.mail.SendFailedException: Invalid address {HOSTILE}",
     "handled": True, "operations": ["work.retry", "work.give-up"]},
    {"id": "82", "kind": "com.example.RemovedHandler", "key": "x", "tenant": "acme", "attempt": 0,
     "since": ago(days=1), "lastError": None, "handled": False, "operations": ["work.give-up"]},
]
DELIVERIES = [
    {"id": str(500 + each), "listener": "stock.onOrder", "event": "com.example.OrderPlaced", "key": "o-7",
     "tenant": None, "state": state, "attempt": attempt, "publishedAt": ago(minutes=30 - each),
     "dueAt": ago(minutes=20), "node": None, "lastError": error, "operations": ["delivery.retry", "delivery.give-up"]}
    for each, (state, attempt, error) in enumerate([
        ("parked", 10, "java.sql.SQLException: deadlock detected"), ("waiting", 0, None), ("retrying", 2, HOSTILE)])]
LISTENERS = [{"listener": "stock.onOrder", "known": True, "stored": 3, "due": 1, "overdue": "PT19M4S", "parked": 1},
             {"listener": HOSTILE, "known": False, "stored": 1000, "due": 0, "overdue": "PT0S", "parked": 0}]


def schedule(name, times, is_paused, operations):
    return {"schedule": {
        "name": name, "run": "statements", "times": times, "missed": "FIRE_ONCE", "overlap": "SKIP", "queue": None,
        "known": True, "next": None if is_paused else ahead(hours=7), "last": ago(hours=17), "lastRun": RUNS[3]["id"],
        "queued": None, "skipped": 2, "skippedWhy": "overlap", "skippedAt": ago(days=1), "paused": is_paused,
        "pausedAt": ago(hours=1) if is_paused else None, "pausedBy": "ada" if is_paused else None,
        "pausedWhy": HOSTILE if is_paused else None, "changedAt": ago(days=9), "changedBy": NODE,
    }, "next": [] if is_paused else [ahead(hours=7)], "operations": operations}


SCHEDULES = [schedule("nightly-statements", "0 0 2 * * * Europe/Berlin", False,
                      ["schedule.pause", "schedule.trigger", "schedule.backfill"]),
             schedule("reminders", "every 10 min", True,
                      ["schedule.resume", "schedule.trigger", "schedule.backfill"])]
QUEUES = [
    {"name": "emails", "declared": True, "limit": 10, "perKey": 2, "rate": None, "inUse": 10, "waiting": 1204,
     "oldestWaiting": "PT14M3S", "pause": None, "change": None, "operations": ["queue.pause", "queue.limits"]},
    {"name": "statements", "declared": True, "limit": 3, "perKey": None, "rate": "100 per PT1M", "inUse": 0,
     "waiting": 2, "oldestWaiting": "PT41S", "change": None,
     "pause": {"at": ago(minutes=20), "by": "grace", "why": "The provider is down"},
     "operations": ["queue.resume", "queue.limits"]},
]
KINDS = [
    {"kind": "kind", "name": "billing", "known": True, "operations": ["kind.resume"],
     "pause": {"at": ago(minutes=30), "by": "ada", "why": HOSTILE}},
    {"kind": "kind", "name": HOSTILE, "known": True, "operations": ["kind.pause"], "pause": None},
    {"kind": "janitor", "name": "billing", "known": True, "operations": ["janitor.resume"],
     "pause": {"at": ago(minutes=12), "by": "grace", "why": "We look into a claim"}},
]


def lease(name, state, tenant=None, **age):
    is_held = state == "held"
    return {"name": name, "tenant": tenant, "state": state, "completion": "passed" if state == "completed" else None,
            "node": NODE, "token": "9007199254740995", "heldSince": ago(**age) if is_held else None,
            "endsAt": ahead(seconds=20) if is_held else None, "endedAt": None if is_held else ago(**age),
            "operations": ["lease.free"] if is_held else []}


def key(number, operation, state, owner="-", **age):
    is_open = state in {"processing", "abandoned"}
    return {"id": f"{number:064x}", "operation": operation, "owner": owner, "account": "-", "tenant": None,
            "state": state, "node": NODE, "token": "9007199254740997", "claimedAt": ago(**age),
            "expiresAt": ahead(hours=23), "leaseEndsAt": ahead(seconds=9) if is_open else None,
            "operations": ["key.free"] if is_open else []}


LEASES = [lease("dunning/eu", "held", minutes=3), lease(HOSTILE, "held", HOSTILE, hours=2),
          lease("import/2026-10", "completed", days=1), lease("report", "free", "acme", minutes=50)]
KEYS = [key(0xbeef0001, "payInvoice", "processing", "ada", seconds=40),
        key(0xbeef0002, HOSTILE, "abandoned", HOSTILE, minutes=12), key(0xbeef0003, "payInvoice", "completed", hours=1),
        key(0xbeef0004, "createOrder", "expired", "grace", days=2)]
NODES = [
    {"name": NODE, "here": True, "holds": {"runs": 3, "claims": 2, "leases": 2, "keys": 1}, "heartbeatAt": ago(seconds=3),
     "version": "1.4.0", "library": "0.1.0", "executes": ["checkoutSaga", "payout", "statements"]},
    {"name": HOSTILE, "here": False, "holds": {"runs": 1}, "heartbeatAt": ago(minutes=2), "version": None,
     "library": None, "executes": None},
]
AUDIT = [
    {"id": str(900 - each), "at": ago(minutes=5 * each + 1), "operator": operator, "access": "dashboard",
     "operation": operation, "kind": kind, "target": target, "tenant": None, "reason": reason, "outcome": outcome,
     "message": message}
    for each, (operator, operation, kind, target, reason, outcome, message) in enumerate([
        ("ada", "run.retry", "run", RUNS[1]["id"], None, "accepted", "The run is due now."),
        (HOSTILE, "claim.release", "claim", f"Billing {HOSTILE}", None, "refused", "Another node holds the claim."),
        (None, "queue.pause", "queue", "statements", "The provider is down", "accepted", "The queue is paused.")])]


def trouble(kind, count, view, examples, **query):
    return {"kind": kind, "count": count, "capped": count == 1000, "oldest": examples[0][2], "filter": {"view": view, **query},
            "examples": [{"view": view if view != "runs" else "run", "id": number, "title": title,
                          "since": since} for number, title, since in examples]}


def of_run(index):
    return RUNS[index]["id"], RUNS[index]["run"], RUNS[index]["since"]


TROUBLES = [
    trouble("run-in-doubt", 1, "runs", [of_run(0)], state="in_doubt"),
    trouble("run-compensation-failed", 1, "runs", [of_run(1)], state="compensation_failed"),
    trouble("run-blocked", 1, "runs", [of_run(5)], state="blocked"),
    trouble("run-parked", 1, "runs", [of_run(6)], state="parked"),
    trouble("claim-silent", 1, "claims", [("b-17", "Billing b-17", ago(minutes=9))]),
    trouble("work-parked", 1, "work", [("81", "after-effect", ago(hours=3))]),
    trouble("work-unhandled", 1000, "work", [("82", "com.example.RemovedHandler", ago(days=1))]),
    trouble("delivery-parked", 1, "deliveries", [("stock.onOrder", "stock.onOrder", None)]),
    trouble("schedule-paused", 1, "schedules", [("reminders", "reminders", ago(hours=1))]),
    trouble("queue-paused", 1, "queues", [("statements", "statements", ago(minutes=20))]),
    trouble("kind-paused", 1, "kinds", [("billing", "billing", ago(minutes=30))]),
    trouble("janitor-paused", 1, "kinds", [("billing", "billing", ago(minutes=12))]),
    trouble("run-failed", 1, "runs", [of_run(2)], state="failed"),
]
CAPABILITIES = ["runs", "sagas", "workflows", "schedules", "queues", "listeners", "work", "pauses", "leases", "keys",
                "audit"]


def trends():
    """Makes an hour and a day with a quiet night, a burst and some failures."""
    def series(number, seconds):
        ended = [(index * 7919) % 41 + (300 if index == number - 9 else 0) for index in range(number)]
        failed = [3 if index % 17 == 5 else 0 for index in range(number)]
        backlog = [None] * 9 + [(index * 13) % 29 for index in range(9, number)]
        return {"from": ago(seconds=number * seconds), "seconds": seconds, "ended": ended, "failed": failed,
                "backlog": backlog, "estimated": seconds > 60}
    return {"hour": series(60, 60), "day": series(48, 1800)}


class Scenario:
    """What one person sees of one application."""

    def __init__(self, runs, lists, troubles, is_writable=True):
        self.runs = runs
        self.lists = lists
        self.troubles = troubles
        self.is_writable = is_writable

    def read(self, name, query):
        if name == "me":
            return {"user": "ada", "access": "unrestricted" if self.is_writable else "read-only", "csrf": None,
                    "payloads": self.is_writable, "capabilities": CAPABILITIES}
        if name == "overview":
            states = dict.fromkeys(each["state"] for each in self.runs)
            counts = [{"state": state, "count": 10000 if state == "completed" else self.number(state),
                       "capped": state == "completed"} for state in states]
            return {"sampledAt": ago(), "wellSince": None if self.troubles else ago(hours=9),
                    "troubles": self.troubles, "counts": counts, "kinds": self.kinds(), "trends": trends()}
        if name == "entity":
            return self.place(query)
        if name == "runs":
            return self.list_runs(query)
        if name == "bulk":
            found = [each for each in self.runs if matches(each, query)]
            return {"count": {"count": len(found), "capped": False}, "latest": found[0]["id"] if found else None,
                    "examples": [{"id": each["id"], "run": each["run"]} for each in found[:5]]}
        if name == "run":
            return next((self.detail(each) for each in self.runs if each["id"] == query.get("id")), None)
        if name == "payloads":
            return {"items": PAYLOADS, "more": True}
        if name == "nodes":
            return {"items": NODES if self.lists["leases"] else NODES[:1], "complete": not self.troubles}
        if name not in self.lists:
            return None
        found = {"items": [self.offered(each) for each in self.lists[name] if matches(each, query)], "next": None, "more": False}
        if name == "deliveries":
            found["listeners"] = LISTENERS if self.lists[name] else []
        return found

    def kinds(self):
        found = {}
        for each in self.runs:
            states = found.setdefault(each["run"], {})
            count = states.get(each["state"], {"count": 0})["count"] + 1
            states[each["state"]] = {"count": count, "capped": False}
        return [{"run": name, "known": True, "states": states} for name, states in found.items()]

    def place(self, query):
        workflow = next((each for each in self.lists["workflows"] if each["name"] == query.get("workflow")), None)
        if workflow is None:
            return None
        claimed = next((each for each in self.lists["claims"] if each["id"] == query.get("id")), None)
        status = claimed["claimState"] if claimed else workflow["edges"][0]["from"]
        return {"workflow": workflow["name"], "id": query.get("id"), "status": status, "version": 7,
                "claim": claimed and self.offered(claimed)}

    def number(self, state):
        return sum(each["state"] == state for each in self.runs)

    def offered(self, item):
        return item if self.is_writable or "operations" not in item else {**item, "operations": []}

    def list_runs(self, query):
        found = [self.offered(each) for each in self.runs if matches(each, query)]
        begin = next((at + 1 for at, each in enumerate(found) if each["id"] == query.get("before")), 0)
        page = found[begin:begin + 50]
        return {"items": page, "next": page[-1]["id"] if begin + 50 < len(found) else None,
                "count": {"count": len(found), "capped": False} if "count" in query else None,
                "kinds": self.kinds()}

    def detail(self, found):
        state = found["state"]
        waiting = {"code": "nothing", "what": None, "until": None, "who": None}
        if state in {"in_doubt", "compensation_failed", "blocked", "parked"}:
            waiting.update(code="person", what="charge_card")
        elif state == "waiting":
            waiting.update(code="signal", what="approval", until=ahead(hours=3))
        elif state not in ENDED:
            waiting.update(code="node", what="charge_card", who=NODE)
        messages = ["run.signal"] if state == "waiting" else []
        found = {**found, "operations": messages + found["operations"]}
        return {"run": self.offered(found), "trace": TRACE if found["error"] else [], "waiting": waiting,
                "steps": JOURNAL, "saga": SAGA if state == "compensation_failed" else None,
                "history": [each for each in self.lists["audit"] if each["target"] == found["id"]]}


def matches(item, query):
    asked = {name: value for name, value in query.items() if name in item}
    label = query.get("label", "").partition(":")
    return (all(item[name] == value for name, value in asked.items())
            and (not label[0] or item["labels"].get(label[0]) == label[2]))


LISTS = {"workflows": WORKFLOWS, "claims": CLAIMS, "work": WORK, "deliveries": DELIVERIES, "schedules": SCHEDULES,
         "queues": QUEUES, "kinds": KINDS, "leases": LEASES, "keys": KEYS, "audit": AUDIT}
CALM = {"workflows": WORKFLOWS, "claims": [], "work": [], "deliveries": [], "schedules": SCHEDULES[:1],
        "queues": QUEUES[:1], "kinds": KINDS[1:2], "leases": LEASES[:1], "keys": KEYS[2:3], "audit": []}
SCENARIOS = {
    "trouble": Scenario(RUNS, LISTS, TROUBLES),
    "well": Scenario([each for each in RUNS if each["state"] in {"completed", "running", "waiting"}], CALM, []),
    "empty": Scenario([], dict.fromkeys(LISTS, []), []),
    "read-only": Scenario(RUNS, LISTS, TROUBLES, is_writable=False),
}
