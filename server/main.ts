#!/usr/bin/env bun
import "./foreground-callbacks.ts";
import { runBerth } from "./cli/run.ts";

await runBerth(process.argv.slice(2));
