export { EnvironmentTab, SecretTable } from "./environment-tab.tsx";
export { faultIn, type Row, readEnvironment, secretsOf, withPasted } from "./secret-rows.ts";
