import { createHash, createHmac } from "node:crypto";

export const KEY_ID = "storage-key";
export const SECRET = "storage-secret-of-tests";

type Stored = { bytes: Buffer; at: Date };

/**
 * S3-like storage on loopback, as far as backups need it. It checks each request's signature by itself (AWS
 * Signature Version 4), takes objects in parts, and shows two names a page.
 */
export class StorageServer {
  readonly objects = new Map<string, Stored>();
  readonly parts = new Map<string, Map<number, Buffer>>();
  /** Each request in a line, such as `PUT /bucket/key part`. */
  readonly seen: string[] = [];
  /** How many requests are refused with 503 before the next one is served. */
  failNext = 0;
  /** Writes of a key that cut the object short, as broken storage would. */
  cutsShort = false;
  /** Takes no part of an object from the second on. */
  refusesParts = false;
  readonly #server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    maxRequestBodySize: 1 << 30,
    fetch: (request) => this.#serve(request),
  });

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  get env(): Record<string, string> {
    return {
      BACKUP_S3_ENDPOINT: this.url,
      BACKUP_S3_REGION: "here-1",
      BACKUP_S3_KEY_ID: KEY_ID,
      BACKUP_S3_SECRET: SECRET,
    };
  }

  stop(): Promise<void> {
    return this.#server.stop(true);
  }

  async #serve(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const body = Buffer.from(await request.arrayBuffer());
    const name = decodeURIComponent(url.pathname.slice(1));
    this.seen.push(
      `${request.method} ${url.pathname} ${[...url.searchParams.keys()].sort().join(",")}`.trim(),
    );
    if (this.failNext > 0) {
      this.failNext -= 1;
      return fault(503, "SlowDown", "Reduce your request rate.");
    }
    if (!isSigned(request, url)) return fault(403, "SignatureDoesNotMatch", "The signature does not match.");
    const [, bucket] = /^([^/]+)\/?$/.exec(name) ?? [];
    if (bucket !== undefined) return this.#list(bucket, url.searchParams);
    if (request.method === "POST" || url.searchParams.has("uploadId"))
      return this.#multipart(name, url, body, request.method);
    return this.#object(name, request.method, body);
  }

  #object(name: string, method: string, body: Buffer): Response {
    if (method === "PUT") {
      this.#store(name, body);
      return new Response(null, { headers: { etag: etag(body) } });
    }
    if (method === "DELETE") {
      this.objects.delete(name);
      return new Response(null, { status: 204 });
    }
    const stored = this.objects.get(name);
    if (!stored)
      return method === "HEAD"
        ? new Response(null, { status: 404 })
        : fault(404, "NoSuchKey", "It is not there.");
    const headers = { "last-modified": stored.at.toUTCString(), etag: etag(stored.bytes) };
    if (method === "HEAD")
      return new Response(null, { headers: { ...headers, "content-length": String(stored.bytes.length) } });
    return new Response(new Uint8Array(stored.bytes), { headers });
  }

  #multipart(name: string, { searchParams }: URL, body: Buffer, method: string): Response {
    const id = searchParams.get("uploadId");
    if (id === null) {
      const fresh = crypto.randomUUID();
      this.parts.set(fresh, new Map());
      return xml(
        `<InitiateMultipartUploadResult><UploadId>${fresh}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    const parts = this.parts.get(id);
    if (!parts) return fault(404, "NoSuchUpload", "It is not there.");
    if (method === "PUT") {
      if (this.refusesParts && searchParams.get("partNumber") !== "1")
        return fault(400, "QuotaExceeded", "It is full.");
      parts.set(Number(searchParams.get("partNumber")), body);
      return new Response(null, { headers: { etag: etag(body) } });
    }
    this.parts.delete(id);
    if (method === "DELETE") return new Response(null, { status: 204 });
    const numbered = [...parts].sort(([one], [other]) => one - other);
    this.#store(name, Buffer.concat(numbered.map(([, part]) => part)));
    return xml(
      `<CompleteMultipartUploadResult><ETag>"${id}-${parts.size}"</ETag></CompleteMultipartUploadResult>`,
    );
  }

  #store(name: string, bytes: Buffer): void {
    this.objects.set(name, {
      bytes: this.cutsShort ? bytes.subarray(0, bytes.length - 1) : bytes,
      at: new Date(),
    });
  }

  #list(bucket: string, query: URLSearchParams): Response {
    const prefix = `${bucket}/${query.get("prefix") ?? ""}`;
    const all = [...this.objects].filter(([name]) => name.startsWith(prefix)).sort();
    const from = Number(query.get("continuation-token") ?? 0);
    const isMore = all.length > from + 2;
    const contents = all
      .slice(from, from + 2)
      .map(
        ([name, { bytes, at }]) =>
          `<Contents><Key>${name.slice(bucket.length + 1)}</Key><Size>${bytes.length}</Size><LastModified>${at.toISOString()}</LastModified></Contents>`,
      );
    const next = isMore ? `<NextContinuationToken>${from + 2}</NextContinuationToken>` : "";
    return xml(
      `<ListBucketResult><Name>${bucket}</Name><IsTruncated>${isMore}</IsTruncated>${next}${contents.join("")}</ListBucketResult>`,
    );
  }
}

/** Whether a request proves that its sender has the secret. */
function isSigned(request: Request, url: URL): boolean {
  const header = request.headers.get("authorization") ?? "";
  const [, id, day, region, signed = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)$/.exec(
      header,
    ) ?? [];
  if (id !== KEY_ID || day === undefined || region === undefined) return false;
  const headers = signed.split(";").map((name) => `${name}:${request.headers.get(name)?.trim() ?? ""}\n`);
  const query = [...url.searchParams].map(([name, value]) => `${encoded(name)}=${encoded(value)}`).sort();
  const canonical = [
    request.method,
    url.pathname,
    query.join("&"),
    headers.join(""),
    signed,
    request.headers.get("x-amz-content-sha256"),
  ].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = [
    "AWS4-HMAC-SHA256",
    request.headers.get("x-amz-date"),
    scope,
    createHash("sha256").update(canonical).digest("hex"),
  ].join("\n");
  const key = [day, region, "s3", "aws4_request"].reduce<Buffer>(
    (with_, part) => hmac(with_, part),
    Buffer.from(`AWS4${SECRET}`),
  );
  return hmac(key, text).toString("hex") === signature;
}

const hmac = (key: Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
const encoded = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
const etag = (bytes: Buffer) => `"${createHash("md5").update(bytes).digest("hex")}"`;
const xml = (text: string, status = 200) =>
  new Response(`<?xml version="1.0"?>${text}`, { status, headers: { "content-type": "application/xml" } });
const fault = (status: number, code: string, message: string) =>
  xml(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`, status);
