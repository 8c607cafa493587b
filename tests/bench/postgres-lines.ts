import { BERTH, type Line, less, type Measure, more } from "./line.ts";
import type { PostgresLoad } from "./worker/job.ts";

const measured = (load: PostgresLoad, lines: Line[]): Measure => ({
  on: BERTH,
  job: (bounds) => ({ kind: "postgres", bounds, load }),
  lines,
});

/** How much is done with the database on a server, over the same with a file. */
const rate = (load: "threads" | "stateless", title: string, least: number): Measure =>
  measured(load, [
    more(`postgres.${load}`, `${title}, Postgres`, "runs/s", "server"),
    more(`postgres.${load}-file`, "  SQLite", "runs/s", "file"),
    more(`postgres.${load}-ratio`, "  Postgres over SQLite", "×", "ratio", { least }),
  ]);

/** Berths whose database is on a Postgres server of this machine. */
export const POSTGRES: Measure[] = [
  rate("threads", "runs/wait on threads, 16 clients", 0.5),
  rate("stateless", "stateless runs/wait, 16 clients", 0.8),
  measured("statements", [
    less("postgres.statements", "statements of a run on a thread, Postgres", "statements", "statements", {
      most: 14,
    }),
    less("postgres.trips", "  round trips of its writes and reads", "trips", "trips", { most: 8 }),
    less("postgres.all", "  with its trace, its pokes and what the loop asks", "statements", "all"),
  ]),
  measured("second", [
    less("postgres.cpu", "CPU of a run on a thread, one Berth", "ms", "one"),
    less("postgres.cpu-two", "  of each of two Berths on one Postgres", "ms", "two"),
    less("postgres.cpu-server", "  of Postgres, with two", "ms", "server"),
    more("postgres.second", "  what a second Berth on cores of its own would give, by CPU", "×", "gain", {
      least: 1.6,
    }),
  ]),
  measured("elsewhere", [
    less("postgres.token", "a token, read at another Berth, median", "ms", "median", { most: 10 }),
    less("postgres.token-p95", "  p95", "ms", "p95", { most: 25 }),
  ]),
  measured("rest", [
    less("postgres.rest", "commits at rest, each of two Berths", "1/s", "commits", { most: 2 }),
  ]),
  measured("queue", [
    more("postgres.queue", "the queue alone, runs without work", "runs/s", "perSecond", { least: 3_000 }),
  ]),
];
