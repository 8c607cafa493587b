import { TooMany } from "./too-many.ts";

type SocketLimits = {
  /** Maximum number of open WebSockets of a process. */
  total: number;
  /** Maximum number of open WebSockets of one client. */
  perClient: number;
  /** Maximum number of open WebSockets at the deployments of one workspace. */
  perWorkspace: number;
};

/**
 * Together with `MAX_FRAME_BYTES`, these bound the memory of frames that are not complete: 256 MiB per client. Bun keeps
 * such a frame outside JavaScript and has no callback for its parts, so their bytes cannot be counted.
 */
const LIMITS: SocketLimits = { total: 2_048, perClient: 256, perWorkspace: 512 };
/** Retry-After of a WebSocket that was refused. */
const RETRY_SECONDS = 5;

/** Limits the WebSockets that are open at the same time: in total, per client and per workspace. */
export class SocketLimit {
  readonly #limits: SocketLimits;
  readonly #open = new Map<string, number>();

  constructor(limits: SocketLimits = LIMITS) {
    this.#limits = limits;
  }

  /**
   * Counts a WebSocket until the returned function is called.
   * @param client the network of the client
   * @param workspaceId the workspace of the deployment that the WebSocket leads to, if it leads to one
   * @throws TooMany
   */
  acquire(client: string, workspaceId?: string): () => void {
    const { total, perClient, perWorkspace } = this.#limits;
    const counted: [key: string, max: number][] = [
      ["all", total],
      [`client ${client}`, perClient],
    ];
    if (workspaceId !== undefined) counted.push([`workspace ${workspaceId}`, perWorkspace]);
    for (const [key, max] of counted)
      if ((this.#open.get(key) ?? 0) >= max) throw new TooMany(RETRY_SECONDS, "Too many WebSockets are open");
    for (const [key] of counted) this.#add(key, 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      for (const [key] of counted) this.#add(key, -1);
    };
  }

  #add(key: string, change: number): void {
    const open = (this.#open.get(key) ?? 0) + change;
    if (open === 0) this.#open.delete(key);
    else this.#open.set(key, open);
  }
}
