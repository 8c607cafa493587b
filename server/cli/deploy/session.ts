import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { ArgsDef } from "citty";
import { terminalText } from "../../log/index.ts";
import { PROJECT_FILES, type Texts } from "../../settings/index.ts";
import { checkArguments, UsageError } from "../arguments.ts";
import { Cancelled, type Questions, questionsAtTerminal } from "../questions.ts";
import type { ReadDeployment } from "./answer.ts";
import { ControlClient, type Credentials } from "./client.ts";
import {
  avoidProxyForLoopback,
  connectionFrom,
  type KeyFrom,
  NAMES,
  placeOfKey,
  type Sources,
  setting,
} from "./connection.ts";
import { type DeploymentCalls, meant } from "./deployments.ts";
import { DeployFailure, type DeployRefused, EXIT, type ExitCode } from "./failure.ts";
import { JsonOutput, type Output, TextOutput } from "./output.ts";
import type { Patience } from "./patience.ts";
import { dotenvTexts, normalName, readEnvironment, readProject, type SecretsSource } from "./project.ts";

export type SessionFlags = {
  "api-key"?: string | undefined;
  "host-url"?: string | undefined;
  config?: string | undefined;
  json?: boolean | undefined;
  input?: boolean | undefined;
};

export type TargetFlags = { name?: string | undefined; "deployment-id"?: string | undefined };

/** What a command works with. */
export type DeploySession = {
  client: ControlClient;
  output: Output;
  json: boolean;
  /** Where the settings come from: the environment, then `.env` files. */
  sources: Sources;
  /** The project's: of the configuration file that is named, else this one. */
  folder: string;
  /** Undefined where nobody can be asked. */
  questions: Questions | undefined;
};

type Call = { rawArgs: string[]; takes: ArgsDef; flags: SessionFlags };

/**
 * Runs a command to its exit code. A failure that a person can mend is told in its own words, without a stack.
 * The process is left to end by itself: what it printed into a pipe must arrive.
 */
export async function runSession(
  { rawArgs, takes, flags }: Call,
  work: (session: Omit<DeploySession, "client">) => Promise<ExitCode>,
): Promise<void> {
  const json = flags.json === true;
  const output = json ? new JsonOutput() : new TextOutput();
  const detach = onInterrupt(() => {
    output.settled();
    output.error("Interrupted.");
    process.exit(EXIT.failed);
  });
  try {
    checkArguments(rawArgs, takes);
    avoidProxyForLoopback();
    const questions = json || flags.input === false ? undefined : questionsAtTerminal();
    process.exitCode = await work({ output, json, questions, ...(await placeOf(flags.config)) });
  } catch (error) {
    output.settled();
    process.exitCode = tell(error, output);
    const status = process.exitCode === EXIT.timedOut ? "timed_out" : "failed";
    if (json) output.result({ status, message: messageOf(error), reason: messageOf(error) });
  } finally {
    detach();
  }
}

/** The project that a command is about, as far as it says where the server is and what the deployment is called. */
async function placeOf(config: string | undefined): Promise<Pick<DeploySession, "sources" | "folder">> {
  const here = process.cwd();
  const isProject = PROJECT_FILES.some((name) => existsSync(join(here, name)));
  const own = dotenvTexts(join(here, ".env")) ?? {};
  const sources = [process.env, isProject ? ofProject(own) : own];
  if (config === undefined) return { sources, folder: here };
  const project = readProject(here, config);
  const environment = await readEnvironment(project);
  return { sources: projectSources(sources, project.dir, environment), folder: project.dir };
}

/** Those with what the project's own files say behind them. */
export function projectSources(sources: Sources, folder: string, { values }: SecretsSource): Sources {
  return [...sources, ofProject(dotenvTexts(join(folder, ".env")) ?? {}), ofProject(values ?? {})];
}

/** What a project's file says to these commands: its `PORT` is a port of the project. */
const ofProject = ({ PORT: _, ...others }: Texts): Texts => others;

/** Ends the process with what is wrong about its words, where no command was found that could. */
export function refuse(rawArgs: readonly string[], error: UsageError): never {
  const json = rawArgs.includes("--json");
  const output = json ? new JsonOutput() : new TextOutput();
  const code = tell(error, output);
  if (json) output.result({ status: "failed", message: error.message, reason: error.message });
  process.exit(code);
}

function tell(error: unknown, output: Output): ExitCode {
  if (error instanceof Cancelled) {
    process.stderr.write(`${error.message}\n`);
    return EXIT.failed;
  }
  if (error instanceof DeployFailure || error instanceof UsageError) {
    output.error(error.message);
    return error instanceof DeployFailure ? error.code : EXIT.usage;
  }
  // A bug of ours, which whoever mends it wants to see whole.
  process.stderr.write(`berth: ${terminalText(Bun.inspect(error))}\n`);
  return EXIT.failed;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A key for something else, which projects have for their traces. */
const OTHERS_KEY = "LANGSMITH_API_KEY";

/**
 * The client for what the flags, the environment and `.env` say.
 * @param patience how long all of its answers may take together; of a command that takes `--timeout`
 */
export function connect(
  flags: SessionFlags,
  { sources, questions, output, json }: Pick<DeploySession, "sources" | "questions" | "output" | "json">,
  patience?: Patience,
): ControlClient {
  const { baseUrl, apiKey, keyFrom, tenantId } = connectionFrom(flags, sources);
  if (keyFrom?.name === OTHERS_KEY && keyFrom.isOfFile && !json)
    output.warn(`Berth gets ${placeOfKey(keyFrom)} as its API key: to send another key, set SERVICE_API_KEY`);
  let asked = false;
  const mend = async (refused: DeployRefused, sent: Credentials) => {
    if (asked) return undefined;
    asked = true;
    return mended(refused, sent, { questions, keyFrom });
  };
  return new ControlClient({ baseUrl, credentials: { apiKey, tenantId }, mend, patience });
}

/** What a person has to add before the server answers; where nobody can be asked, says how to give it. */
async function mended(
  { status, detail }: DeployRefused,
  sent: Credentials,
  { questions, keyFrom }: { questions: Questions | undefined; keyFrom: KeyFrom | undefined },
): Promise<Credentials | undefined> {
  if (status === 403 && detail.includes("requires workspace specification")) {
    if (questions) return { ...sent, tenantId: await questions.text("Workspace ID") };
    throw new DeployFailure(
      "this API key is for a whole organization: name the workspace with SERVICE_TENANT_ID",
    );
  }
  if (status === 403 && /not enabled/i.test(detail))
    throw new DeployFailure(`deployments are not enabled there: ${detail}`);
  if (status !== 401) return undefined;
  if (sent.apiKey !== undefined)
    throw new DeployFailure(
      keyFrom && keyFrom.name !== "SERVICE_API_KEY"
        ? `the API key was refused: ${detail}. It comes from ${placeOfKey(keyFrom)}: set SERVICE_API_KEY to a key of Berth, or give --api-key`
        : `the API key was refused: ${detail}. Check ${keyFrom ? placeOfKey(keyFrom) : "--api-key"}`,
    );
  if (questions) return { ...sent, apiKey: await questions.secret(`API key (the server says: ${detail})`) };
  throw new DeployFailure(
    `an API key is needed: set SERVICE_API_KEY (in the environment or in .env), or give --api-key. The server says: ${detail}`,
  );
}

/** The name that is meant without one: of the setting, else of the folder. */
export function nameFrom(flags: TargetFlags, sources: Sources, folder: string): string {
  return normalName(flags.name ?? setting(NAMES.deployment, sources) ?? folder);
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** What is called on Ctrl-C: the last of these. */
const acts: (() => void)[] = [];

const interrupt = () => acts.at(-1)?.();

/** Calls back on Ctrl-C or SIGTERM until it is detached, in the place of whatever would have been called before. */
export function onInterrupt(act: () => void): () => void {
  if (acts.length === 0) for (const signal of SIGNALS) process.on(signal, interrupt);
  acts.push(act);
  return () => {
    acts.splice(acts.indexOf(act), 1);
    if (acts.length === 0) for (const signal of SIGNALS) process.off(signal, interrupt);
  };
}

type DeployTarget = TargetFlags & { deployment?: string | undefined };

/**
 * The deployment that a command is about: the one named behind it, by an option, by the setting, or else that
 * of the project's folder.
 */
export async function targetOf(
  flags: DeployTarget,
  deployments: DeploymentCalls,
  { sources, folder }: Pick<DeploySession, "sources" | "folder">,
): Promise<ReadDeployment> {
  const id = flags["deployment-id"];
  if (id !== undefined) return meant(deployments, id);
  const name = flags.deployment ?? flags.name ?? setting(NAMES.deployment, sources);
  if (name === undefined) return meant(deployments, normalName(basename(folder)));
  const normal = normalName(name);
  // As it was made through the API, or as these commands would have called it.
  return (normal === name ? undefined : await deployments.named(name)) ?? meant(deployments, normal);
}
