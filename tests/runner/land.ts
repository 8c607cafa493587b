// `bun run land`: writes what follows from the files of `store/migrations/`: the list of them, and of each new one its hash
// and a database of its time. It may run again until that is committed; a migration that is, stays as it is.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { relative } from "node:path";
import {
  databaseOf,
  hashOf,
  LANDED,
  LIST,
  listText,
  migrationFiles,
  readCommitted,
  readLanded,
} from "./landed.ts";
import { landedDatabase } from "./landed-database.ts";
import { ROOT } from "./run.ts";

await Bun.write(LIST, listText());
const { migrations } = await import("../../store/migrations/list.ts");

const before = readLanded();
const landed = readCommitted();
const names = migrationFiles();
let isWritten = false;
for (const [at, name] of names.entries()) {
  if (name in landed) continue;
  landed[name] = hashOf(name);
  const path = databaseOf(name);
  // A person may have added rows to it. One that is behind a changed one follows that.
  if (!isWritten && before[name] === landed[name] && existsSync(path)) continue;
  isWritten = true;
  const earlier = readFileSync(databaseOf(names[at - 1] ?? ""), "utf8");
  const up = migrations[name]?.up;
  if (!up) throw new Error(`${LIST} does not name ${name}`);
  const { text, faults } = await landedDatabase(name, up, earlier, new Date());
  await Bun.write(path, text);
  console.log(`landed: ${name}, with ${relative(ROOT, path)}`);
  for (const fault of faults) console.log(`  ${fault}; add one to that file`);
}
for (const name of Object.keys(before)) if (!(name in landed)) rmSync(databaseOf(name), { force: true });
await Bun.write(LANDED, `${JSON.stringify(landed, null, 2)}\n`);
console.log(`${names.length} migrations have landed`);
