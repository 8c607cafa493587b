// `bun run land`: records the migrations that are not recorded yet as landed. One that is, stays as it is.
import { migrations } from "../../store/migrations/index.ts";
import { hashOf, LANDED, readLanded } from "./landed.ts";

const landed = readLanded();
const added = Object.keys(migrations).filter((name) => !(name in landed));
for (const name of added) landed[name] = hashOf(name);
await Bun.write(LANDED, `${JSON.stringify(landed, null, 2)}\n`);
console.log(added.length > 0 ? `landed: ${added.join(", ")}` : "every migration has landed already");
