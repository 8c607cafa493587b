export { SignInPage } from "./sign-in-page.tsx";
export { useSignIn } from "./use-sign-in.ts";
