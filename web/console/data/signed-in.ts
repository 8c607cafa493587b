import { createContext, useContext } from "react";
import type { SignIn } from "../../api/index.ts";

/** Who looks at the console. */
export const SignedIn = createContext<SignIn>({ required: false, signed_in: false });

/** Whether they may see what is of the whole server, and not of one workspace. */
export const useIsOperator = (): boolean => useContext(SignedIn).is_operator === true;

/** Whether there are keys: until then nobody can deploy, and keys are made in a terminal. */
export const useHasKeys = (): boolean => useContext(SignedIn).required;
