import {
  fieldsOf,
  listOf,
  type ReadDeployment,
  type ReadLogLine,
  type ReadRevision,
  readDeployment,
  readLogLine,
  readPage,
  readPushToken,
  readRevision,
  readUploadTarget,
  textOrNull,
} from "./answer.ts";
import type { ControlClient } from "./client.ts";
import { DeployFailure, DeployRefused, Unreachable } from "./failure.ts";
import type { Patience } from "./patience.ts";

const PAGE = 100;

export type LogRequest = {
  deploymentId: string;
  revisionId?: string | undefined;
  type: "build" | "deploy";
  order: "asc" | "desc";
  limit: number;
  cursor?: string | undefined;
  level?: string | undefined;
  query?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
};

/** What the commands ask the control plane, in their words. */
export class DeploymentCalls {
  readonly #client: ControlClient;

  constructor(client: ControlClient) {
    this.#client = client;
  }

  /** Whether it is spoken to without TLS. */
  get isPlain(): boolean {
    return new URL(this.#client.baseUrl).protocol === "http:";
  }

  /** How long the server is waited for. */
  get patience(): Patience {
    return this.#client.patience;
  }

  /** @throws DeployFailure when there is none */
  async get(id: string): Promise<ReadDeployment> {
    return readDeployment(await this.#client.get(at(id)));
  }

  /** All whose name holds the text. */
  async list(contains: string): Promise<ReadDeployment[]> {
    return this.#all("/v2/deployments", { name_contains: contains }, readDeployment);
  }

  async named(name: string): Promise<ReadDeployment | undefined> {
    const query = { name, name_contains: name, limit: PAGE };
    const found = readPage(await this.#client.get("/v2/deployments", query), readDeployment);
    return found.find((deployment) => deployment.name === name);
  }

  /** Creates it. When no answer comes it may be there all the same, so it is looked for before a second try. */
  async create(body: { name: string } & Record<string, unknown>): Promise<ReadDeployment> {
    try {
      return readDeployment(await this.#client.post("/v2/deployments", body));
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      return (
        (await this.named(body.name)) ?? readDeployment(await this.#client.post("/v2/deployments", body))
      );
    }
  }

  /** @param arrived whether a change whose answer got lost is there, so that it is not made twice */
  async patch(id: string, body: unknown, arrived: (now: ReadDeployment) => boolean): Promise<ReadDeployment> {
    try {
      return readDeployment(await this.#client.patch(at(id), body));
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      const now = await this.get(id);
      return arrived(now) ? now : readDeployment(await this.#client.patch(at(id), body));
    }
  }

  async delete(id: string): Promise<void> {
    await this.#client.delete(at(id));
  }

  /** A new revision in any case. */
  async revise(id: string, body: unknown): Promise<ReadRevision> {
    return readRevision(await this.#client.post(`${at(id)}/revisions`, body));
  }

  async redeploy(id: string, revisionId: string): Promise<void> {
    await this.#client.post(`${at(id)}/revisions/${encodeURIComponent(revisionId)}/redeploy`);
  }

  /** Has the server stop one that is on its way. */
  async interrupt(id: string, revisionId: string): Promise<void> {
    await this.#client.post(`${at(id)}/revisions/${encodeURIComponent(revisionId)}/interrupt`);
  }

  async revision(id: string, revisionId: string): Promise<ReadRevision> {
    return readRevision(await this.#client.get(`${at(id)}/revisions/${encodeURIComponent(revisionId)}`));
  }

  /** The newest ones, newest first; of these statuses, separated by commas, where they are named. */
  async revisions(id: string, limit?: number, status?: string): Promise<ReadRevision[]> {
    return this.#all(`${at(id)}/revisions`, { status }, readRevision, limit);
  }

  async latestRevision(id: string): Promise<ReadRevision> {
    const [latest] = await this.revisions(id, 1);
    if (latest) return latest;
    throw new DeployFailure(`deployment ${id} has no revision yet`);
  }

  async uploadUrl(id: string): Promise<ReturnType<typeof readUploadTarget>> {
    return readUploadTarget(await this.#client.post(`${at(id)}/upload-url`));
  }

  /** Where an image of the deployment is pushed, with what; good for an hour. */
  async pushToken(id: string): Promise<ReturnType<typeof readPushToken>> {
    return readPushToken(await this.#client.post(`${at(id)}/push-token`));
  }

  /** At most `limit` lines (of one page: at most 100), and the cursor behind them. */
  async logs(query: LogRequest): Promise<{ lines: ReadLogLine[]; next: string | undefined }> {
    const { deploymentId, revisionId, type, order, limit, cursor, level, from, to } = query;
    const answer = fieldsOf(
      await this.#client.get("/v2/deployment-logs", {
        deployment_id: deploymentId,
        revision_id: revisionId,
        log_type: type.toUpperCase(),
        sort_order: order,
        page_size: Math.min(limit, PAGE),
        cursor,
        level: level?.toUpperCase(),
        query: query.query,
        start_time: from,
        end_time: to,
      }),
    );
    return {
      lines: listOf(answer, "items").map(readLogLine),
      next: textOrNull(answer, "next_cursor") ?? cursor,
    };
  }

  /** Where the state of a revision can be read, with the key. */
  statusUrl(id: string, revisionId: string): string {
    return `${this.#client.baseUrl}${at(id)}/revisions/${encodeURIComponent(revisionId)}`;
  }

  async #all<T>(
    path: string,
    query: Record<string, string | undefined>,
    read: (item: unknown) => T,
    most = Number.POSITIVE_INFINITY,
  ): Promise<T[]> {
    const found: T[] = [];
    for (;;) {
      const limit = Math.min(PAGE, most - found.length);
      const page = readPage(await this.#client.get(path, { ...query, limit, offset: found.length }), read);
      found.push(...page);
      if (page.length < limit || found.length >= most) return found;
    }
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The deployment of this id or name. */
export async function meant(deployments: DeploymentCalls, idOrName: string): Promise<ReadDeployment> {
  const found = UUID.test(idOrName) ? await byId(deployments, idOrName) : await deployments.named(idOrName);
  if (found) return found;
  throw new DeployFailure(`Deployment '${idOrName}' not found. See "berth deploy list"`);
}

async function byId(deployments: DeploymentCalls, id: string): Promise<ReadDeployment | undefined> {
  try {
    return await deployments.get(id);
  } catch (error) {
    if (error instanceof DeployRefused && error.status === 404) return undefined;
    throw error;
  }
}

function at(id: string): string {
  return `/v2/deployments/${encodeURIComponent(id)}`;
}
