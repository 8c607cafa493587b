import { type Access, type Caller, callOf, hasUserCookie, strangerWith, TooMany } from "../../http/index.ts";
import { keyIn } from "../../web/index.ts";

type Signing = {
  access: Access;
  request: Request;
  /** The method, and the path at the deployment. */
  asked: string;
  caller: Caller;
};

const WAIT_SECONDS = 60;

/**
 * Of a deployment whose project says itself who may call: as whom a request of its sign-in page goes on to it; undefined
 * where Berth itself signs in and out, with a key. What is a key goes to no project, whoever types it in there.
 * @throws TooMany, Invalid, TooLarge
 */
export async function signingIn({ access, request, asked, caller }: Signing): Promise<Caller | undefined> {
  const keyHeaders = caller.atOwnAuth?.keyHeaders ?? [];
  if (asked === "GET /api/session") return caller.atOwnAuth?.isStranger ? caller : undefined;
  if (asked === "POST /sign-out") return hasUserCookie(request) ? strangerWith(keyHeaders) : undefined;
  if (asked !== "POST /sign-in") return undefined;
  const { client } = callOf(request);
  const typed = await keyIn(request.clone());
  const { isKey, caller: owner } = await access.recognise(typed, client);
  if (owner) return undefined;
  if (isKey) throw new TooMany(WAIT_SECONDS, "Too many wrong API keys from this address");
  access.guessed(typed, client);
  return strangerWith(keyHeaders);
}
