export { type CronChange, type CronRequest, Crons } from "./crons.ts";
export { CronScheduler } from "./scheduler.ts";
