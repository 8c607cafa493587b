import { type Read, secret, taking } from "./setting.ts";
import { addressRange, integer, list, text, url } from "./setting-values.ts";

export const webhooks = (read: Read) => ({
  webhookAllow: read("WEBHOOK_ALLOW", list(taking("ranges such as `10.0.0.0/8`", addressRange)), [], {
    means:
      "the private addresses to which [webhooks](webhooks.md#where-deliveries-may-go) may go. Link-local and metadata addresses are never allowed",
  }),
  webhookBackoffSeconds: read("WEBHOOK_BACKOFF", list(integer(0, 86_400)), [10, 60, 360], {
    means:
      "how many seconds Berth waits before the second, third and fourth [attempt](webhooks.md#attempts) of a delivery. Berth adds up to a fifth by chance",
  }),
  chatToken: read("CHAT_TOKEN", secret(text), null, {
    means:
      "a token of the chat service. With it, Berth posts to the [chat channels](webhooks.md#chats) of subscriptions, by `chat.postMessage`",
  }),
  chatApiUrl: read("CHAT_API_URL", url, null, {
    means:
      "the address of that chat service. If you set it without a token, Berth posts to it as to an incoming webhook",
    usual: "`https://slack.com/api`",
  }),
});
