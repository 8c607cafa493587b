import about from "../package.json" with { type: "json" };

/** This Berth's version, as `/info` and `--version` tell it. */
export const VERSION: string = about.version;
