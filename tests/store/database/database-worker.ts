/** A second process for `database.test.ts`: opens a file, and writes to it one transaction at a time. */
import { openDatabase, systemClock, Threads } from "@berth/store";

const [command, path, name, count] = process.argv.slice(2);
const db = await openDatabase(`sqlite:${path}`);
if (command === "write") {
  const threads = new Threads(db, systemClock);
  for (let at = 0; at < Number(count); at += 1) await threads.create({ thread_id: `${name}-${at}` });
}
await db.close();
