import { describe } from "bun:test";
import { Client as Client1_15 } from "@langchain/langgraph-sdk";
import { Client as Client1_11 } from "langgraph-sdk-1-11";
import { Client as Client2_0 } from "langgraph-sdk-2-0";

export type Client = Client1_15;
export type ClientClass = typeof Client1_15;

// Private fields make the same class of two packages different types; the tests hold them to one.
const CLIENTS: Record<string, ClientClass> = {
  "2.0.0": Client2_0 as unknown as ClientClass,
  "1.15.0": Client1_15,
  "1.11.0": Client1_11 as unknown as ClientClass,
};

/** Defines the same tests once for each supported version of the official JavaScript client. */
export function forEachSdk(define: (Client: ClientClass, version: string) => void): void {
  for (const [version, Client] of Object.entries(CLIENTS)) {
    describe(`SDK ${version}`, () => define(Client, version));
  }
}
