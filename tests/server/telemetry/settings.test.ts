import { expect, test } from "bun:test";
import { handOn } from "../../../server/control/run/environment.ts";
import { readSettings } from "../../../server/settings/config.ts";
import { aDeployment, aRevision } from "../../control/run/rig.ts";

const read = (environment: Record<string, string>) =>
  readSettings({}, environment, "/nowhere", { isTerminal: false });
const telemetry = (environment: Record<string, string>) => read(environment).telemetry;

test("without a collector nothing is exported; with one, to its path for traces", () => {
  expect(telemetry({})).toEqual({
    ...{ tracesUrl: null, headers: {}, serviceName: "berth", resource: {} },
    ...{ sampled: 1, captureContent: false },
  });
  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" };
  expect(telemetry(collector).tracesUrl).toBe("http://collector:4318/v1/traces");
  const whole = { ...collector, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://else.example/in?project=1" };
  expect(telemetry(whole).tracesUrl).toBe("https://else.example/in?project=1");
  expect(telemetry({ ...whole, OTEL_SDK_DISABLED: "true" }).tracesUrl).toBeNull();
});

test("what cannot be used is named, without its secrets", () => {
  const wrong = [
    ["OTEL_TRACES_SAMPLER_ARG", "1.5", "0 to 1"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "the-secret-alone", "name=value"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", "http"],
  ] as const;
  for (const [name, given, rule] of wrong) expect(() => telemetry({ [name]: given })).toThrow(rule);
  expect(() => telemetry({ OTEL_EXPORTER_OTLP_HEADERS: "the-secret-alone" })).toThrow(/"\*\*\*"/);
});

test("a deployment is told the same, with its own name and ids", () => {
  const given = read({
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20a%2Cb,x-team=one",
    OTEL_RESOURCE_ATTRIBUTES: "region=west",
    OTEL_TRACES_SAMPLER_ARG: "0.25",
    WEBHOOK_ALLOW: "10.0.0.0/8,127.0.0.1",
  });
  const deployment = aDeployment();
  const revision = aRevision(deployment);
  const handed = read(handOn(given)({ deployment, revision }));
  expect(handed.telemetry).toEqual({
    ...given.telemetry,
    headers: { authorization: "Bearer a,b", "x-team": "one" },
    serviceName: "berth-my-agent",
    resource: { region: "west", "berth.deployment.id": deployment.id, "berth.revision.id": revision.id },
  });
  expect(handed.webhookAllow).toEqual(["10.0.0.0/8", "127.0.0.1"]);
  expect(handOn(read({}))({ deployment, revision })).toEqual({ WEBHOOK_BACKOFF: "10,60,360" });
});
