import { createHash } from "node:crypto";

export const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
export const INDEX = "application/vnd.oci.image.index.v1+json";
const CONFIG = "application/vnd.oci.image.config.v1+json";
const LAYER = "application/vnd.oci.image.layer.v1.tar";

export type Bytes = Uint8Array<ArrayBuffer>;

export const bytesOf = (text: string): Bytes => new Uint8Array(Buffer.from(text));
export const digestOf = (bytes: Uint8Array): string =>
  `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
export const descriptor = (bytes: Uint8Array, mediaType: string) => ({
  ...{ mediaType, digest: digestOf(bytes), size: bytes.byteLength },
});

/** The manifest of an image with these layers, as text; `more` is in it, too. */
export const manifestOf = (config: Bytes, layers: Bytes[], more: object = {}): Bytes =>
  bytesOf(
    JSON.stringify({
      ...{ schemaVersion: 2, mediaType: MANIFEST, config: descriptor(config, CONFIG) },
      layers: layers.map((layer) => descriptor(layer, LAYER)),
      ...more,
    }),
  );

type Sent = { method?: string; body?: BodyInit; headers?: Record<string, string> };

/** Speaks with the registry of a Berth as an engine does, request by request. */
export class Pusher {
  constructor(
    private readonly url: () => string,
    /** `berth/DEPLOYMENT/IMAGE`. */
    readonly repository: string,
    private readonly token: string,
  ) {}

  /** The same caller at another image. */
  at(repository: string): Pusher {
    return new Pusher(this.url, repository, this.token);
  }

  send(path: string, { headers, ...rest }: Sent = {}): Promise<Response> {
    const authorization = `Basic ${Buffer.from(`oauth2accesstoken:${this.token}`).toString("base64")}`;
    return fetch(this.url() + path, { ...rest, redirect: "manual", headers: { authorization, ...headers } });
  }

  of(path: string, sent?: Sent): Promise<Response> {
    return this.send(`/v2/${this.repository}/${path}`, sent);
  }

  /** Begins an upload; gives its address. */
  async begin(): Promise<string> {
    const response = await this.of("blobs/uploads/", { method: "POST" });
    if (response.status !== 202) throw new Error(`${response.status} ${await response.text()}`);
    return response.headers.get("location") ?? "";
  }

  /** As engines push a blob: begin, one stream, end. */
  async blob(bytes: Bytes): Promise<string> {
    const digest = digestOf(bytes);
    const at = await this.begin();
    const sent = await this.send(at, { method: "PATCH", body: bytes });
    if (sent.status !== 202) throw new Error(`${sent.status} ${await sent.text()}`);
    const ended = await this.send(`${sent.headers.get("location")}?digest=${digest}`, { method: "PUT" });
    if (ended.status !== 201) throw new Error(`${ended.status} ${await ended.text()}`);
    return digest;
  }

  manifest(reference: string, body: Bytes, type = MANIFEST): Promise<Response> {
    return this.of(`manifests/${reference}`, { method: "PUT", body, headers: { "content-type": type } });
  }

  /** Pushes an image of one layer under a tag; gives the manifest's digest. */
  async image(tag: string, layer: Bytes, config = bytesOf("{}")): Promise<string> {
    await this.blob(layer);
    await this.blob(config);
    const manifest = manifestOf(config, [layer]);
    const response = await this.manifest(tag, manifest);
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
    return digestOf(manifest);
  }
}

/** The code of a failure, as engines read it. */
export async function codeOf(response: Response): Promise<string | undefined> {
  const { errors } = (await response.json()) as { errors?: { code: string }[] };
  return errors?.[0]?.code;
}
