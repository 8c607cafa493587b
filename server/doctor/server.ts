import type { ServerFacts } from "@berth/store";
import { sizeText } from "../data-folder/index.ts";
import { type DoctorVerdict, failure, ok, warning } from "./finding.ts";
import { type Patient, serverOf } from "./patient.ts";

/** So many connections a Berth opens at most. */
const OF_ONE_BERTH = 13;
const OLD_TRANSACTION_MS = 600_000;
const MANY_DEAD = 10_000;
const MUCH_LOG_BYTES = 2 ** 30;
const MINUTE_MS = 60_000;

/** Whether another Berth would still find connections. */
export const checkConnections = async (patient: Patient): Promise<DoctorVerdict> =>
  judgeConnections(await serverOf(patient));

export function judgeConnections({ connections: { most, inUse } }: ServerFacts): DoctorVerdict {
  const text = `${inUse} of ${most} are in use`;
  const advice = "raise max_connections of the server, or run fewer programs on it";
  if (inUse >= most) return failure(text, advice);
  return most - inUse < OF_ONE_BERTH
    ? warning(`${text}; a Berth opens up to ${OF_ONE_BERTH}`, advice)
    : ok(text);
}

/** Whether old rows and old logs can go. */
export const checkVacuum = async (patient: Patient): Promise<DoctorVerdict> =>
  judgeVacuum(await serverOf(patient));

export function judgeVacuum({ oldest, dead, slots }: ServerFacts): DoctorVerdict {
  const slot = slots.find(({ bytes }) => bytes > MUCH_LOG_BYTES);
  if (slot)
    return warning(
      `the replication slot ${slot.name}${slot.active ? "" : ", which nobody reads,"} keeps ${sizeText(slot.bytes)} of the server's log`,
      slot.active
        ? "see why its reader is behind"
        : `drop it, if nobody needs it: select pg_drop_replication_slot('${slot.name}')`,
    );
  if (oldest && oldest.ageMs > OLD_TRANSACTION_MS)
    return warning(
      `a transaction is open for ${Math.floor(oldest.ageMs / MINUTE_MS)} min (${oldest.who})`,
      "end it: as long as it lasts, no dead row of any table goes, and the queue becomes slow",
    );
  const worst = deadest(dead);
  if (worst)
    return warning(
      `${worst.table} has ${worst.dead} dead rows beside ${worst.live} live ones`,
      "see that autovacuum is on, and that nothing holds it up; vacuum the table once",
    );
  return ok("no old transaction, no slot and no dead rows hold anything up");
}

const deadest = (dead: ServerFacts["dead"]) =>
  dead.find((table) => table.dead > MANY_DEAD && table.dead > table.live);

/** Whether what is acknowledged survives a crash of the server. */
export const checkDurability = async (patient: Patient): Promise<DoctorVerdict> =>
  judgeDurability(await serverOf(patient));

export function judgeDurability({ unsafe }: ServerFacts): DoctorVerdict {
  if (unsafe.length === 0) return ok("what is committed is on the server's disk");
  return warning(
    `${unsafe.join(", ")} of the server: off`,
    "turn it on: otherwise a crash of the server's machine takes back what Berth has acknowledged, or damages it",
  );
}
