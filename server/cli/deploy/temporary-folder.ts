import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that is gone when its scope ends, or with the process where that ends first. */
export class TemporaryFolder implements Disposable {
  readonly path: string;
  readonly #remove = () => rmSync(this.path, { recursive: true, force: true });

  constructor(prefix: string) {
    this.path = mkdtempSync(join(tmpdir(), prefix));
    process.on("exit", this.#remove);
  }

  [Symbol.dispose](): void {
    process.off("exit", this.#remove);
    this.#remove();
  }
}
