import { type Database, openPostgres } from "@berth/store";
import { Checkpoints } from "@berth/store/langgraph";
import { PGlite } from "@electric-sql/pglite";
import { PGliteDialect } from "kysely";
import { validateAll } from "./validate-all.ts";

const open = new Map<Checkpoints, { database: Database; schema: string }>();
let pglite: PGlite;
let schemas = 0;

validateAll({
  checkpointerName: "Checkpoints on Postgres",
  async beforeAll() {
    pglite = await PGlite.create();
  },
  async afterAll() {
    await pglite.close();
  },
  async createCheckpointer() {
    const schema = `validation_${++schemas}`;
    await pglite.exec(`create schema ${schema}; set search_path to ${schema}`);
    const database = await openPostgres(new PGliteDialect({ pglite: keptOpen() }));
    const saver = new Checkpoints(database);
    open.set(saver, { database, schema });
    return saver;
  },
  async destroyCheckpointer(saver) {
    const used = open.get(saver);
    open.delete(saver);
    await used?.database.close();
    if (used) await pglite.exec(`drop schema ${used.schema} cascade`);
  },
});

/** Kysely closes the instance that it is given; this one serves every test. */
const keptOpen = () => ({
  closed: false,
  ready: true,
  waitReady: Promise.resolve(),
  close: async () => {},
  query: pglite.query.bind(pglite),
  transaction: pglite.transaction.bind(pglite),
});
