import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What an engine reads a registry's token from: never an argument, which every user of the machine may read. */
export class EngineLogin implements Disposable {
  readonly env: Record<string, string>;

  /** @param folder of its own, which goes with the login */
  constructor(
    private readonly folder: string,
    host: string,
    token: string,
  ) {
    const file = join(folder, "config.json");
    // Docker looks for the folder, Podman for the file.
    this.env = { DOCKER_CONFIG: folder, REGISTRY_AUTH_FILE: file };
    const auth = Buffer.from(`berth:${token}`).toString("base64");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, JSON.stringify({ auths: { [host]: { auth } } }), { mode: 0o600 });
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
