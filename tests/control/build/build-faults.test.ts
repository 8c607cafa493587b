import { afterAll, beforeAll, expect, test } from "bun:test";
import { buildOf, failureOf, openRig, orderOf, type Rig } from "./rig.ts";

const plain = {
  "graph.json": '{"graphs":{"agent":"./agent.ts:graph"}}',
  "agent.ts": "export const graph = () => null;\n",
};

let rig: Rig;
beforeAll(() => {
  rig = openRig();
});
afterAll(() => rig.remove());

test("a command that fails is told with the lines that say why first, whatever was printed around them", async () => {
  const script = "echo '+ one@1.0.0'; echo 'error: 404 @nobody/sdk' >&2; seq 20; exit 1";
  const given = await orderOf(
    rig,
    { ...plain, "run.sh": script },
    { settings: { build_command: "sh run.sh" } },
  );
  expect(await failureOf(rig, given)).toMatch(
    /^sh run\.sh failed with exit code 1: error: 404 @nobody\/sdk \| /,
  );
});

test("a package that no registry has is named", async () => {
  const registry = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response("{}", { status: 404 }),
  });
  const own = openRig({ environment: { npm_config_registry: String(registry.url) } });
  const manifest = JSON.stringify({ dependencies: { "@nobody/sdk": "^1.0.0" } });
  const reason = await failureOf(own, await orderOf(own, { ...plain, "package.json": manifest }));
  own.remove();
  await registry.stop(true);
  expect(reason).toMatch(
    /^bun install \S+ \S+ failed with exit code 1: error: GET \S+ - 404 \| error: @nobody\/sdk@/,
  );
});

test("components that cannot be bundled are a warning with file, line and reason", async () => {
  const config = '{"graphs":{"agent":"./agent.ts:graph"},"ui":{"agent":"./ui/agent.tsx"}}';
  const ui = "import './none.css';\nexport default {};\n";
  const given = await orderOf(rig, { ...plain, "graph.json": config, "ui/agent.tsx": ui });
  await buildOf(rig, given);
  expect(given.lines.join("\n")).toMatch(
    /ui\.agent: ui\/agent\.tsx:1:\d+: Could not resolve: "\.\/none\.css"/,
  );
});
