import { start } from "./berth-process.ts";
const b = await start(); const J = { "content-type": "application/json" };
const t = (await (await fetch(b.url + "/threads", { method: "POST", headers: J, body: "{}" })).json()).thread_id;
let miss = 0, ok = 0; 
for (let i = 0; i < 300; i++) {
  const r = await (await fetch(`${b.url}/threads/${t}/runs`, { method: "POST", headers: J, body: JSON.stringify({ assistant_id: "error", input: {messages:[]} }) })).json();
  await Bun.sleep(i % 4);
  const s = await (await fetch(`${b.url}/threads/${t}/runs/${r.run_id}/stream`)).text();
  if (s.includes("event: error")) ok++; else miss++;
}
console.log({ ok, miss }); await b.kill9(); await b.stop();
