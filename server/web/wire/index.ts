export * from "./sign-in.ts";
