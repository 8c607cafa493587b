#!/usr/bin/env bun
import "./foreground-callbacks.ts";
import { runMain } from "citty";
import { berth } from "./cli/berth.ts";

await runMain(berth);
