import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { isIP } from "node:net";
import { isRecord } from "@berth/agent";
import type { JsonObject } from "@berth/store";
import {
  addressesOf,
  hostOf,
  judgingLookup,
  portOf,
  type Reach,
  type Resolve,
  resolveName,
} from "../../../reach/index.ts";
import type { ClusterAccess } from "./access.ts";

/** A cluster did not do what it was asked; the message is one line for whoever deploys. */
export class ClusterFailed extends Error {
  override name = "ClusterFailed";

  /** @param status of its answer; undefined where there was none */
  constructor(
    message: string,
    readonly status?: number,
    options: ErrorOptions = {},
  ) {
    super(message, options);
  }
}

/** An object of a cluster, as far as it is looked at. */
export type KubeObject = {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    generation?: number;
    managedFields?: { manager?: string; fieldsV1?: JsonObject }[];
  };
  spec?: JsonObject;
  status?: JsonObject;
};

/** Who Berth is to the fields of an object that it applies. */
export const FIELD_MANAGER = "berth";

const LIMIT_MS = 15_000;
/** Maximum number of bytes of an answer: more than any list of a deployment's objects, or a part of a log. */
const MOST_BYTES = 16_777_216;

/** Maximum number of bytes that are read of the answer of a pod, whose code is a project's: the status matters. */
const MAX_POD_BYTES = 4_096;

const METADATA_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/** Where the objects of a kind are, in a namespace. */
const PLACES = {
  Deployment: "/apis/apps/v1/namespaces/NS/deployments",
  Service: "/api/v1/namespaces/NS/services",
  Secret: "/api/v1/namespaces/NS/secrets",
  HorizontalPodAutoscaler: "/apis/autoscaling/v2/namespaces/NS/horizontalpodautoscalers",
  Pod: "/api/v1/namespaces/NS/pods",
} as const;

export type ObjectKind = keyof typeof PLACES;

const placeOf = (kind: ObjectKind, namespace: string, name?: string): string =>
  PLACES[kind].replace("NS", encodeURIComponent(namespace)) +
  (name === undefined ? "" : `/${encodeURIComponent(name)}`);

type Asking = {
  method: string;
  path: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string;
  limitMs?: number;
  /** Maximum number of bytes that are kept of the answer, which is cut there; a longer one fails where it is left out. */
  cutAt?: number;
};

type Answer = { status: number; text: string };

export type ClusterOptions = {
  /** Where API servers may be. */
  reach: Reach;
  /** How the names of hosts are looked up; as the system does, when not given. */
  resolve?: Resolve | undefined;
};

/** The API server of a cluster. Not `fetch`: that one would look the host's name up once more, after it was judged. */
export class Cluster {
  constructor(
    private readonly access: ClusterAccess,
    private readonly options: ClusterOptions,
  ) {}

  /** The namespace to use where nothing else is said. */
  get namespace(): string {
    return this.access.namespace;
  }

  /**
   * Makes an object what it is to be, by server-side apply; what others have set in other fields stays.
   * @throws ClusterFailed
   */
  async apply(namespace: string, object: KubeObject & { kind: ObjectKind }): Promise<void> {
    const answer = await this.#ask({
      method: "PATCH",
      path: placeOf(object.kind, namespace, object.metadata.name),
      query: { fieldManager: FIELD_MANAGER, force: "true" },
      headers: { "content-type": "application/apply-patch+yaml" },
      body: JSON.stringify(object),
    });
    if (!isFine(answer)) throw failure(`apply the ${object.kind} ${object.metadata.name}`, answer);
  }

  /** Changes some fields of an object that is there. @throws ClusterFailed */
  async merge(kind: ObjectKind, namespace: string, name: string, fields: JsonObject): Promise<void> {
    const answer = await this.#ask({
      method: "PATCH",
      path: placeOf(kind, namespace, name),
      query: { fieldManager: FIELD_MANAGER },
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify(fields),
    });
    if (!isFine(answer)) throw failure(`change the ${kind} ${name}`, answer);
  }

  /** @throws ClusterFailed */
  async get(kind: ObjectKind, namespace: string, name: string): Promise<KubeObject | undefined> {
    const answer = await this.#ask({ method: "GET", path: placeOf(kind, namespace, name) });
    if (answer.status === 404) return undefined;
    if (!isFine(answer)) throw failure(`read the ${kind} ${name}`, answer);
    return objectIn(answer);
  }

  /** The objects of a kind that carry these labels. @throws ClusterFailed */
  list(kind: ObjectKind, namespace: string, labels: Record<string, string>): Promise<KubeObject[]> {
    return this.#list(kind, namespace, labels);
  }

  async #list(
    kind: ObjectKind,
    namespace: string,
    labels: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<KubeObject[]> {
    const answer = await this.#ask({
      ...{ method: "GET", path: placeOf(kind, namespace), headers },
      query: { labelSelector: selectorOf(labels) },
    });
    if (!isFine(answer)) throw failure(`list ${kind} objects`, answer);
    const { items } = objectIn(answer) as unknown as { items?: KubeObject[] };
    return items ?? [];
  }

  /** What the objects of a kind that carry these labels are called and who owns their fields, without what they hold. @throws ClusterFailed */
  async listMetadata(
    kind: ObjectKind,
    namespace: string,
    labels: Record<string, string>,
  ): Promise<Pick<KubeObject, "metadata">[]> {
    return this.#list(kind, namespace, labels, { accept: METADATA_ONLY });
  }

  /** Removes an object and what it made; fine where there is none. @throws ClusterFailed */
  async remove(kind: ObjectKind, namespace: string, name: string): Promise<void> {
    const answer = await this.#ask({
      method: "DELETE",
      path: placeOf(kind, namespace, name),
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Background" }),
    });
    if (answer.status !== 404 && !isFine(answer)) throw failure(`delete the ${kind} ${name}`, answer);
  }

  /** What a pod has printed since a time, each line with its own. @throws ClusterFailed */
  async log(namespace: string, pod: string, since: string, maxBytes: number): Promise<string> {
    const query = { timestamps: "true", sinceTime: since, limitBytes: String(Math.ceil(maxBytes)) };
    const answer = await this.#ask({
      method: "GET",
      path: `${placeOf("Pod", namespace, pod)}/log`,
      query,
    });
    if (!isFine(answer)) throw failure(`read the log of the pod ${pod}`, answer);
    return answer.text;
  }

  /**
   * Asks a pod itself, through the API server, so that each of several is reached from anywhere.
   * @returns undefined where there is no such pod, or nothing listens in it yet
   * @throws ClusterFailed
   */
  async askPod(
    namespace: string,
    pod: { name: string; port: number },
    asking: Pick<Asking, "method" | "headers" | "body"> & { path: string },
  ): Promise<Answer | undefined> {
    const { path, ...rest } = asking;
    const place = `${placeOf("Pod", namespace, pod.name)}:${pod.port}`;
    const answer = await this.#ask({ ...rest, path: `${place}/proxy${path}`, cutAt: MAX_POD_BYTES });
    // What the API server says itself is a `Status`.
    return isFine(answer) || !isStatus(answer) ? answer : undefined;
  }

  /** Whether it lets Berth do what it has to; what is wrong, in words, else empty. */
  async fault(namespace: string): Promise<string> {
    try {
      const version = await this.#ask({ method: "GET", path: "/version" });
      if (!isFine(version)) throw failure("tell its version", version);
      const lacking = await this.#lacking(namespace);
      return lacking.length === 0 ? "" : `Berth may not ${lacking.join(", ")} in the namespace ${namespace}`;
    } catch (error) {
      if (error instanceof ClusterFailed) return error.message;
      throw error;
    }
  }

  async #lacking(namespace: string): Promise<string[]> {
    const lacking: string[] = [];
    for (const { group, resource, subresource, verb } of NEEDED) {
      const attributes = { namespace, verb, group, resource, ...(subresource && { subresource }) };
      const review = {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectAccessReview",
        spec: { resourceAttributes: attributes },
      };
      const answer = await this.#ask({
        method: "POST",
        path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(review),
      });
      if (!isFine(answer)) throw failure("tell what Berth may do", answer);
      if (objectIn(answer).status?.allowed !== true)
        lacking.push(`${verb} ${resource}${subresource ? `/${subresource}` : ""}`);
    }
    return lacking;
  }

  async #ask(asking: Asking): Promise<Answer> {
    const { method, path, query = {}, headers = {}, body, limitMs = LIMIT_MS, cutAt } = asking;
    const { server, ca, certificate } = this.access;
    const { reach, resolve = resolveName } = this.options;
    const host = hostOf(server);
    const port = portOf(server);
    const search = new URLSearchParams(query).toString();
    const token = this.access.token();
    const { promise, resolve: done, reject } = Promise.withResolvers<Answer>();
    const fail = (cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      reject(
        new ClusterFailed(`The cluster at ${server.host} does not answer: ${reason}`, undefined, { cause }),
      );
    };
    try {
      // Literal addresses are looked up by nobody, and so judged here.
      if (isIP(host) !== 0) await addressesOf(host, port, reach, resolve);
    } catch (error) {
      fail(error);
      return promise;
    }
    const sent = request({
      ...{ host, port, method, agent: false },
      path: `${server.pathname.replace(/\/$/, "")}${path}${search === "" ? "" : `?${search}`}`,
      headers: {
        accept: "application/json",
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
        ...headers,
      },
      ...(ca !== null && { ca }),
      ...certificate,
      ...(isIP(host) === 0 && { lookup: judgingLookup(port, reach, resolve) }),
    });
    const limit = setTimeout(() => sent.destroy(new Error(`no answer within ${limitMs / 1_000} s`)), limitMs);
    sent.on("response", (message) => void readAnswer(message, cutAt).then(done, fail));
    sent.on("error", fail);
    sent.on("close", () => {
      clearTimeout(limit);
      // What was read is told first.
      setImmediate(() => fail("the connection was closed"));
    });
    sent.end(body);
    return promise;
  }
}

async function readAnswer(message: IncomingMessage, cutAt?: number): Promise<Answer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of message) {
    size += chunk.length;
    chunks.push(chunk);
    // Leaving the loop destroys the connection.
    if (cutAt !== undefined && size > cutAt) break;
    if (size > MOST_BYTES) throw new Error(`its answer is longer than ${MOST_BYTES} bytes`);
  }
  const text = Buffer.concat(chunks).toString("utf8", 0, cutAt);
  return { status: message.statusCode ?? 0, text };
}

/** What Berth has to be allowed in a namespace; `docs/kubernetes.md` and the chart's Role say the same. */
export const NEEDED: readonly { group: string; resource: string; subresource?: string; verb: string }[] = [
  ...["get", "list", "patch", "create", "delete"].flatMap((verb) => [
    { group: "apps", resource: "deployments", verb },
    { group: "", resource: "services", verb },
    { group: "", resource: "secrets", verb },
    { group: "autoscaling", resource: "horizontalpodautoscalers", verb },
  ]),
  { group: "", resource: "pods", verb: "list" },
  { group: "", resource: "pods", subresource: "log", verb: "get" },
  { group: "", resource: "pods", subresource: "proxy", verb: "get" },
  { group: "", resource: "pods", subresource: "proxy", verb: "create" },
];

const isFine = ({ status }: Answer) => status >= 200 && status < 300;

function objectIn({ text }: Answer): KubeObject {
  const value = parsed(text);
  if (!isRecord(value)) throw new ClusterFailed("The cluster's answer is not an object");
  return value as unknown as KubeObject;
}

/** Undefined where it is no JSON: a proxy in between may have answered. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isStatus = ({ text }: Answer): boolean => /^\s*\{\s*"kind"\s*:\s*"Status"/.test(text);

/** The words of a `Status` object, which is how API servers say no. */
function failure(what: string, { status, text }: Answer): ClusterFailed {
  const said = parsed(text);
  const reason =
    isRecord(said) && typeof said.message === "string"
      ? said.message
      : (text.slice(0, 300).split("\n", 1)[0] ?? "");
  return new ClusterFailed(`The cluster does not ${what}: ${status} ${reason}`.trim(), status);
}

const selectorOf = (labels: Record<string, string>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
