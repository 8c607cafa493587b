import type { Deployment, Revision, RevisionConfig, Secret } from "@berth/store";

/** How serious a line of a build's log is. */
export type LineLevel = "DEBUG" | "INFO" | "WARNING" | "ERROR";

/** A process that a build waits for. It is known by both: process ids are used again. */
export type BuildChild = { pid: number; started: string };

/** What is to be prepared or built, and how to tell about it. */
export type BuildOrder = {
  deployment: Deployment;
  revision: Revision;
  secrets: Secret[];
  /** `builds/<revision id>`, absolute; it may be missing, or hold the rubbish of an attempt that was killed. */
  folder: string;
  /** Writes a line to the revision's build log. */
  say(line: string, level?: LineLevel): void;
  /** Aborted when nobody wants the result any more. */
  signal: AbortSignal;
  /** Awaited before a child is waited for, so that a restarted Berth can end it. */
  onChild(child: BuildChild): Promise<void>;
};

/** What the preparation found out: for the revision's row. */
export type Prepared = { config: Partial<RevisionConfig>; image: string | null };

export type Built = {
  /** Folder relative to `order.folder`, and the configuration file relative to that; null where nothing is built. */
  build: { dir: string; config_path: string } | null;
  image: string | null;
  commitSha: string | null;
};

/** The inputs of a revision cannot be used (`CREATE_FAILED`); the message is one line for its owner. */
export class PrepareFailed extends Error {
  override name = "PrepareFailed";
}

/** A revision cannot be built (`BUILD_FAILED`); the message is one line for its owner. */
export class BuildFailed extends Error {
  override name = "BuildFailed";
}

/** Nobody wants the result any more: not a failure, and nothing to tell. */
export class BuildAborted extends Error {
  override name = "BuildAborted";

  constructor() {
    super("The build was interrupted");
  }
}
