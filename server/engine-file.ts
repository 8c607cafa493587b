/** Where the issue engine keeps its own threads and runs: beside the database, `berth-engine.db`. */
export const engineFile = (databaseFile: string): string =>
  databaseFile.replace(/(\.[^./\\]+)?$/, "-engine$1");
