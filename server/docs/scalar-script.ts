// By path: the package does not export its browser bundle. `type: "file"` embeds it in the compiled binary.
import path from "../../node_modules/@scalar/api-reference/dist/browser/standalone.js" with { type: "file" };

/** The API reference's browser script: a path on disk, or inside the binary. */
export const scalarScript: string = path;
