import { isSecretName, type Texts } from "./setting.ts";

const LEAST_LENGTH = 8;
/** Long enough, with letters and digits, and without blanks: nothing that a text has by chance. */
const TOKEN = /^(?=.*[A-Za-z])(?=.*\d)[\w+/=.~-]{24,500}$/;
const PLACE = /^(?:[a-z]+:\/\/|[./]|\d+$)/;

/**
 * Values of variables that are secrets: those whose name says so, those that look like a token, and the passwords of
 * addresses. Other values, such as the name of a model, are in texts that have nothing to do with them.
 */
export function secretValues(texts: Texts): string[] {
  return Object.entries(texts).flatMap(([name, value = ""]) => {
    const password = URL.canParse(value) ? decoded(new URL(value).password) : "";
    const isSecret = isSecretName(name) && !PLACE.test(value);
    const found = [password, isSecret || TOKEN.test(value) ? value : ""];
    return found.filter((one) => one.length >= LEAST_LENGTH);
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
