export { SignInPage, useSignIn } from "./sign-in-page.tsx";
