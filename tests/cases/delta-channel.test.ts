import { describeCase } from "./case.ts";
import { deltaTests } from "./delta-turns.ts";

const env = { WEBHOOK_ALLOW: "127.0.0.1" };

describeCase("javascript/delta-channel", (served) => deltaTests(served, "turns"), { env });
describeCase("python/delta-channel", (served) => deltaTests(served, "delta"), { env });
