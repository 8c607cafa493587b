/** One server-sent event as it came over the wire. */
export type Frame = { id: string; event: string; data: string };

export type Answer = { status: number; headers: Headers; text: string; body: unknown };

/** One request with a JSON body; rejects when the connection breaks before the whole answer is there. */
export async function call(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parsed(text) };
}

/** The server said no. */
export class Refused extends Error {
  constructor(
    what: string,
    readonly status: number,
    text = "",
  ) {
    super(`${what}: ${status} ${text}`);
  }
}

/** Like {@link call}, for what has to succeed: gives the body. @throws Refused */
export async function ask<T = Record<string, unknown>>(
  url: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const answer = await call(url, method, path, body);
  if (answer.status >= 300) throw new Refused(`${method} ${path}`, answer.status, answer.text);
  return answer.body as T;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Collects whole events into `frames` until the stream ends.
 * @returns false when the connection broke first
 */
export async function readFrames(response: Response, frames: Frame[]): Promise<boolean> {
  if (!response.body) throw new Error("the answer has no body");
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const bytes of response.body) {
      text += decoder.decode(bytes, { stream: true });
      const whole = text.lastIndexOf("\n\n");
      if (whole < 0) continue;
      for (const block of text.slice(0, whole).split("\n\n")) frames.push(frameOf(block));
      text = text.slice(whole + 2);
    }
    return true;
  } catch {
    return false;
  }
}

function frameOf(block: string): Frame {
  const field = (name: string) => {
    const line = block.split("\n").find((one) => one.startsWith(`${name}: `));
    return line?.slice(name.length + 2) ?? "";
  };
  return { id: field("id"), event: field("event"), data: field("data") };
}

/** A run's events behind `after` (`-1`: all of them), in every mode that it was asked for. */
export async function joinStream(url: string, runPath: string, after: string): Promise<Frame[]> {
  const frames: Frame[] = [];
  const response = await fetch(`${url}${runPath}/stream`, { headers: { "last-event-id": after } });
  if (response.status !== 200) throw new Refused(`${runPath}/stream`, response.status, await response.text());
  if (!(await readFrames(response, frames))) throw new Error(`${runPath}/stream broke`);
  return frames;
}
