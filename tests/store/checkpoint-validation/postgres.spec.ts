import { type Database, openPostgres } from "@berth/store";
import { Checkpoints } from "@berth/store/langgraph";
import { PGlite } from "@electric-sql/pglite";
import { PGliteDialect } from "kysely";
import { keptOpen, type Row, toEmpty } from "../emptied.ts";
import { validateAll } from "./validate-all.ts";

let pglite: PGlite;
let emptied: string | undefined;
/** What is open: one at a time, in the one schema that is emptied for each. */
let open: { saver: Checkpoints; database: Database } | undefined;

validateAll({
  checkpointerName: "Checkpoints on Postgres",
  async beforeAll() {
    pglite = await PGlite.create();
    await pglite.exec("create schema test; set search_path to test");
  },
  async afterAll() {
    await pglite.close();
  },
  async createCheckpointer() {
    if (open) throw new Error("another checkpointer is open in the schema");
    if (emptied !== undefined) await pglite.exec(emptied);
    const database = await openPostgres(new PGliteDialect({ pglite: keptOpen(pglite) }));
    emptied ??= await toEmpty("test", async (statement) => (await pglite.query<Row>(statement)).rows);
    const saver = new Checkpoints(database);
    open = { saver, database };
    return saver;
  },
  async destroyCheckpointer(saver) {
    if (open?.saver !== saver) throw new Error("this checkpointer is not open");
    await open.database.close();
    open = undefined;
  },
});
