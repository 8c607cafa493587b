export { EnvironmentTab } from "./environment-tab.tsx";
export { readEnvironment } from "./environment-text.ts";
export { faultIn, type Row, secretsOf, withPasted } from "./secret-rows.ts";
export { SecretTable } from "./secret-table.tsx";
