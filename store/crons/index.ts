export {
  type Cron,
  deleteCronsOfAssistants,
  deleteCronsOfThread,
  noteCronRun,
  takeTick,
} from "./cron-rows.ts";
export { type CronFilter, type CronSearch, type CronSort, Crons, type NewCron } from "./crons.ts";
