import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** An object as the server keeps it. */
export type Kept = {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace: string;
    labels: Record<string, string>;
    resourceVersion: string;
    managedFields: { manager: string; fieldsV1: Record<string, unknown> }[];
  };
  // biome-ignore lint/suspicious/noExplicitAny: objects of many kinds
  [member: string]: any;
};

/** What a pod is that runs: where it listens, what it printed, and how it is ended. */
export type RunningPod = { port: number; log(): string; end(): Promise<void> };

export type FakeOptions = {
  /** Runs a pod of a Deployment with its environment, as a kubelet would. */
  run(environment: Record<string, string>): Promise<RunningPod>;
};

const TOKEN = "a-token-of-a-service-account";

/** Makes a certificate for this machine that is its own authority, in `folder`. */
export function selfSigned(folder: string): { key: string; cert: string } {
  const key = join(folder, "key.pem");
  const cert = join(folder, "cert.pem");
  const names = ["-subj", "/CN=kubernetes", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const files = ["-keyout", key, "-out", cert];
  const command = [
    "openssl",
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "1",
    ...names,
    ...files,
  ];
  const { exitCode, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(stderr.toString());
  return { key, cert };
}

/**
 * A fake of a cluster's API server with a fake kubelet behind it: it knows what Berth asks of one (server-side apply
 * with owners of fields, merge patches, lists by label, access reviews, logs, the proxy to a pod) and nothing else.
 * Over TLS with a certificate of its own.
 */
export class FakeApiServer {
  readonly objects = new Map<string, Kept>();
  readonly pods = new Map<string, { pod: Kept; running: RunningPod | undefined }>();
  /** What was asked, as `METHOD path`. */
  readonly asked: string[] = [];
  /** Verbs on resources that are not allowed, such as `patch secrets`. */
  readonly denied = new Set<string>();
  /** Containers wait for this reason in place of running. */
  waiting: string | undefined;
  /** What a request waits for on its way here, and its answer on the way back. */
  hold: ((asked: string, way: "here" | "back") => Promise<void>) | undefined;
  #version = 0;

  private constructor(
    private readonly options: FakeOptions,
    private readonly folder: string,
    private server: Bun.Server<undefined> | undefined,
  ) {}

  static open(options: FakeOptions): FakeApiServer {
    const folder = mkdtempSync(join(tmpdir(), "berth-kubernetes-"));
    const { key, cert } = selfSigned(folder);
    const fake = new FakeApiServer(options, folder, undefined);
    fake.server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      tls: { key: Bun.file(key), cert: Bun.file(cert) },
      fetch: async (request) => {
        const asked = `${request.method} ${new URL(request.url).pathname}`;
        await fake.hold?.(asked, "here");
        const answer = await fake.#answer(request);
        await fake.hold?.(asked, "back");
        return answer;
      },
    });
    return fake;
  }

  get kubeconfig(): string {
    const ca = Buffer.from(readFileSync(join(this.folder, "cert.pem"))).toString("base64");
    const cluster = { server: `https://127.0.0.1:${this.server?.port}`, "certificate-authority-data": ca };
    return JSON.stringify({
      ...{ apiVersion: "v1", kind: "Config", "current-context": "here" },
      contexts: [{ name: "here", context: { cluster: "it", user: "berth", namespace: "agents" } }],
      clusters: [{ name: "it", cluster }],
      users: [{ name: "berth", user: { token: TOKEN } }],
    });
  }

  /** Objects of a kind. */
  of(kind: string): Kept[] {
    return [...this.objects.values()].filter((object) => object.kind === kind);
  }

  async close(): Promise<void> {
    await Promise.all([...this.pods.values()].map(({ running }) => running?.end()));
    await this.server?.stop(true);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Somebody else changes an object, as `kubectl edit` does. */
  edit(kind: string, change: (object: Kept) => void): void {
    for (const object of this.of(kind)) {
      change(object);
      object.metadata.managedFields.push({
        manager: "kubectl-edit",
        fieldsV1: { "f:spec": { "f:template": {} } },
      });
    }
  }

  /** Somebody else removes everything, or all objects of a kind. */
  async clear(kind?: string): Promise<void> {
    const removed = [...this.objects].filter(([, object]) => kind === undefined || object.kind === kind);
    for (const [key] of removed) this.objects.delete(key);
    await Promise.all(removed.map(([, object]) => object.kind === "Deployment" && this.#endPods(object)));
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    this.asked.push(`${request.method} ${url.pathname}`);
    if (request.headers.get("authorization") !== `Bearer ${TOKEN}`) return status(401, "Unauthorized");
    if (url.pathname === "/version") return Response.json({ major: "1", minor: "30" });
    if (url.pathname.endsWith("/selfsubjectaccessreviews")) return this.#review(await request.json());
    const match = /^\/(?:api|apis\/[^/]+)\/v\d\/namespaces\/([^/]+)\/([^/]+)(?:\/([^/]+)(\/.*)?)?$/.exec(
      url.pathname,
    );
    if (!match) return status(404, "the server could not find the requested resource");
    const [, namespace = "", resource = "", name, rest = ""] = match;
    if (resource === "pods" && name !== undefined) return this.#ofPod(request, url, name, rest);
    if (name === undefined) return this.#list(request, url, { namespace, resource });
    return this.#one(request, url, { namespace, resource, name });
  }

  #review(review: { spec: { resourceAttributes: { verb: string; resource: string } } }): Response {
    const { verb, resource } = review.spec.resourceAttributes;
    return Response.json(
      { ...review, status: { allowed: !this.denied.has(`${verb} ${resource}`) } },
      { status: 201 },
    );
  }

  #list(
    request: Request,
    url: URL,
    { namespace, resource }: Record<"namespace" | "resource", string>,
  ): Response {
    const selector = url.searchParams.get("labelSelector") ?? "";
    const wanted = selector.split(",").map((pair) => pair.split("="));
    const all =
      resource === "pods" ? [...this.pods.values()].map(({ pod }) => pod) : [...this.objects.values()];
    const items = all.filter(
      ({ kind, metadata }) =>
        metadata.namespace === namespace &&
        (resource === "pods" || pluralOf(kind) === resource) &&
        wanted.every(([label = "", value]) => metadata.labels[label] === value),
    );
    if (!request.headers.get("accept")?.includes("as=PartialObjectMetadataList"))
      return Response.json({ kind: "List", items });
    const bare = items.map(({ metadata }) => ({ kind: "PartialObjectMetadata", metadata }));
    return Response.json({ kind: "PartialObjectMetadataList", items: bare });
  }

  async #one(
    request: Request,
    url: URL,
    { namespace, resource, name }: Record<"namespace" | "resource" | "name", string>,
  ): Promise<Response> {
    const key = `${namespace}/${resource}/${name}`;
    const known = this.objects.get(key);
    const denied = `${request.method.toLowerCase()} ${resource}`;
    if (this.denied.has(denied)) return status(403, `${resource} "${name}" is forbidden`);
    switch (request.method) {
      case "GET":
        return known ? Response.json(known) : status(404, `${resource} "${name}" not found`);
      case "DELETE":
        if (!known) return status(404, `${resource} "${name}" not found`);
        this.objects.delete(key);
        if (known.kind === "Deployment") await this.#endPods(known);
        return Response.json({ kind: "Status", status: "Success" });
      case "PATCH":
        return this.#patch(request, url, key, { namespace, name });
      default:
        return status(405, "method not allowed");
    }
  }

  async #patch(
    request: Request,
    url: URL,
    key: string,
    { namespace, name }: { namespace: string; name: string },
  ): Promise<Response> {
    const body: Kept = await request.json();
    const manager = url.searchParams.get("fieldManager");
    const type = request.headers.get("content-type");
    const known = this.objects.get(key);
    this.#version += 1;
    if (type === "application/merge-patch+json") {
      if (!known) return status(404, `"${name}" not found`);
      for (const [member, fields] of Object.entries(body)) known[member] = { ...known[member], ...fields };
      return Response.json(known);
    }
    if (type !== "application/apply-patch+yaml")
      return status(415, `the body of the request was in an unknown format`);
    if (manager === null) return status(400, "fieldManager is required for apply patch");
    if (body.metadata.name !== name)
      return status(400, "the name of the object does not match the name on the URL");
    const fieldsV1 = body.spec ? { "f:spec": { "f:template": {} } } : {};
    const object: Kept = {
      ...body,
      metadata: {
        ...body.metadata,
        namespace,
        resourceVersion: String(this.#version),
        managedFields: [{ manager, fieldsV1 }],
      },
    };
    this.objects.set(key, object);
    if (object.kind === "Deployment") void this.#runPods(object);
    if (object.kind === "Service" && object.spec.type === "NodePort") await this.#givePort(key, object);
    return Response.json(object, { status: known ? 200 : 201 });
  }

  async #runPods(deployment: Kept): Promise<void> {
    const { namespace, name } = deployment.metadata;
    const { labels } = deployment.spec.template.metadata;
    for (let number = 0; number < (deployment.spec.replicas ?? 1); number += 1) {
      const podName = `${name}-${number}`;
      const metadata = { ...deployment.metadata, name: podName, labels };
      const waiting = this.waiting === undefined ? undefined : { reason: this.waiting, message: "as told" };
      const state = waiting ? { waiting } : { running: {} };
      const pod: Kept = {
        apiVersion: "v1",
        kind: "Pod",
        metadata,
        status: { containerStatuses: [{ state }] },
      };
      const kept: { pod: Kept; running: RunningPod | undefined } = { pod, running: undefined };
      this.pods.set(podName, kept);
      if (waiting) continue;
      const running = await this.options.run(this.#environmentOf(deployment, namespace));
      kept.running = running;
      // It was removed while it came up.
      if (this.pods.get(podName) !== kept) await running.end();
    }
  }

  #environmentOf(deployment: Kept, namespace: string): Record<string, string> {
    const [container] = deployment.spec.template.spec.containers;
    const secret = this.objects.get(`${namespace}/secrets/${container.envFrom[0].secretRef.name}`);
    const entries = Object.entries<string>(secret?.data ?? {});
    return Object.fromEntries(
      entries.map(([name, value]) => [name, Buffer.from(value, "base64").toString()]),
    );
  }

  /** The port of the first pod: there is one machine here. */
  async #givePort(key: string, service: Kept): Promise<void> {
    while (this.objects.get(key) === service) {
      const port = this.pods.get(`${service.metadata.name}-0`)?.running?.port;
      if (port !== undefined || this.waiting !== undefined) {
        service.spec.ports[0].nodePort = port ?? 30_000;
        return;
      }
      await Bun.sleep(20);
    }
  }

  /** Those that it has now: a Deployment of the same name may be there before they have ended. */
  async #endPods(deployment: Kept): Promise<void> {
    const its = [...this.pods].filter(([name]) => name.startsWith(`${deployment.metadata.name}-`));
    for (const [name] of its) this.pods.delete(name);
    await Promise.all(its.map(([, { running }]) => running?.end()));
  }

  async #ofPod(request: Request, url: URL, name: string, rest: string): Promise<Response> {
    const [podName = ""] = name.split(":");
    const running = this.pods.get(podName)?.running;
    if (!running) return status(404, `pods "${podName}" not found`);
    if (rest === "/log") {
      const since = url.searchParams.get("sinceTime") ?? "";
      const lines = running
        .log()
        .split("\n")
        .filter((line) => line.slice(0, 24) >= since);
      return new Response(`${lines.join("\n")}\n`);
    }
    return fetch(`http://127.0.0.1:${running.port}${rest.replace(/^\/proxy/, "")}`, {
      method: request.method,
      headers: request.headers,
      body: request.body,
    }).catch(() => status(503, `error trying to reach service: pod ${podName}`));
  }
}

const pluralOf = (kind: string): string => `${kind.toLowerCase()}s`;

const status = (code: number, message: string): Response =>
  Response.json({ kind: "Status", status: "Failure", message, code }, { status: code });
