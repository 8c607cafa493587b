import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { NEEDED } from "../../../server/control/run/kubernetes/cluster.ts";
import { because, testUnless } from "../../skips.ts";
import { ROOT } from "../../smoke/program.ts";
import { startApiServer } from "./real-api-server.ts";

const CHART = join(ROOT, "docs", "examples", "helm", "berth");
const assets = process.env.KUBEBUILDER_ASSETS;
const noHelm = because(!Bun.which("helm"), "helm is not installed");
const VALUES = [
  ...["image.repository=registry.example/berth", "publicUrl=https://agents.example"],
  ...["serviceApiKey=a-key-of-the-operator", "secretsKey=a-key-that-never-changes"],
  ...["postgres.password=letters", "settings.BERTH_EDITION=self_hosted"],
].flatMap((value) => ["--set", value]);

type Rule = { apiGroups: string[]; resources: string[]; verbs: string[] };

test("the chart's Role allows what Berth asks of a cluster, and no more", () => {
  const text = readFileSync(join(CHART, "templates", "access.yaml"), "utf8");
  const [, role = ""] = /rules:\n([\s\S]*?)\n---/.exec(text) ?? [];
  const rules = Bun.YAML.parse(role) as Rule[];
  const allowed = rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => `${group} ${resource} ${verb}`)),
    ),
  );
  const needed = NEEDED.map(
    ({ group, resource, subresource, verb }) =>
      `${group} ${resource}${subresource ? `/${subresource}` : ""} ${verb}`,
  );
  expect(allowed.sort()).toEqual(needed.sort());
});

testUnless(noHelm)("helm renders the chart, and says what is missing", () => {
  expect(helm("lint", CHART, ...VALUES)).toContain("0 chart(s) failed");
  const kinds = rendered().flatMap((text) => /^kind: (\w+)$/m.exec(text)?.[1] ?? []);
  expect(kinds.sort()).toEqual([
    ...["Role", "RoleBinding", "Secret", "Service", "Service", "Service"],
    ...["ServiceAccount", "StatefulSet", "StatefulSet"],
  ]);
  expect(() => helm("template", "here", CHART)).toThrow("serviceApiKey");
});

testUnless(noHelm ?? because(!assets || !Bun.which("kubectl"), "KUBEBUILDER_ASSETS names no API server"))(
  "an API server takes everything of the chart",
  async () => {
    const server = await startApiServer(assets ?? "");
    try {
      const child = Bun.spawn(
        ["kubectl", "--kubeconfig", server.file, "apply", "--dry-run=server", "--validate=strict", "-f", "-"],
        { stdio: [new Blob([rendered().join("\n---\n")]), "pipe", "pipe"] },
      );
      const [out, err] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      expect({ code: await child.exited, err }).toEqual({ code: 0, err: "" });
      expect(out.trim().split("\n")).toHaveLength(9);
    } finally {
      await server.close();
    }
  },
);

const rendered = (): string[] =>
  helm("template", "here", CHART, ...VALUES)
    .split(/^---$/m)
    .filter((text) => text.trim());

function helm(...args: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["helm", ...args]);
  if (exitCode !== 0) throw new Error(stderr.toString());
  return stdout.toString();
}
