#!/usr/bin/env bun
import "./foreground-callbacks.ts";
import { runMain } from "citty";
import { berth } from "./cli/berth.ts";
import { usageFor } from "./cli/usage.ts";

await runMain(berth, { showUsage: usageFor(berth) });
