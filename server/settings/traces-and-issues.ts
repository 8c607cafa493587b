import { type Read, SettingError, taking } from "./setting.ts";
import { boolean, integer } from "./setting-values.ts";

export const tracesAndIssues = (read: Read) => ({
  tracing: read("TRACING", boolean, true, { means: "whether runs leave [traces](traces.md)" }),
  issueEngine: Object.freeze({
    intervalSeconds: read("ENGINE_INTERVAL", integer(0, 86_400), 60, {
      means: "seconds between two scans for [issues](issues.md). 0: Berth does not scan by itself",
    }),
    minTraces: read("ENGINE_MIN_TRACES", integer(1, 1_000), 3, {
      means: "how many traces have to show the same problem before Berth opens an issue",
    }),
    timeoutSeconds: read("ENGINE_TIMEOUT_S", integer(1, 86_400), 300, {
      means: "the longest time that a scan may take; a longer scan fails",
    }),
    /** Null for templates. */
    model: read("ENGINE_MODEL", taking("`openai:MODEL` or `anthropic:MODEL`", engineModel), null, {
      means:
        "the model that writes the text of new issues. Its key is in `OPENAI_API_KEY` or `ANTHROPIC_API_KEY`. Without a model, Berth makes the text from templates",
    }),
  }),
});

function engineModel(given: string, name: string): string {
  if (!/^(?:openai|anthropic):\S+$/.test(given))
    throw new SettingError(name, given, "must be openai:MODEL or anthropic:MODEL");
  return given;
}
