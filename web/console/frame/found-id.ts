import type { Thread } from "@berth/server";
import { api, RequestFailed } from "../data/index.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text may be the id of something. */
export const isId = (text: string): boolean => UUID.test(text);

/** Where something is shown: on a screen of the console, or in the chat. */
type Address = { console: string } | { chat: string };

const PLACES: readonly { api: string; console: string }[] = [
  { api: "/v1/traces/", console: "/traces/" },
  { api: "/v2/deployments/", console: "/deployments/" },
  { api: "/v1/issues/", console: "/issues/" },
  { api: "/v1/sessions/", console: "/sessions/" },
];

/** Where the thing with this id is shown; undefined where nothing is found. A run's id is that of its trace. */
export async function addressOfId(id: string): Promise<Address | undefined> {
  const wanted = { ids: [id], limit: 1, select: ["thread_id"] };
  const threads = await api<Pick<Thread, "thread_id">[]>("/threads/search", { method: "POST", body: wanted });
  if (threads.length > 0) return { chat: `/chat/${id}` };
  for (const place of PLACES) if (await isThere(place.api + id)) return { console: place.console + id };
  return undefined;
}

async function isThere(path: string): Promise<boolean> {
  try {
    await api(path);
    return true;
  } catch (error) {
    if (error instanceof RequestFailed && error.status >= 400 && error.status < 500) return false;
    throw error;
  }
}
