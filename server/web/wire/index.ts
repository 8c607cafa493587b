export { ShownSignIn } from "./sign-in.ts";
