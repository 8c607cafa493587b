/** The ids that a request names. */
export type NamedIds = { thread: string; run: string; assistant: string; cron: string; checkpoint: string };

type NamedRequest = { path: string; body?: unknown };

const input = { said: "no" };
const command = (method: string, params: object) => ({ id: 1, method, params });

const COMMANDS = [
  command("state.get", {}),
  command("state.get", { keys: 1 }),
  command("state.listCheckpoints", {}),
  command("agent.getTree", { run_id: crypto.randomUUID() }),
  command("state.fork", { checkpoint_id: crypto.randomUUID(), input }),
  command("input.respond", { interrupt_id: "one", response: 1 }),
  command("input.inject", { message: { role: "user", content: "no" } }),
  command("subscription.reconnect", { run_id: crypto.randomUUID() }),
  command("subscription.subscribe", { channels: [] }),
  command("nothing.like.it", {}),
];

const anyRun = { assistant_id: "agent", input };

/** Requests of each operation that names a resource; `no` is for what the operation does not take. */
export const FOREIGN_REQUESTS: Record<string, (ids: NamedIds) => NamedRequest[]> = {
  "GET /assistants/:assistant_id": ({ assistant }) => [{ path: `/assistants/${assistant}` }],
  "PATCH /assistants/:assistant_id": ({ assistant }) => [
    { path: `/assistants/${assistant}`, body: { name: "mine", metadata: { a: 1 } } },
    { path: `/assistants/${assistant}`, body: { graph_id: "none" } },
  ],
  "DELETE /assistants/:assistant_id": ({ assistant }) => [
    { path: `/assistants/${assistant}` },
    { path: `/assistants/${assistant}?delete_threads=true` },
  ],
  "GET /assistants/:assistant_id/graph": ({ assistant }) => [{ path: `/assistants/${assistant}/graph` }],
  "GET /assistants/:assistant_id/schemas": ({ assistant }) => [{ path: `/assistants/${assistant}/schemas` }],
  "GET /assistants/:assistant_id/subgraphs": ({ assistant }) => [
    { path: `/assistants/${assistant}/subgraphs` },
  ],
  "GET /assistants/:assistant_id/subgraphs/:namespace": ({ assistant }) => [
    { path: `/assistants/${assistant}/subgraphs/a` },
  ],
  "POST /assistants/:assistant_id/versions": ({ assistant }) => [
    { path: `/assistants/${assistant}/versions`, body: {} },
    { path: `/assistants/${assistant}/versions`, body: { offset: 5 } },
  ],
  "POST /assistants/:assistant_id/latest": ({ assistant }) => [
    { path: `/assistants/${assistant}/latest`, body: { version: 1 } },
    { path: `/assistants/${assistant}/latest`, body: { version: 99 } },
    { path: `/assistants/${assistant}/latest`, body: {} },
  ],
  "POST /a2a/:assistant_id": ({ assistant, run }) => [
    ...["tasks/get", "tasks/cancel", "tasks/resubscribe"].map((method) => ({
      path: "/a2a/slow",
      body: { jsonrpc: "2.0", id: 1, method, params: { id: run } },
    })),
    { path: `/a2a/${assistant}`, body: { jsonrpc: "2.0", id: 1, method: "tasks/get", params: { id: "a" } } },
  ],
  "GET /a2a/:assistant_id/.well-known/agent-card.json": ({ assistant }) => [
    { path: `/a2a/${assistant}/.well-known/agent-card.json` },
  ],

  "GET /threads/:thread_id": ({ thread }) => [
    { path: `/threads/${thread}` },
    { path: `/threads/${thread.toUpperCase()}?include=ttl` },
  ],
  "PATCH /threads/:thread_id": ({ thread }) => [
    { path: `/threads/${thread}`, body: { metadata: { topic: "mine" } } },
    { path: `/threads/${thread}`, body: {} },
  ],
  "DELETE /threads/:thread_id": ({ thread }) => [{ path: `/threads/${thread}` }],
  "POST /threads/:thread_id/copy": ({ thread }) => [{ path: `/threads/${thread}/copy` }],
  "GET /threads/:thread_id/storage": ({ thread }) => [{ path: `/threads/${thread}/storage` }],
  "GET /threads/:thread_id/state": ({ thread }) => [{ path: `/threads/${thread}/state` }],
  "POST /threads/:thread_id/state": ({ thread, checkpoint }) => [
    { path: `/threads/${thread}/state`, body: { values: { said: "no" } } },
    { path: `/threads/${thread}/state`, body: { values: { none: 1 }, as_node: "none" } },
    { path: `/threads/${thread}/state`, body: { values: null, checkpoint_id: checkpoint } },
  ],
  "PATCH /threads/:thread_id/state": ({ thread }) => [
    { path: `/threads/${thread}/state`, body: { metadata: { topic: "mine" } } },
  ],
  "GET /threads/:thread_id/state/:checkpoint_id": ({ thread, checkpoint }) => [
    { path: `/threads/${thread}/state/${checkpoint}` },
  ],
  "POST /threads/:thread_id/state/checkpoint": ({ thread, checkpoint }) => [
    { path: `/threads/${thread}/state/checkpoint`, body: { checkpoint: { checkpoint_id: checkpoint } } },
  ],
  "GET /threads/:thread_id/history": ({ thread, checkpoint }) => [
    { path: `/threads/${thread}/history` },
    { path: `/threads/${thread}/history?before=${checkpoint}` },
  ],
  "POST /threads/:thread_id/history": ({ thread }) => [{ path: `/threads/${thread}/history`, body: {} }],
  "GET /threads/:thread_id/stream": ({ thread }) => [{ path: `/threads/${thread}/stream` }],
  "POST /threads/:thread_id/commands": ({ thread }) =>
    COMMANDS.map((body) => ({ path: `/threads/${thread}/commands`, body })),
  "POST /threads/:thread_id/stream": ({ thread }) => [
    { path: `/threads/${thread}/stream`, body: { channels: [] } },
  ],
  "POST /threads/:thread_id/stream/events": ({ thread }) => [
    { path: `/threads/${thread}/stream/events`, body: { channels: [1] } },
  ],
  "GET /threads/:thread_id/stream/events": ({ thread }) => [{ path: `/threads/${thread}/stream/events` }],

  "GET /threads/:thread_id/runs": ({ thread }) => [
    { path: `/threads/${thread}/runs` },
    { path: `/threads/${thread}/runs?limit=2&status=success` },
  ],
  ...Object.fromEntries(
    ["", "/stream", "/wait"].map((way) => [
      `POST /threads/:thread_id/runs${way}`,
      ({ thread, assistant }: NamedIds) => [
        { path: `/threads/${thread}/runs${way}`, body: anyRun },
        { path: `/threads/${thread}/runs${way}`, body: { ...anyRun, assistant_id: assistant } },
        { path: `/threads/${thread}/runs${way}`, body: { ...anyRun, multitask_strategy: "reject" } },
      ],
    ]),
  ),
  ...Object.fromEntries(
    ["", "/stream", "/wait"].map((way) => [
      `POST /runs${way}`,
      ({ assistant }: NamedIds) => [{ path: `/runs${way}`, body: { assistant_id: assistant } }],
    ]),
  ),
  "POST /runs/batch": ({ assistant }) => [{ path: "/runs/batch", body: [{ assistant_id: assistant }] }],
  ...Object.fromEntries(
    ["/threads/:thread_id/runs/:run_id", "/runs/:run_id"].flatMap((base) => {
      const at = ({ thread, run }: NamedIds) => base.replace(":thread_id", thread).replace(":run_id", run);
      return [
        [`GET ${base}`, (ids: NamedIds) => [{ path: at(ids) }]],
        [`DELETE ${base}`, (ids: NamedIds) => [{ path: at(ids) }]],
        [`GET ${base}/join`, (ids: NamedIds) => [{ path: `${at(ids)}/join` }]],
        [`GET ${base}/stream`, (ids: NamedIds) => [{ path: `${at(ids)}/stream` }]],
        [
          `POST ${base}/cancel`,
          (ids: NamedIds) => [
            { path: `${at(ids)}/cancel` },
            { path: `${at(ids)}/cancel?wait=true&action=rollback` },
          ],
        ],
      ];
    }),
  ),
  "POST /runs/cancel": ({ thread, run }) => [
    { path: "/runs/cancel", body: { thread_id: thread, run_ids: [run] } },
    { path: "/runs/cancel?action=rollback", body: { thread_id: thread, run_ids: [crypto.randomUUID()] } },
    { path: "/runs/cancel", body: { status: "all" } },
  ],
  "POST /threads/prune": ({ thread }) => [
    { path: "/threads/prune", body: { thread_ids: [thread] } },
    { path: "/threads/prune", body: { thread_ids: [thread], strategy: "keep_latest" } },
  ],
  "POST /threads/search": ({ thread }) => [{ path: "/threads/search", body: { ids: [thread] } }],

  "POST /threads/:thread_id/runs/crons": ({ thread, assistant }) => [
    { path: `/threads/${thread}/runs/crons`, body: { assistant_id: "agent", schedule: "0 0 1 1 *" } },
    { path: `/threads/${thread}/runs/crons`, body: { assistant_id: assistant, schedule: "0 0 1 1 *" } },
  ],
  "POST /runs/crons": ({ assistant }) => [
    { path: "/runs/crons", body: { assistant_id: assistant, schedule: "0 0 1 1 *" } },
  ],
  "POST /runs/crons/search": ({ thread, assistant }) => [
    { path: "/runs/crons/search", body: { thread_id: thread } },
    { path: "/runs/crons/search", body: { assistant_id: assistant } },
  ],
  "GET /runs/crons/:cron_id": ({ cron }) => [{ path: `/runs/crons/${cron}` }],
  "PATCH /runs/crons/:cron_id": ({ cron }) => [
    { path: `/runs/crons/${cron}`, body: { enabled: false } },
    { path: `/runs/crons/${cron}`, body: { input, metadata: { a: 1 } } },
  ],
  "DELETE /runs/crons/:cron_id": ({ cron }) => [{ path: `/runs/crons/${cron}` }],

  "PATCH /api/threads/:thread_id": ({ thread }) => [
    { path: `/api/threads/${thread}`, body: { title: "mine" } },
  ],
  "DELETE /api/threads/:thread_id": ({ thread }) => [{ path: `/api/threads/${thread}` }],
  "POST /api/threads/:thread_id/runs/:run_id/cancel": ({ thread, run }) => [
    { path: `/api/threads/${thread}/runs/${run}/cancel` },
    { path: `/api/threads/${thread}/runs/${run}/cancel?wait=true&action=rollback` },
  ],
  "GET /api/threads/:thread_id/state": ({ thread }) => [{ path: `/api/threads/${thread}/state` }],
  "POST /api/threads/:thread_id/history": ({ thread }) => [
    { path: `/api/threads/${thread}/history`, body: {} },
  ],
  "POST /api/threads/:thread_id/commands": ({ thread }) =>
    COMMANDS.map((body) => ({ path: `/api/threads/${thread}/commands`, body })),
  "POST /api/threads/:thread_id/stream": ({ thread }) => [
    { path: `/api/threads/${thread}/stream`, body: { channels: [] } },
  ],
  "POST /api/threads/:thread_id/stream/events": ({ thread }) => [
    { path: `/api/threads/${thread}/stream/events`, body: { channels: [1] } },
  ],
  "GET /api/threads/:thread_id/stream": ({ thread }) => [{ path: `/api/threads/${thread}/stream` }],
  "GET /api/threads/:thread_id/stream/events": ({ thread }) => [
    { path: `/api/threads/${thread}/stream/events` },
  ],
  "PUT /api/threads/:thread_id/runs/:run_id/feedback": ({ thread, run }) => [
    { path: `/api/threads/${thread}/runs/${run}/feedback`, body: { key: "liked", score: 1 } },
    { path: `/api/threads/${thread}/runs/${run}/feedback`, body: { key: "liked", score: null } },
  ],
  "POST /api/threads/:thread_id/runs/:run_id/feedback/:key": ({ thread, run }) => [
    { path: `/api/threads/${thread}/runs/${run}/feedback/liked`, body: { score: 0 } },
  ],
  "GET /api/threads/:thread_id/feedback": ({ thread }) => [{ path: `/api/threads/${thread}/feedback` }],
};
