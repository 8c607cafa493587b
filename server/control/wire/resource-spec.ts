import { type Static, Type } from "@sinclair/typebox";
import { Dictionary, optional } from "../../http/index.ts";

const cpu = () => optional(Type.Number({ minimum: 0.1, maximum: 8 }));
const cpuLimit = () => optional(Type.Number({ minimum: 0.1, maximum: 16 }));
const megabytes = () => optional(Type.Integer({ minimum: 1, maximum: 16_777_216 }));
const count = (maximum = 1_000) => optional(Type.Integer({ minimum: 0, maximum }));
const words = () => optional(Type.Record(Type.String(), Type.String({ maxLength: 4_096 })));
const parts = () => optional(Type.Array(Dictionary, { maxItems: 100 }));

/**
 * What an instance may use, and how many serve side by side (`min_scale`). They are held to `cpu`, `cpu_limit`,
 * `memory_mb` and `memory_limit_mb`; the rest is kept for clusters that have those parts.
 */
export const ResourceSpec = Type.Object(
  {
    min_scale: count(),
    max_scale: count(),
    cpu: cpu(),
    cpu_limit: cpuLimit(),
    memory_mb: megabytes(),
    memory_limit_mb: megabytes(),
    queue_min_scale: count(),
    queue_max_scale: count(),
    queue_cpu: cpu(),
    queue_cpu_limit: cpuLimit(),
    queue_memory_mb: megabytes(),
    queue_memory_limit_mb: megabytes(),
    redis_cpu: cpu(),
    redis_cpu_limit: cpuLimit(),
    redis_memory_mb: megabytes(),
    redis_memory_limit_mb: megabytes(),
    db_cpu: cpu(),
    db_cpu_limit: cpuLimit(),
    db_memory_mb: megabytes(),
    db_memory_limit_mb: megabytes(),
    db_storage_gi: count(65_536),
    db_max_connections: count(65_536),
    core_cpu: cpu(),
    core_cpu_limit: cpuLimit(),
    core_memory_mb: megabytes(),
    core_memory_limit_mb: megabytes(),
    labels: words(),
    annotations: words(),
    service_account_name: optional(Type.String({ maxLength: 253 })),
    image_pull_secrets: parts(),
    volumes: parts(),
    volume_mounts: parts(),
    init_containers: parts(),
    sidecars: parts(),
  },
  {
    $id: "ResourceSpec",
    description:
      "What an instance may use. Without a limit of its own, a limit is twice `cpu` or `memory_mb`.",
  },
);
export type ResourceSpec = Static<typeof ResourceSpec>;
