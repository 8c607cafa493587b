import {
  type Admission,
  type NewRun,
  OUTBOX_SCOPE,
  QUEUE_SCOPE,
  tellOfRun,
  threadScope,
  type WriteOrder,
} from "@berth/store";

/** How an admission is written, and what others are told of it once it is known. */
export class AdmissionOrder implements WriteOrder {
  readonly scope: string[] | undefined;
  #tells: string[] = [];
  #isOurs = false;

  /** @param isFirst whether something else is written in its transaction: then it is alone with everything */
  constructor(wanted: NewRun, isFirst: boolean) {
    const cancels = wanted.multitask_strategy === "interrupt" || wanted.multitask_strategy === "rollback";
    this.scope = isFirst ? undefined : [threadScope(wanted.thread_id), ...(cancels ? [OUTBOX_SCOPE] : [])];
  }

  get tells(): readonly string[] {
    return this.#tells;
  }

  /** A run that starts here concerns nobody else before it says something: that is told then. */
  get isQuiet(): boolean {
    return this.scope !== undefined && this.#isOurs;
  }

  /** A unit that is written again tells what it wrote last. */
  readonly note = (admission: Admission): Admission => {
    const { run, started, cancelled } = admission;
    const runs = [run, ...cancelled].map(({ run_id }) => tellOfRun(run_id));
    this.#isOurs = started && cancelled.length === 0;
    this.#tells = started ? runs : [...runs, QUEUE_SCOPE];
    return admission;
  };
}
