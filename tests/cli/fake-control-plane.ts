import { gunzipSync } from "node:zlib";

/** What the fake was asked, in order; bodies as they came. */
export type Asked = { method: string; path: string; query: string; headers: Headers; body: unknown };

type FakeRevision = {
  id: string;
  status: string;
  created_at: string;
  deployed_at: string | null;
  [field: string]: unknown;
};

type CreateBody = {
  name: string;
  source: string;
  source_config: Record<string, unknown>;
  source_revision_config: Record<string, unknown>;
  secrets: unknown;
};

/** A revision goes through these states, one at each look at it. */
export type Script = { statuses: string[]; message?: string; log?: string[] };

type FakeDeployment = {
  id: string;
  name: string;
  source: string;
  active: string | null;
  config: Record<string, unknown>;
  revisionConfig: Record<string, unknown>;
  secrets: unknown;
  revisions: FakeRevision[];
};

const KEY = "a-key";
export const PUSH_TOKEN = "a-token-for-pushes";
const id = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`;

/** A control plane that keeps the contract of the routes that the CLI uses, in memory and by script. */
export class FakeControlPlane implements Disposable {
  readonly asked: Asked[] = [];
  readonly deployments: FakeDeployment[] = [];
  readonly uploads: Uint8Array[] = [];
  readonly logs: {
    revision: string;
    type: string;
    id: string;
    timestamp: number;
    level: string;
    message: string;
  }[] = [];
  /** For what it runs images; undefined where it does not say so. */
  platform: string | undefined = `linux/${process.arch === "x64" ? "amd64" : process.arch}`;
  /** What the next revisions go through. */
  scripts: Script[] = [];
  /** Answers a request in the fake's place. */
  instead: (asked: Asked) => Response | undefined | Promise<Response | undefined> = () => undefined;
  readonly #progress = new Map<string, string[]>();
  readonly #messages = new Map<string, string>();
  readonly #server: Bun.Server<undefined>;
  #ids = 0;

  constructor() {
    this.#server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => this.#answer(request) });
  }

  get url(): string {
    return this.#server.url.origin;
  }

  /** What a CLI in front of it is told by its environment. */
  get environment(): Record<string, string> {
    return { SERVICE_ENDPOINT: this.url, SERVICE_API_KEY: KEY };
  }

  /** The methods and paths of what was asked, ids left out. */
  calls(): string[] {
    return this.asked.map(
      ({ method, path }) => `${method} ${path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "{id}")}`,
    );
  }

  /** The files of the newest archive that was uploaded. */
  async uploaded(): Promise<Record<string, string>> {
    const bytes = this.uploads.at(-1);
    if (!bytes) throw new Error("nothing was uploaded");
    const files = await new Bun.Archive(gunzipSync(bytes)).files();
    const texts = [...files].map(async ([name, file]) => [name, await file.text()] as const);
    return Object.fromEntries(await Promise.all(texts));
  }

  addDeployment(name: string, source = "internal_source"): FakeDeployment {
    const deployment: FakeDeployment = {
      id: this.#newId(),
      name,
      source,
      active: null,
      config: {},
      revisionConfig: {},
      secrets: [],
      revisions: [],
    };
    this.deployments.push(deployment);
    return deployment;
  }

  addRevision(
    deployment: FakeDeployment,
    { statuses, message, log }: Script,
    more: object = {},
  ): FakeRevision {
    const [status = "DEPLOYED", ...rest] = statuses;
    const created = { id: this.#newId(), status, created_at: "2026-01-02T03:04:05.000Z" };
    const revision = { ...created, deployed_at: status === "DEPLOYED" ? created.created_at : null, ...more };
    deployment.revisions.unshift(revision);
    this.#progress.set(revision.id, rest);
    if (message) this.#messages.set(revision.id, message);
    for (const line of log ?? []) this.addLog(revision.id, "BUILD", line);
    if (status === "DEPLOYED") deployment.active = revision.id;
    return revision;
  }

  addLog(revision: string, type: string, message: string, level = "INFO"): void {
    const number = this.logs.length + 1;
    this.logs.push({
      revision,
      type,
      id: `line-${number}`,
      timestamp: 1_767_323_045_000 + number,
      level,
      message,
    });
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
  }

  #newId(): string {
    this.#ids += 1;
    return id(this.#ids);
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname: path, search: query } = new URL(request.url);
    const { method, headers } = request;
    const isUpload = path.startsWith("/upload/");
    const bytes = await request.bytes();
    const body = isUpload || bytes.length === 0 ? undefined : JSON.parse(new TextDecoder().decode(bytes));
    const asked = { method, path, query, headers, body };
    this.asked.push(asked);
    const instead = await this.instead(asked);
    if (instead) return instead;
    if (isUpload) {
      this.uploads.push(bytes);
      return new Response();
    }
    if (headers.get("x-api-key") !== KEY)
      return Response.json({ detail: "API key required: set SERVICE_API_KEY" }, { status: 401 });
    return this.#route(asked);
  }

  #route({ method, path, query, body }: Asked): Response {
    const search = new URLSearchParams(query);
    if (path === "/v2/deployment-logs") return this.#logPage(search);
    const [, , , deploymentId, kind, revisionId, action] = path.split("/");
    if (deploymentId === undefined) return method === "POST" ? this.#create(body) : this.#list(search);
    const deployment = this.deployments.find((one) => one.id === deploymentId);
    if (!deployment)
      return Response.json({ detail: `Deployment ID ${deploymentId} not found.` }, { status: 404 });
    if (kind === "upload-url")
      return Response.json({
        upload_url: `${this.url}/upload/${deploymentId}`,
        object_path: `uploads/${this.#newId()}`,
      });
    if (kind === "push-token") return Response.json(this.#pushToken(deploymentId));
    if (kind === "revisions" && revisionId === undefined && method === "GET")
      return this.#revisions(deployment, search);
    if (kind === "revisions" && revisionId === undefined)
      return Response.json(this.#revise(deployment, body), { status: 201 });
    if (revisionId !== undefined) return this.#revision(deployment, revisionId, action);
    if (method === "DELETE") {
      this.deployments.splice(this.deployments.indexOf(deployment), 1);
      return new Response(null, { status: 204 });
    }
    if (method === "PATCH") this.#revise(deployment, body);
    return Response.json(shown(deployment, this.url));
  }

  #pushToken(deploymentId: string): object {
    const registry_url = `${new URL(this.url).host}/berth/${deploymentId}`;
    return { token: PUSH_TOKEN, registry_url, platform: this.platform };
  }

  #list(search: URLSearchParams): Response {
    const found = this.deployments.filter(({ name }) => name.includes(search.get("name_contains") ?? ""));
    return page(found, search, (deployment) => shown(deployment, this.url));
  }

  #create(body: unknown): Response {
    const { name, source, source_config, source_revision_config, secrets } = structuredClone(
      body,
    ) as CreateBody;
    if (this.deployments.some((deployment) => deployment.name === name))
      return Response.json({ detail: `Deployment '${name}' exists.` }, { status: 409 });
    const deployment = this.addDeployment(name, source);
    Object.assign(deployment, { config: source_config, revisionConfig: source_revision_config, secrets });
    const isEmpty =
      source === "internal_source" ||
      (source === "internal_docker" && !("image_uri" in source_revision_config));
    this.addRevision(deployment, isEmpty ? { statuses: ["QUEUED"] } : (this.scripts.shift() ?? DEPLOYS));
    return Response.json(shown(deployment, this.url), { status: 201 });
  }

  #revise(deployment: FakeDeployment, body: unknown): FakeRevision {
    const { source_revision_config, source_config, secrets } = body as Record<string, object>;
    Object.assign(deployment.revisionConfig, source_revision_config);
    Object.assign(deployment.config, source_config);
    if (secrets) deployment.secrets = secrets;
    return this.addRevision(deployment, this.scripts.shift() ?? DEPLOYS);
  }

  #revisions({ revisions }: FakeDeployment, search: URLSearchParams): Response {
    const status = search.get("status");
    return page(
      revisions.filter((revision) => status === null || status.split(",").includes(revision.status)),
      search,
      (revision) => revision,
    );
  }

  #revision(deployment: FakeDeployment, revisionId: string, action: string | undefined): Response {
    const revision = deployment.revisions.find((one) => one.id === revisionId);
    if (!revision) return Response.json({ detail: `Revision ID ${revisionId} not found.` }, { status: 404 });
    if (action === "redeploy") {
      revision.status = "DEPLOYING";
      this.#progress.set(revision.id, ["DEPLOYED"]);
      return Response.json(shown(deployment, this.url));
    }
    if (action === "interrupt") {
      this.#progress.set(revision.id, ["INTERRUPTED"]);
      return Response.json(revision);
    }
    const answer = Response.json({ ...revision, status_message: this.#statusMessage(revision) });
    revision.status = this.#progress.get(revision.id)?.shift() ?? revision.status;
    if (revision.status === "DEPLOYED") {
      deployment.active = revision.id;
      revision.deployed_at ??= revision.created_at;
    }
    return answer;
  }

  #statusMessage({ id: revisionId, status }: FakeRevision): string | null {
    return status.endsWith("_FAILED") ? (this.#messages.get(revisionId) ?? null) : null;
  }

  #logPage(search: URLSearchParams): Response {
    const order = search.get("sort_order");
    const size = Number(search.get("page_size"));
    const revision = search.get("revision_id");
    const start = search.get("start_time");
    const lines = this.logs.filter(
      (line) =>
        line.type === search.get("log_type") &&
        (revision === null || line.revision === revision) &&
        (start === null || line.timestamp >= Date.parse(start)) &&
        line.message.includes(search.get("query") ?? "") &&
        (search.get("level") ?? line.level) === line.level,
    );
    const ordered = order === "desc" ? lines.toReversed() : lines;
    const from = Number(search.get("cursor") ?? 0);
    const items = ordered.slice(from, from + size);
    return Response.json({ items, next_cursor: String(from + items.length) });
  }
}

const DEPLOYS: Script = { statuses: ["AWAITING_BUILD", "BUILDING", "DEPLOYED"] };

function shown(
  { id: own, name, source, active, config, revisionConfig, revisions }: FakeDeployment,
  url: string,
) {
  return {
    id: own,
    name,
    source,
    tenant_id: id(999),
    active_revision_id: active,
    latest_revision_id: revisions[0]?.id ?? null,
    latest_revision_status: revisions[0]?.status ?? null,
    source_config: { ...config, custom_url: `${url}/d/${own}` },
    source_revision_config: revisionConfig,
  };
}

function page<T>(items: T[], search: URLSearchParams, show: (item: T) => object): Response {
  const offset = Number(search.get("offset") ?? 0);
  const resources = items.slice(offset, offset + Number(search.get("limit") ?? 20));
  return Response.json({ resources: resources.map(show), offset: offset + resources.length });
}
