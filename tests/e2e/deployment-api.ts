import { until } from "./condition.ts";
import { Refused } from "./crash-http.ts";
import { archiveOf, type ProjectFiles } from "./tiny-agent.ts";

export type Deployment = {
  id: string;
  name: string;
  status: string;
  latest_revision_id: string;
  active_revision_id: string | null;
  source_config: { custom_url: string };
};

export type Revision = { id: string; status: string; status_message: string | null; build_kept: boolean };

export type Answer = { said: string; pid: number };

const FINAL = [
  "DEPLOYED",
  "CREATE_FAILED",
  "BUILD_FAILED",
  "DEPLOY_FAILED",
  "SKIPPED",
  "INTERRUPTED",
  "UNKNOWN",
];

/** The control plane of a Berth as its owner uses it over HTTP; the Berth may be another one each time. */
export class DeploymentApi {
  constructor(
    private readonly url: () => string,
    private readonly key: string,
  ) {}

  /** @throws Refused the answer is none of success */
  async ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(this.url() + path, {
      method,
      headers: { "x-api-key": this.key, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Refused(`${method} ${path}`, response.status, text);
    return text === "" ? (undefined as T) : JSON.parse(text);
  }

  fromTemplate(name: string, template = "chat", secrets: object[] = []): Promise<Deployment> {
    const source_config = { template };
    const source = "internal_template";
    const wanted = { name, source, source_config, source_revision_config: {}, secrets };
    return this.ask("POST", "/v2/deployments", wanted);
  }

  /** Creates a deployment of an image; its first revision waits for one, unless it is named. */
  fromImage(name: string, image_uri: string | null = null): Promise<Deployment> {
    return this.ask("POST", "/v2/deployments", {
      ...{ name, source: "internal_docker", source_config: {}, secrets: [] },
      source_revision_config: { ...(image_uri !== null && { image_uri }) },
    });
  }

  /** Creates a deployment of a project; its first revision waits for an upload. */
  fromSource(name: string): Promise<Deployment> {
    return this.ask("POST", "/v2/deployments", {
      name,
      source: "internal_source",
      source_config: {},
      source_revision_config: { langgraph_config_path: "graph.json" },
      secrets: [],
    });
  }

  /** Uploads a project and asks for a revision of it; gives the revision's id. */
  async push(deploymentId: string, files: ProjectFiles): Promise<string> {
    const path = `/v2/deployments/${deploymentId}`;
    const place = await this.ask<{ upload_url: string; object_path: string }>("POST", `${path}/upload-url`);
    const sent = await fetch(place.upload_url, { method: "PUT", body: archiveOf(files) });
    if (!sent.ok) throw new Refused("upload", sent.status, await sent.text());
    const config = { source_tarball_path: place.object_path, langgraph_config_path: "graph.json" };
    const { latest_revision_id } = await this.ask<Deployment>("PATCH", path, {
      source_revision_config: config,
    });
    return latest_revision_id;
  }

  deployment(id: string): Promise<Deployment> {
    return this.ask("GET", `/v2/deployments/${id}`);
  }

  revision(deploymentId: string, id: string): Promise<Revision> {
    return this.ask("GET", `/v2/deployments/${deploymentId}/revisions/${id}`);
  }

  /** Waits until a revision is at its end, or at one of `statuses`. */
  settled(deploymentId: string, id: string, statuses: readonly string[] = FINAL): Promise<Revision> {
    return until(
      `revision ${id} to be ${statuses.join(" or ")}`,
      () => this.revision(deploymentId, id),
      ({ status }) => statuses.includes(status),
    );
  }

  redeploy(deploymentId: string, id: string): Promise<Deployment> {
    return this.ask("POST", `/v2/deployments/${deploymentId}/revisions/${id}/redeploy`);
  }

  interrupt(deploymentId: string, id: string): Promise<Revision> {
    return this.ask("POST", `/v2/deployments/${deploymentId}/revisions/${id}/interrupt`);
  }

  delete(deploymentId: string): Promise<void> {
    return this.ask("DELETE", `/v2/deployments/${deploymentId}`);
  }

  /** What a deployed agent answers through the gateway. */
  answer(deploymentId: string): Promise<Answer> {
    return this.ask("POST", `/d/${deploymentId}/runs/wait`, { assistant_id: "agent", input: { said: "" } });
  }
}
