/** Stands for a secret in a text. */
const MASK = "***";
/** Shorter values turn up in texts that have nothing to do with them. */
const LEAST_LENGTH = 8;
const MOST_VALUES = 500;

/**
 * Formats of credentials as their issuers document them, each behind its unmistakable beginning. A token is looked at
 * once, from its first character, so that the cost is linear in the text.
 */
const FORMATS = [
  // OpenAI, Anthropic (sk-ant-), OpenRouter (sk-or-), DeepSeek and others: a digit tells them from words.
  "sk-(?=[\\w-]{0,200}\\d)[\\w-]{20,}",
  // LangSmith, Groq, xAI, Perplexity, Tavily, Hugging Face, Replicate
  "lsv2_[a-z]{2}_[\\w-]{20,}|ls__[\\w-]{20,}|gsk_\\w{20,}|xai-\\w{20,}|pplx-\\w{20,}|tvly-[\\w-]{16,}|hf_\\w{30,}|r8_\\w{30,}",
  // GitHub, GitLab, npm, PyPI, Docker Hub
  "gh[pousr]_\\w{30,}|github_pat_\\w{20,}|gl(?:pat|ptt|dt|rt)-[\\w-]{20,}|npm_\\w{30,}|pypi-[\\w-]{20,}|dckr_pat_[\\w-]{20,}",
  // AWS key ids, Google keys, tokens and client secrets, DigitalOcean, Databricks, Azure SAS signatures
  "(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\\w-]{30,}|ya29\\.[\\w-]{20,}|GOCSPX-[\\w-]{20,}|do[opr]_v1_\\w{30,}|dapi[a-f0-9]{32}|sig=[\\w%+/-]{30,}",
  // Slack, Stripe, SendGrid, Shopify, Linear, Notion, Telegram
  "xox[abeoprs]-[\\w-]{10,}|xapp-[\\w-]{10,}|[srp]k_(?:live|test)_\\w{16,}|SG\\.[\\w-]{16,}\\.[\\w-]{16,}|shp(?:at|ca|pa|ss)_\\w{30,}|lin_api_\\w{30,}|ntn_\\w{30,}|\\d{8,10}:AA[\\w-]{30,}",
  // Signing secrets of webhooks, keys of Berth, JSON web tokens
  "whsec_[\\w+/=-]{20,}|berth_\\w{20,}|eyJ[\\w-]{8,}\\.eyJ[\\w-]{8,}\\.[\\w-]{8,}",
];
const TOKEN = FORMATS.join("|");

/** Credentials that stand between other parts: only the parts in the middle are masked. */
const PRIVATE_KEY =
  '-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-"]{0,20000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?';
const URL_PASSWORD = '(?<=://[^\\s:@/?#"]{0,100}:)[^\\s@/?#"]{1,200}(?=@)';
const AUTHORIZATION = "(?<=\\b(?:Bearer|Basic|Token)[ \\t]{1,4})[\\w.~+/-]{16,}=*";

type MaskOptions = {
  /** Values that are secrets in this process. */
  values?: readonly string[];
  /** Beginnings of further credentials, such as `acme_`. */
  prefixes?: readonly string[];
};

const formatsWith = (prefixes: readonly string[]): RegExp => {
  const own = prefixes.map((prefix) => `${RegExp.escape(prefix)}[\\w.~+/=-]{${LEAST_LENGTH},}`);
  const tokens = `(?<![A-Za-z0-9_-])(?:${[...own, TOKEN].join("|")})`;
  return new RegExp([tokens, PRIVATE_KEY, URL_PASSWORD, AUTHORIZATION].join("|"), "g");
};

/** What every text of this process is masked by, in addition to the values of a caller. */
let formats = formatsWith([]);
let valuesOfProcess: (text: string) => string = (text) => text;

/** Sets what this process masks, once its settings and the variables of its project are known. */
export function maskInProcess({ values = [], prefixes = [] }: MaskOptions): void {
  formats = formatsWith(prefixes);
  valuesOfProcess = withoutValues(values);
}

/** Replaces credentials in a text that is stored or logged: the secret values of this process, and known formats. */
export const masked = (text: string): string => valuesOfProcess(text).replace(formats, MASK);

/** The same with further values that are secrets. */
export function maskOf(secrets: readonly string[]): (text: string) => string {
  const without = withoutValues(secrets);
  return (text) => masked(without(text));
}

/**
 * Takes values out of texts: as they are, as JSON writes them, and line by line, since a program prints a key of many
 * lines as many lines.
 */
function withoutValues(secrets: readonly string[]): (text: string) => string {
  const forms = secrets.flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    ...secret.split("\n").map((line) => line.trim()),
  ]);
  const hidden = [...new Set(forms)].filter((form) => form.length >= LEAST_LENGTH).slice(0, MOST_VALUES);
  // The longest first: what is left of a value when a part of it was taken out would not be found any more.
  hidden.sort((a, b) => b.length - a.length);
  return (text) => hidden.reduce((rest, form) => rest.replaceAll(form, MASK), text);
}
