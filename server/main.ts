#!/usr/bin/env bun
import "./foreground-callbacks.ts";
import { runBerth } from "./cli/index.ts";

await runBerth(process.argv.slice(2));
