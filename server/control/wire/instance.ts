import type { Instance, Revision } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { Instant, isoTime, isoTimeOrNull, nullable, oneOf, Uuid } from "../../http/index.ts";

/** What runs a revision; where it is reached and what opens it is nobody's business. */
export const ShownInstance = Type.Object(
  {
    id: Type.String(),
    revision_id: Uuid,
    revision_number: nullable(Type.Integer()),
    driver: oneOf(["process", "container", "kubernetes"]),
    state: oneOf(["starting", "ready", "serving", "draining"]),
    place: Type.String({ description: "Where it runs, in words." }),
    replica: Type.Integer({ description: "Its number among the instances that serve together, from 0." }),
    restarts: Type.Integer(),
    image_digest: nullable(Type.String()),
    image_bytes: nullable(
      Type.Integer({
        description: "The size with all layers; known only for images in Berth's own registry.",
      }),
    ),
    asleep_since: nullable(Instant),
    created_at: Instant,
  },
  { $id: "Instance" },
);
export type ShownInstance = Static<typeof ShownInstance>;

export const InstancesList = Type.Object(
  {
    resources: Type.Array(ShownInstance, {
      description: "Newest first. Instances that have ended are missing.",
    }),
  },
  { $id: "InstancesList" },
);
export type InstancesList = Static<typeof InstancesList>;

/** An instance that is not gone. */
export type LiveInstance = Instance & { state: ShownInstance["state"] };

type Around = {
  revision: Pick<Revision, "number" | "config"> | undefined;
  place: string;
  imageBytes: number | null;
};

export function shownInstance(
  instance: LiveInstance,
  { revision, place, imageBytes }: Around,
): ShownInstance {
  const { id, revision_id, driver, state, replica, restarts, asleep_since, created_at } = instance;
  return {
    ...{ id, revision_id, driver, state, place, replica, restarts },
    revision_number: revision?.number ?? null,
    image_digest: revision?.config.image_digest ?? null,
    image_bytes: imageBytes,
    asleep_since: isoTimeOrNull(asleep_since),
    created_at: isoTime(created_at),
  };
}
