// The least that a server with this project can be: the graphs loaded, and one answer.
import { bareCalls } from "./bare-calls.ts";

bareCalls();
Bun.serve({ hostname: "127.0.0.1", port: Number(process.argv[2]), fetch: () => Response.json({ ok: true }) });
