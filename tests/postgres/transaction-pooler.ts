import type { Socket } from "bun";

const SSL_REQUEST = 80_877_103;
const READY = "Z".charCodeAt(0);
const IDLE = "I".charCodeAt(0);
const PROTOCOL_3 = 196_608;

type Client = { waiting: Buffer[]; isStarted: boolean };

/**
 * A pooler of the kind that gives each transaction another connection, as far as the doctor has to know one: it has one
 * connection to the server, and whoever has sent something keeps it until its transaction is over.
 */
export class TransactionPooler {
  readonly #listener: Bun.TCPSocketListener<Client>;
  readonly #clients = new Set<Socket<Client>>();
  #server: Socket | undefined;
  #owner: Socket<Client> | undefined;
  #answer = Buffer.alloc(0);
  readonly #ready = Promise.withResolvers<void>();

  private constructor(private readonly to: URL) {
    this.#listener = Bun.listen<Client>({
      ...{ hostname: "127.0.0.1", port: 0 },
      socket: {
        open: (socket) => {
          socket.data = { waiting: [], isStarted: false };
          this.#clients.add(socket);
        },
        data: (socket, bytes) => this.#hear(socket, bytes),
        close: (socket) => void this.#clients.delete(socket),
      },
    });
  }

  static async start(url: string): Promise<TransactionPooler> {
    const pooler = new TransactionPooler(new URL(url));
    await pooler.#connect();
    return pooler;
  }

  /** The address of the same database by way of this. */
  get url(): string {
    const url = new URL(this.to);
    url.port = String(this.#listener.port);
    return url.href;
  }

  stop(): void {
    this.#listener.stop(true);
    this.#server?.end();
  }

  async #connect(): Promise<void> {
    const { hostname, port, username, pathname } = this.to;
    this.#server = await Bun.connect({
      ...{ hostname, port: Number(port) },
      socket: { data: (_, bytes) => this.#answered(bytes) },
    });
    const words = Buffer.from(`user\0${username}\0database\0${pathname.slice(1)}\0\0`);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(8 + words.length, 0);
    head.writeUInt32BE(PROTOCOL_3, 4);
    this.#server.write(Buffer.concat([head, words]));
    await this.#ready.promise;
  }

  #hear(client: Socket<Client>, bytes: Buffer): void {
    if (client.data.isStarted) {
      client.data.waiting.push(Buffer.from(bytes));
      this.#next();
      return;
    }
    if (bytes.readUInt32BE(4) === SSL_REQUEST) {
      client.write("N");
      return;
    }
    client.data.isStarted = true;
    // Let in without a password, and ready.
    client.write(Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 0, READY, 0, 0, 0, 5, IDLE]));
  }

  #next(): void {
    const owner = this.#owner ?? [...this.#clients].find(({ data }) => data.waiting.length > 0);
    this.#owner = owner;
    for (const bytes of owner?.data.waiting.splice(0) ?? []) this.#server?.write(bytes);
  }

  #answered(bytes: Buffer): void {
    this.#owner?.write(bytes);
    this.#answer = Buffer.concat([this.#answer, bytes]);
    let isFree = false;
    while (this.#answer.length >= 5) {
      const length = 1 + this.#answer.readUInt32BE(1);
      if (this.#answer.length < length) break;
      isFree = this.#answer[0] === READY && this.#answer[5] === IDLE;
      this.#answer = this.#answer.subarray(length);
    }
    if (!isFree || this.#answer.length > 0) return;
    this.#ready.resolve();
    this.#owner = undefined;
    this.#next();
  }
}
