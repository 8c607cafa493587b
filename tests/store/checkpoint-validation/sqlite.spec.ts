import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, openDatabase } from "@berth/store";
import { Checkpoints } from "@berth/store/langgraph";
import { validateAll } from "./validate-all.ts";

const open = new Map<Checkpoints, { database: Database; folder: string }>();

validateAll({
  checkpointerName: "Checkpoints on SQLite",
  async createCheckpointer() {
    const folder = mkdtempSync(join(tmpdir(), "berth-validation-"));
    const database = await openDatabase(`sqlite:${join(folder, "berth.db")}`);
    const saver = new Checkpoints(database);
    open.set(saver, { database, folder });
    return saver;
  },
  async destroyCheckpointer(saver) {
    const used = open.get(saver);
    open.delete(saver);
    await used?.database.close();
    if (used) rmSync(used.folder, { recursive: true, force: true });
  },
});
