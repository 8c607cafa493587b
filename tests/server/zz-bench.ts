import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { json } from "../../server/http/answer.ts";
import { errors } from "../../server/http/errors.ts";
import { Dictionary, limitField, offsetField, Uuid } from "../../server/http/fields.ts";
import { operation } from "../../server/http/operation.ts";
import { OperationTable } from "../../server/http/operation-table.ts";
import { httpApp } from "./http-app.ts";
import { startLog } from "../../server/log.ts";
const mode = process.argv[2];
const answers = { 200: "x" };
const ops = [
 operation({ method: "GET", path: "/threads/:thread_id", tag: "T", summary: "G", params: Type.Object({ thread_id: Uuid }), query: Type.Object({ limit: limitField({default: 10, maximum: 100}), offset: offsetField() }), answers }, ({ path, query }) => json({ id: path.thread_id, ...query })),
 operation({ method: "POST", path: "/threads/:thread_id/runs", tag: "T", summary: "P", params: Type.Object({ thread_id: Uuid }), body: Type.Object({ assistant_id: Type.String(), input: Type.Unknown(), metadata: Type.Optional(Dictionary), durability: Type.Optional(Type.String({default:"async"})) }), answers }, ({ path, body }) => json({ id: path.thread_id, a: body.assistant_id })),
];
if (mode === "log") startLog({ level: "info", format: "json", write: () => {} });
let fetch: (r: Request) => Response | Promise<Response>;
if (mode === "bare") fetch = async (r) => { if (r.method === "GET") return Response.json({ id: "x", limit: 10, offset: 0 }); const b = await r.json() as any; return Response.json({ id: "x", a: b.assistant_id }); };
else if (mode === "plain") { const table = new OperationTable({ maxBodyBytes: 1e6 }); const app = new Elysia().use(errors(table)).use(table.mount(ops)); fetch = app.fetch; }
else fetch = httpApp({ operations: () => ops }).app.fetch;
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", development: false, fetch: (r) => r.url.endsWith("/__cpu") ? (() => { const c = process.cpuUsage(); return new Response(String(c.user + c.system)); })() : fetch(r) });
const id = Bun.randomUUIDv7();
const body = JSON.stringify({ assistant_id: "agent", input: { messages: [{ role: "user", content: "hello there" }] }, metadata: { a: 1 } });
// in-process cost of the layer, without the socket
const rounds = 30000;
const make = (m: string) => m === "GET" ? new Request(`http://127.0.0.1:1/threads/${id}?limit=20`, { headers: { host: "127.0.0.1:1" } }) : new Request(`http://127.0.0.1:1/threads/${id}/runs`, { method: "POST", body, headers: { host: "127.0.0.1:1", "content-type": "application/json", "content-length": String(body.length) } });
if (process.argv[3] !== "serve") for (const m of ["GET", "POST"]) {
  for (let i = 0; i < 3000; i++) await fetch(make(m));
  const t = performance.now(); for (let i = 0; i < rounds; i++) await fetch(make(m)); const us = (performance.now() - t) * 1000 / rounds;
  // server CPU per request over the socket
  const url = m === "GET" ? `/threads/${id}?limit=20` : `/threads/${id}/runs`;
  console.log(mode, m, "in-process µs/request", us.toFixed(1));
}
if (process.argv[3] === "serve") { console.log("PORT", server.port, id); } else server.stop(true);
