import { chmodSync, existsSync, lchownSync, lstatSync, mkdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Deployment, Turns } from "@berth/store";
import { type Child, type ChildOrder, startChild } from "./child.ts";

export type { Child } from "./child.ts";

/** A program that runs for a deployment: under its user where deployments are kept apart. */
export type SpawnOrder = Omit<ChildOrder, "prefix">;

type UsersOptions = {
  /** Whether each deployment has a user of its own; then this process is root. */
  isolated: boolean;
};

// What cannot gain rights by a setuid program cannot gain them by ours either. util-linux and busybox have it.
const SETPRIV = ["/usr/bin/setpriv", "/bin/setpriv", "/usr/sbin/setpriv"];

/**
 * The users of this machine that deployments run as. Each deployment has a numeric user and group that nobody else
 * has, without an entry in `/etc/passwd`; where Berth is not root, everything runs as Berth's own user.
 */
export class Users {
  readonly isolated: boolean;
  readonly #withoutNewRights: string[];

  constructor({ isolated }: UsersOptions) {
    this.isolated = isolated;
    const setpriv = isolated ? SETPRIV.find((path) => existsSync(path)) : undefined;
    this.#withoutNewRights = setpriv === undefined ? [] : [setpriv, "--no-new-privs"];
  }

  /** Whom a deployment runs as; null where that is whoever runs Berth. */
  uidOf({ uid }: Pick<Deployment, "uid">): number | null {
    return this.isolated ? uid : null;
  }

  /** Starts a program with nothing but the environment it is given. */
  spawnAs(order: SpawnOrder): Child {
    return startChild({ ...order, prefix: order.uid === null ? [] : this.#withoutNewRights });
  }

  /**
   * Makes a folder that only its owner may enter. One that is there already and somebody else's (Berth was not root
   * when it was made) is given to the owner with all that is in it.
   */
  async ownFolder(path: string, uid: number | null): Promise<void> {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if (uid === null) return;
    if (lstatSync(path).uid !== uid) await this.give(path, uid);
    chmodSync(path, 0o700);
  }

  /**
   * Gives a file, or a folder with all that is in it, to a user. Only for what nobody else could have changed
   * meanwhile: links are given, not followed. Yields to the event loop, because a project may have 50,000 files.
   */
  async give(path: string, uid: number | null, turns = new Turns()): Promise<void> {
    if (uid === null) return;
    await turns.rest();
    // Not `recursive`: with it, Bun goes through links to folders.
    if (lstatSync(path).isDirectory())
      for (const name of await readdir(path)) await this.give(join(path, name), uid, turns);
    // The folder last: whoever may enter it could put a link where we are about to go.
    lchownSync(path, uid, uid);
  }
}
