import { appAt, type FetchApp, type OwnApps } from "@berth/agent";
import { CustomApp, type CustomAppOptions } from "./custom-app.ts";

/** All apps that a project brings: which one sees a request. */
export class CustomApps {
  readonly #seen = new Map<FetchApp, CustomApp>();

  constructor(
    private readonly own: OwnApps,
    private readonly options: Omit<CustomAppOptions, "app">,
  ) {}

  /** The app that a path belongs to, and what the path is to it; undefined where the project has none for it. */
  at(pathname: string): { custom: CustomApp; inside: string } | undefined {
    const found = appAt(this.own, pathname);
    if (!found) return undefined;
    const { app } = found;
    // Kept: it remembers how its app answers.
    const custom = this.#seen.get(app) ?? new CustomApp({ app, ...this.options });
    this.#seen.set(app, custom);
    return { custom, inside: found.pathname };
  }
}
