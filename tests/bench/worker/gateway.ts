import { api, type Door, direct, eventsProject, readEvents, through } from "./deployed.ts";
import { drive, median } from "./drive.ts";
import type { Bounds, Figures, JobOf } from "./job.ts";

type Served = { url: string; pid: number };

const PACED = { count: 1_000, paceMs: 2 };
const FLOOD = 20_000;
const ROUNDS = 5;

/** What the gateway adds to requests and events, and how long a deployment takes. */
export async function gateway({ url, pid }: Served, { bounds }: JobOf<"gateway">): Promise<Figures> {
  const deploy = await deployTemplate(url);
  const { id } = await api(url).fromSource("events");
  const revision = await api(url).push(id, await eventsProject());
  const { status, status_message } = await api(url).settled(id, revision);
  if (status !== "DEPLOYED") throw new Error(`${status}: ${status_message}`);
  const doors = { direct: direct(pid, id), through: through(`${url}/d/${id}`) };
  return { deploy, ...(await requests(doors, bounds)), ...(await events(doors)) };
}

type Doors = { direct: Door; through: Door };

/** From the request for a deployment to the first answer of its agent, ms. */
async function deployTemplate(url: string): Promise<number> {
  const begun = performance.now();
  const { id, latest_revision_id } = await api(url).fromTemplate("chat", "chat", [
    { name: "OFFLINE_TOKEN_MS", value: "0" },
  ]);
  await api(url).settled(id, latest_revision_id);
  const input = { messages: [{ role: "user", content: "hello" }] };
  await api(url).ask("POST", `/d/${id}/runs/wait`, { assistant_id: "chat", input });
  return performance.now() - begun;
}

async function requests(doors: Doors, bounds: Bounds): Promise<Figures> {
  const once = async ({ url, headers }: Door) => {
    const response = await fetch(`${url}/info`, { headers });
    if (!response.ok) throw new Error(`/info: ${response.status}`);
    await response.arrayBuffer();
  };
  const at = async (door: Door, clients: number) => {
    const { calls, perSecond } = await drive(
      bounds,
      clients,
      () => once(door),
      () => undefined,
    );
    return { perSecond, median: median(calls.map(({ ms }) => ms)) };
  };
  const [direct, through] = [await at(doors.direct, 1), await at(doors.through, 1)];
  return {
    ...{ direct: direct.median, through: through.median, extra: through.median - direct.median },
    rateDirect: (await at(doors.direct, 16)).perSecond,
    rateThrough: (await at(doors.through, 16)).perSecond,
  };
}

/** Turn about, so that a machine that gets slower hits both. */
async function events(doors: Doors): Promise<Figures> {
  const latencies: Record<keyof Doors, number[]> = { direct: [], through: [] };
  const rates: Record<keyof Doors, number[]> = { direct: [], through: [] };
  for (let round = 0; round < ROUNDS; round += 1)
    for (const name of ["direct", "through"] as const) {
      const paced = await readEvents(doors[name], PACED.count, PACED.paceMs);
      latencies[name].push(...paced.latencies);
      rates[name].push((await readEvents(doors[name], FLOOD, 0)).perSecond);
    }
  const [eventDirect, eventThrough] = [median(latencies.direct), median(latencies.through)];
  return {
    ...{ eventDirect, eventThrough, eventExtra: eventThrough - eventDirect },
    floodDirect: median(rates.direct),
    floodThrough: median(rates.through),
  };
}
