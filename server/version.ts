import about from "../package.json" with { type: "json" };

/** This Berth's version, as `/info` and `--version` tell it. */
export const VERSION: string = about.version;

/** The Bun that it is made for. */
export const BUN_VERSION: string = about.devDependencies.bun;
