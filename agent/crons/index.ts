export { type CronRequest, CronService } from "./crons.ts";
export { scheduleFault, tickAfter } from "./schedule.ts";
export { CronScheduler } from "./scheduler.ts";
