export {
  type Cron,
  type CronFilter,
  type CronSearch,
  type CronSort,
  Crons,
  deleteCronsOfAssistants,
  deleteCronsOfThread,
  type NewCron,
  noteCronRun,
  takeTick,
} from "./crons.ts";
