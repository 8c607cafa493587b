import {
  type Clock,
  type Database,
  EngineRuns,
  findRun,
  type Issues,
  type Session,
  type Sessions,
  type Traces,
} from "@berth/store";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { type Agent, type AgentSettings, createAgent } from "../agent.ts";
import { assistantId, ownProject } from "../project/index.ts";
import type { detect } from "./detectors/index.ts";
import { SCAN_LEASE_MS, scanGraph } from "./graph.ts";
import { type AskModel, Writer } from "./writer.ts";
