import { LoadedApp, type OwnApp } from "../apps/index.ts";
import { isRecord } from "../record.ts";
import { importApp } from "./fetch-app.ts";
import { ProjectError } from "./project-error.ts";

/** An app below a path, which it does not know of: `/ext/health` is `/health` to it. */
type MountedApp = { prefix: string; app: OwnApp };

/** The apps of a project: one for all paths, and those that are mounted, the longest prefix first. */
export type OwnApps = { app?: OwnApp | undefined; mounted?: readonly MountedApp[] };

const PREFIX = /^(?:\/[\w.~-]+)+$/;

/**
 * Reads `http.apps`: prefix to `./file.ts:export`, the slash in front of it or not.
 * @throws ProjectError
 */
export async function readMounted(where: string, dir: string, apps: unknown): Promise<MountedApp[]> {
  if (apps === undefined || apps === null) return [];
  if (!isRecord(apps)) throw new ProjectError(`${where}: must be an object of path to "./file.ts:export"`);
  const mounted = new Map<string, OwnApp>();
  for (const [path, app] of Object.entries(apps)) {
    const prefix = `/${path.replace(/^\/|\/$/g, "")}`;
    if (!PREFIX.test(prefix))
      throw new ProjectError(`${where}: ${JSON.stringify(path)} must be a path such as /ext`);
    if (mounted.has(prefix)) throw new ProjectError(`${where}: ${prefix} is there twice`);
    mounted.set(prefix, new LoadedApp(await importApp(`${where}.${path}`, dir, app)));
  }
  const found = [...mounted].map(([prefix, app]) => ({ prefix, app }));
  return found.sort((one, other) => other.prefix.length - one.prefix.length);
}

/** What a path is behind a prefix; undefined when it is not behind it. */
export function behind(prefix: string, pathname: string): string | undefined {
  if (pathname === prefix) return "/";
  return pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : undefined;
}

/** The app that a path belongs to, and what the path is to it. */
export function appAt({ app, mounted = [] }: OwnApps, pathname: string) {
  for (const one of mounted) {
    const inside = behind(one.prefix, pathname);
    if (inside !== undefined) return { app: one.app, pathname: inside };
  }
  return app && { app, pathname };
}
