import type { FaultDetail } from "@berth/store";

const MASK = "***";

/** Names of fields whose values are credentials. */
const SECRET_FIELD_NAME =
  /api[-_]?key|secret|passw(?:or)?d|passphrase|authorization|cookie|credential|private[-_]?key|kubeconfig|(?:^|[-_])(?:token|pat)s?$/i;

/**
 * Credentials by their form: a login in an address, a key in PEM, a JSON Web Token, and keys with the documented prefixes of
 * Berth, LangSmith, OpenAI and Anthropic, GitHub, GitLab, Slack, AWS, Google, npm, Stripe and Hugging Face.
 */
const CREDENTIALS: readonly [form: RegExp, mask: string][] = [
  [/(\/\/)[^\s/@]+@/g, `$1${MASK}@`],
  [/[^\s/:@]{1,100}:[^\s/:@]{1,200}@/g, `${MASK}@`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*/g, MASK],
  [/\beyJ[\w-]{8,2000}\.[\w-]{8,}(?:\.[\w-]*)?/g, MASK],
  [/\b(bearer|basic) +[\w.~+/=-]{8,}/gi, `$1 ${MASK}`],
  [
    /\b(?:berth_|ls__|lsv2_|sk-|gh[opsur]_|github_pat_|glpat-|xox[a-z]-|xapp-|AKIA|ASIA|AIza|ya29\.|npm_|[rs]k_(?:live|test)_|hf_|whsec_)[\w-]{8,}/g,
    MASK,
  ],
];

/** Maximum characters of all texts of one fault that are searched, because the forms cost up to 2,000 steps a character. */
const MAX_SEARCHED_CHARS = 16_384;

const maskText = (text: string): string =>
  CREDENTIALS.reduce((rest, [form, mask]) => rest.replaceAll(form, mask), text);

/** Without credentials: clients print answers into logs. What a field holds by its name, and what a text holds by its form. */
export function withoutCredentials(fault: FaultDetail): FaultDetail {
  const { input, ...others } = fault;
  const budget = { chars: MAX_SEARCHED_CHARS };
  const masked = { ...others, msg: maskWithin(fault.msg, budget) };
  if (!("input" in fault)) return masked;
  const isSecret = fault.loc.some((name) => typeof name === "string" && SECRET_FIELD_NAME.test(name));
  if (isSecret) return input === null ? { ...masked, input } : masked;
  return { ...masked, input: maskValue(input, 0, budget) };
}

/** Deeper values are not repeated. */
const MAX_DEPTH = 8;

type Budget = { chars: number };

/** A text beyond the budget is masked whole. */
function maskWithin(text: string, budget: Budget): string {
  budget.chars -= text.length;
  return budget.chars < 0 ? MASK : maskText(text);
}

function maskValue(value: unknown, depth: number, budget: Budget): unknown {
  if (typeof value === "string") return maskWithin(value, budget);
  if (typeof value !== "object" || value === null) return value;
  if (depth === MAX_DEPTH) return MASK;
  if (Array.isArray(value)) return value.map((item) => maskValue(item, depth + 1, budget));
  const entries = Object.entries(value).map(([name, inside]) => [
    name,
    SECRET_FIELD_NAME.test(name) ? MASK : maskValue(inside, depth + 1, budget),
  ]);
  return Object.fromEntries(entries);
}
