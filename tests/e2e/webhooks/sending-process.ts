// Enqueues events and sends them, on the database and to the subscription that it is told of. Says on standard
// output what it committed; at the given point of the given delivery it stops for ever, and says that, too.
import { openDatabase, systemClock } from "@berth/store";
import { partsOn } from "../../server/delivery/rig.ts";

const [url = "", point = "", nth = "1", batches = "4"] = process.argv.slice(2);
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
let passed = 0;

const db = await openDatabase(url);
const { drain, outbox, open } = partsOn(db, systemClock, {
  passes: async (at) => {
    if (at !== point || ++passed !== Number(nth)) return;
    say({ at });
    await new Promise(() => undefined);
  },
});
drain.start();
setInterval(() => void drain.once(), 50);

for (let batch = 0; batch < Number(batches); batch += 1) {
  const name = Bun.randomUUIDv7();
  await open(3, name);
  say({ committed: name });
  if (point === "committed" && batch + 1 === Number(nth)) {
    say({ at: point });
    await new Promise(() => undefined);
  }
  outbox.ring();
  await Bun.sleep(1);
}
