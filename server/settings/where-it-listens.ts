import { type Read, SettingError, taking } from "./setting.ts";
import { integer, list, text, url } from "./setting-values.ts";

export const whereItListens = (read: Read) => ({
  port: read("PORT", integer(0, 65_535), 8123, { means: "the port; 0 is any free one" }),
  host: read("HOST", text, "127.0.0.1", {
    means:
      "the address. If other machines can reach it, Berth needs a key: `SERVICE_API_KEY`, or one from `berth keys create`. It needs the key also with [auth of your own](auth.md)",
  }),
  /** No slash at the end; null until set: see `publicUrlOf`. */
  publicUrl: read("PUBLIC_URL", url, null, {
    means:
      "the base of every absolute address that Berth shows or sends. If it is https, [sign-ins](chat.md#signing-in) work over https only",
    usual: "`http://HOST:PORT`",
  }),
  advertiseUrl: read("ADVERTISE_URL", url, null, {
    means:
      "with Postgres: the address at which the other Berths of the database reach this one. They pass on [requests to the deployments](files.md#how-a-request-reaches-a-deployment) that this one runs",
    usual: "where Berth listens; if that is a wildcard address, the first address of this machine",
  }),
  /** Null for what the project says. */
  mountPrefix: read("MOUNT_PREFIX", taking("a path such as `/agents`", prefix), null, {
    means:
      "a path: Berth answers every request also below it. It beats [`http.mount_prefix`](custom-routes.md#routes)",
  }),
  maxBodyBytes: read(["MAX_BODY_BYTES", "HTTP_MAX_REQUEST_BODY_BYTES"], integer(1, 2 ** 31), 32 * 2 ** 20, {
    means:
      "the largest request body, in bytes; a larger one gets 413. Above 201 MiB (or above this limit and 1 MiB, if that is more) the 413 has no text",
  }),
  corsAllowOrigins: read("CORS_ALLOW_ORIGINS", list(origin), ["*"], {
    means:
      "the origins whose pages may read answers. If Berth has no keys, only pages of this machine and of origins that you name here may call it; `*` names none",
  }),
});

function prefix(given: string, name: string): string {
  if (!/^(?:\/[\w.~-]+)+\/?$/.test(given))
    throw new SettingError(name, given, "must be a path such as /agents");
  return given.replace(/\/+$/, "");
}

const origin = taking("origins such as `https://app.example.com`, or `*`", (given, name) => {
  if (given === "*") return given;
  if (!URL.canParse(given) || new URL(given).origin !== given)
    throw new SettingError(name, given, "must be origins such as https://app.example.com, or *");
  return given;
});
