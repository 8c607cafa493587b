import { type TProperties, type TSchema, Type } from "@sinclair/typebox";

/** A JSON answer. `value` may be anything JSON can hold; `headers` come on top of the content type. */
export function json(value: unknown, status = 200, headers?: Record<string, string>): Response {
  return Response.json(value, { status, headers });
}

/** A JSON answer whose text is already there (a stored document): nothing is parsed or written again. */
export function jsonText(text: string, status = 200, headers?: Record<string, string>): Response {
  return new Response(text, { status, headers: { "content-type": "application/json", ...headers } });
}

/** 204: done, nothing to say. Clients parse a 200 as JSON, so an empty success must be this one. */
export function empty(headers?: Record<string, string>): Response {
  return new Response(null, { status: 204, headers });
}

/** The asked fields of an object; all of them when none is asked for. */
export function selected(object: object, fields: readonly string[] | null | undefined): object {
  if (!fields) return object;
  return Object.fromEntries(Object.entries(object).filter(([name]) => fields.includes(name)));
}

const streams = new WeakSet<Response>();

/** An answer that goes on as long as its source does, so that nobody knows its length. */
export function streamed(body: ReadableStream, headers: Record<string, string>): Response {
  const response = new Response(body, { headers });
  streams.add(response);
  return response;
}

export const isStreamed = (response: Response): boolean => streams.has(response);

/** Where a page stands in a list: `total` rows match, of which this page skipped `offset` and took `limit`. */
type PagePosition = { total: number; offset: number; limit: number };

/** The headers that SDKs read a page from: the true total, and the next offset only while there is more. */
export function pageHeaders({ total, offset, limit }: PagePosition): Record<string, string> {
  const next = offset + limit;
  return next < total
    ? { "x-pagination-total": String(total), "x-pagination-next": String(next) }
    : { "x-pagination-total": String(total) };
}

/** The schema of a page of the control plane and of issues: `{resources: […], offset}` and what else comes with it. */
export const pageOf = <Item extends TSchema, More extends TProperties = Record<never, never>>(
  title: string,
  item: Item,
  more?: More,
) =>
  Type.Object(
    {
      resources: Type.Array(item),
      offset: Type.Integer({ description: "Send this as `offset` to get the next page." }),
      ...(more as More),
    },
    { $id: title },
  );
