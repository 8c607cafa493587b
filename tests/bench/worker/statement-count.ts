import { connect, createServer, type Server, type Socket } from "node:net";

/** What went over the connections of a database since the last look. */
export type Sent = {
  /** Statements, each as often as it was executed. */
  statements: number;
  /** How often somebody waited for an answer before more was sent. */
  trips: number;
};

const QUERY = "Q".charCodeAt(0);
const EXECUTE = "E".charCodeAt(0);
const HEADER = 5;

/** Stands between a Berth and its Postgres and counts what is sent. */
export class StatementCount {
  #server: Server | undefined;
  #sent: Sent = { statements: 0, trips: 0 };

  constructor(private readonly port: number) {}

  /** @returns where it listens */
  async listen(): Promise<number> {
    const server = createServer((client) => this.#pass(client));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("it listens at no port");
    return address.port;
  }

  take(): Sent {
    const sent = this.#sent;
    this.#sent = { statements: 0, trips: 0 };
    return sent;
  }

  close(): void {
    this.#server?.close();
  }

  #pass(client: Socket): void {
    const database = connect(this.port, "127.0.0.1");
    const messages = new Messages();
    let isAnswered = true;
    client.on("data", (bytes: Buffer) => {
      const statements = messages.take(bytes);
      this.#sent.statements += statements;
      if (statements > 0 && isAnswered) {
        this.#sent.trips += 1;
        isAnswered = false;
      }
      database.write(bytes);
    });
    database.on("data", (bytes: Buffer) => {
      isAnswered = true;
      client.write(bytes);
    });
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      one.on("close", () => other.destroy());
      one.on("error", () => other.destroy());
    }
  }
}

/** Reads the messages of a client: a letter and a length each, but for the first one, which has no letter. */
class Messages {
  #rest: Buffer = Buffer.alloc(0);
  #isFirst = true;

  /** @returns how many statements are executed by what came */
  take(bytes: Buffer): number {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    let statements = 0;
    for (let size = this.#size(); size !== undefined; size = this.#size()) {
      const kind = this.#isFirst ? 0 : (this.#rest[0] ?? 0);
      if (kind === EXECUTE) statements += 1;
      if (kind === QUERY) statements += statementsIn(this.#rest.subarray(HEADER, size).toString());
      this.#rest = this.#rest.subarray(size);
      this.#isFirst = false;
    }
    return statements;
  }

  /** How long the next message is; undefined while it is not all there. */
  #size(): number | undefined {
    const letter = this.#isFirst ? 0 : 1;
    if (this.#rest.length < letter + 4) return undefined;
    const size = letter + this.#rest.readUInt32BE(letter);
    return this.#rest.length >= size ? size : undefined;
  }
}

/** Locks and numbers go along with the beginning, in one message: that is one statement to both sides. */
const statementsIn = (text: string): number => (text.startsWith("begin") ? 1 : text.split("; ").length);
