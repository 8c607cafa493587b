import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Project, plainHttp, plainWebhooks } from "@berth/agent";
import { openRemote } from "../../server/control/build/git-remote.ts";
import type { BuildOrder } from "../../server/control/build/order.ts";
import { post } from "../../server/delivery/sender.ts";
import type { Outgoing } from "../../server/outgoing/outgoing.ts";
import { runWebhooks } from "../../server/outgoing/run-webhooks.ts";
import { checkUrl } from "../../server/reach/destination.ts";
import { PRIVATE_TOO, Reach } from "../../server/reach/reach.ts";
import { openContainers } from "../control/run/container/rig.ts";

/** Where clouds hand out credentials. Nothing here is asked for by its address: a resolver stands in between. */
const METADATA = ["169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd20:ce::254"];
const HOST = "somewhere.example";

/** As wide open as settings can make it. */
const reach = new Reach(PRIVATE_TOO);
const folder = mkdtempSync(join(tmpdir(), "berth-addresses-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pulled = join(folder, "pulled");
writeFileSync(
  join(folder, "docker"),
  `#!/bin/sh\nif [ "$1" = pull ]; then touch ${pulled}; fi\necho 'No such image' >&2\nexit 1\n`,
);
chmodSync(join(folder, "docker"), 0o755);

const message = (work: Promise<unknown>) =>
  work.then(
    () => "it was taken",
    (error: Error) => error.message,
  );

describe.each(METADATA)("whoever asks for %s by a name of theirs is refused:", (address) => {
  const resolve = async () => [address];

  test("a subscription, and its delivery", async () => {
    expect(await message(checkUrl(`https://${HOST}/`, reach, resolve))).toContain("metadata");
    const outgoing = { url: new URL(`http://${HOST}/`), headers: {}, body: new Uint8Array() };
    expect(await post(outgoing, { reach, resolve })).toMatchObject({ outcome: "blocked" });
  });

  test("the webhook of a run", async () => {
    const project: Partial<Project> = { http: plainHttp, webhooks: plainWebhooks };
    const outgoing: Partial<Outgoing> = { reach };
    const rules = runWebhooks(project as Project, outgoing as Outgoing, resolve);
    expect(await message(Promise.resolve(rules?.check(`https://${HOST}/`)))).toContain("metadata");
  });

  test("a repository, over http and ssh", async () => {
    const check = { sources: reach, environment: {}, resolve };
    for (const url of [`https://${HOST}/x`, `git@${HOST}:x`])
      expect(await message(openRemote(url, check))).toContain("metadata");
  });

  test("an image", async () => {
    const { images, launch, remove } = openContainers({ PATH: `${folder}:/bin:/usr/bin` }, { resolve });
    const { deployment, revision } = launch("none");
    const config = { ...revision.config, image_uri: `${HOST}/team/agent:1` };
    const order: BuildOrder = {
      ...{ deployment, revision: { ...revision, config }, secrets: [], folder },
      ...{ say: () => undefined, signal: new AbortController().signal, onChild: async () => undefined },
    };
    expect(await message(images.prepare(order))).toContain("metadata");
    expect(existsSync(pulled)).toBe(false);
    remove();
  });
});
