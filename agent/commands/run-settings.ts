import type { MultitaskStrategy } from "@berth/store";
import type { RunRequest } from "../runs/index.ts";
import type { Params } from "./params.ts";

type Settings = Pick<RunRequest, "config" | "context" | "metadata" | "langsmith_tracer" | "checkpoint">;

/**
 * What a command says of the run that it starts, besides what goes into the graph.
 * @throws ProtocolError
 */
export function readSettings(params: Params): Settings {
  params.checkBounds("config", "context", "metadata");
  const config = params.nested("config");
  const tracer = params.nested("langsmith_tracer");
  const { checkpoint, configurable } = readConfigurable(config.nested("configurable"), config);
  const [tags, metadata] = [config.texts("tags"), config.record("metadata")];
  const recursion_limit = config.count("recursion_limit", { least: 1 });
  return {
    // What is not said here is the assistant's to say.
    config: {
      configurable,
      ...(tags && { tags }),
      ...(metadata && { metadata }),
      ...(recursion_limit && { recursion_limit }),
    },
    context: params.any("context"),
    metadata: params.record("metadata"),
    langsmith_tracer: { project_name: tracer.text("project_name"), example_id: tracer.text("example_id") },
    checkpoint,
  };
}

/** The thread is the path's, whatever is said here; a checkpoint is where the run forks off. */
function readConfigurable(fields: Params, config: Params) {
  const { thread_id, checkpoint_id, checkpoint_ns, checkpoint_map, ...configurable } =
    config.record("configurable") ?? {};
  const id = fields.text("checkpoint_id");
  if (!id) return { configurable, checkpoint: undefined };
  const map = fields.record("checkpoint_map");
  const ns = fields.text("checkpoint_ns");
  return {
    configurable,
    checkpoint: { checkpoint_id: id, ...(ns && { checkpoint_ns: ns }), ...(map && { checkpoint_map: map }) },
  };
}

const strategies = new Set<unknown>(["reject", "rollback", "interrupt", "enqueue"]);
const isStrategy = (given: unknown): given is MultitaskStrategy => strategies.has(given);

/** What happens when the thread is busy: waiting for its turn, unless a word that is known says otherwise. */
export function readStrategy(params: Params): MultitaskStrategy {
  const given = [params.any("multitask_strategy"), params.any("multitaskStrategy")].find(isStrategy);
  return given ?? "enqueue";
}
