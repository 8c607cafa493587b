import { styleText } from "node:util";
import { type ArgsDef, defineCommand } from "citty";
import { integer } from "../settings/index.ts";
import { checkArguments } from "./arguments.ts";
import { failWith } from "./fail.ts";

const listenArgs = {
  port: {
    type: "string",
    default: "8124",
    valueHint: "PORT",
    description: "Port to listen on; 0: any free one",
  },
  host: {
    type: "string",
    default: "127.0.0.1",
    valueHint: "HOST",
    description: "Address to listen on",
  },
  secret: {
    type: "string",
    valueHint: "SECRET",
    description: "The subscription's secret, to check signatures",
  },
  status: {
    type: "string",
    default: "200",
    valueHint: "STATUS",
    description: "Answer deliveries with this status; 503 shows how Berth tries again",
  },
} satisfies ArgsDef;

const listen = defineCommand({
  meta: { name: "listen", description: "Receive webhooks here, check their signatures and show them" },
  args: listenArgs,
  run: ({ args, rawArgs }) => {
    try {
      checkArguments(rawArgs, listenArgs);
      const port = integer(0, 65_535)(args.port, "--port");
      const status = integer(200, 599)(args.status, "--status");
      const server = startListener({ port, host: args.host, status, secret: args.secret, print });
      print(`Listening at http://${args.host}:${server.port}/: name it as the url of a subscription.`);
      if (args.secret === undefined) print("Without --secret signatures are not checked.");
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void server.stop(true));
    } catch (error) {
      failWith(error);
    }
  },
});

export const webhooks = defineCommand({
  meta: { name: "webhooks", description: "Receive webhooks on this machine" },
  subCommands: { listen },
});

type ListenerOptions = {
  port: number;
  host: string;
  /** What a delivery is answered with when nothing is wrong with it. */
  status: number;
  secret: string | undefined;
  print(text: string): void;
};

const MOST_BODY = 1_048_576;
/** How many ids are remembered, to tell when one comes again. */
const MOST_SEEN = 10_000;

/** A receiver as the documentation asks for: it checks the raw bytes, and knows an id when it comes again. */
export function startListener({ port, host, status, secret, print }: ListenerOptions) {
  const seen = new Set<string>();
  return Bun.serve({
    port,
    hostname: host,
    development: false,
    reusePort: false,
    maxRequestBodySize: MOST_BODY,
    fetch: async (request) => {
      if (request.method !== "POST") return new Response("berth webhooks listen\n");
      const body = new Uint8Array(await request.arrayBuffer());
      const signature = request.headers.get("x-service-signature");
      const isGood = secret === undefined || (await isSignedBy(secret, body, signature));
      const delivery = new Delivery(request, body);
      print(delivery.shown(wordsOn(signature, secret, isGood), delivery.id !== "" && seen.has(delivery.id)));
      if (!isGood) return new Response("the signature does not match\n", { status: 401 });
      if (seen.size < MOST_SEEN) seen.add(delivery.id);
      return new Response(null, { status });
    },
  });
}

/** What signs deliveries checks them, too; it is loaded with the first one, and not to show what this command takes. */
async function isSignedBy(secret: string, body: Uint8Array, signature: string | null): Promise<boolean> {
  const { isSigned } = await import("../delivery/index.ts");
  return isSigned(body, signature, secret);
}

function wordsOn(signature: string | null, secret: string | undefined, isGood: boolean): string {
  if (signature === null) return bad("not signed");
  if (secret === undefined) return "signature not checked";
  return isGood ? styleText("green", "signature good") : bad("SIGNATURE WRONG");
}

const bad = (words: string) => styleText("red", words);

/** What came, read for people. */
class Delivery {
  readonly id: string;
  readonly #event: unknown;
  readonly #text: string;

  constructor(
    private readonly request: Request,
    body: Uint8Array,
  ) {
    this.#text = new TextDecoder().decode(body);
    this.#event = parsed(this.#text);
    this.id = this.#field("id") || (request.headers.get("webhook-id") ?? "");
  }

  shown(signature: string, isAgain: boolean): string {
    const time = new Date().toISOString().slice(11, 19);
    const type = styleText("bold", this.#field("type") || new URL(this.request.url).pathname);
    const again = isAgain ? "  (seen before: ignore it)" : "";
    const body = this.#event === undefined ? this.#text : JSON.stringify(this.#event, null, 2);
    // Nothing of a body begins where a verdict does: it could forge one.
    const indented = plain(body).replaceAll("\n", "\n  ");
    return [`${time}  ${type}  ${signature}  ${this.id}${again}`, `  ${indented}`, ""].join("\n");
  }

  #field(name: string): string {
    const event = this.#event;
    if (typeof event !== "object" || event === null) return "";
    const value = Object.entries(event).find(([key]) => key === name)?.[1];
    return typeof value === "string" ? plain(value).replaceAll("\n", " ") : "";
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Without what a terminal would obey. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it takes out
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, "");
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
