import type { IncomingMessage } from "node:http";
import type { Clock } from "@berth/agent";
import { type Figures, type Instance, type Instances, Unavailable } from "@berth/store";
import type { Job } from "../../clock/index.ts";
import { becomeSocket, callOf, keyMissing, MOVED_HEADER, pathIn, wantsSocket } from "../../http/index.ts";
import { Counts, type Reading, Timings } from "../../readings/index.ts";
import { answerBody, bodyOf, lengthOf } from "./bodies.ts";
import { choose } from "./choose.ts";
import { type Elsewhere, LeaderFinder, passedHeaders } from "./elsewhere.ts";
import { Exchanges } from "./exchanges.ts";
import { FigureBook } from "./figure-book.ts";
import {
  brokenOff,
  callerLeft,
  movedOn,
  nobodyLeads,
  nothingRuns,
  restarting,
  tooManyOpen,
  unknownDeployment,
  unreachable,
} from "./refusals.ts";
import { protocolsOf, Relay, withoutHandshake } from "./relay.ts";
import { onwardHeaders } from "./request-headers.ts";
import { answeredHeaders } from "./response-headers.ts";
import { RetryTimers } from "./retry-timers.ts";
import { PATIENCE_MS, type Serving, type Target, type TargetSources, Targets } from "./targets.ts";
import { isStream, NoAnswer, type Order, send } from "./upstream.ts";
import { isAnonymous, mayUse, type SeenVisit, targetOf, type Visit } from "./visit.ts";

type GatewayDeps = TargetSources & {
  instances: Pick<Instances, "ofDeployment" | "live" | "wake">;
  figures: Pick<Figures, "add">;
  clock: Clock;
  /** The base of Berth's own address as clients know it. */
  publicUrl: () => string;
  maxBodyBytes: number;
  /** Whether what is written down as an instance's process is known to be over. */
  isOver?: (instance: Pick<Instance, "pid" | "pid_started">) => boolean;
  /** Looks at once after what is to be woken, where this process brings deployments about. */
  look: () => void;
  /** The Berth that runs the deployments, where several machines share them. */
  elsewhere?: Elsewhere | undefined;
  /** Maximum number of requests that are open at a workspace's deployments, and what counts its refusals. */
  quota?: { max: number | null; refused(): void } | undefined;
  /** What an instance takes of the machine's memory. */
  memoryOf?: ((instance: Instance) => Promise<number | null>) | undefined;
};

/** What becomes of one attempt: an answer, or what to answer if trying again does not help. */
type Attempt = { answer: Response } | { otherwise: Response; wasReached: boolean; patienceMs?: number };

/** Makes the caller's answer of what came back. */
type Answered = (message: IncomingMessage) => Promise<Response>;

/** Stands for an instance where another Berth passes a request on to one. */
const LEADER = "leader";
/** What sleeps is started for whoever asks: a project may take long to load. */
const WAKING_MS = 60_000;
/** What died is started again, which takes longer on a busy machine. */
const STARTING_MS = 10_000;
const safe = new Set(["GET", "HEAD", "OPTIONS"]);
const ADMIT_EVERY_MS = 10_000;
const FIGURES_EVERY_MS = 1_000;

/** Passes requests under `/d/{deployment_id}` on to whatever serves that deployment. */
export class Gateway {
  readonly #deps: GatewayDeps;
  readonly #targets: Targets;
  readonly #retries: RetryTimers;
  readonly #exchanges: Exchanges;
  readonly #book: FigureBook;
  readonly #leader: LeaderFinder | undefined;
  readonly #requests = new Counts("berth_gateway_requests_total", "Requests to deployments", ["status"]);
  readonly #seconds = new Timings(
    "berth_gateway_request_duration_seconds",
    "Time until the answer of a deployment began",
  );

  constructor(deps: GatewayDeps) {
    this.#deps = deps;
    this.#targets = new Targets(deps);
    this.#retries = new RetryTimers((deploymentId) => this.#targets.doubt(deploymentId));
    this.#exchanges = new Exchanges(deps.clock);
    this.#book = new FigureBook(deps);
    this.#leader = deps.elsewhere && new LeaderFinder(deps.elsewhere, deps.clock);
  }

  /** Another instance serves this deployment from now on, or the same one at another port. */
  switched(deploymentId: string): void {
    this.#targets.forget(deploymentId);
    this.#retries.wake(deploymentId);
  }

  /** Whether a deployment's project says itself who may call it, and needs no key of ours. */
  async hasOwnAuth(deploymentId: string): Promise<boolean> {
    return (await this.#targets.with(deploymentId, ({ hasOwnAuth }) => hasOwnAuth)) === true;
  }

  /** What a deployment is called; undefined when there is no such one. */
  nameOf(deploymentId: string): Promise<string | undefined> {
    return this.#targets.with(deploymentId, ({ name }) => name);
  }

  /** Requests, streams and sockets of the workspace with the most, those that wait for a deployment among them. */
  get mostOfAWorkspace(): number {
    return this.#exchanges.mostOfAWorkspace;
  }

  /** Requests, streams and sockets that are open at an instance. */
  inFlight(instanceId: string): number {
    return this.#exchanges.inFlight(instanceId);
  }

  /** Resolves when nothing is open at an instance any more, at the latest at `deadline` (ms since 1970). */
  until(instanceId: string, deadline: number, abort?: AbortSignal): Promise<void> {
    return this.#exchanges.until(instanceId, deadline, abort);
  }

  /** Of all deployments together: each tells more at its own `/metrics`, to those who may see it. */
  readings(): Reading[] {
    return [
      ...[this.#requests, this.#seconds],
      {
        name: "berth_gateway_open",
        help: "Requests, streams and sockets that are open at deployments",
        read: () => this.#exchanges.open,
      },
      {
        name: "berth_deployments_memory_bytes",
        help: "What deployments took of this machine's memory in the last minute",
        read: () => this.#book.memoryBytes,
      },
    ];
  }

  jobs(): Job[] {
    return [
      { name: "gateway.admit", everyMs: ADMIT_EVERY_MS, once: (now) => this.#exchanges.admitAgain(now) },
      { name: "gateway.figures", everyMs: FIGURES_EVERY_MS, once: (now) => this.#book.once(now) },
    ];
  }

  /** Gives what is open `settleMs` to end, then cuts it, and writes the last figures down. */
  async stop(settleMs = 0): Promise<void> {
    await this.#exchanges.end(new Unavailable("The gateway stops"), settleMs);
    await this.#book.write(this.#deps.clock.now());
  }

  /**
   * Answers with what the deployment answers.
   * @throws NotFound, TooLarge, BadRequest
   */
  async handle(visit: Visit): Promise<Response> {
    const begun = performance.now();
    const answer = await this.#answer(visit);
    const ms = performance.now() - begun;
    // Whoever passed it on to the deployment counts it.
    if (this.#isElsewhere()) return answer;
    this.#book.answered(visit.deploymentId, answer.status, ms);
    this.#requests.add({ status: String(answer.status) });
    this.#seconds.add(ms / 1_000);
    return answer;
  }

  async #answer(visiting: Visit): Promise<Response> {
    const workspaceId = await this.#mustSee(visiting);
    this.#mustHaveRoom(workspaceId);
    const slot = this.#exchanges.slotOf(workspaceId);
    // Before the body and every wait: a request takes memory from its first byte.
    const release = slot.hold();
    try {
      return await this.#answerIn({ ...visiting, workspaceId, slot });
    } finally {
      release();
    }
  }

  async #answerIn(visit: SeenVisit): Promise<Response> {
    const { deploymentId, request, server } = visit;
    const body = wantsSocket(request) ? null : await bodyOf(request, this.#deps.maxBodyBytes);
    // An answer may be silent for longer than Bun keeps a quiet connection; the instance knows what it is doing.
    server?.timeout(request, 0);
    const begun = performance.now();
    let patienceMs = PATIENCE_MS;
    let mayRepeat = safe.has(request.method) && body === null;
    for (;;) {
      const attempt = await this.#oneAttempt(visit, body);
      if (attempt === undefined) throw unknownDeployment(deploymentId);
      if ("answer" in attempt) return attempt.answer;
      patienceMs = Math.max(patienceMs, attempt.patienceMs ?? 0);
      if (performance.now() >= begun + patienceMs || request.signal.aborted) return attempt.otherwise;
      // What may have got there is repeated once, if it is harmless: it may be what ended the instance.
      if (attempt.wasReached && !mayRepeat) return attempt.otherwise;
      mayRepeat &&= !attempt.wasReached;
      if (!(await this.#retries.wait(deploymentId, isAnonymous(visit)))) return attempt.otherwise;
    }
  }

  #isElsewhere(): boolean {
    return this.#deps.elsewhere?.leads() === false;
  }

  async #oneAttempt(visit: SeenVisit, body: Order["body"]): Promise<Attempt | undefined> {
    if (this.#leader && this.#isElsewhere()) return this.#passToLeader(visit, this.#leader, body);
    return this.#targets.with(visit.deploymentId, (target) => this.#attempt(visit, target, body));
  }

  /** The same request to the Berth that runs the deployments, which asks the caller as we did. */
  async #passToLeader(visit: SeenVisit, leader: LeaderFinder, body: Order["body"]): Promise<Attempt> {
    // Never twice, whoever says that it was passed on: it would go round.
    if (callOf(visit.request).hop) return { answer: movedOn() };
    const to = await leader.find();
    const patience = { otherwise: nobodyLeads(), patienceMs: STARTING_MS };
    if (!to) return { ...patience, wasReached: false };
    const { request } = visit;
    const headers = leader.headersOf(request, callOf(request));
    const order = this.#orderTo(visit, { to, path: pathIn(request.url), headers, body });
    const attempt = wantsSocket(request)
      ? await this.#connectTo(visit, LEADER, order, () => this.#askLeader(visit, order))
      : await this.#askLeader(visit, order);
    if ("answer" in attempt && !attempt.answer.headers.has(MOVED_HEADER)) return attempt;
    leader.doubt();
    if (!("answer" in attempt))
      return attempt.wasReached ? { ...attempt, patienceMs: STARTING_MS } : { ...attempt, ...patience };
    // A stream that has begun cannot be sent again.
    return { ...patience, wasReached: body instanceof ReadableStream };
  }

  async #askLeader(visit: SeenVisit, order: Order): Promise<Attempt> {
    return this.#askAt(visit, LEADER, order, async (message) => {
      callOf(visit.request).isPassedOn = true;
      const headers = passedHeaders(message.rawHeaders);
      const status = message.statusCode ?? 502;
      return new Response(await answerBody(message, visit.request.method), { status, headers });
    });
  }

  /** Someone else's deployment looks as one that is not there. */
  async #mustSee({ caller, deploymentId }: Visit): Promise<string> {
    const seen = await this.#targets.with(deploymentId, ({ workspaceId }) =>
      mayUse(caller, workspaceId) ? workspaceId : undefined,
    );
    if (seen === undefined) throw unknownDeployment(deploymentId);
    return seen;
  }

  /** @throws TooMany the workspace has as many open requests as it may have */
  #mustHaveRoom(workspaceId: string): void {
    const { quota } = this.#deps;
    if (quota?.max == null || this.#exchanges.ofWorkspace(workspaceId) < quota.max) return;
    quota.refused();
    throw tooManyOpen(quota.max);
  }

  #attempt(visit: SeenVisit, target: Target, body: Order["body"]): Attempt | Promise<Attempt> {
    const { instances, isRestarting, sleep, hasOwnAuth } = target;
    // What serves now may be another revision than the one that was to know the caller.
    if (visit.caller?.atOwnAuth?.isStranger && !hasOwnAuth) throw keyMissing();
    if (instances.length === 0 && sleep !== null) return this.#wake(visit, target);
    if (instances.length === 0)
      return isRestarting
        ? { otherwise: restarting(target), wasReached: false, patienceMs: STARTING_MS }
        : { answer: nothingRuns(target) };
    // The port of one that is over may be somebody else's by now, who is not to have what it is asked, nor its token.
    const there = instances.filter((one) => this.#deps.isOver?.(one) !== true);
    const instance = choose(there, visit.request.url, (id) => this.inFlight(id));
    if (!instance) return { otherwise: unreachable(), wasReached: false };
    return wantsSocket(visit.request) ? this.#connect(visit, instance) : this.#ask(visit, instance, body);
  }

  async #wake({ deploymentId }: Visit, target: Target): Promise<Attempt> {
    // Who waits asks again and again; one of them is enough to write it down.
    if (target.sleep === "asleep") {
      await this.#deps.instances.wake(deploymentId);
      this.#deps.look();
    }
    return { otherwise: restarting(target), wasReached: false, patienceMs: WAKING_MS };
  }

  #ask(visit: SeenVisit, serving: Serving, body: Order["body"]): Promise<Attempt> {
    return this.#askAt(visit, serving.id, this.#order(visit, serving, body), (message) =>
      this.#answerOf(message, visit, serving),
    );
  }

  async #askAt(visit: SeenVisit, at: string, order: Order, answerOf: Answered): Promise<Attempt> {
    const { request, deploymentId, slot, admit } = visit;
    let cut: () => void = () => undefined;
    const end = this.#exchanges.begin({ slot, instanceId: at, admit, cut: () => cut() });
    try {
      const message = await send(order);
      cut = () => void message.destroy(new Error("The caller may not be here any more"));
      const closed = at !== LEADER && isStream(message) ? this.#book.opened(deploymentId) : undefined;
      message.once("close", () => {
        closed?.();
        end();
      });
      return { answer: await answerOf(message) };
    } catch (error) {
      end();
      return failed(error, request);
    }
  }

  #connect(visit: SeenVisit, serving: Serving): Promise<Attempt> {
    // Why it was refused only an ordinary answer can say.
    return this.#connectTo(visit, serving.id, this.#order(visit, serving, null), () =>
      this.#ask(visit, serving, null),
    );
  }

  async #connectTo(
    visit: SeenVisit,
    at: string,
    { to, path, headers }: Order,
    refused: () => Promise<Attempt>,
  ): Promise<Attempt> {
    const { request, server, deploymentId, slot, admit } = visit;
    let cut: Relay["cut"] = () => undefined;
    const end = this.#exchanges.begin({ slot, instanceId: at, admit, cut: (refusal) => cut(refusal) });
    const protocols = protocolsOf(request);
    const relay = await Relay.connect(
      { to, path, headers: withoutHandshake(headers), protocols },
      request.signal,
    );
    if (!relay) {
      end();
      return refused();
    }
    const closed = at === LEADER ? undefined : this.#book.opened(deploymentId);
    relay.onEnd(() => {
      closed?.();
      end();
    });
    cut = (refusal) => relay.cut(refusal);
    try {
      const chosen = relay.protocol;
      const extra = chosen === "" ? undefined : { "sec-websocket-protocol": chosen };
      return { answer: becomeSocket({ request, server, workspaceId: visit.workspaceId }, relay, extra) };
    } catch (error) {
      relay.abandon();
      throw error;
    }
  }

  #order(visit: Visit, serving: Serving, body: Order["body"]): Order {
    const { request, server, deploymentId, caller } = visit;
    const headers = onwardHeaders(request, {
      token: serving.token,
      requestId: callOf(request).id,
      traceparent: callOf(request).traceparent,
      address: callOf(request).client || server?.requestIP?.(request)?.address,
      prefix: this.#prefixOf(deploymentId),
      scheme: this.#deps.publicUrl().startsWith("https:") ? "https" : "http",
      caller,
    });
    const path = targetOf(request.url, deploymentId);
    return {
      ...this.#orderTo(visit, { to: serving.at, path, headers, body }),
      isThere: () => this.#deps.isOver?.(serving) !== true,
    };
  }

  #orderTo({ request }: Visit, where: Pick<Order, "to" | "path" | "headers" | "body">): Order {
    const { headers, body } = where;
    return {
      ...where,
      method: request.method,
      headers: wantsSocket(request)
        ? { ...headers, connection: "upgrade", upgrade: "websocket" }
        : { ...headers, ...lengthOf(request, body) },
      signal: request.signal,
      maxBytes: this.#deps.maxBodyBytes,
    };
  }

  async #answerOf(message: IncomingMessage, { request, deploymentId, caller }: Visit, { at }: Serving) {
    callOf(request).isPassedOn = true;
    const { statusCode: status = 502, rawHeaders } = message;
    const host = request.headers.get("host") ?? "";
    const signsIn = caller?.atOwnAuth?.isStranger === true;
    const corner = { prefix: this.#prefixOf(deploymentId), host, at, signsIn };
    const headers = answeredHeaders({ status, rawHeaders }, corner);
    return new Response(await answerBody(message, request.method), { status, headers });
  }

  /** The path of a deployment's address as clients see it. */
  #prefixOf(deploymentId: string): string {
    return `${new URL(this.#deps.publicUrl()).pathname.replace(/\/+$/, "")}/d/${deploymentId}`;
  }
}

function failed(error: unknown, { signal }: Request): Attempt {
  if (!(error instanceof NoAnswer)) throw error;
  if (signal.aborted) return { answer: callerLeft() };
  const { reached } = error;
  return { otherwise: reached ? brokenOff() : unreachable(), wasReached: reached };
}
