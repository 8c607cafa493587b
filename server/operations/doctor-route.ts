import { ofOperator } from "../access/index.ts";
import { examine, faultsByProgram } from "../doctor/index.ts";
import { json, type Operation, operation } from "../http/index.ts";
import type { OperationsDeps } from "./deps.ts";
import { ShownDoctor } from "./wire/index.ts";

type Deps = Pick<OperationsDeps, "settings" | "environment" | "program" | "publicUrl" | "port">;

/** `/v1/system/doctor`: what is wrong, and what to do about it. */
export const doctorRoutes = ({ settings, environment, program, publicUrl, port }: Deps): Operation[] => [
  operation(
    {
      method: "GET",
      path: "/v1/system/doctor",
      access: ofOperator("Looking after this server"),
      bodyLimit: "none",
      tag: "Operations",
      summary: "Check this Berth",
      description:
        "What `berth doctor` finds. Each finding has a line that says what is, and one that says what to do. The checks may take some seconds. Needs a key of the organization.",
      answers: { 200: { description: "The findings", schema: ShownDoctor } },
    },
    async () => {
      const running = { port: port(), publicUrl: publicUrl() };
      const faultsOf = faultsByProgram(environment, program);
      return json(await examine({ settings, environment, running, faultsOf }));
    },
  ),
];
