import { type FaultDetail, Invalid, SECRET_MASK } from "@berth/store";
import { headersFault, isChatAddress } from "../delivery/index.ts";
import { checkUrl, type Reach, Refused } from "../reach/index.ts";

/** What a subscription is asked to have, as far as its fields depend on each other or on the network. */
type WantedSubscription = {
  url?: string | undefined;
  channel?: string | undefined;
  headers?: Record<string, string> | undefined;
  secret?: string | undefined;
};

const LEAST_SECRET_BYTES = 24;

/** Where subscriptions may lead. */
type Destinations = {
  reach: Reach;
  /** Whether the settings name a chat that takes messages for a channel by its name. */
  hasChat: boolean;
};

/** @throws Invalid with everything that is wrong */
export async function checkSubscription(
  wanted: WantedSubscription,
  { reach, hasChat }: Destinations,
): Promise<void> {
  const faults = [
    ...destinationFaults(wanted),
    ...channelFaults(wanted, hasChat),
    ...headerFaults(wanted),
    ...maskFaults(wanted),
    ...secretFaults(wanted),
  ];
  if (faults.length > 0) throw new Invalid(faults);
  await checkDestination(wanted, reach);
}

/** What may be changed: the destination stays what it was, a URL or a channel. @throws Invalid */
export async function checkChange(
  wanted: WantedSubscription,
  isChannel: boolean,
  { reach, hasChat }: Destinations,
): Promise<void> {
  const faults = [...headerFaults(wanted), ...channelFaults(wanted, hasChat)];
  if (isChannel && hasHeaders(wanted)) faults.push(forChannel("headers"));
  if (faults.length > 0) throw new Invalid(faults);
  await checkDestination(wanted, reach);
}

/** @throws Invalid a secret is too short to be one */
export function checkSecret(secret: string | undefined): void {
  const faults = secretFaults({ secret });
  if (faults.length > 0) throw new Invalid(faults);
}

function destinationFaults(wanted: WantedSubscription): FaultDetail[] {
  const { url, channel, secret } = wanted;
  if (url === undefined && channel === undefined)
    return [fault("url", "A subscription needs either a url or a channel", null, "missing")];
  if (channel === undefined) return [];
  const faults: FaultDetail[] = [];
  if (url !== undefined) {
    const msg = "A subscription has a url or a channel, not both";
    faults.push(fault("url", msg), fault("channel", msg));
  }
  if (secret !== undefined) faults.push(forChannel("secret"));
  if (hasHeaders(wanted)) faults.push(forChannel("headers"));
  return faults;
}

function channelFaults({ channel }: WantedSubscription, hasChat: boolean): FaultDetail[] {
  if (channel === undefined || hasChat || isChatAddress(channel)) return [];
  const msg =
    "A channel by its name needs CHAT_TOKEN (a bot's token) or CHAT_API_URL to be set on this Berth; the address of an incoming webhook (https://…) needs neither";
  return [fault("channel", msg, channel)];
}

const hasHeaders = ({ headers }: WantedSubscription) =>
  headers !== undefined && Object.keys(headers).length > 0;

function headerFaults({ headers }: WantedSubscription): FaultDetail[] {
  const found = headers && headersFault(headers);
  if (!found) return [];
  const { name, fault: what } = found;
  return [{ loc: ["body", "headers", name], msg: `The header ${what}`, type: "value_error", input: name }];
}

/** A mask keeps what is there already: whoever copied a subscription would send the mask itself. */
function maskFaults({ headers = {}, channel }: WantedSubscription): FaultDetail[] {
  const masked = Object.keys(headers).filter((name) => headers[name] === SECRET_MASK);
  const faults: FaultDetail[] = masked.map((name) => ({
    ...fault("headers", `The header has the mask ${SECRET_MASK} as its value`, name),
    loc: ["body", "headers", name],
  }));
  if (channel !== undefined && isChatAddress(channel) && channel.endsWith(SECRET_MASK))
    faults.push(fault("channel", "The address is masked: write it out"));
  return faults;
}

function secretFaults({ secret }: WantedSubscription): FaultDetail[] {
  if (secret === undefined || Buffer.byteLength(secret) >= LEAST_SECRET_BYTES) return [];
  const msg = `A secret must have at least ${LEAST_SECRET_BYTES} bytes`;
  // Without the input: an answer may end up in a log.
  return [{ loc: ["body", "secret"], msg, type: "value_error" }];
}

async function checkDestination({ url, channel }: WantedSubscription, reach: Reach): Promise<void> {
  if (url !== undefined) await checkAddress("url", url, reach);
  if (channel !== undefined && isChatAddress(channel)) await checkAddress("channel", channel, reach);
}

async function checkAddress(field: "url" | "channel", text: string, reach: Reach): Promise<void> {
  try {
    await checkUrl(text, reach);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw Invalid.body(field, `${field} ${error.message}`, field === "url" ? text : undefined);
  }
}

const forChannel = (field: string): FaultDetail =>
  fault(field, `A channel has no ${field}: they are for webhooks`);

function fault(field: string, msg: string, input?: unknown, type = "value_error"): FaultDetail {
  return { loc: ["body", field], msg, type, ...(input !== undefined && { input }) };
}
