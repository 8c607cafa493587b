import { type Read, secret, taking } from "./setting.ts";
import { addressRange, integer, list, text } from "./setting-values.ts";

export const whoMayCall = (read: Read) => ({
  serviceApiKey: read("SERVICE_API_KEY", secret(text), null, {
    means: "an admin key. People sign in with it, and the commands of `berth deploy` send it",
  }),
  trustedProxies: read(
    "TRUSTED_PROXIES",
    list(taking("addresses or ranges such as `10.0.0.0/8`", addressRange)),
    [],
    {
      means:
        "the proxies in front of Berth. Berth believes only their `X-Forwarded-For`, which says [who sent a request](operations.md#behind-a-proxy). Where something is deployed, a proxy on the same machine also needs `PROXY_SECRET`",
    },
  ),
  proxySecret: read("PROXY_SECRET", secret(text), null, {
    means:
      "what your proxy sends in `X-Berth-Proxy-Secret`. If it is set, Berth believes [`X-Forwarded-For`](reverse-proxy.md#what-berth-has-to-know) only in requests with this header",
  }),
  rateLimitPerMinute: read("RATE_LIMIT_PER_MINUTE", integer(0, 1_000_000), 0, {
    means:
      "how many requests each key, or each user of [your own auth](auth.md), may send in a minute; Berth answers more with 429. 0: no limit. Requests to `/metrics` do not count. A deployment counts only users",
  }),
});
