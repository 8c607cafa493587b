import { Type } from "@sinclair/typebox";
import { Uuid } from "../../http/index.ts";

/** What paths name. */
export const deploymentParams = Type.Object({ deployment_id: Uuid });
export const revisionParams = Type.Object({ deployment_id: Uuid, revision_id: Uuid });
