import type { Kysely } from "kysely";
import { Unavailable } from "../errors.ts";
import type { Schema } from "../schema/index.ts";

/** Queries that share one transaction. */
export type Tx = Kysely<Schema>;

/**
 * What a unit of writing touches, by name (`thread:ID`, `queue`): units that share no name may be written at the same
 * time, those that share one are written one after the other, in every process of the database. It has to name all
 * that others with a scope may write, too; without a scope a unit is alone with everything.
 */
export type WriteScope = readonly string[];

/** How a unit wants to be written. */
export type WriteOrder = {
  scope?: WriteScope;
  /** What other processes are to look at, beside the scope. */
  readonly tells?: readonly string[];
  /** It mostly finds that there is nothing to write. */
  looks?: boolean;
  /** How long (ms) it waits for a database that went away; as long as a caller has patience, without. */
  patienceMs?: number;
  /** Of units that are written together, the patience of the most patient: they ask so long what became of a commit. */
  longestPatienceMs?: number;
  /** Only says that somebody is still there, such as the renewal of a lease: nobody is told. Read behind the commit. */
  readonly isQuiet?: boolean;
};

/** Nobody knows whether a transaction was committed: whoever did it again might do it twice. */
export class CommitUnknown extends Unavailable {}

/** The database is away for longer than somebody has patience; nothing was written. */
export class DatabaseAway extends Unavailable {}

/**
 * Runs `body` in a transaction: commits when it resolves, rolls back when it rejects.
 * @throws CommitUnknown | DatabaseAway
 */
export type Transact = <T>(body: (tx: Tx) => Promise<T>, how: WriteOrder) => Promise<T>;

/** A unit of writing: only queries on `tx`, and safe to run a second time from the start. */
export type Work<T> = (tx: Tx) => Promise<T>;

type Waiting = {
  run: (tx: Tx) => Promise<void>;
  resolve: () => void;
  reject: (error: unknown) => void;
  how: WriteOrder;
};

const GROUP_LIMIT = 256;
/**
 * Time (ms) after which the rest of a group waits for the next transaction, where one file has one writer: its
 * statements block the event loop, and requests would wait for the whole group.
 */
const GROUP_MS = 8;
/** Minimum number of units of a group that run together all the same: a commit costs as much as some of them. */
const MIN_UNITS = 4;

/**
 * Group commit: whatever was asked for in one turn of the event loop shares one transaction, or as few as there are
 * lanes, and nobody hears of success before that transaction is committed. Units that share a scope are written in the
 * order in which they were asked for.
 *
 * When one unit of a group fails, the group is rolled back and every unit runs again in a transaction of
 * its own, so a fault never takes its neighbours with it.
 */
export class GroupWriter {
  #waiting: Waiting[] = [];
  /** The groups that are being written, at most one for each lane. */
  readonly #atWork = new Set<Waiting[]>();
  #turn: Promise<void> | undefined;
  #closed = false;
  #idle: (() => void) | undefined;

  /** @param lanes how many transactions may be under way at once */
  constructor(
    private readonly transact: Transact,
    private readonly lanes = 1,
  ) {}

  write<T>(work: Work<T>, how: WriteOrder = {}): Promise<T> {
    if (this.#closed) return Promise.reject(new Error("the database is closed"));
    return new Promise<T>((resolve, reject) => {
      let result: T;
      this.#waiting.push({
        run: async (tx) => {
          result = await work(tx);
        },
        resolve: () => resolve(result),
        reject,
        how,
      });
      this.#wake();
    });
  }

  /** Rejects whoever waits in line without patience: those who have it hold every lane while the database is away. */
  refuseImpatient(refusal: DatabaseAway): void {
    const [impatient, patient] = parted(this.#waiting);
    this.#waiting = patient;
    for (const unit of impatient) unit.reject(refusal);
  }

  /** Waits for what was asked for, then refuses more. */
  async close(): Promise<void> {
    this.#closed = true;
    if (!this.#isBusy()) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
  }

  #isBusy(): boolean {
    return this.#turn !== undefined || this.#atWork.size > 0 || this.#waiting.length > 0;
  }

  /** One turn for everything else: a steady stream of writes must not starve reads and sockets. */
  #wake(): void {
    if (this.#turn || this.#waiting.length === 0 || this.#atWork.size >= this.lanes) return;
    this.#turn = new Promise<void>((turn) => setImmediate(turn)).then(() => {
      this.#turn = undefined;
      this.#start();
      if (!this.#isBusy()) this.#idle?.();
    });
  }

  #start(): void {
    while (this.#waiting.length > 0 && this.#atWork.size < this.lanes) {
      const group = this.#next();
      if (group.length === 0) return;
      this.#atWork.add(group);
      void this.#commit(group).then(() => {
        this.#atWork.delete(group);
        this.#wake();
        if (!this.#isBusy()) this.#idle?.();
      });
    }
  }

  /** Takes those out that may be written now, beside what is at work; none, where the first has to wait. */
  #next(): Waiting[] {
    const under = [...this.#atWork].flat();
    if (under.some(({ how }) => !how.scope)) return [];
    // What is alone with everything takes along whatever waits behind it.
    if (under.length === 0 && !this.#waiting[0]?.how.scope) return this.#waiting.splice(0, GROUP_LIMIT);
    const most = Math.min(GROUP_LIMIT, Math.ceil(this.#waiting.length / (this.lanes - this.#atWork.size)));
    const taken = new Set(under.flatMap(({ how }) => how.scope ?? []));
    const group: Waiting[] = [];
    for (const unit of this.#waiting) {
      const { scope } = unit.how;
      if (!scope || group.length >= most) break;
      // Nobody passes somebody who waits for the same.
      if (scope.some((name) => taken.has(name))) for (const name of scope) taken.add(name);
      else group.push(unit);
    }
    const chosen = new Set(group);
    this.#waiting = this.#waiting.filter((unit) => !chosen.has(unit));
    return group;
  }

  async #commit(group: Waiting[]): Promise<void> {
    let ran = 0;
    try {
      await this.transact(async (tx) => {
        const began = performance.now();
        ran = 0;
        for (const unit of group) {
          await unit.run(tx);
          ran += 1;
          if (this.lanes > 1 || ran < MIN_UNITS) continue;
          if (performance.now() - began >= GROUP_MS) break;
        }
      }, together(group));
    } catch (error) {
      return this.#failed(group, error);
    }
    for (const unit of group.slice(0, ran)) unit.resolve();
    this.#waiting.unshift(...group.slice(ran));
  }

  async #failed(group: Waiting[], error: unknown): Promise<void> {
    if (group.length === 1 || error instanceof CommitUnknown) for (const unit of group) unit.reject(error);
    else if (error instanceof DatabaseAway) {
      const [impatient, patient] = parted(group);
      for (const unit of impatient.length > 0 ? impatient : group) unit.reject(error);
      if (impatient.length > 0 && patient.length > 0) await this.#commit(patient);
    } else for (const unit of group) await this.#commit([unit]);
  }
}

/** Those who wait for a database that is away only as long as a caller does, and all others. */
function parted(units: readonly Waiting[]): [impatient: Waiting[], patient: Waiting[]] {
  const isPatient = ({ how }: Waiting) => how.patienceMs !== undefined;
  return [units.filter((unit) => !isPatient(unit)), units.filter(isPatient)];
}

/**
 * How a group is written: alone with everything as soon as one of it is, impatient as soon as one of it is, else as
 * patient as the most patient.
 */
function together(group: readonly Waiting[]): WriteOrder {
  const patience = group.flatMap(({ how }) => how.patienceMs ?? []);
  const isScoped = group.every(({ how }) => how.scope);
  return {
    ...(isScoped && { scope: [...new Set(group.flatMap(({ how }) => how.scope ?? []))].sort() }),
    looks: group.every(({ how }) => how.looks),
    // Read behind the commit: what a unit wrote may have told it more.
    get tells() {
      return group.flatMap(({ how }) => how.tells ?? []);
    },
    ...(patience.length === group.length && { patienceMs: Math.max(...patience) }),
    ...(patience.length > 0 && { longestPatienceMs: Math.max(...patience) }),
    get isQuiet() {
      return group.every(({ how }) => how.isQuiet);
    },
  };
}
