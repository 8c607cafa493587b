"""An app of ASGI, without a framework."""

STARTED = []


async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        await receive()
        STARTED.append("yes")
        await send({"type": "lifespan.startup.complete"})
        await receive()
        return
    if scope["path"] != "/echo":
        await send({"type": "http.response.start", "status": 404, "headers": []})
        await send({"type": "http.response.body", "body": b"not here"})
        return
    body = b""
    while True:
        message = await receive()
        body += message["body"]
        if not message.get("more_body"):
            break
    headers = [(b"content-type", b"text/plain"), (b"x-started", STARTED[0].encode())]
    await send({"type": "http.response.start", "status": 201, "headers": headers})
    for piece in (scope["method"].encode(), b" ", scope["query_string"], b" ", body):
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})
