"""MCP servers that die, hang, flood and lie, by hand: ``python hostile_mcp.py KIND``. Standard library only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

KIND = sys.argv[1]


def send(message: Any) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def answer(request: Any, result: Any) -> None:
    send({"jsonrpc": "2.0", "id": request["id"], "result": result})


def one(name: Any = "t", **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **more}


def raw_result(request: Any, tools: str) -> None:
    sys.stdout.write(f'{{"jsonrpc":"2.0","id":{request["id"]},"result":{{"tools":[{tools}]}}}}\n')
    sys.stdout.flush()


def listing(request: Any) -> None:
    cursor = (request.get("params") or {}).get("cursor")
    match KIND:
        case "die-listing":
            sys.exit(7)
        case "hang-listing":
            time.sleep(600)
        case "same-cursor":
            answer(request, {"tools": [], "nextCursor": "again"})
        case "two-cursors":
            answer(request, {"tools": [], "nextCursor": "b" if cursor == "a" else "a"})
        case "endless-pages":
            answer(request, {"tools": [], "nextCursor": str(int(cursor or 0) + 1)})
        case "many-tools":
            begin = int(cursor or 0)
            answer(request, {"tools": [one(f"t{begin + n}") for n in range(500)], "nextCursor": str(begin + 500)})
        case "large-listing":
            begin = int(cursor or 0)
            tool = one(f"t{begin}", description="x" * 1_000_000)
            answer(request, {"tools": [tool], "nextCursor": str(begin + 1)})
        case "long-line":
            sys.stdout.write('{"jsonrpc":"2.0","id":')
            for _ in range(2_000):
                sys.stdout.write(" " * 100_000)
            time.sleep(600)
        case "deep":
            depth = 100_000
            raw_result(request, '{"name":"t","inputSchema":' + '{"not":' * depth + "{}" + "}" * depth + "}")
        case "not-json":
            sys.stdout.write('{"jsonrpc":"2.0","id":1,"result":\n')
            sys.stdout.flush()
        case "bad-encoding":
            sys.stdout.buffer.write(b'{"jsonrpc":"2.0","id":1,"result":"\xff"}\n')
            sys.stdout.flush()
        case "no-tools":
            answer(request, {"tools": "none"})
        case "error":
            send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32603, "message": "s3cret-payload"}})
        case "flood":
            while True:
                send({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}})
        case "flood-of-changes":
            while True:
                send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        case "restless":
            send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
            time.sleep(0.05)
            answer(request, {"tools": [one()]})
        case "two-same":
            answer(request, {"tools": [one("fine"), one("t"), one("t")]})
        case "not-nfc":
            answer(request, {"tools": [one("fine"), one("cafe\u0301")]})
        case "hidden":
            answer(request, {"tools": [one("fine"), one("read\u200b")]})
        case "empty-name":
            answer(request, {"tools": [one("fine"), one("")]})
        case "bad-schema":
            answer(
                request,
                {
                    "tools": [
                        one("fine"),
                        one("t", inputSchema={"type": "object", "properties": {"a": {"type": "s3cret"}}}),
                    ]
                },
            )
        case "remote-reference":
            answer(
                request,
                {
                    "tools": [
                        one("fine"),
                        one("t", inputSchema={"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/x"}}}),
                    ]
                },
            )
        case "slow-pattern":
            answer(
                request,
                {
                    "tools": [
                        one("fine"),
                        one("t", inputSchema={"type": "object", "properties": {"a": {"pattern": "(?=a)(a+)+$"}}}),
                    ]
                },
            )
        case "not-finite":
            raw_result(
                request,
                '{"name":"fine","inputSchema":{"type":"object"}},{"name":"t","inputSchema":{"type":"object","const":NaN}}',
            )
        case "huge-description":
            answer(request, {"tools": [one("fine"), one("t", description="x" * 200_000)]})
        case "flood-of-noise":
            while True:
                sys.stdout.write("y\n" * 1000)
        case "named":
            answer(request, {"tools": [one(sys.argv[2])]})
        case "noise":
            sys.stdout.write("listening...\n\n[info] a log line\n")
            answer(request, {"tools": [one("fine")]})
        case _:
            answer(request, {"tools": [one("fine")]})


def main() -> None:
    match KIND:
        case "die":
            sys.exit(5)
        case "hang":
            time.sleep(600)
        case "close-output":
            os.close(1)
            time.sleep(600)
        case "deaf":  # neither ends when its input does, nor when it is told to, and leaves a child behind
            import signal

            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            with open(sys.argv[2], "w") as file:
                file.write(str(child.pid))
    for line in sys.stdin:
        request = json.loads(line)
        method = request.get("method")
        if method == "initialize":
            version = "1999-01-01" if KIND == "old" else request["params"]["protocolVersion"]
            answer(
                request,
                {
                    "protocolVersion": version,
                    "capabilities": {"tools": {"listChanged": True}},
                    "serverInfo": {"name": "\u202ehostile", "version": "1"},
                },
            )
        elif method == "tools/list":
            listing(request)
        elif method == "tools/call":
            match KIND:
                case "bad-result":
                    answer(request, {"content": "s3cret-payload"})
                case "call-error":
                    send(
                        {"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32603, "message": "s3cret-payload"}}
                    )
                case "deep-result":
                    depth = 100_000
                    result = '{"content":[],"structuredContent":' + "[" * depth + "]" * depth + "}"
                    sys.stdout.write(f'{{"jsonrpc":"2.0","id":{request["id"]},"result":{result}}}\n')
                    sys.stdout.flush()
                case _:
                    answer(request, {"content": [{"type": "text", "text": "called"}]})
        elif "id" in request:
            send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32601, "message": "no such method"}})
    if KIND == "deaf":
        time.sleep(600)


if __name__ == "__main__":
    main()
