/** Delay before the next attempt for a deployment that does not answer, unless it is switched earlier. */
const RETRY_DELAY_MS = 50;
/** Maximum number of requests without a key that wait for one deployment: anyone can send them. */
const MAX_ANONYMOUS_WAITING = 100;

type Retry = { promise: Promise<void>; resolve: () => void; timer: Timer; anonymous: number };

/** Requests that wait until their deployment answers: all requests of a deployment share one timer. */
export class RetryTimers {
  readonly #retries = new Map<string, Retry>();

  /** @param beforeRetry called once for all requests of a deployment, before they continue */
  constructor(private readonly beforeRetry: (deploymentId: string) => void) {}

  /** Resolves when the next attempt is due; false where too many anonymous requests wait already. */
  async wait(deploymentId: string, isAnonymous: boolean): Promise<boolean> {
    const retry = this.#retries.get(deploymentId) ?? this.#start(deploymentId);
    if (isAnonymous && retry.anonymous >= MAX_ANONYMOUS_WAITING) return false;
    if (isAnonymous) retry.anonymous += 1;
    await retry.promise;
    return true;
  }

  /** Continues the requests of a deployment at once. */
  wake(deploymentId: string): void {
    const retry = this.#retries.get(deploymentId);
    if (!retry) return;
    this.#retries.delete(deploymentId);
    clearTimeout(retry.timer);
    this.beforeRetry(deploymentId);
    retry.resolve();
  }

  #start(deploymentId: string): Retry {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => this.wake(deploymentId), RETRY_DELAY_MS);
    const retry = { promise, resolve, timer, anonymous: 0 };
    this.#retries.set(deploymentId, retry);
    return retry;
  }
}
